"""Which levels may come next, so that some valid row is left.

A relation says which combinations of levels of a few columns are valid. Eliminating the
columns from the last to the first, each time joining the relations in which a column is
the last and keeping what some level of it completes, leaves relations under which a row
can be built from the first column to the last and never comes to a dead end.

Source: Dechter and Pearl 1987, "Network-based heuristics for constraint-satisfaction
problems", section 5 (adaptive consistency).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.tables.domain import Codes
    from mustermann.tables.walks import Bools

MOST_CELLS = 50_000_000
"""Larger joined relations are refused: 50 MB of flags."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Relation:
    """The valid combinations of levels of a few columns.

    Attributes:
      columns: By place in the table.
      table: An axis of levels for each of them, bool.
      rule: Where it comes from, for messages.
    """

    columns: tuple[int, ...]
    table: Bools
    rule: str = ""


class Feasible:
    """Backtrack-free levels along an order of the columns.

    Attributes:
      possible: Whether there is any valid row.
      sizes: Levels of each column, in the table's order.
    """

    def __init__(
        self,
        relations: Sequence[Relation],
        *,
        order: Sequence[int],
        sizes: Sequence[int],
        allowed: Mapping[int, Bools] | None = None,
    ) -> None:
        """Eliminates the columns.

        Args:
          relations: All of them hold.
          order: The columns in the order in which rows are built.
          sizes: Levels of each column, in the table's order.
          allowed: By column, the levels that may come at all, shape (n,).

        Raises:
          ConfigError: The relations tie so many columns together that a joined one is larger
            than `MOST_CELLS`.
        """
        self.sizes = tuple(sizes)
        self._place = {column: position for position, column in enumerate(order)}
        self._buckets: list[list[Relation]] = [[] for _ in order]
        self.possible = True
        for relation in relations:
            self._file(relation)
        for column, levels in (allowed or {}).items():
            self._file(Relation(columns=(column,), table=levels))
        for position in reversed(range(len(self._buckets))):
            if self._buckets[position]:
                self._eliminate(position)

    def allowed(self, position: int, codes: Codes) -> Bools | None:
        """Returns which levels may come at a position, shape (B, n); None for all of them.

        Args:
          position: In the order.
          codes: Rows in the table's order, shape (B, k); what stands at this position and
            later ones is not looked at.
        """
        bucket = self._buckets[position]
        if not bucket:
            return None
        masks = [
            relation.table[tuple(codes[:, column] for column in relation.columns[:-1])]
            for relation in bucket
        ]
        levels = masks[0].shape[-1]
        whole = np.ones((len(codes), levels), bool)
        for mask in masks:
            whole &= mask
        return whole

    def _file(self, relation: Relation) -> None:
        """Puts a relation, its axes in the order, with the last of its columns."""
        axes = sorted(range(len(relation.columns)), key=lambda a: self._place[relation.columns[a]])
        columns = tuple(relation.columns[axis] for axis in axes)
        table = np.ascontiguousarray(relation.table.transpose(axes))
        self._buckets[self._place[columns[-1]]].append(
            Relation(columns=columns, table=table, rule=relation.rule)
        )

    def _eliminate(self, position: int) -> None:
        bucket = self._buckets[position]
        scope = sorted({c for r in bucket for c in r.columns}, key=self._place.__getitem__)
        shape = [self.sizes[column] for column in scope]
        if np.prod(shape, dtype=float) > MOST_CELLS:
            rules = ", ".join(sorted({relation.rule for relation in bucket if relation.rule}))
            raise ConfigError(
                f"Expected constraints that tie few columns together, found {len(scope)} with "
                f"{np.prod(shape, dtype=float):.3g} combinations ({rules}). "
                f"Drop one of them, or give the columns fewer bins."
            )
        joined = np.ones(shape, bool)
        for relation in bucket:
            inside = [self.sizes[column] if column in relation.columns else 1 for column in scope]
            joined &= relation.table.reshape(inside)
        left = np.asarray(joined.any(axis=-1))
        if len(scope) == 1:
            self.possible = self.possible and bool(left)
        elif not left.all():
            rules = " and ".join(dict.fromkeys(r.rule for r in bucket if r.rule))
            self._file(Relation(columns=tuple(scope[:-1]), table=left, rule=rules))


def refuse_contradiction(
    relations: Sequence[Relation], *, order: Sequence[int], sizes: Sequence[int]
) -> None:
    """Raises ConfigError where no row is valid; names the rule that leaves none, and others."""
    if Feasible(relations, order=order, sizes=sizes).possible:
        return
    needed = list(relations)
    for relation in relations:
        # What still contradicts without a rule does so because of the others.
        fewer = [other for other in needed if other.rule != relation.rule]
        if len(fewer) < len(needed) and not Feasible(fewer, order=order, sizes=sizes).possible:
            needed = fewer
    rules = list(dict.fromkeys(relation.rule for relation in needed))
    against = f" together with {', '.join(repr(rule) for rule in rules[:-1])}" if rules[1:] else ""
    raise ConfigError(
        f"Expected constraints that some row meets, found that {rules[-1]!r}{against} leaves "
        f"none. Mend or remove one of them."
    )
