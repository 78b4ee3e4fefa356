"""Columns of which each is at most the next: which bins go together, and values in them.

Between two bins some pair of values must ascend. Along a chain of columns that is not
enough: a and b may agree, b and c too, and yet no b lies between this a and this c. So the
ends of each path are compared as well, unless a column between them is missing.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.tables import restrictions, within
from mustermann.tables.encoders import Bins, on_grid
from mustermann.tables.feasible import Relation
from mustermann.tables.frames import Series

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mustermann.tables.constraints import Constraint
    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.domain import Codes
    from mustermann.tables.walks import Bools, Floats

    Bounds = tuple[Floats, Floats]
    """The least and the greatest value of each level of a column, shapes (n,)."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Step:
    """Two columns of an ascending constraint.

    Attributes:
      low: The column of the lower value, by place in the table.
      high: The column of the higher one.
      strict: Whether they differ.
      grid: The step of both columns; None for continuous ones.
      rule: The constraint, for messages.
    """

    low: int
    high: int
    strict: bool
    grid: float | None
    rule: str


def steps_of(constraints: Sequence[Constraint], discretiser: Discretiser) -> tuple[Step, ...]:
    """Returns the pairs of columns that ascend, in all constraints.

    Raises:
      ConfigError: A column has no bins, two differ in type or step, or a strict constraint
        leads back to where it began.
    """
    names = [encoder.name for encoder in discretiser.encoders]
    found = []
    for constraint in constraints:
        if constraint.ascending is None:
            continue
        constraint.check_names(names)
        places = [names.index(name) for name in constraint.ascending]
        grid = _common_step(constraint, [discretiser.encoders[place] for place in places])
        found += [
            Step(low=low, high=high, strict=constraint.strict, grid=grid, rule=str(constraint))
            for low, high in itertools.combinations(places, 2)
        ]
    for first in found:
        for path in _paths(found, first.high):
            if path[-1].high == first.low and (first.strict or any(s.strict for s in path)):
                raise ConfigError(
                    f"Expected constraints that some row meets, found that {first.rule!r} leads "
                    f"back to {names[first.low]!r}, which can't be below itself. Remove one."
                )
    return tuple(found)


def bounds_of(bins: Bins) -> Bounds:
    """Returns the least and greatest value of each level; missing is no bound at all."""
    low, high = within.ranges_of(bins)
    if bins.missing:
        low, high = np.append(low, -np.inf), np.append(high, np.inf)
    return low, high


def relate(
    steps: Sequence[Step], discretiser: Discretiser, bounds: Mapping[int, Bounds]
) -> list[Relation]:
    """Returns which levels go together along each path of steps.

    Args:
      steps: By `steps_of`.
      discretiser: Knows the bins.
      bounds: By column, tighter bounds than those of the bins.
    """
    found = []
    for step in steps:
        for path in ([step], *([step, *rest] for rest in _paths(steps, step.high))):
            columns = [step.low, *(s.high for s in path)]
            if len(set(columns)) == len(columns):
                found.append(_along(path, columns, discretiser, bounds))
    return found


def draw_ascending(
    steps: Sequence[Step],
    codes: Codes,
    discretiser: Discretiser,
    bounds: Mapping[int, Bounds],
    draws: np.random.Generator,
    *,
    fixed: Mapping[int, Floats] | None = None,
) -> dict[int, Series]:
    """Returns the values of all columns in `steps`, which ascend, by place in the table.

    Args:
      steps: By `steps_of`.
      codes: Valid rows of levels, shape (B, k).
      discretiser: Knows the bins.
      bounds: By column, tighter bounds of its levels than those of its bins, shapes (n,).
      draws: Where values come from.
      fixed: By column, values that are known already, NaN where they are not, shape (B,).
    """
    columns = sorted({column for step in steps for column in (step.low, step.high)})
    low, high, present = {}, {}, {}
    for column in columns:
        bins = _bins(discretiser, column)
        present[column] = codes[:, column] < len(bins.kept)
        own = bounds.get(column) or bounds_of(bins)
        by_row = [bound[codes[:, column]] for bound in own]
        known = (fixed or {}).get(column, np.full(len(codes), np.nan))
        by_row = [np.where(np.isnan(known), bound, known) for bound in by_row]
        low[column], high[column] = (np.where(present[column], b, 0.0) for b in by_row)
    found = {}
    for column in columns:
        _propagate(steps, low, high, present)
        bins = _bins(discretiser, column)
        levels = np.where(present[column], codes[:, column], 0)
        least, greatest = bounds_of(bins)
        low[column] = np.where(present[column], low[column], least[levels])
        high[column] = np.where(present[column], high[column], greatest[levels])
        values = within.draw(bins, levels, low[column], high[column], draws)
        known = (fixed or {}).get(column, np.full(len(codes), np.nan))
        values = np.where(np.isnan(known), values, known)
        low[column] = high[column] = values
        found[column] = values
    return {
        column: within.series(_bins(discretiser, column), values, ~present[column])
        for column, values in found.items()
    }


def _along(
    path: Sequence[Step],
    columns: Sequence[int],
    discretiser: Discretiser,
    bounds: Mapping[int, Bounds],
) -> Relation:
    """Returns which levels of the ends of a path go together, unless one between is missing."""
    first, last = columns[0], columns[-1]
    low = (bounds.get(first) or bounds_of(_bins(discretiser, first)))[0]
    high = (bounds.get(last) or bounds_of(_bins(discretiser, last)))[1]
    least = _beyond(low, path[0].grid, sum(step.strict for step in path))
    ends = least[:, None] <= high[None, :]
    between = [c for c in columns[1:-1] if restrictions.missing(discretiser.encoders[c]).any()]
    table = ends.reshape(len(low), *[1] * len(between), len(high))
    for axis, column in enumerate(between):
        gone = restrictions.missing(discretiser.encoders[column])
        table = table | gone.reshape([-1 if a == axis + 1 else 1 for a in range(table.ndim)])
    rule = " and ".join(dict.fromkeys(step.rule for step in path))
    return Relation(columns=(first, *between, last), table=table, rule=rule)


def _paths(steps: Sequence[Step], start: int, seen: frozenset[int] = frozenset()) -> Iterator[
    list[Step]
]:  # fmt: skip
    """Yields the paths of steps that begin at a column, none of them twice through a column."""
    for step in steps:
        if step.low == start and step.high not in seen:
            yield [step]
            for rest in _paths(steps, step.high, seen | {start, step.high}):
                yield [step, *rest]


def _propagate(
    steps: Sequence[Step],
    low: dict[int, Floats],
    high: dict[int, Floats],
    present: Mapping[int, Bools],
) -> None:
    """Tightens the bounds of each row until every value within them has partners."""
    for _ in steps:
        for step in steps:
            both = present[step.low] & present[step.high]
            least = _beyond(low[step.low], step.grid, int(step.strict))
            most = -_beyond(-high[step.high], step.grid, int(step.strict))
            low[step.high] = np.where(both, np.maximum(low[step.high], least), low[step.high])
            high[step.low] = np.where(both, np.minimum(high[step.low], most), high[step.low])


def _beyond(values: Floats, grid: float | None, count: int) -> Floats:
    """Returns the least values that are `count` strict steps above."""
    if not count:
        return values
    if grid is None:
        for _ in range(count):
            values = np.nextafter(values, np.inf)
        return values
    finite = np.isfinite(values)
    # A value on the grid may be a little less than its own multiple of the step.
    points = np.floor(np.where(finite, values, 0.0) / grid + 1e-6).astype(np.int64)
    return np.where(finite, on_grid(points + count, grid), values)


def _bins(discretiser: Discretiser, column: int) -> Bins:
    encoder = discretiser.encoders[column]
    if not isinstance(encoder, Bins):
        raise ConfigError(f"Expected numbers in the ascending column {encoder.name!r}.")
    return encoder


def _common_step(constraint: Constraint, encoders: Sequence[object]) -> float | None:
    bins = [encoder for encoder in encoders if isinstance(encoder, Bins)]
    if len(bins) < len(encoders) or len({(b.storage, b.step) for b in bins}) > 1:
        raise ConfigError(
            f"Expected numbers, dates or timestamps of one type and one step in the constraint "
            f"{str(constraint)!r}, found others. Declare the same kind and step for all of them."
        )
    return bins[0].step
