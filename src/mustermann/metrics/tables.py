"""How close synthetic rows are to real ones: marginals, usefulness, and closeness to single rows.

All of them take discretised rows (shape (N, k), level numbers), so that methods compare. All
are computed on real rows without noise: they are not private.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TRIPLES = 100
"""Triples of columns that stand for all, drawn with `TRIPLES_SEED`."""
TRIPLES_SEED = 123
_DCR_ROWS = 2000
_CLASSES = 20
"""An ordered target with more levels than this is a number to predict, not a class."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MarginalDistances:
    """Mean total variation distances; None where there are too few columns.

    Attributes:
      tvd1: Over all columns, in [0, 1].
      tvd2: Over all pairs of columns.
      tvd3: Over `TRIPLES` seeded triples of columns.
    """

    tvd1: float
    tvd2: float | None
    tvd3: float | None


def marginal_distances(real: Codes, synthetic: Codes, sizes: Sequence[int]) -> MarginalDistances:
    """Returns how far the 1-, 2- and 3-way marginals of two tables are apart.

    Args:
      real: Shape (N, k).
      synthetic: Shape (M, k); as many rows as `real` for figures that compare.
      sizes: Levels of each column, shape (k,).
    """
    columns = range(len(sizes))

    def mean(groups: Iterable[tuple[int, ...]]) -> float | None:
        found = [total_variation(real, synthetic, group, sizes) for group in groups]
        return float(np.mean(found)) if found else None

    return MarginalDistances(
        tvd1=mean((column,) for column in columns) or 0.0,
        tvd2=mean(itertools.combinations(columns, 2)),
        tvd3=mean(triples(len(sizes))),
    )


def triples(columns: int) -> list[tuple[int, ...]]:
    """Returns the triples of columns that 3-way figures are taken over; [] below 3 columns."""
    if columns < 3:
        return []
    draws = np.random.default_rng(TRIPLES_SEED)
    return [tuple(sorted(draws.choice(columns, 3, replace=False).tolist())) for _ in range(TRIPLES)]


def total_variation(
    real: Codes, synthetic: Codes, group: Sequence[int], sizes: Sequence[int]
) -> float:
    """Returns half the L1 distance of two empirical marginals over a group of columns."""
    shape = tuple(sizes[column] for column in group)
    cells = np.concatenate(
        [
            np.ravel_multi_index(tuple(rows[:, column] for column in group), shape)
            for rows in (real, synthetic)
        ]
    )
    # Most cells of a large marginal are empty: only those that occur are counted.
    found, places = np.unique(cells, return_inverse=True)
    ours = np.bincount(places[: len(real)], minlength=len(found)) / len(real)
    theirs = np.bincount(places[len(real) :], minlength=len(found)) / len(synthetic)
    return float(0.5 * np.abs(ours - theirs).sum())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Usefulness:
    """Train on synthetic, test on real (TSTR), beside train on real.

    Attributes:
      score: "accuracy" for classes, "r2" for numbers.
      boosted: Gradient-boosted trees trained on synthetic rows, scored on the holdout.
      linear: A linear model trained and scored alike.
      boosted_real: The trees trained on real rows.
      linear_real: The linear model trained on real rows.
      baseline: Always the most frequent class of the real rows (or their mean).
    """

    score: str
    boosted: float
    linear: float
    boosted_real: float
    linear_real: float
    baseline: float


def train_on_synthetic(
    real: Codes,
    synthetic: Codes,
    holdout: Codes,
    *,
    target: int,
    sizes: Sequence[int],
    ordered: Sequence[bool],
) -> Usefulness:
    """Returns how well models trained on synthetic rows predict held-out real ones.

    Args:
      real: Shape (N, k), for the models to compare with.
      synthetic: Shape (M, k).
      holdout: Real rows that no model has seen, shape (H, k).
      target: The column to predict.
      sizes: Levels of each column, shape (k,).
      ordered: Whether each column's levels are ordered, shape (k,).
    """
    number = ordered[target] and sizes[target] > _CLASSES
    others = [column for column in range(len(sizes)) if column != target]

    def features(rows: Codes) -> Floats:
        return _indicators(rows, others, sizes, ordered)

    def fitted(rows: Codes, kind: str) -> float:
        if not number and len(np.unique(rows[:, target])) < 2:
            return float(np.mean(holdout[:, target] == rows[0, target]))
        model = _predictor(kind, number=number)
        see = features if kind == "linear" else lambda table: table[:, others]
        model.fit(see(rows), rows[:, target])
        return float(model.score(see(holdout), holdout[:, target]))

    return Usefulness(
        score="r2" if number else "accuracy",
        boosted=fitted(synthetic, "boosted"),
        linear=fitted(synthetic, "linear"),
        boosted_real=fitted(real, "boosted"),
        linear_real=fitted(real, "linear"),
        baseline=_baseline(real[:, target], holdout[:, target], number=number),
    )


def _predictor(kind: str, *, number: bool) -> Any:
    """Returns an untrained scikit-learn model for a number or a class."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegression, Ridge

    if kind == "linear":
        return Ridge() if number else LogisticRegression(max_iter=300)
    boosted = HistGradientBoostingRegressor if number else HistGradientBoostingClassifier
    return boosted(random_state=0, max_iter=50)


def _baseline(seen: Codes, unseen: Codes, *, number: bool) -> float:
    if number:
        spread = float(np.var(unseen))
        return 1 - float(np.mean((unseen - seen.mean()) ** 2)) / spread if spread else 0.0
    return float(np.mean(unseen == np.bincount(seen).argmax()))


def _indicators(
    rows: Codes, columns: Sequence[int], sizes: Sequence[int], ordered: Sequence[bool]
) -> Floats:
    """Returns ordered columns as numbers in [0, 1] and others as one-hot, shape (N, features)."""
    parts = []
    for column in columns:
        if ordered[column]:
            parts.append(rows[:, [column]] / max(sizes[column] - 1, 1))
        else:
            parts.append(np.eye(sizes[column])[rows[:, column]])
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(rows), 1))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Closeness:
    """Distance to the closest record (DCR), in mean differences a column, each in [0, 1].

    Attributes:
      to_real: Median distance of a synthetic row to the closest real row.
      to_holdout: The same to the closest held-out row, out of as many.
      closer_to_real: Share of synthetic rows closer to the real rows than to the held-out
        ones, ties counted half: near 0.5 where nothing was learned by heart.
      rows: Rows of each of the three tables that were compared.
    """

    to_real: float
    to_holdout: float
    closer_to_real: float
    rows: int


def closest_records(
    real: Codes, synthetic: Codes, holdout: Codes, *, sizes: Sequence[int], ordered: Sequence[bool]
) -> Closeness:
    """Returns whether synthetic rows lie closer to real rows than to held-out ones.

    Real and held-out rows are cut to the same number, at most 2,000, as the closest of more
    rows is closer. Distances: |difference| of ranks over the range for ordered columns, 0 or
    1 for others.
    """
    count = min(len(real), len(holdout), _DCR_ROWS)
    draws = np.random.default_rng(0)
    chosen = [
        rows[draws.permutation(len(rows))[: min(len(rows), count)]]
        for rows in (real, holdout, synthetic)
    ]
    near_real, near_holdout = (
        _nearest(chosen[2], rows, sizes, ordered) for rows in (chosen[0], chosen[1])
    )
    closer = np.mean(near_real < near_holdout) + np.mean(near_real == near_holdout) / 2
    return Closeness(
        to_real=float(np.median(near_real)),
        to_holdout=float(np.median(near_holdout)),
        closer_to_real=float(closer),
        rows=count,
    )


def _nearest(rows: Codes, others: Codes, sizes: Sequence[int], ordered: Sequence[bool]) -> Floats:
    """Returns each row's distance to the closest of `others`, shape (N,)."""
    nearest = np.empty(len(rows))
    for start in range(0, len(rows), 100):
        block = rows[start : start + 100]
        # float32 sums in a fixed order: equal rows stay at equal distances.
        total = np.zeros((len(block), len(others)), np.float32)
        for column, size in enumerate(sizes):
            apart = block[:, column, None] - others[None, :, column]
            total += np.abs(apart) / max(size - 1, 1) if ordered[column] else apart != 0
        nearest[start : start + 100] = total.min(axis=1) / len(sizes)
    return nearest
