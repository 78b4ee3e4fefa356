"""How far two corpora are apart, beside how far one corpus is from itself.

A Fréchet distance of two finite samples is above 0 even where both come from one source. So the
distance is also taken between random halves of one corpus, and between the two corpora at the
size of these halves: only the excess over the floor says something.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.seeds import Seeds
from mustermann.metrics.divergence import (
    PERMUTATIONS,
    count_divergence,
    count_jaccard,
    frechet,
    mmd,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mustermann.metrics.token_table import TokenTable

VERSION = "v2"
DRAWS = 5
KERNEL_ROWS = 2_000
"""The kernel of the MMD is a square matrix: of a larger side so many documents are drawn."""


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusDistance:
    """How far two corpora are apart.

    Attributes:
      frechet: Fréchet distance of embeddings.
      mmd: Square root of the biased MMD², as published.
      mmd_squared: Unbiased MMD².
      mmd_p: Permutation p-value.
      js: Jensen-Shannon divergence of words, base 2.
      jaccard: Shared word types over all word types.
      signature: Names embedding and definitions.
    """

    frechet: float
    mmd: float
    mmd_squared: float
    mmd_p: float
    js: float
    jaccard: float
    signature: str


@dataclasses.dataclass(frozen=True, slots=True)
class DistanceFloor:
    """The same distances at one size: a corpus from itself, and the two corpora.

    Attributes:
      size: Documents on each side.
      draws: How many pairs of subsets were drawn; the figures are means.
      same: Distance of two disjoint random parts of the left corpus, by name.
      between: Distance of a part of the left corpus and one of the right, by name.
    """

    size: int
    draws: int
    same: dict[str, float]
    between: dict[str, float]


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """A corpus as it is compared.

    Attributes:
      vectors: Embeddings, shape (documents, dimensions).
      table: Words, numbered under the vocabulary of both sides.
    """

    vectors: NDArray[np.float64]
    table: TokenTable

    def part(self, rows: Sequence[int] | NDArray[np.int64]) -> Side:
        """Returns the chosen documents."""
        return Side(self.vectors[rows], self.table.subset(rows))


def corpus_distance(
    left: Side, right: Side, *, words: int, embedding: str, seed: int = 0
) -> CorpusDistance:
    """Returns how far two corpora of at least two documents each are apart.

    Args:
      left: One corpus.
      right: The other, under the same vocabulary and embedding.
      words: Size of the vocabulary.
      embedding: Its signature.
      seed: Draws the permutations.
    """
    figures = _figures(left, right, words=words, seed=seed, permutations=PERMUTATIONS)
    return CorpusDistance(
        **figures, signature=f"{embedding}|mmd:{KERNEL_ROWS}|tokens:word-hyphen-lower|{VERSION}"
    )


def distance_floor(
    left: Side, right: Side, *, words: int, draws: int = DRAWS, seed: int = 0
) -> DistanceFloor | None:
    """Returns the distances at the size of half the left corpus, or of the right if smaller.

    None where such a part would have fewer than two documents.
    """
    size = min(len(left.table) // 2, len(right.table))
    if size < 2:
        return None
    seeds = Seeds(seed).child("distance floor")
    same, between = [], []
    for draw in range(draws):
        mine = seeds.generator("left", draw).permutation(len(left.table))
        theirs = seeds.generator("right", draw).permutation(len(right.table))
        first, second = left.part(mine[:size]), left.part(mine[size : 2 * size])
        same.append(_figures(first, second, words=words, seed=seed))
        between.append(_figures(first, right.part(theirs[:size]), words=words, seed=seed))
    return DistanceFloor(size, draws, _means(same), _means(between))


def _figures(
    left: Side, right: Side, *, words: int, seed: int, permutations: int = 0
) -> dict[str, float]:
    a, b = (_drawn(side.vectors, Seeds(seed).child("kernel", at)) for at, side in
            enumerate((left, right)))  # fmt: skip
    discrepancy = mmd(a, b, seed=seed, permutations=permutations)
    counts = left.table.word_counts(words), right.table.word_counts(words)
    return {
        "frechet": frechet(left.vectors, right.vectors),
        "mmd": discrepancy.root,
        "mmd_squared": discrepancy.squared,
        "mmd_p": discrepancy.p_value,
        "js": count_divergence(*counts),
        "jaccard": count_jaccard(*counts),
    }


def _drawn(vectors: NDArray[np.float64], seeds: Seeds) -> NDArray[np.float64]:
    if len(vectors) <= KERNEL_ROWS:
        return vectors
    return vectors[seeds.generator().permutation(len(vectors))[:KERNEL_ROWS]]


def _means(found: Sequence[dict[str, float]]) -> dict[str, float]:
    names = ("frechet", "mmd", "mmd_squared", "js", "jaccard")
    return {name: float(np.mean([one[name] for one in found])) for name in names}
