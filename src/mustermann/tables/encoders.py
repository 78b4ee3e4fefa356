"""Values to levels and back, one column at a time.

A level is a whole number below `size`. Values of a column come first, then "unknown" where
the column has it, then "missing" where the column has it.
"""

from __future__ import annotations

import dataclasses
import functools
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import DataError
from mustermann.tables.frames import Series
from mustermann.tables.texts import spell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.tables.texts import Storage

Ints = npt.NDArray[np.int64]

MISSING = "missing"
"""The name of the level for missing values."""
_DIGITS = 12


class Encoder(Protocol):
    """Maps one column to levels and back."""

    @property
    def name(self) -> str:
        """Returns the column's name."""
        ...

    @property
    def storage(self) -> Storage:
        """Returns how the column's values are held."""
        ...

    @property
    def size(self) -> int:
        """Returns the number of levels."""
        ...

    @property
    def ordered(self) -> bool:
        """Returns whether neighbouring levels are alike."""
        ...

    @property
    def tail(self) -> int:
        """Returns how many of the last levels stand outside the order."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns the levels' names: the values, or where a bin begins."""
        ...

    def encode(self, series: Series) -> Ints:
        """Returns the level of each value, shape (N,).

        Raises:
          DataError: A value is none of the column's; names it and its row.
        """
        ...

    def decode(self, codes: Ints, draws: np.random.Generator) -> Series:
        """Returns a value for each level, drawn within it where it holds several."""
        ...

    def to_record(self) -> dict[str, Any]:
        """Returns the encoder as JSON values."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True)
class Levels:
    """Levels that are single values.

    On the way back "unknown" becomes the text `unknown` in a column of text, a missing value
    in another column that has these, and one of the known values, each equally likely, in a
    column that has neither or whose unknown is a spare one.

    Attributes:
      name: The column's name.
      storage: How its values are held.
      values: The known values as `Series` holds them (texts for strings), in order.
      ordered: Whether neighbours are alike.
      unknown: The text that stands for all other values; None refuses these.
      spare: Whether unknown is there for rows to be scored only, and never comes back.
      missing: Whether "missing" is a level.
    """

    name: str
    storage: Storage
    values: tuple[Any, ...]
    ordered: bool = False
    unknown: str | None = None
    spare: bool = False
    missing: bool = False

    @property
    def size(self) -> int:
        """Returns the number of levels."""
        return len(self.values) + self.tail

    @property
    def tail(self) -> int:
        """Returns the number of levels that are no known value."""
        return (self.unknown is not None) + self.missing

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns the levels' names; several may be equal only where values are spelt alike."""
        names = spell(self.values, self.storage, None)
        names += [self.unknown] if self.unknown is not None else []
        return (*names, *((MISSING,) if self.missing else ()))

    def encode(self, series: Series) -> Ints:
        """Returns the level of each value, shape (N,); see `Encoder`."""
        ranks = {value: rank for rank, value in enumerate(self.values)}
        distinct, where = _distinct(series)
        outside = len(self.values) if self.unknown is not None else -1
        table = np.array([ranks.get(value, outside) for value in distinct] or [0], np.int64)
        codes = table[where]
        codes[series.missing] = self.size - 1 if self.missing else outside
        if outside < 0 and codes.min(initial=0) < 0:
            self._refuse(series, distinct, where, int(np.argmin(codes)))
        return codes

    def decode(self, codes: Ints, draws: np.random.Generator) -> Series:
        """Returns the value of each level; see `Encoder`."""
        known = len(self.values)
        missing = (codes == self.size - 1) if self.missing else np.zeros(len(codes), bool)
        unknown = (codes >= known) & ~missing
        ranks = codes
        if self.spare or (self.storage != "string" and not self.missing):
            ranks = np.where(unknown, draws.integers(0, max(known, 1), len(codes)), codes)
        elif self.storage != "string":
            missing = missing | unknown
        ranks = np.where(missing, 0, ranks)
        if self.storage == "string":
            texts = self.values if self.unknown is None else (*self.values, self.unknown)
            return Series(
                name=self.name, storage="string", values=ranks, missing=missing, texts=texts
            )
        values = np.array(self.values or (0,), dtype=_DTYPES[self.storage])[ranks]
        return Series(name=self.name, storage=self.storage, values=values, missing=missing)

    def to_record(self) -> dict[str, Any]:
        """Returns the encoder as JSON values."""
        return {"type": "levels"} | dataclasses.asdict(self)

    def _refuse(self, series: Series, distinct: list[Any], where: Ints, row: int) -> None:
        if series.missing[row]:
            raise DataError(
                f"Expected a value in column {self.name!r}, found none in row {row + 1}. "
                f"Fill it, or declare missing = true in the schema."
            )
        raise DataError(
            f"Expected one of {len(self.values)} known values in column {self.name!r}, found "
            f"{distinct[where[row]]!r} in row {row + 1}. "
            f"Add it to levels, or declare unknown = true in the schema."
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bins:
    """Levels that are ranges of numbers: [edge, next edge), the last one closed.

    Values beyond the edges count as the outermost bins, values in a bin that is not kept as
    the nearest one that is. The way back gives a bin's frequent value as often as its share
    says (most capital gains are 0), and draws uniformly within the bin, on the grid, else.

    Attributes:
      name: The column's name.
      storage: How its values are held.
      edges: In ascending order, one more than there are bins.
      kept: The bins that are levels, in ascending order.
      step: Distance of the grid's points, which include 0; None for a continuous column.
      missing: Whether "missing" is a level.
      spare: Whether missing is there for rows that have it, and never comes back.
      frequent: For each kept bin, the value that most of its rows have; () for none at all.
      shares: For each kept bin, the share of its rows that have it, 0 where none has most.
    """

    name: str
    storage: Storage
    edges: tuple[float, ...]
    kept: tuple[int, ...]
    step: float | None = None
    missing: bool = False
    spare: bool = False
    frequent: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """Returns the number of levels."""
        return len(self.kept) + self.missing

    @property
    def ordered(self) -> bool:
        """Returns True: bins have neighbours."""
        return True

    @property
    def tail(self) -> int:
        """Returns 1 where "missing" is a level, which has no neighbours."""
        return int(self.missing)

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns the smallest value of each bin, in as few digits as tell them apart."""
        bins = np.array(self.kept)
        if self.step is None:
            lowest = np.array(self.edges)[bins]
        else:
            lowest = on_grid(grid(self.edges, self.step)[0][bins], self.step)
        names = (
            _shortest(lowest.tolist())
            if self.storage == "float"
            else spell(np.ceil(lowest).astype(np.int64).tolist(), self.storage, None)
        )
        return (*names, *((MISSING,) if self.missing else ()))

    def encode(self, series: Series) -> Ints:
        """Returns the level of each value, shape (N,); see `Encoder`."""
        codes = self._level_of_bin[bin_of(series.values, self.edges)]
        if self.missing:
            codes[series.missing] = len(self.kept)
        elif series.missing.any():
            raise DataError(
                f"Expected a number in column {self.name!r}, found none in row "
                f"{int(np.argmax(series.missing)) + 1}. "
                f"Fill it, or declare missing = true in the schema."
            )
        return codes

    def decode(self, codes: Ints, draws: np.random.Generator) -> Series:
        """Returns a value in the bin of each level; see `Encoder`."""
        missing = codes >= len(self.kept)
        if self.spare:
            others = draws.integers(0, len(self.kept), len(codes))
            codes, missing = np.where(missing, others, codes), np.zeros(len(codes), bool)
        levels = np.where(missing, 0, codes)
        bins = np.array(self.kept)[levels]
        if self.step is None:
            edges = np.array(self.edges)
            values = draws.uniform(edges[bins], edges[bins + 1])
        else:
            first, last = grid(self.edges, self.step)
            values = on_grid(draws.integers(first[bins], last[bins] + 1), self.step)
        if self.frequent:
            usual = draws.random(len(codes)) < np.array(self.shares)[levels]
            values = np.where(usual, np.array(self.frequent)[levels], values)
        values = values.astype(_DTYPES[self.storage])
        return Series(name=self.name, storage=self.storage, values=values, missing=missing)

    def to_record(self) -> dict[str, Any]:
        """Returns the encoder as JSON values."""
        return {"type": "bins"} | dataclasses.asdict(self)

    @functools.cached_property
    def _level_of_bin(self) -> Ints:
        """Returns the nearest kept bin's level for each bin; the lower one of two."""
        kept = np.array(self.kept)
        bins = np.arange(len(self.edges) - 1)
        nearest: Ints = np.abs(bins[:, None] - kept[None, :]).argmin(axis=1).astype(np.int64)
        return nearest


def from_record(record: Mapping[str, Any]) -> Encoder:
    """Returns the encoder that `to_record` described."""
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in record.items()
        if key != "type"
    }
    return Levels(**fields) if record["type"] == "levels" else Bins(**fields)


def bin_of(values: npt.NDArray[Any], edges: tuple[float, ...]) -> Ints:
    """Returns the bin of each value, the outermost ones for what lies beyond, shape (N,)."""
    return np.searchsorted(np.array(edges[1:-1]), values, side="right").astype(np.int64)


def grid(edges: tuple[float, ...], step: float) -> tuple[Ints, Ints]:
    """Returns the first and the last grid point in each bin, as multiples of `step`.

    Both have shape (bins,); the last is below the first where a bin holds no point.
    """
    bounds = np.array(edges)
    points = np.ceil(bounds / step).astype(np.int64)
    # Division rounds: the points themselves decide.
    points += on_grid(points, step) < bounds
    points -= on_grid(points - 1, step) >= bounds
    first, last = points[:-1], points[1:] - 1
    last[-1] += on_grid(points[-1:], step)[0] <= bounds[-1]
    return first, last


def on_grid(points: Ints, step: float) -> npt.NDArray[np.float64]:
    """Returns multiples of `step`, rounded as decimals: 3 steps of 0.1 are 0.3."""
    digits = -int(Decimal(repr(step)).normalize().as_tuple().exponent)
    return np.round(points * float(step), max(digits, 0))


def _shortest(values: list[float]) -> list[str]:
    """Returns numbers in as few digits after the point as tell them apart."""
    for digits in range(_DIGITS):
        names = [f"{value:.{digits}f}" for value in values]
        if len(set(names)) == len(names):
            return names
    return [repr(value) for value in values]


def _distinct(series: Series) -> tuple[list[Any], Ints]:
    """Returns the different values and, for each row, its place among them."""
    if series.storage == "string":
        return list(series.texts), series.values
    distinct, where = np.unique(series.values, return_inverse=True)
    return distinct.tolist(), where.astype(np.int64)


_DTYPES: dict[Storage, Any] = {
    "string": np.int64,
    "integer": np.int64,
    "float": np.float64,
    "boolean": np.bool_,
    "date": np.int64,
    "timestamp": np.int64,
}
