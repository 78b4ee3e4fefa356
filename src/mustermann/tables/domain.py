"""The discrete domain that models work on: columns of levels 0 … n-1."""

from __future__ import annotations

import dataclasses
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Codes: TypeAlias = npt.NDArray[np.int64]
"""Discretised rows, shape (N, k): row r has level `codes[r, c]` in column c."""


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """One discretised column.

    Attributes:
      name: As in the table.
      size: Number of levels, at least 1.
      ordered: Whether neighbouring levels are alike (bins of a number, ranks).
      tail: So many of the last levels stand outside the order ("unknown", "missing").
      labels: The levels' names, as a person reads them; () where nobody has named them.
    """

    name: str
    size: int
    ordered: bool
    tail: int = 0
    labels: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Domain:
    """The columns of a discretised table, in the table's order."""

    columns: tuple[Column, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Returns the number of levels of each column, shape (k,)."""
        return tuple(column.size for column in self.columns)

    def __len__(self) -> int:
        return len(self.columns)
