"""What every row must keep to, as a schema declares it.

    [[constraints]]
    implies = ["age<16", "marital=single"]            # where the first holds, so does the second

    [[constraints]]
    forbid = "sex=M,pregnant=true"                     # no row is all of this

    [[constraints]]
    columns = ["city", "zip"]                          # no other combinations
    combinations = [["Köln", "50667"], ["Bonn", "53111"]]

    [[constraints]]
    ascending = ["admitted", "discharged"]             # each at most the next; strict = true: below

    [[constraints]]
    together = ["value", "value_date"]                 # all missing, or none

Conditions are written as in `conditions`. Constraints are public knowledge: they are never
checked against the data, which would be a read of it.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import difflib
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Strict

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

Cell: TypeAlias = (
    Annotated[bool, Strict()]
    | Annotated[int, Strict()]
    | Annotated[float, Strict()]
    | Annotated[str, Strict()]
    | Annotated[dt.datetime, Strict()]
    | Annotated[dt.date, Strict()]
)
_KINDS = ("implies", "forbid", "combinations", "ascending", "together")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Constraint:
    """One rule; exactly one of `implies`, `forbid`, `combinations`, `ascending`, `together`.

    Attributes:
      name: For messages; None takes the rule itself.
      implies: Conditions, and those that hold wherever they do.
      forbid: Conditions that never hold all at once: a structural zero.
      columns: The columns of `combinations`.
      combinations: The only rows that these columns may hold; "" is a missing value.
      ascending: Columns of numbers, dates or timestamps of which each is at most those after
        it. A missing value is below and above nothing.
      strict: Whether `ascending` forbids equal values.
      together: Columns of which all or none are missing.
    """

    name: str | None = None
    implies: tuple[str, str] | None = None
    forbid: str | None = None
    columns: tuple[str, ...] = ()
    combinations: tuple[tuple[Cell, ...], ...] | None = None
    ascending: tuple[str, ...] | None = None
    strict: bool = False
    together: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        given = [kind for kind in _KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            raise ConfigError(
                f"A constraint has exactly one of {', '.join(_KINDS)}; found "
                f"{' and '.join(given) or 'none'}"
            )
        if self.combinations is not None:
            if len(self.columns) < 2:
                raise ConfigError("combinations needs columns, two or more")
            if any(len(row) != len(self.columns) for row in self.combinations):
                raise ConfigError("each of combinations has one value for each of columns")
        elif self.columns:
            raise ConfigError("columns goes with combinations alone; remove it")
        if self.strict and self.ascending is None:
            raise ConfigError("strict goes with ascending alone; remove it")
        for names in (self.ascending, self.together, self.columns or None):
            if names is not None and (len(names) < 2 or len(set(names)) < len(names)):
                raise ConfigError("a constraint on columns needs two or more different ones")

    def __str__(self) -> str:
        if self.name:
            return self.name
        if self.implies:
            return f"{self.implies[0]} implies {self.implies[1]}"
        if self.forbid is not None:
            return f"never {self.forbid}"
        if self.ascending:
            return (" < " if self.strict else " <= ").join(self.ascending)
        if self.together:
            return f"{', '.join(self.together)} missing together"
        return f"combinations of {', '.join(self.columns)}"

    def to_record(self) -> dict[str, Any]:
        """Returns the constraint as JSON values, dates as a condition writes them."""
        record = {key: value for key, value in dataclasses.asdict(self).items() if value}
        if self.combinations is not None:
            record["combinations"] = [[spelt(cell) for cell in row] for row in self.combinations]
        return record

    def check_names(self, names: Sequence[str]) -> None:
        """Refuses columns that the table does not have.

        Raises:
          ConfigError: Names the nearest column.
        """
        for name in (*(self.ascending or ()), *(self.together or ()), *self.columns):
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(names)}."
                raise ConfigError(
                    f"Expected columns of the table in the constraint {str(self)!r}, found "
                    f"{name!r}. {hint}"
                )


def spelt(cell: Cell) -> str:
    """Returns a cell of `combinations` as a condition writes it."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, dt.date):
        return cell.isoformat()
    return str(cell)
