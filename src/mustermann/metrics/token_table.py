"""The words of a corpus as numbers: what n-gram metrics count on, without holding strings.

A million words take four megabytes; n-grams are numbered exactly (no hashing) by numbering
pairs of an (n-1)-gram and a word.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


@dataclasses.dataclass(frozen=True, slots=True)
class Grams:
    """How often each document has each n-gram: one entry a pair that occurs.

    Attributes:
      rows: The document, sorted; int64.
      grams: The n-gram's number, below `kinds`; int64.
      counts: How often, at least 1; int64.
      documents: How many documents there are.
      kinds: How many different n-grams there are.
    """

    rows: NDArray[np.int64]
    grams: NDArray[np.int64]
    counts: NDArray[np.int64]
    documents: int
    kinds: int


@dataclasses.dataclass(frozen=True, slots=True)
class TokenTable:
    """The words of documents, one after the other.

    Attributes:
      words: The number of each word in the vocabulary; int32.
      starts: Where each document begins in `words`, and the end; int64, documents + 1.
    """

    words: NDArray[np.int32]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Returns how many words each document has."""
        lengths: NDArray[np.int64] = np.diff(self.starts)
        return lengths

    def subset(self, rows: Sequence[int] | NDArray[np.int64]) -> TokenTable:
        """Returns the table of the chosen documents, in the order given."""
        parts = [self.words[self.starts[row] : self.starts[row + 1]] for row in rows]
        lengths = [len(part) for part in parts]
        words = np.concatenate([np.empty(0, np.int32), *parts])
        return TokenTable(words, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    def word_counts(self, size: int) -> NDArray[np.int64]:
        """Returns how often each of the first `size` words of the vocabulary occurs."""
        counts: NDArray[np.int64] = np.bincount(self.words, minlength=size)
        return counts

    def orders(self, up_to: int) -> Iterator[Grams]:
        """Yields the counts of 1-grams, 2-grams … `up_to`-grams."""
        rows = np.repeat(np.arange(len(self), dtype=np.int64), self.lengths)
        _, numbers = np.unique(self.words, return_inverse=True)
        first = numbers
        for order in range(1, up_to + 1):
            if order > 1:
                pairs = numbers[:-1] * (first.max(initial=0) + 1) + first[order - 1 :]
                _, numbers = np.unique(pairs, return_inverse=True)
            # An n-gram that crosses from one document to the next is none.
            ends = rows[order - 1 :]
            inside = rows[: len(ends)] == ends
            yield _counted(rows[: len(ends)][inside], numbers[inside], len(self))


class Vocabulary:
    """Numbers words as they come; two tables under one vocabulary can be compared."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def encode(self, words: Iterable[str]) -> NDArray[np.int32]:
        """Returns the numbers of `words`, new ones for new words."""
        numbers = self._numbers
        return np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int32)


def token_table(
    documents: Iterable[Sequence[str]], *, vocabulary: Vocabulary | None = None
) -> TokenTable:
    """Returns the table of documents given as words, which are read one at a time."""
    known = vocabulary if vocabulary is not None else Vocabulary()
    parts = [known.encode(words) for words in documents]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    return TokenTable(np.concatenate([np.empty(0, np.int32), *parts]), starts.astype(np.int64))


def _counted(rows: NDArray[np.int64], grams: NDArray[np.int64], documents: int) -> Grams:
    kept, grams = np.unique(grams, return_inverse=True)
    kinds = max(1, len(kept))
    keys, counts = np.unique(rows * kinds + grams, return_counts=True)
    return Grams(keys // kinds, keys % kinds, counts, documents, kinds)
