"""Values within a part of a bin: what a level still holds once a condition has cut it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mustermann.tables.encoders import grid, on_grid
from mustermann.tables.frames import Series

if TYPE_CHECKING:
    from mustermann.tables.encoders import Bins
    from mustermann.tables.walks import Bools, Floats, Ints


class Range(NamedTuple):
    """A closed range of values, as `Series` holds them."""

    low: float
    high: float


EVERYTHING = Range(-math.inf, math.inf)


def ranges_of(bins: Bins) -> tuple[Floats, Floats]:
    """Returns the least and the greatest value of each kept bin, shapes (n,) and (n,)."""
    kept = np.array(bins.kept)
    if bins.step is not None:
        first, last = grid(bins.edges, bins.step)
        return on_grid(first[kept], bins.step), on_grid(last[kept], bins.step)
    edges = np.array(bins.edges)
    high = np.nextafter(edges[1:], -np.inf)
    high[-1] = edges[-1]
    return edges[kept], np.maximum(high, edges[:-1])[kept]


def share_within(bins: Bins, levels: Ints, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Returns the chances that a value of each level lies in [low, high], shapes (B,) and (B,).

    The first is that of the bin's frequent value, the second that of its other values; both
    are parts of the whole level.
    """
    least, greatest = ranges_of(bins)
    usual = np.array(bins.shares)[levels] if bins.frequent else np.zeros(len(levels))
    if bins.frequent:
        value = np.array(bins.frequent)[levels]
        frequent = np.where((value >= low) & (value <= high), usual, 0.0)
    else:
        frequent = usual
    if bins.step is None:
        wide = greatest[levels] - least[levels]
        inside = np.minimum(high, greatest[levels]) - np.maximum(low, least[levels])
        whole = (low <= least[levels]) & (high >= greatest[levels])
        part = np.divide(np.maximum(inside, 0), wide, out=np.zeros(len(levels)), where=wide > 0)
        others = np.where(whole, 1.0, part)
    else:
        first, last = _points(bins.step, low, high, least[levels], greatest[levels])
        count = np.rint((greatest - least)[levels] / bins.step) + 1
        others = np.maximum(last - first + 1, 0) / count
    return frequent, (1 - usual) * others


def draw(bins: Bins, levels: Ints, low: Floats, high: Floats, draws: np.random.Generator) -> Floats:
    """Returns a value of each level within its [low, high], which hold at least one, (B,).

    As likely as the level's own values are, given that they lie in there.
    """
    least, greatest = ranges_of(bins)
    frequent, others = share_within(bins, levels, low, high)
    if bins.step is None:
        values = draws.uniform(np.maximum(low, least[levels]), np.minimum(high, greatest[levels]))
        values = np.clip(values, low, high)
    else:
        first, last = _points(bins.step, low, high, least[levels], greatest[levels])
        values = on_grid(draws.integers(first, np.maximum(last, first) + 1), bins.step)
        others = np.where(last < first, 0.0, others)
    if bins.frequent:
        whole = frequent + others
        chance = np.divide(frequent, whole, out=np.zeros(len(levels)), where=whole > 0)
        values = np.where(
            draws.random(len(levels)) < chance, np.array(bins.frequent)[levels], values
        )
    return values


def _points(
    step: float, low: Floats, high: Floats, least: Floats, greatest: Floats
) -> tuple[Ints, Ints]:
    """Returns the first and the last grid point in both ranges, as multiples of `step`."""
    low, high = np.maximum(low, least), np.minimum(high, greatest)
    first = np.ceil(low / step).astype(np.int64)
    # Division rounds: the points themselves decide.
    first += on_grid(first, step) < low
    first -= on_grid(first - 1, step) >= low
    last = np.floor(high / step).astype(np.int64)
    last -= on_grid(last, step) > high
    last += on_grid(last + 1, step) <= high
    return first, last


def series(bins: Bins, values: Floats, missing: Bools) -> Series:
    """Returns values of a column as a frame holds them."""
    return Series(
        name=bins.name,
        storage=bins.storage,
        values=values.astype(np.float64 if bins.storage == "float" else np.int64),
        missing=missing,
    )
