"""Exact log-likelihoods of rows under a table transformer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

if TYPE_CHECKING:
    import numpy.typing as npt

    from mustermann.tables.domain import Codes
    from mustermann.tables.transformer import TableTransformer

BLOCK_ROWS = 1024


def log_likelihood(model: TableTransformer, codes: Codes) -> npt.NDArray[np.float64]:
    """Returns the log-likelihood of each row in nats, shape (N,)."""
    return np.asarray(by_column(model, codes).sum(axis=1))


@torch.no_grad()
def by_column(model: TableTransformer, codes: Codes) -> npt.NDArray[np.float64]:
    """Returns the log-probability of each level given those before it, in nats, shape (N, k).

    Columns stand in the table's order; "before" is the model's order.
    """
    model.eval()
    parts = [np.empty((0, codes.shape[1]))]
    for start in range(0, len(codes), BLOCK_ROWS):
        rows = torch.from_numpy(np.ascontiguousarray(codes[start : start + BLOCK_ROWS]))
        logs = functional.log_softmax(model(rows).double(), dim=-1)  # (B, k, N)
        scored = logs.gather(2, rows[:, model.order].unsqueeze(2)).squeeze(2)
        parts.append(scored[:, model.place].numpy())
    return np.concatenate(parts)
