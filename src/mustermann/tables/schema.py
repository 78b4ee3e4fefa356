"""What a table's columns are: kinds, bounds, bins, levels, and whether these are public.

A schema is a TOML file (or the dataclasses below). What it declares is taken as public
knowledge; what it leaves open is read from the data, which no budget covers: the guarantee
lists such reads. A draft made from data says `public = false` until somebody signs it.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
import itertools
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Strict

from mustermann.core.config import read_toml, strict, validate
from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.constraints import Constraint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Kind = Literal["categorical", "ordinal", "integer", "float", "boolean", "date", "timestamp", "text"]
Strategy = Literal["uniform", "quantile"]
Number: TypeAlias = (
    Annotated[int, Strict()]
    | Annotated[float, Strict()]
    | Annotated[dt.datetime, Strict()]
    | Annotated[dt.date, Strict()]
)
Level: TypeAlias = (
    Annotated[bool, Strict()]
    | Annotated[int, Strict()]
    | Annotated[float, Strict()]
    | Annotated[str, Strict()]
    | Annotated[dt.datetime, Strict()]
    | Annotated[dt.date, Strict()]
)

NUMERIC: tuple[Kind, ...] = ("integer", "float", "date", "timestamp")
"""The kinds that are cut into bins."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class ColumnSchema:
    """What is known about one column; what is None is read from the data.

    Attributes:
      kind: What its values are; None infers it from the file's or frame's type.
      public: Whether what is declared here is public; None takes the schema's word.
      levels: The values of a categorical or ordinal column, in order; of a text column, the
        texts that may occur, which have to be declared.
      top: At most so many levels are kept, "unknown" included (categorical).
      unknown: Whether values outside the levels are a level of their own. None: where there
        are more values than `top`.
      missing: Whether "missing" is a level; None: when the data has missing values.
      missing_values: Texts that mean "missing", as "?".
      bounds: Smallest and largest value; what lies beyond is moved to the bound.
      bins: How many bins, or their edges in ascending order.
      strategy: Bins of equal width or of equal counts; None takes the setting's.
      step: The grid that values lie on, in days for dates and seconds for timestamps. None: 1
        for integers and dates; read from the data for others, or, where nothing may be read,
        1 for timestamps and none for floats.
      drop: Whether the column is left out.
    """

    kind: Kind | None = None
    public: bool | None = None
    levels: tuple[Level, ...] | None = None
    top: int | None = None
    unknown: bool | None = None
    missing: bool | None = None
    missing_values: tuple[str, ...] = ()
    bounds: tuple[Number, Number] | None = None
    bins: int | tuple[Number, ...] | None = None
    strategy: Strategy | None = None
    step: float | None = None
    drop: bool = False

    def __post_init__(self) -> None:
        numeric = {"bounds": self.bounds, "bins": self.bins, "strategy": self.strategy}
        for name, value in numeric.items():
            if value is not None and self.kind is not None and self.kind not in NUMERIC:
                raise ConfigError(f"{name} does not go with kind {self.kind!r}; remove one")
        if self.levels is not None and self.kind in NUMERIC:
            raise ConfigError(f"levels does not go with kind {self.kind!r}; remove one")
        if self.levels is not None and len(set(self.levels)) < len(self.levels):
            raise ConfigError("a level stands twice in levels")
        if self.kind == "text" and not self.drop:
            self._check_text()
        if self.top is not None and self.top < 2:
            raise ConfigError(f"top is at least 2, got {self.top}")
        if self.step is not None and not self.step > 0:
            raise ConfigError(f"step is above 0, got {self.step}")
        if self.bounds is not None and not number(self.bounds[0]) <= number(self.bounds[1]):
            raise ConfigError("bounds is [smallest, largest], got them the other way round")
        self._check_bins()

    def _check_text(self) -> None:
        if not self.levels:
            raise ConfigError(
                "a text column needs levels, the texts that may occur: text without bounds has "
                "no likelihood that sums to 1 and no list that noise could protect; declare "
                "levels, or drop = true"
            )
        if not all(isinstance(level, str) for level in self.levels):
            raise ConfigError("levels of a text column are texts")

    def _check_bins(self) -> None:
        if isinstance(self.bins, int) and self.bins < 1:
            raise ConfigError(f"bins is at least 1, got {self.bins}")
        if isinstance(self.bins, tuple):
            edges = [number(edge) for edge in self.bins]
            if len(edges) < 2 or any(a >= b for a, b in itertools.pairwise(edges)):
                raise ConfigError("edges in bins are two or more, in ascending order")
            if self.bounds is not None:
                raise ConfigError("edges in bins are bounds already; remove bounds")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Cap:
    """The most that all fits on the data set together may spend.

    Attributes:
      cap_epsilon: Sum of the fits' epsilons.
      cap_delta: Sum of the fits' deltas; None allows ten fits at the default of 1e-5.
    """

    cap_epsilon: float
    cap_delta: float | None = None


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Person:
    """Who may have several rows.

    Attributes:
      id: The column that tells persons apart; it is left out of the model.
      rows: At most so many rows of a person are used, the first ones.
    """

    id: str
    rows: int

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise ConfigError(f"rows of a person is at least 1, got {self.rows}")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Schema:
    """The columns that are known, in any number; others are inferred.

    Attributes:
      public: Whether what the columns declare is public knowledge.
      budget: The cap on all fits; a schema with one asks each fit for a journal.
      person: Whom the guarantee is for; None for single rows.
      constraints: What every synthetic row keeps to; public like the rest.
      columns: By name.
    """

    public: bool = True
    budget: Cap | None = None
    person: Person | None = None
    constraints: tuple[Constraint, ...] = ()
    columns: dict[str, ColumnSchema] = dataclasses.field(default_factory=dict)

    def column(self, name: str) -> ColumnSchema:
        """Returns what is known about column `name`."""
        return self.columns.get(name, ColumnSchema())

    def is_public(self, name: str) -> bool:
        """Returns whether what is declared about `name` is public."""
        own = self.column(name).public
        return self.public if own is None else own

    def dropped(self) -> frozenset[str]:
        """Returns the columns that are left out."""
        return frozenset(name for name, column in self.columns.items() if column.drop)

    def check_names(self, names: Iterable[str]) -> None:
        """Refuses columns that the table does not have.

        Raises:
          DataError: A column of the schema is not in `names`; names the nearest one.
        """
        known = list(names)
        for name in self.columns:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else f" It has: {', '.join(known)}."
                raise DataError(f"The schema's column {name!r} is not in the table.{hint}")


def read_schema(path: Path) -> Schema:
    """Returns the schema in a TOML file.

    Raises:
      ConfigError: The file is missing or not TOML, a key is unknown, or a value does not fit.
    """
    return validate(Schema, read_toml(path), where=str(path))


def number(value: Any) -> float | int:
    """Returns a bound as `Series.values` holds it: dates as days, timestamps as microseconds."""
    if isinstance(value, dt.datetime):
        zone = None if value.tzinfo is None else dt.UTC
        return (value - dt.datetime(1970, 1, 1, tzinfo=zone)) // dt.timedelta(microseconds=1)
    if isinstance(value, dt.date):
        return (value - dt.date(1970, 1, 1)).days
    return value  # type: ignore[no-any-return]
