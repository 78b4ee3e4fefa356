"""Letters that say nearly the same, found by MinHash without comparing all pairs.

Broder 1997: the share of equal minima of random hash functions over two sets of shingles is an
unbiased estimate of their Jaccard similarity. Bands of minima bring likely pairs together.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from mustermann.core.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from mustermann.documents.document import Document

SHINGLE = 5
"""Words of a shingle."""
FUNCTIONS, BANDS = 128, 32
"""Hash functions, and bands of 4: a pair at 0.5 meets with a chance of 0.87, at 0.7 of 0.9999."""
THRESHOLD = 0.5

_WORD = re.compile(r"\w+")
_PRIME = np.uint64((1 << 61) - 1)
_HIGHEST = np.uint64((1 << 32) - 1)


@dataclasses.dataclass(frozen=True, slots=True)
class Pair:
    """Two letters that are nearly the same.

    Attributes:
      first: Id.
      second: Id.
      similarity: Estimated Jaccard similarity of their shingles, within about 0.04.
    """

    first: str
    second: str
    similarity: float


class NearDuplicates:
    """Takes letters one by one; holds 512 bytes of each."""

    def __init__(self, *, threshold: float = THRESHOLD) -> None:
        """Starts without letters.

        Args:
          threshold: Pairs from this similarity on are reported.
        """
        draws = Seeds(0).generator("minhash")
        self._factors = draws.integers(1, 1 << 31, FUNCTIONS, dtype=np.uint64)
        self._shifts = draws.integers(0, 1 << 31, FUNCTIONS, dtype=np.uint64)
        self._threshold = threshold
        self._ids: list[str] = []
        self._signatures: list[npt.NDArray[np.uint32]] = []

    def add(self, document: Document) -> None:
        """Takes a letter; what its spans cover counts as one word, so names tell nothing apart."""
        hashes = _shingles(_words(document))
        self._ids.append(document.id)
        if not len(hashes):
            self._signatures.append(np.zeros(FUNCTIONS, np.uint32))
            return
        values = (hashes[:, None] * self._factors + self._shifts) % _PRIME & _HIGHEST
        self._signatures.append(values.min(axis=0).astype(np.uint32))

    def pairs(self) -> list[Pair]:
        """Returns the pairs above the threshold, the most similar first."""
        if len(self._ids) < 2:
            return []
        table = np.stack(self._signatures)
        found = []
        for i, j in sorted(_candidates(table)):
            similarity = float((table[i] == table[j]).mean())
            if similarity >= self._threshold:
                found.append(Pair(self._ids[i], self._ids[j], similarity))
        return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def _words(document: Document) -> list[str]:
    words: list[str] = []
    at = 0
    for span in document.spans:
        words += _WORD.findall(document.text[at : span.start].casefold())
        words.append(span.label)
        at = max(at, span.end)
    return words + _WORD.findall(document.text[at:].casefold())


def _shingles(words: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Returns the distinct hashes of all runs of `SHINGLE` words, 32 bits each."""
    hashes = np.array([crc32(word.encode()) for word in words], np.uint64)
    if len(hashes) < SHINGLE:
        return np.zeros(0, np.uint64)
    mixed = np.zeros(len(hashes) - SHINGLE + 1, np.uint64)
    for k in range(SHINGLE):
        mixed = (mixed * np.uint64(1_000_003) + hashes[k : k + len(mixed)]) % _PRIME & _HIGHEST
    return np.unique(mixed)


def _candidates(table: npt.NDArray[np.uint32]) -> set[tuple[int, int]]:
    """Returns pairs of rows that agree in all functions of a band."""
    pairs: set[tuple[int, int]] = set()
    for band in np.split(table, BANDS, axis=1):
        for members in _equal(band):
            pairs.update(combinations(members, 2))
    return pairs


def _equal(band: npt.NDArray[np.uint32]) -> Iterator[list[int]]:
    groups: dict[bytes, list[int]] = defaultdict(list)
    for number, row in enumerate(band):
        groups[row.tobytes()].append(number)
    yield from (members for members in groups.values() if len(members) > 1)
