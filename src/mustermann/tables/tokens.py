"""Levels as tokens: one id a level, offset so that columns do not share ids."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import DataError
from mustermann.tables.trie import Trie

if TYPE_CHECKING:
    from mustermann.tables.domain import Codes, Domain


@dataclasses.dataclass(frozen=True, slots=True)
class LevelTokenizer:
    """The token of level l in column c is `offsets[c] + l`.

    Attributes:
      sizes: Levels of each column, shape (k,).
    """

    sizes: tuple[int, ...]

    @classmethod
    def of(cls, domain: Domain) -> LevelTokenizer:
        """Returns the tokenizer of a domain."""
        return cls(domain.sizes)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Returns each column's first token, shape (k,)."""
        return np.cumsum([0, *self.sizes[:-1]])

    @property
    def vocabulary(self) -> int:
        """Returns the number of tokens, V."""
        return sum(self.sizes)

    def encode(self, codes: Codes) -> Codes:
        """Returns the token of each cell, shape (N, k)."""
        return codes + self.offsets

    def decode(self, tokens: Codes) -> Codes:
        """Returns the level of each token, shape (N, k).

        Raises:
          DataError: A token stands in a column that is not its own.
        """
        codes = tokens - self.offsets
        foreign = (codes < 0) | (codes >= np.array(self.sizes))
        if foreign.any():
            row, column = np.argwhere(foreign)[0].tolist()
            raise DataError(
                f"Expected a token of column {column} in row {row}, found {tokens[row, column]}."
            )
        return codes

    def tries(self) -> tuple[Trie, ...]:
        """Returns each column's trie over its tokens."""
        return tuple(
            Trie.build([[offset + level] for level in range(size)])
            for offset, size in zip(self.offsets.tolist(), self.sizes, strict=True)
        )

    def padding_mask(self) -> npt.NDArray[np.bool_]:
        """Returns which levels each column has, shape (k, largest size).

        The tries' masks, for models with one position a column and heads padded to the
        largest size.
        """
        mask = np.zeros((len(self.sizes), max(self.sizes)), bool)
        for column, (trie, offset) in enumerate(zip(self.tries(), self.offsets, strict=True)):
            allowed = trie.allowed(np.zeros(1, np.int64), vocabulary=self.vocabulary)[0]
            mask[column, np.flatnonzero(allowed) - offset] = True
        return mask
