"""A tilt of each column's logits that brings a model's marginals to the released ones.

Clipping biases DP-SGD: a sample's one-way marginals are off whatever the budget is. One
logit more for each level, fitted column by column on the model's own rows, mends that.
It is part of the model: sampling and likelihood both see it. Free post-processing.

The released marginals have errors, too, and DP-SGD may have mended some of them. A column
goes as far towards them as they differ from the model's by more than their errors, but at
least as far as their errors are small beside those that a sample of the table's size makes
by itself: below that, nobody could tell the released marginals from the true ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from mustermann.tables.decode import Walk, couple, invert

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from mustermann.tables.denoise import Marginal
    from mustermann.tables.transformer import TableTransformer

ROWS = 16384
ROUNDS = 4
MOST_STEP = 2.0
FLOOR = 1e-12


@torch.no_grad()
def recalibrate(
    model: TableTransformer,
    marginals: Sequence[Marginal],
    *,
    records: float,
    draws: np.random.Generator,
) -> None:
    """Adds the tilt to the biases of the model's heads.

    Args:
      model: Changed in place.
      marginals: As released, in the table's order.
      records: Public or noised number of rows.
      draws: For the rows on which the tilt is fitted.
    """
    model.eval()
    uniforms = torch.from_numpy(draws.random((ROWS, len(model.sizes))))
    walk = Walk(model, ROWS)
    for position, column in enumerate(model.order.tolist()):
        chances = walk.logits().double().softmax(dim=-1)
        own = chances.mean(dim=0).numpy()
        tilt = _tilt(chances, _target(own, marginals[column], records=records))
        chances = chances * tilt.exp()
        model.heads.bias[position, : len(tilt)] += tilt
        walk.take(invert(chances, couple(chances, uniforms[:, position])))


def _target(
    own: npt.NDArray[np.float64], released: Marginal, *, records: float
) -> npt.NDArray[np.float64]:
    """Returns probabilities between the model's own and the released ones, shape (n,)."""
    own = np.maximum(own, FLOOR)
    trust = max(_shrunk(own, released), _negligible(released, records))
    mixed = np.exp(trust * np.log(released.probabilities) + (1 - trust) * np.log(own))
    return np.asarray(mixed / mixed.sum())


def _shrunk(own: npt.NDArray[np.float64], released: Marginal) -> float:
    """Returns how far James and Stein would go towards the released marginal, 0 to 1.

    Squares are weighed by 1/p as the likelihood weighs them.
    """
    gap = float(((released.probabilities - own) ** 2 / released.probabilities).sum())
    error = float((released.errors**2 / released.probabilities).sum())
    return max(0.0, 1 - error / max(gap, FLOOR))


def _negligible(released: Marginal, records: float) -> float:
    """Returns the errors of a sample of the table's size over the released ones, at most 1.

    Both as expected total variation, up to the same factor.
    """
    p = released.probabilities
    by_chance = float(np.sqrt(p * (1 - p) / max(records, 1.0)).sum())
    return min(1.0, by_chance / max(float(released.errors.sum()), FLOOR))


def _tilt(chances: torch.Tensor, wanted: npt.NDArray[np.float64]) -> torch.Tensor:
    """Returns logits to add, shape (n,), so that the chances (B, n) average to what is wanted."""
    target = torch.from_numpy(wanted).log()
    tilt = torch.zeros_like(target)
    for _ in range(ROUNDS):
        tilted = chances * tilt.exp()
        mean = (tilted / tilted.sum(dim=1, keepdim=True)).mean(dim=0)
        tilt += (target - mean.clamp_min(FLOOR).log()).clamp(-MOST_STEP, MOST_STEP)
    return tilt
