"""Levels for cells that are missing, given the other cells of their row.

One missing cell, or few, are exact: all their combinations are scored. Otherwise each row
has candidates that keep to its known cells, are weighed by how likely the model would have
done so, and of which one is drawn by weight; the effective number of candidates tells how
far to trust it. A row whose unknown cells all stand last in the model's order needs one
candidate, which is exact too.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.tables.walks import held, invert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mustermann.tables.domain import Codes
    from mustermann.tables.feasible import Feasible
    from mustermann.tables.walks import Bools, Floats, Ints, Walkable

CANDIDATES = 128
MOST_COMBINATIONS = 1024
_BLOCK_CELLS = 32_768
"""Rows times candidates that are on their way at once."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Completed:
    """Rows without gaps.

    Attributes:
      codes: Shape (N, k).
      effective: Candidates that each row's draw is worth, shape (N,); infinity where exact.
    """

    codes: Codes
    effective: Floats


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Gaps:
    """What is to be filled, and under which rules.

    Attributes:
      codes: Shape (N, k); what stands in a gap means nothing.
      open: Which cells are gaps, shape (N, k).
      base: The levels that leave some valid row.
      narrowed: Those that leave one with the row's known cells, for each group of rows.
      groups: The group of each row, shape (N,).
      weights: By column, what a gap may be filled with, shape (n,).
    """

    codes: Codes
    open: Bools
    base: Feasible
    narrowed: Sequence[Feasible]
    groups: Ints
    weights: Mapping[int, Floats]


def complete(model: Walkable, gaps: Gaps, *, seed: int) -> Completed:
    """Returns the rows with every gap filled.

    Raises:
      DataError: The known cells of a row break the constraints; names the row.
    """
    _refuse_invalid(gaps)
    codes, effective = gaps.codes.copy(), np.full(len(gaps.codes), math.inf)
    patterns, which = np.unique(gaps.open, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if not pattern.any():
            continue
        rows = np.flatnonzero(which.reshape(-1) == number)
        draws = Seeds(seed).generator("gaps", number)
        for part, filled, worth in _by_block(model, gaps, pattern, rows, draws):
            codes[part], effective[part] = filled, worth
    return Completed(codes=codes, effective=effective)


def _by_block(
    model: Walkable, gaps: Gaps, pattern: Bools, rows: Ints, draws: np.random.Generator
) -> Iterator[tuple[Ints, Codes, Floats]]:
    """Yields rows, their levels and the worth of their draws; all rows have these gaps."""
    known_later = _known_after_gap(model.order, pattern)
    choices = {
        column: np.flatnonzero(gaps.weights[column]) for column in np.flatnonzero(pattern).tolist()
    }
    combinations = math.prod(len(levels) for levels in choices.values())
    outright = known_later and combinations <= MOST_COMBINATIONS
    each = combinations if outright else CANDIDATES if known_later else 1
    step = max(1, _BLOCK_CELLS // each)
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        many = np.repeat(part, each)
        codes = gaps.codes[many]
        if outright:
            grid = np.meshgrid(*choices.values(), indexing="ij")
            for column, levels in zip(choices, grid, strict=True):
                codes[:, column] = np.tile(levels.ravel(), len(part))
        known = np.ones(len(pattern), bool) if outright else ~pattern
        logs = _walk(model, gaps, many, codes, known, draws).reshape(len(part), each)
        chosen, worth = _choose(logs, draws)
        filled = codes.reshape(len(part), each, -1)[np.arange(len(part)), chosen]
        exact = outright or not known_later
        yield part, filled, np.full(len(part), math.inf) if exact else worth


def _walk(
    model: Walkable, gaps: Gaps, rows: Ints, codes: Codes, known: Bools, draws: np.random.Generator
) -> Floats:
    """Draws the columns that are not `known` into `codes`; returns log-weights, shape (B,).

    A known level weighs as much as the model gives it.
    """
    walk, logs = model.walk(len(codes)), np.zeros(len(codes))
    for position, column in enumerate(model.order):
        chances = held(walk.chances(), gaps.base.allowed(position, codes))
        allowed = _narrowed(gaps, position, rows, codes)
        if allowed is not None:
            chances = np.where(allowed, chances, 0.0)
        with np.errstate(divide="ignore"):
            if known[column]:
                level = codes[:, column]
                logs += np.log(chances[np.arange(len(codes)), level])
            else:
                chances = chances * gaps.weights[column]
                whole = chances.sum(axis=1, keepdims=True)
                logs += np.log(whole[:, 0])
                chances = np.where(whole > 0, chances, 1.0)
                codes[:, column] = invert(chances, draws.random(len(codes)))
        walk.take(codes[:, column])
    return logs


def _narrowed(gaps: Gaps, position: int, rows: Ints, codes: Codes) -> Bools | None:
    """Returns which levels leave a valid row with the known cells, shape (B, n)."""
    groups = gaps.groups[rows]
    whole: Bools | None = None
    for group in np.unique(groups).tolist():
        here = groups == group
        allowed = gaps.narrowed[group].allowed(position, codes[here])
        if allowed is None:
            continue
        if whole is None:
            whole = np.ones((len(codes), allowed.shape[1]), bool)
        whole[here] = allowed
    return whole


def _choose(logs: Floats, draws: np.random.Generator) -> tuple[Ints, Floats]:
    """Returns one candidate a row, drawn by weight, and how many candidates it is worth."""
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
    weights = np.where(np.isfinite(top), weights, 1.0)
    chosen = invert(weights, draws.random(len(weights)))
    return chosen, weights.sum(axis=1) ** 2 / (weights**2).sum(axis=1)


def _known_after_gap(order: Sequence[int], pattern: Bools) -> bool:
    """Returns whether a known cell stands after a gap in the model's order."""
    gaps = [position for position, column in enumerate(order) if pattern[column]]
    return any(not pattern[column] for column in order[min(gaps) :])


def _refuse_invalid(gaps: Gaps) -> None:
    for group, feasible in enumerate(gaps.narrowed):
        if not feasible.possible:
            row = int(np.flatnonzero(gaps.groups == group)[0])
            raise DataError(
                f"Expected known cells that some valid row has, found that those of row "
                f"{row + 1} break the model's constraints. Mend or remove the row."
            )
