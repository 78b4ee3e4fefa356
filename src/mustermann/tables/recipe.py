"""The recipe: every number that a fit needs, from public facts only.

A `Plan` is a function of the recipe's name, ε and the number of rows, which is declared
public or noised. Nothing else, and no look at the data, sets it.
"""

from __future__ import annotations

import bisect
import dataclasses
import math
from typing import Literal, TypeAlias

from mustermann.core.config import strict
from mustermann.tables.transformer import Shape


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Sampling:
    """How rows are drawn from the fitted model.

    Attributes:
      coupled: Whether rows of a block share low-discrepancy uniforms: counts vary less
        than by chance, but rows are not independent of one another.
    """

    coupled: bool = False


RecipeName: TypeAlias = Literal["default", "paper"]
"""The recipe of this project, one for all tables, or the seed paper's: plain tables, natural
order, AdamW, dropout, two views of a record, no marginals, no pre-training."""

RowCount: TypeAlias = Literal["public", "noised"]
"""Whether the number of rows is declared public, or noised out of the budget."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Chains:
    """How the Gibbs chains of the pairwise field run.

    Attributes:
      count: Parallel chains.
      sweeps: Sweeps over all columns.
      kept: Late sweeps whose states are the sample.
      rate: First step size of the field's weights; it falls to a fifth.
    """

    count: int = 2667
    sweeps: int = 120
    kept: int = 15
    rate: float = 0.25


@dataclasses.dataclass(frozen=True, kw_only=True)
class Training:
    """A run of Adam: a short rise of the learning rate, then a linear fall to 0.

    Attributes:
      steps: Updates.
      peak: Highest learning rate.
      rise: Part of the steps over which the rate rises.
      betas: Adam's decay of the first and second moments.
      decay: Weight decay of AdamW.
    """

    steps: int
    peak: float
    rise: float = 0.05
    betas: tuple[float, float] = (0.9, 0.99)
    decay: float = 0.0


@dataclasses.dataclass(frozen=True, kw_only=True)
class FieldPlan:
    """What is released before DP-SGD, and how a pairwise field is fitted to it.

    Attributes:
      marginal_share: Part of the budget's mu^2 for the one-way marginals.
      moment_share: Part for the pairwise moments.
      frequencies: Most cosines that stand for an ordered column.
      damping: Of the weight of rare levels of unordered columns.
      slack: Clipping radius in units of the typical length of a row's features.
      chains: How the field is sampled.
      batch: Rows of the field in a step of pre-training.
      pretraining: The training on rows of the field.
    """

    marginal_share: float = 0.1
    moment_share: float = 0.2
    frequencies: int = 4
    damping: float = 0.05
    slack: float = 1.15
    chains: Chains = Chains()
    batch: int = 128
    pretraining: Training


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that a fit does, in numbers.

    Attributes:
      shape: Of the transformer.
      field: Marginals, moments, column order and pre-training; None does without.
      training: DP-SGD, on what is left of the budget.
      rate: Chance that a record joins a step.
      clip: L2 bound of a record's gradient.
      views: Views of a record, which differ in their dropout and, where random, their order.
    """

    shape: Shape
    field: FieldPlan | None
    training: Training
    rate: float
    clip: float = 1.0
    views: int = 1


Points: TypeAlias = tuple[tuple[float, float], ...]
RATES: Points = ((1.0, 0.05), (3.0, 0.08), (10.0, 0.10))
"""Epsilon and the sampling rate that does best there on tables of 10,000 to 26,000 rows."""
MARGINAL_SHARES: Points = ((1.0, 0.10), (3.0, 0.14))
"""Epsilon and the part of the budget for the one-way marginals: with more of it, training has
enough, and the marginals are what a sample is judged by first."""
FREQUENCIES = (4, 12)
"""Fewest and most cosines of an ordered column; 4 at n·ε = 10,000, growing with its root: a
moment's noise falls with n·ε, and grows with the number of cosines."""
LEAST_BATCH = 400
MOST_BATCH = 3000
"""Bounds of the expected batch: small tables take larger parts, large ones save time."""


def plan(name: RecipeName, *, epsilon: float, rows: float) -> Plan:
    """Returns the numbers of a fit of about `rows` rows under a budget of `epsilon`."""
    rate = sampling_rate(epsilon, rows)
    if name == "paper":
        return Plan(
            shape=Shape(smooth=False, dropout=0.1),
            field=None,
            training=Training(steps=300, peak=3e-3, decay=0.01),
            rate=rate,
            views=2,
        )
    return Plan(
        shape=Shape(),
        field=FieldPlan(
            marginal_share=_interpolated(MARGINAL_SHARES, epsilon),
            frequencies=frequencies(epsilon, rows),
            pretraining=Training(steps=400, peak=4e-3),
        ),
        training=Training(steps=300, peak=5e-3),
        rate=rate,
    )


def sampling_rate(epsilon: float, rows: float) -> float:
    """Returns the chance that a record joins a step, in (0, 1].

    Interpolated in log ε between the measured rates, then held to a sensible batch.
    """
    batch = min(max(_interpolated(RATES, epsilon) * rows, LEAST_BATCH), MOST_BATCH)
    return min(batch / max(rows, 1.0), 1.0)


def frequencies(epsilon: float, rows: float) -> int:
    """Returns how many cosines stand for an ordered column at most."""
    least, most = FREQUENCIES
    return min(max(round(least * math.sqrt(rows * epsilon / 10_000)), least), most)


def _interpolated(points: Points, epsilon: float) -> float:
    """Returns the value at ε, linear in log ε between the points and constant beyond them."""
    places = [math.log(e) for e, _ in points]
    x = min(max(math.log(epsilon), places[0]), places[-1])
    i = min(max(bisect.bisect_right(places, x) - 1, 0), len(places) - 2)
    weight = (x - places[i]) / (places[i + 1] - places[i])
    return points[i][1] * (1 - weight) + points[i + 1][1] * weight
