"""Rows on their way through the columns of a model: what conditions and constraints need.

A model that can say, column by column, how likely each level is given the levels before
it can be held to anything: levels that may not come are left out of the next draw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]


class Walk(Protocol):
    """B rows on their way through the columns, in the model's order.

    Ask for `chances`, choose levels, `take` them, k times over.
    """

    def chances(self) -> Floats:
        """Returns probabilities (B, n) of the levels of the next column; call once a step."""
        ...

    def take(self, levels: Ints) -> None:
        """Moves on with the chosen levels, shape (B,)."""
        ...

    def keep(self, rows: Ints) -> None:
        """Goes on with these rows of the walk, any of them as often as it stands there."""
        ...


class Walkable(Protocol):
    """A model of rows that goes through them column by column."""

    @property
    def order(self) -> tuple[int, ...]:
        """Returns the columns in the model's order, as places in the table."""
        ...

    def walk(self, rows: int) -> Walk:
        """Returns `rows` rows at the first column."""
        ...


class TableWalk:
    """A walk through look-up tables: the levels of a few parents decide about each column.

    Attributes:
      rows: How many rows are on their way.
    """

    def __init__(
        self, rows: int, order: Sequence[int], parents: Sequence[Sequence[int]],
        tables: Sequence[Floats],
    ) -> None:  # fmt: skip
        """Starts at the first column.

        Args:
          rows: B.
          order: The columns, by place in the table.
          parents: For each position, columns that stand before it.
          tables: For each position, probabilities, an axis a parent and the last for levels.
        """
        self.rows = rows
        self._order, self._parents, self._tables = order, parents, tables
        self._levels: dict[int, Ints] = {}
        self._position = 0

    def chances(self) -> Floats:
        """Returns probabilities (B, n) of the levels of the next column."""
        table = self._tables[self._position]
        where = tuple(self._levels[parent] for parent in self._parents[self._position])
        found = table[where] if where else np.broadcast_to(table, (self.rows, len(table)))
        return np.asarray(found, dtype=np.float64)

    def take(self, levels: Ints) -> None:
        """Moves on with the chosen levels, shape (B,)."""
        self._levels[self._order[self._position]] = levels
        self._position += 1

    def keep(self, rows: Ints) -> None:
        """Goes on with these rows of the walk."""
        self._levels = {column: levels[rows] for column, levels in self._levels.items()}
        self.rows = len(rows)


def walkable(model: object) -> Walkable:
    """Returns the model as one that goes through rows column by column.

    Raises:
      ConfigError: It does not.
    """
    if not (hasattr(model, "walk") and hasattr(model, "order")):
        name = getattr(model, "name", type(model).__name__)
        raise ConfigError(
            f"Expected a method that can be held to conditions, found {name!r}, which has no "
            f"`order` and `walk`. Fit with synlm, aim or independent."
        )
    return cast("Walkable", model)


def invert(chances: Floats, uniforms: Floats) -> Ints:
    """Returns the level at which each row's distribution function passes its uniform, (B,).

    Args:
      chances: Shape (B, n), with a sum above 0 that need not be 1.
      uniforms: Shape (B,), in [0, 1).
    """
    cumulative = chances.cumsum(axis=1)
    total = cumulative[:, -1:]
    passed = (cumulative <= uniforms[:, None] * total).sum(axis=1)
    # Rounding may carry a uniform near 1 past the end, or onto a level of no chance.
    found: Ints = np.minimum(passed, (cumulative < total).sum(axis=1))
    return found


def held(chances: Floats, allowed: Bools | None) -> Floats:
    """Returns the chances of the allowed levels, renormalised, shape (B, n).

    Where the model gives all of them no chance, they are equally likely.
    """
    kept = chances if allowed is None else np.where(allowed, chances, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    if allowed is not None and not total.all():
        kept = np.where(total > 0, kept, np.broadcast_to(allowed, kept.shape))
        total = kept.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)
    return shares
