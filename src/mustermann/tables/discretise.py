"""A frame to codes and back, by the encoders that a completed schema and the data give."""

from __future__ import annotations

import dataclasses
import difflib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError, DataError
from mustermann.tables import encoders
from mustermann.tables.domain import Column, Domain
from mustermann.tables.encoders import Bins, Levels
from mustermann.tables.frames import Frame, Layout, Reading
from mustermann.tables.schema import NUMERIC, ColumnSchema, Strategy, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.tables.domain import Codes
    from mustermann.tables.encoders import Encoder
    from mustermann.tables.frames import Field, Series
    from mustermann.tables.infer import Completed

BinsMode = Literal["public", "private", "nonprivate"]

FREQUENT_ROWS = 20
FREQUENT_SHARE = 0.5
"""A value is a bin's frequent one if so many rows, and such a part of the bin's rows, have it."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class DiscretiseSettings:
    """How columns are cut where the schema does not say.

    Attributes:
      strategy: Bins of equal width or of equal counts.
      bins: How many.
      top: At most so many levels are kept of a categorical column, "unknown" included.
      unknown: "always" gives every column of text a level for values that only rows to be
        scored have, which is never sampled; "observed" does not, as the literature, and
        scoring refuses such values.
      frequent: Whether the way back gives the value that most rows of a bin have as often as
        they do, rather than values spread over the bin; only where bins are read from the
        data, and one of these reads. Codes and likelihoods do not depend on it.
    """

    strategy: Strategy = "uniform"
    bins: int = 100
    top: int = 100
    unknown: Literal["always", "observed"] = "always"
    frequent: bool = True

    def __post_init__(self) -> None:
        if self.bins < 1 or self.top < 2:
            raise ConfigError("bins is at least 1 and top at least 2")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Discretiser:
    """Maps frames to codes and back.

    Attributes:
      encoders: One a column, in the table's order.
      markers: By column, texts that mean "missing".
      reads: By column, what rests on the data rather than on a declaration.
    """

    encoders: tuple[Encoder, ...]
    markers: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    reads: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)

    @property
    def domain(self) -> Domain:
        """Returns the discrete domain that models work on."""
        return Domain(
            columns=tuple(
                Column(
                    name=encoder.name,
                    size=encoder.size,
                    ordered=encoder.ordered,
                    tail=encoder.tail if encoder.ordered else 0,
                    labels=encoder.labels,
                )
                for encoder in self.encoders
            )
        )

    @property
    def reading(self) -> Reading:
        """Returns what a table must be read as, so that it fits."""
        return Reading(
            storages={encoder.name: encoder.storage for encoder in self.encoders},
            markers=self.markers,
        )

    def encode(self, frame: Frame) -> Codes:
        """Returns the levels of each row, shape (N, k); further columns are ignored.

        Raises:
          DataError: A column is not there, or a value is none of its column's.
        """
        for encoder in self.encoders:
            if encoder.name not in frame.names:
                near = difflib.get_close_matches(encoder.name, frame.names, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise DataError(f"Expected a column {encoder.name!r}, found none.{hint}")
        codes = np.empty((len(frame), len(self.encoders)), np.int64)
        for place, encoder in enumerate(self.encoders):
            codes[:, place] = encoder.encode(frame[encoder.name])
        return codes

    def decode(self, codes: Codes, layout: Layout, draws: np.random.Generator) -> Frame:
        """Returns rows with these levels, laid out as the table that was fitted."""
        series = tuple(
            encoder.decode(codes[:, place], draws) for place, encoder in enumerate(self.encoders)
        )
        return Frame(series=series, layout=layout)

    def to_record(self) -> dict[str, Any]:
        """Returns the discretiser as JSON values."""
        return {
            "columns": [encoder.to_record() for encoder in self.encoders],
            "markers": {name: list(markers) for name, markers in self.markers.items()},
            "reads": {name: list(reads) for name, reads in self.reads.items()},
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Discretiser:
        """Returns the discretiser that `to_record` described."""
        return cls(
            encoders=tuple(encoders.from_record(column) for column in record["columns"]),
            markers={name: tuple(markers) for name, markers in record["markers"].items()},
            reads={name: tuple(reads) for name, reads in record["reads"].items()},
        )


def layout_of(frame: Frame, discretiser: Discretiser) -> Layout:
    """Returns the frame's layout without the columns and categories that are left out."""
    kept = {encoder.name: encoder for encoder in discretiser.encoders}
    fields = tuple(
        dataclasses.replace(field, categories=_categories(field, kept[field.name]))
        for field in frame.layout.fields
        if field.name in kept
    )
    return dataclasses.replace(frame.layout, fields=fields)


def _categories(field: Field, encoder: Encoder) -> tuple[Any, ...] | None:
    """Returns the categories that the model knows, in the frame's order."""
    if field.categories is None or not isinstance(encoder, Levels):
        return None
    # A category that is no level may be a rare private value.
    known = set(encoder.values)
    return tuple(value for value in field.categories if value in known)


def build(
    completed: Completed,
    frame: Frame,
    settings: DiscretiseSettings,
    *,
    spare: frozenset[str] = frozenset(),
    cuts: Mapping[str, tuple[float, ...]] | None = None,
) -> Discretiser:
    """Returns the discretiser of a completed schema.

    Bins that the schema does not declare as public are cut and folded by the data in `frame`,
    which `completed.reads` tells. Missing values of `spare` columns are never given back.
    `cuts` are further edges of a column's bins, which are public.
    """
    made: list[Encoder] = []
    for name, column in completed.schema.columns.items():
        if column.drop:
            continue
        if column.kind in NUMERIC:
            folded = "bins" in completed.reads.get(name, ())
            more = (cuts or {}).get(name, ())
            bins = _bins(name, column, frame[name], settings, folded=folded, cuts=more)
            made.append(dataclasses.replace(bins, spare=name in spare))
        else:
            made.append(_levels(column, frame[name], settings))
    if not made:
        raise DataError("Expected at least one column, found that the schema drops them all.")
    markers = {
        name: column.missing_values
        for name, column in completed.schema.columns.items()
        if column.missing_values and not column.drop
    }
    return Discretiser(encoders=tuple(made), markers=markers, reads=completed.reads)


def _levels(column: ColumnSchema, series: Series, settings: DiscretiseSettings) -> Levels:
    values = tuple(number(level) for level in column.levels or ())
    levels = Levels(
        name=series.name,
        storage=series.storage,
        values=values,
        ordered=column.kind == "ordinal",
        unknown=_free_label(values) if column.unknown else None,
        missing=bool(column.missing),
    )
    if column.unknown is None and series.storage == "string" and settings.unknown == "always":
        levels.encode(series)  # A value beyond the levels is refused while nothing stands for it.
        return dataclasses.replace(levels, unknown=_free_label(values), spare=bool(values))
    return levels


def _free_label(values: Sequence[Any]) -> str:
    """Returns the text for unknown values: one that is no known value."""
    label = "unknown"
    while label in values:
        label = f"{label} (other)"
    return label


def _bins(
    name: str, column: ColumnSchema, series: Series, settings: DiscretiseSettings, *,
    folded: bool, cuts: tuple[float, ...],
) -> Bins:  # fmt: skip
    present = series.values[~series.missing]
    step = column.step
    if step is not None and column.kind == "timestamp":
        step = step * 1e6  # Seconds in the schema, microseconds in memory.
    edges = with_cuts(_edges(column, present, settings), cuts)
    kept = np.unique(encoders.bin_of(present, edges)) if folded else np.arange(len(edges) - 1)
    if step is not None:
        first, last = encoders.grid(edges, step)
        kept = kept[(first <= last)[kept]]
    if not len(kept) and not column.missing:
        raise DataError(f"No bin of column {name!r} holds a point of its grid. Mend step or bins.")
    bins = Bins(
        name=name,
        storage=series.storage,
        edges=edges,
        kept=tuple(kept.tolist()) or (0,),
        step=step,
        missing=bool(column.missing),
    )
    return _with_frequent(bins, series) if folded and settings.frequent else bins


def with_cuts(edges: tuple[float, ...], cuts: tuple[float, ...]) -> tuple[float, ...]:
    """Returns the edges with further ones; one at the upper end sets that value apart."""
    if not cuts or edges[0] == edges[-1]:
        return edges
    inside = {cut for cut in cuts if edges[0] < cut < edges[-1]}
    apart = (edges[-1],) if edges[-1] in cuts else ()
    return (*sorted({*edges, *inside}), *apart)


def _with_frequent(bins: Bins, series: Series) -> Bins:
    """Returns the bins with the value that most rows of a bin have, where there are enough."""
    inside = (series.values >= bins.edges[0]) & (series.values <= bins.edges[-1])
    rows = ~series.missing & inside
    values, counts = np.unique(series.values[rows], return_counts=True)
    levels = bins.encode(dataclasses.replace(series, values=values, missing=values != values))
    frequent, shares = np.zeros(len(bins.kept)), np.zeros(len(bins.kept))
    for level in np.unique(levels):
        here = np.flatnonzero(levels == level)
        most, total = here[counts[here].argmax()], int(counts[here].sum())
        if counts[most] >= max(FREQUENT_ROWS, FREQUENT_SHARE * total):
            frequent[level], shares[level] = values[most], counts[most] / total
    if not shares.any():
        return bins
    return dataclasses.replace(
        bins, frequent=tuple(frequent.tolist()), shares=tuple(shares.tolist())
    )


def _edges(column: ColumnSchema, present: Any, settings: DiscretiseSettings) -> tuple[float, ...]:
    """Returns the edges of the bins of a numeric column."""
    if isinstance(column.bins, tuple):
        return tuple(float(number(edge)) for edge in column.bins)
    count = column.bins or settings.bins
    low, high = (float(number(bound)) for bound in column.bounds or (0, 0))
    if low == high:
        return (low, high)
    if (column.strategy or settings.strategy) == "quantile" and len(present):
        inside = np.clip(present.astype(float), low, high)
        edges = np.percentile(inside, np.linspace(0, 100, count + 1))
        edges = edges[np.append(True, np.diff(edges) > 0)]
        return tuple(edges.tolist()) if len(edges) > 1 else (low, high)
    return tuple(np.linspace(low, high, count + 1).tolist())
