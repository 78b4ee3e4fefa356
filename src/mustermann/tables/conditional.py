"""Rows that meet conditions, and how much they are worth.

The target is the model's distribution given the conditions; constraints belong to the
model, so each step is renormalised over the levels that leave some valid row.

exact       where the levels of all columns up to the last conditioned one have few
            combinations: these are weighed outright and drawn from, the rest follows.
otherwise   sequential importance resampling: each candidate keeps to the conditions and is
            weighed by how likely the model would have done so; the rows returned are drawn
            by weight. The effective sample size says how many independent rows they equal.

Source: Liu and Chen 1998, "Sequential Monte Carlo methods for dynamic systems"; the
effective size counts the families of the first candidates, as in Lee and Whiteley 2018,
"Variance estimation in the particle filter".
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.tables.walks import Floats, Ints, held, invert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.tables.domain import Codes
    from mustermann.tables.feasible import Feasible
    from mustermann.tables.walks import Walk, Walkable

BLOCK_ROWS = 1024
CANDIDATES = 4
"""For each row of a block that is not exact."""
MOST_PREFIXES = 4096
"""So many combinations of the first levels are weighed outright."""
SCORED_ROWS = 1024


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    """What holds for every row, and what for those that are asked for.

    Attributes:
      base: The levels that leave some valid row.
      narrowed: Those that leave one which meets the conditions.
      weights: By column, the chance that a row of each level meets them, shape (n,).
    """

    base: Feasible
    narrowed: Feasible
    weights: Mapping[int, Floats]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Drawn:
    """A block of rows.

    Attributes:
      codes: Shape (B, k), in the table's order.
      effective: How many independent rows they are worth, at most B.
      exact: Whether the rows are independent draws from the conditional distribution.
    """

    codes: Codes
    effective: float
    exact: bool


def log_likelihood(model: Walkable, codes: Codes, base: Feasible) -> Floats:
    """Returns the log-likelihood of each row in nats, minus infinity for invalid ones, (N,)."""
    result = np.zeros(len(codes))
    for start in range(0, len(codes), SCORED_ROWS):
        rows = codes[start : start + SCORED_ROWS]
        walk = model.walk(len(rows))
        for position, column in enumerate(model.order):
            chances = held(walk.chances(), base.allowed(position, rows))
            with np.errstate(divide="ignore"):
                result[start : start + len(rows)] += np.log(
                    chances[np.arange(len(rows)), rows[:, column]]
                )
            walk.take(rows[:, column])
    return result


def sample(model: Walkable, count: int, rules: Rules, *, seed: int) -> Iterator[Drawn]:
    """Yields blocks of rows that meet the conditions, `count` in all.

    Raises:
      DataError: The model gives rows that meet them no chance at all.
    """
    for start in range(0, count, BLOCK_ROWS):
        draws = Seeds(seed).generator("rows", start)
        yield _Block(model, rules, draws).draw(min(BLOCK_ROWS, count - start))


class _Block:
    """One block of rows on its way."""

    def __init__(self, model: Walkable, rules: Rules, draws: np.random.Generator) -> None:
        self._model, self._rules, self._random = model, rules, draws
        self._order = model.order
        conditioned = [p for p, column in enumerate(self._order) if column in rules.weights]
        self._last = max(conditioned, default=-1)
        self._codes = np.zeros((0, len(self._order)), np.int64)

    def draw(self, rows: int) -> Drawn:
        """Returns so many rows."""
        combinations = self._combinations()
        exact = self._last < 0 or combinations <= MOST_PREFIXES
        if self._last < 0:
            walk = self._start(rows)
            effective = float(rows)
        elif exact:
            walk, logs = self._enumerate()
            total = np.cumsum(_relative(logs))
            chosen = np.searchsorted(total, self._uniform(rows) * total[-1], side="right")
            walk = self._choose(walk, np.minimum(chosen, len(total) - 1))
            effective = float(rows)
        else:
            walk, logs, families = self._candidates(max(rows, BLOCK_ROWS // 2) * CANDIDATES)
            weights = _relative(logs)
            effective = min(_effective(weights, families), float(rows))
            walk = self._choose(walk, _systematic(weights, rows, self._random))
        for position in range(self._last + 1, len(self._order)):
            chances = self._step(walk, position)
            self._take(walk, position, invert(chances, self._uniform(len(chances))))
        return Drawn(codes=self._codes, effective=effective, exact=exact)

    def _combinations(self) -> float:
        """Returns the number of combinations of the levels up to the last conditioned one."""
        counts = []
        for column in self._order[: self._last + 1]:
            weights = self._rules.weights.get(column)
            counts.append(self._size(column) if weights is None else int((weights > 0).sum()))
        return math.prod(counts)

    def _size(self, column: int) -> int:
        return self._rules.base.sizes[column]

    def _start(self, rows: int) -> Walk:
        self._codes = np.zeros((rows, len(self._order)), np.int64)
        return self._model.walk(rows)

    def _step(self, walk: Walk, position: int, *, narrowed: bool = False) -> Floats:
        """Returns the chances (B, n) of the next levels; they sum to 1 unless `narrowed`."""
        chances = held(walk.chances(), self._rules.base.allowed(position, self._codes))
        if not narrowed:
            return chances
        allowed = self._rules.narrowed.allowed(position, self._codes)
        if allowed is not None:
            chances = np.where(allowed, chances, 0.0)
        weights = self._rules.weights.get(self._order[position])
        return chances if weights is None else chances * weights

    def _take(self, walk: Walk, position: int, levels: Ints) -> None:
        self._codes[:, self._order[position]] = levels
        walk.take(levels)

    def _choose(self, walk: Walk, rows: Ints) -> Walk:
        self._codes = self._codes[rows]
        walk.keep(rows)
        return walk

    def _enumerate(self) -> tuple[Walk, Floats]:
        """Returns a walk of all combinations up to the last conditioned column, and their logs."""
        walk, logs = self._start(1), np.zeros(1)
        for position in range(self._last + 1):
            chances = self._step(walk, position, narrowed=True)
            rows, levels = np.nonzero(chances)
            if not len(rows):
                _refuse()
            logs = logs[rows] + np.log(chances[rows, levels])
            self._choose(walk, rows)
            self._take(walk, position, levels)
        return walk, logs

    def _candidates(self, count: int) -> tuple[Walk, Floats, Ints]:
        """Returns candidates at the last conditioned column, their log-weights and families."""
        walk, logs, families = self._start(count), np.zeros(count), np.arange(count)
        for position in range(self._last + 1):
            chances = self._step(walk, position, narrowed=True)
            with np.errstate(divide="ignore"):
                logs = logs + np.log(chances.sum(axis=1))
            weights = _relative(logs)
            if 1 / (weights**2).sum() < count / 2:
                kept = _systematic(weights, count, self._random)
                self._choose(walk, kept)
                chances, families, logs = chances[kept], families[kept], np.zeros(count)
            # A candidate of no weight goes anywhere: it is never kept.
            chances = np.where(chances.sum(axis=1, keepdims=True) > 0, chances, 1.0)
            self._take(walk, position, invert(chances, self._uniform(count)))
        return walk, logs, families

    def _uniform(self, rows: int) -> Floats:
        return self._random.random(rows)


def _relative(logs: Floats) -> Floats:
    """Returns log-weights as weights that sum to 1."""
    top = logs.max()
    if not np.isfinite(top):
        _refuse()
    weights = np.exp(logs - top)
    return weights / weights.sum()  # type: ignore[no-any-return]


def _systematic(weights: Floats, count: int, draws: np.random.Generator) -> Ints:
    """Returns `count` places drawn by weight, evenly spread and shuffled."""
    marks = (np.arange(count) + draws.random()) / count
    places = np.minimum(np.searchsorted(np.cumsum(weights), marks), len(weights) - 1)
    return draws.permutation(places).astype(np.int64)


def _effective(weights: Floats, families: Ints) -> float:
    """Returns the effective number of independent candidates."""
    shares = np.bincount(families, weights=weights)
    return float(1 / (shares**2).sum())


def _refuse() -> NoReturn:
    raise DataError(
        "Expected rows that meet the conditions and constraints, but the model gives them no "
        "chance at all. Loosen a condition, or fit with another method."
    )
