"""Fills the gaps of a schema by noisy releases: private bins and levels.

Two releases, both of counts. In each, a row stands in exactly one cell of every column that
is asked about, so that adding or removing it moves the vector of all counts by √(columns)
in L2 norm:

1. "levels": how often each value of a categorical column occurs, how many numbers lie
   between powers of two, and how many values are missing. A value is published only where
   its noisy count exceeds a threshold that a value of a single row exceeds with a probability
   set aside from delta, as the list of values is private too. The others are "unknown".
2. "bounds": how many numbers lie in each of equally wide cells of the range that the first
   release found. Outermost cells without a visible count are cut off; quantiles follow from
   the running sum.

All else is post-processing. Names, order and types of the columns are taken as public.

Source: Korolova et al. 2009 and Wilson et al. 2020 (thresholded histograms); Desfontaines,
Voss and Gipson 2022 (partition selection, the Gaussian case).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.tables import infer
from mustermann.tables.schema import NUMERIC, ColumnSchema, Schema, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.privacy.ledger import Ledger
    from mustermann.privacy.mechanisms import GaussianMechanism
    from mustermann.tables.discretise import DiscretiseSettings
    from mustermann.tables.frames import Frame, Series

Floats = npt.NDArray[np.float64]

LEVELS_SHARE = 0.06
BOUNDS_SHARE = 0.04
"""Parts of the budget's mu^2."""
TAIL = 0.1
"""Part of delta that covers values of single rows passing the threshold."""
_VISIBLE = 1e-5
"""Chance that any empty cell of a column looks as if it held rows: the range is then too wide."""
_CELLS = {"uniform": 64, "quantile": 1024}
_EXPONENTS = range(-20, 63)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Discovered:
    """A schema without gaps that is safe to publish.

    Attributes:
      completed: The schema; no read of it is without noise.
      spare: Numeric columns whose missing values were too few to be seen: rows may have
        them, samples will not.
    """

    completed: infer.Completed
    spare: frozenset[str]


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Query:
    """What the first release asks about one column; the last cell counts missing values.

    Attributes:
      values: The value of each cell (categorical columns), or () for cells that are public.
      counts: Shape (cells,), private.
    """

    name: str
    column: ColumnSchema
    values: tuple[Any, ...]
    counts: npt.NDArray[np.int64]


def discover(
    schema: Schema, frame: Frame, settings: DiscretiseSettings, *, ledger: Ledger
) -> Discovered:
    """Returns the schema with every gap filled out of the budget.

    What the schema declares as public is kept; bounds and levels of an unsigned draft are
    asked for anew.

    Raises:
      ConfigError: The levels of a text column are not public.
      DataError: A column of the schema is not in the table.
      PrivacyError: The budget is too small to see where a column's numbers lie.
    """
    schema.check_names(frame.names)
    columns = {name: _signed(schema, name, frame) for name in frame.names}
    queries = [
        _query(frame[name], column)
        for name, column in columns.items()
        if not column.drop and _is_open(column, settings)
    ]
    spare = frozenset[str]()
    if queries:
        first = _first_release(queries, settings, ledger)
        spare = frozenset(
            name
            for name, column in first.items()
            if column.kind in NUMERIC and columns[name].missing is None and not column.missing
        )
        columns |= first | _second_release(first, frame, settings, ledger)
        columns |= {name: _with(columns[name], missing=True) for name in spare}
    found = Schema(public=True, columns=columns)
    completed = infer.complete(found, frame, settings, mode="public")
    given = frozenset(schema.columns) - schema.dropped()
    return Discovered(completed=dataclasses.replace(completed, given=given), spare=spare)


def _signed(schema: Schema, name: str, frame: Frame) -> ColumnSchema:
    """Returns what is declared about a column, its kind filled in from its public type."""
    column = schema.column(name)
    if column.drop:
        return column
    place = frame.names.index(name)
    kind = column.kind or infer.kind_of(frame.series[place], frame.layout.fields[place])
    column = dataclasses.replace(column, kind=kind, public=True)
    if schema.is_public(name):
        return column
    if kind == "text":
        raise ConfigError(
            f"Expected public levels for the text column {name!r} under --bins private, found "
            f"that the schema calls them private. Check them and set public = true, or drop it."
        )
    bins = None if isinstance(column.bins, tuple) else column.bins
    return _with(column, bounds=None, levels=None, missing=None, bins=bins)


def _is_open(column: ColumnSchema, settings: DiscretiseSettings) -> bool:
    if column.kind in NUMERIC:
        quantile = (column.strategy or settings.strategy) == "quantile"
        return not isinstance(column.bins, tuple) and (column.bounds is None or quantile)
    if column.kind == "boolean":
        return column.missing is None
    return column.levels is None


def _is_listed(query: _Query) -> bool:
    """Returns whether the cells' values themselves are private."""
    return query.column.kind in ("categorical", "ordinal")


def _query(series: Series, column: ColumnSchema) -> _Query:
    present = series.values[~series.missing]
    values: tuple[Any, ...] = ()
    if column.kind in NUMERIC:
        edges = _powers(fractions=column.kind == "float")
        counts = np.bincount(_cells(present, edges), minlength=len(edges) - 1)
    elif column.kind == "boolean":
        counts = np.array([len(present)])
    elif series.storage == "string":
        if column.kind == "ordinal":
            infer.refuse_unordered(series.name)
        counts = np.bincount(present, minlength=len(series.texts))
        # A text may be left from rows that are not asked about: those of a person beyond the
        # bound, or held-out ones. Each cell of theirs would be one more chance to pass.
        found = np.flatnonzero(counts)
        counts, values = counts[found], tuple(series.texts[place] for place in found)
    else:
        distinct, counts = np.unique(present, return_counts=True)
        values = tuple(distinct.tolist())
    counts = np.append(counts, len(series) - len(present))
    return _Query(name=series.name, column=column, values=values, counts=counts)


def _first_release(
    queries: list[_Query], settings: DiscretiseSettings, ledger: Ledger
) -> dict[str, ColumnSchema]:
    """Returns each column with its levels, or with the powers of two that bound it."""
    aside = TAIL * ledger.delta
    listed = sum(_is_listed(query) for query in queries)
    if listed:
        what = "values of a single row passing the threshold of the levels"
        ledger.reserve_delta("threshold", delta=aside, what=what)
    mechanism = ledger.gaussian(
        "levels",
        share=LEVELS_SHARE,
        sensitivity=math.sqrt(len(queries)),
        what=f"the values, ranges and missing values of {len(queries)} columns",
    )
    noisy = _released(mechanism, [query.counts for query in queries])
    # A row may bring a value of its own into each listed column: the chances add up.
    threshold = 1 + mechanism.std * float(-ndtri(aside / max(listed, 1)))
    found = {}
    for query, counts in zip(queries, noisy, strict=True):
        column = query.column
        if column.missing is None:
            column = _with(column, missing=bool(counts[-1] > threshold))
        if column.kind in NUMERIC:
            bounds = column.bounds or _range(query, counts[:-1], mechanism.std, ledger)
            found[query.name] = _with(column, bounds=bounds)
        elif column.kind == "boolean":
            # Rare missing values count as unknown, which comes back as either value.
            found[query.name] = _with(column, unknown=None if column.missing else True)
        else:
            found[query.name] = _with_levels(
                column, query, counts[:-1], threshold, top=settings.top
            )
    return found


def _with_levels(
    column: ColumnSchema, query: _Query, noisy: Floats, threshold: float, *, top: int
) -> ColumnSchema:
    """Returns the column with the values above the threshold, the most frequent first."""
    order = np.argsort(-noisy, kind="stable")
    seen = [query.values[place] for place in order if noisy[place] > threshold]
    seen = seen[: (column.top or top) - 1]
    if column.kind == "ordinal":
        seen.sort()
    return _with(column, levels=tuple(seen), unknown=True)


def _range(query: _Query, noisy: Floats, std: float, ledger: Ledger) -> tuple[float, float]:
    """Returns the outermost powers of two between which numbers are seen."""
    edges = _powers(fractions=query.column.kind == "float")
    visible = np.flatnonzero(noisy > _visible(std, len(noisy)))
    if not len(visible):
        raise PrivacyError(
            f"Expected a budget that shows where the numbers of column {query.name!r} lie, but "
            f"epsilon={ledger.budget.epsilon:g} is too small for these rows. "
            f"Raise it, or declare bounds in the schema."
        )
    return edges[visible[0]].item(), edges[visible[-1] + 1].item()


def _second_release(
    columns: dict[str, ColumnSchema], frame: Frame, settings: DiscretiseSettings, ledger: Ledger
) -> dict[str, ColumnSchema]:
    """Returns the numeric columns with narrower bounds, or with the edges of quantiles."""
    numeric = {name: column for name, column in columns.items() if column.kind in NUMERIC}
    if not numeric:
        return {}
    mechanism = ledger.gaussian(
        "bounds",
        share=BOUNDS_SHARE,
        sensitivity=math.sqrt(len(numeric)),
        what=f"the bounds or quantiles of {len(numeric)} columns",
    )
    grids, counts = [], []
    for name, column in numeric.items():
        low, high = (float(number(bound)) for bound in column.bounds or (0, 1))
        cells = _CELLS[column.strategy or settings.strategy]
        grids.append(np.linspace(low, high, cells + 1))
        series = frame[name]
        inside = _cells(series.values[~series.missing], grids[-1])
        counts.append(np.bincount(inside, minlength=cells))
    found = {}
    noisy = _released(mechanism, counts)
    for (name, column), edges, histogram in zip(numeric.items(), grids, noisy, strict=True):
        if (column.strategy or settings.strategy) == "quantile":
            bins = column.bins if isinstance(column.bins, int) else settings.bins
            found[name] = _with(column, bounds=None, bins=_quantiles(histogram, edges, bins))
        else:
            bounds = _narrowed(histogram, edges, mechanism.std, column)
            found[name] = _with(column, bounds=bounds)
    return found


def _released(
    mechanism: GaussianMechanism, counts: Sequence[npt.NDArray[np.int64]]
) -> list[Floats]:
    """Returns all counts under one noise, parted again."""
    ends = np.cumsum([len(part) for part in counts])[:-1]
    return np.split(mechanism.release(np.concatenate(counts)), ends)


def _narrowed(
    noisy: Floats, edges: Floats, std: float, column: ColumnSchema
) -> tuple[float, float]:
    """Returns the range beyond which no numbers are seen; all of it if none is seen at all.

    Seen are single cells, and sums from the outermost cell inwards: a thin tail shows in
    none of its cells, but in their sum.
    """
    cells = len(noisy)
    sums = _visible(std, cells) * np.sqrt(np.arange(1, cells + 1))
    ends = []
    for outward in (noisy, noisy[::-1]):
        seen = (outward > sums[0]) | (np.cumsum(outward) > sums)
        ends.append(int(seen.argmax()))
    first, last = ends if sum(ends) < cells else (0, 0)
    low, high = edges[first].item(), edges[cells - last].item()
    if column.kind == "float":
        return low, high
    # The upper edge belongs to the next cell, but for the last one.
    return math.ceil(low), max(math.ceil(high) - 1, math.ceil(low))


def _quantiles(noisy: Floats, edges: Floats, bins: int) -> tuple[float, ...]:
    """Returns the edges of bins of equal noisy counts, numbers spread evenly in a cell."""
    mass = np.maximum(noisy, 0.0)
    running = np.append(0.0, np.cumsum(mass)) / max(float(mass.sum()), 1.0)
    cuts = np.interp(np.linspace(0, 1, bins + 1), running, edges)
    return tuple(np.unique(np.concatenate([edges[:1], cuts[1:-1], edges[-1:]])).tolist())


def _visible(std: float, cells: int) -> float:
    """Returns a count that noise alone exceeds in any of the cells with chance `_VISIBLE`."""
    return std * float(-ndtri(_VISIBLE / cells))


def _powers(*, fractions: bool) -> Floats:
    """Returns 0 and the powers of two of either sign that numbers are sorted by."""
    powers = [2.0**e for e in _EXPONENTS if fractions or e >= 0]
    return np.array([*(-p for p in reversed(powers)), 0.0, *powers])


def _cells(values: npt.NDArray[Any], edges: Floats) -> npt.NDArray[np.int64]:
    """Returns the cell of each value, the outermost ones for what lies beyond."""
    return np.searchsorted(edges[1:-1], values, side="right").astype(np.int64)


def _with(column: ColumnSchema, **changes: Any) -> ColumnSchema:
    return dataclasses.replace(column, **changes)
