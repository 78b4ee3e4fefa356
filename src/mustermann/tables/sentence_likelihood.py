"""Exact log-likelihoods of rows under a sentence transformer.

The likelihood of a model is the one in its own order: the table's for a model that was
trained in random order. It is what the model's samples follow, and it sums to 1 over all
rows, so it compares with that of any other model of the same levels. The mean over random
orders is another figure: no one distribution has it, but it says what a model that knows
all orders expects on average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    import numpy.typing as npt

    from mustermann.tables.domain import Codes
    from mustermann.tables.sentence_model import SentenceTransformer

BLOCK_ROWS = 512


def log_likelihood(
    model: SentenceTransformer, codes: Codes, *, guided: bool = True
) -> npt.NDArray[np.float64]:
    """Returns the log-likelihood of each row in nats, shape (N,).

    Args:
      model: Put in evaluation mode.
      codes: Shape (N, k), in the table's order.
      guided: Whether under the trie. Without it the model also predicts which token of the
        whole vocabulary comes, so that rows sum to less than 1.
    """
    return _scored(model, codes, np.tile(model.order.numpy(), (len(codes), 1)), guided=guided)


def mean_over_orders(
    model: SentenceTransformer, codes: Codes, *, orders: int, draws: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Returns the mean of each row's log-likelihoods in random orders, shape (N,).

    Args:
      model: Put in evaluation mode.
      codes: Shape (N, k), in the table's order.
      orders: How many a row, each row its own.
      draws: For the orders.
    """
    total = np.zeros(len(codes))
    for _ in range(orders):
        drawn = draws.random(codes.shape).argsort(axis=1)
        total += _scored(model, codes, drawn, guided=True)
    return total / orders


@torch.no_grad()
def _scored(
    model: SentenceTransformer, codes: Codes, orders: npt.NDArray[np.int64], *, guided: bool
) -> npt.NDArray[np.float64]:
    model.eval()
    parts = [np.empty(0)]
    for start in range(0, len(codes), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        rows, order = (torch.from_numpy(np.ascontiguousarray(a[block])) for a in (codes, orders))
        parts.append(model.log_likelihood(rows, order, guided=guided).double().numpy())
    return np.concatenate(parts)
