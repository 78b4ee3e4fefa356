"""Synthetic rows that meet conditions, from a fitted table."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.seeds import Seeds
from mustermann.tables import conditional
from mustermann.tables.conditions import parse
from mustermann.tables.restrictions import restrict
from mustermann.tables.walks import walkable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.tables.frames import Frame
    from mustermann.tables.model import TableModel


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Given:
    """A block of synthetic rows.

    Attributes:
      frame: The rows.
      effective: How many independent rows they are worth, at most as many as they are.
      exact: Whether they are independent draws from the conditional distribution.
    """

    frame: Frame
    effective: float
    exact: bool


def sample_given(model: TableModel, count: int, *, seed: int, where: str = "") -> Iterator[Given]:
    """Yields blocks of rows that meet the conditions, `count` in all, in constant memory.

    Args:
      model: A fitted table, whose constraints hold as well.
      count: How many rows.
      seed: The same seed gives the same rows.
      where: As in `conditions`; "" for all rows.

    Raises:
      ConfigError: The conditions can't be read, or no valid row meets them.
      DataError: The model gives such rows no chance at all.
    """
    names = [encoder.name for encoder in model.discretiser.encoders]
    restrictions = restrict(parse(where, names) if where else (), model.discretiser)
    book = model.rulebook
    weights = {column: restriction.weights for column, restriction in restrictions.items()}
    if book.bounds(restrictions):
        # A bound on the values of one ascending column narrows the levels of all of them.
        for column in book.ascending:
            weights.setdefault(column, np.ones(model.discretiser.encoders[column].size))
    rules = conditional.Rules(
        base=book.base,
        narrowed=book.narrowed(restrictions),
        weights=weights,
    )
    drawn = conditional.sample(walkable(model.synthesiser), count, rules, seed=seed)
    for block, rows in enumerate(drawn):
        draws = Seeds(seed).generator("values", block)
        frame = book.decode(rows.codes, model.layout, draws, restrictions)
        yield Given(frame=frame, effective=rows.effective, exact=rows.exact)
