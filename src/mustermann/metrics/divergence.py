"""How far apart two corpora are: in their words and in an embedding of their texts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import linalg
from scipy.spatial import distance

from mustermann.core.seeds import Seeds
from mustermann.metrics.token_table import Vocabulary, token_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Vectors = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
PERMUTATIONS = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class Discrepancy:
    """Maximum mean discrepancy of two samples under an RBF kernel.

    Attributes:
      squared: Unbiased estimate of MMD²; may be below 0.
      root: Square root of the biased estimate, as published tables have it.
      p_value: Share of relabelled samples that are at least as far apart.
    """

    squared: float
    root: float
    p_value: float


def jensen_shannon(left: Iterable[Sequence[str]], right: Iterable[Sequence[str]]) -> float:
    """Returns the Jensen-Shannon divergence (base 2) of two corpora's words, in [0, 1]."""
    vocabulary = Vocabulary()
    tables = [token_table(side, vocabulary=vocabulary) for side in (left, right)]
    return count_divergence(*(table.word_counts(len(vocabulary)) for table in tables))


def vocabulary_jaccard(left: Iterable[Sequence[str]], right: Iterable[Sequence[str]]) -> float:
    """Returns shared types over all types of two corpora, in [0, 1]."""
    vocabulary = Vocabulary()
    tables = [token_table(side, vocabulary=vocabulary) for side in (left, right)]
    return count_jaccard(*(table.word_counts(len(vocabulary)) for table in tables))


def count_divergence(left: Counts, right: Counts) -> float:
    """Returns the Jensen-Shannon divergence (base 2) of two word counts, shape (words,)."""
    if not left.sum() or not right.sum():
        return 0.0 if left.sum() == right.sum() else 1.0
    return float(distance.jensenshannon(left, right, base=2) ** 2)


def count_jaccard(left: Counts, right: Counts) -> float:
    """Returns the share of the words in use that both sides use; 1 where none is."""
    either = int(((left > 0) | (right > 0)).sum())
    return float(((left > 0) & (right > 0)).sum() / either) if either else 1.0


def frechet(left: Vectors, right: Vectors) -> float:
    """Returns the Fréchet distance of two samples of embeddings, shapes (n, d) and (m, d).

    ‖μ₁-μ₂‖² + tr(C₁ + C₂ - 2(C₁C₂)^½); a covariance from fewer rows than dimensions is shrunk
    (Ledoit and Wolf 2004).
    """
    means = left.mean(axis=0) - right.mean(axis=0)
    a, b = _covariance(left), _covariance(right)
    # tr((AB)^½) by the symmetric form A^½ B A^½, whose roots are real.
    root = linalg.sqrtm(a).real
    values = np.linalg.eigvalsh(root @ b @ root)
    cross = np.sqrt(np.clip(values, 0.0, None)).sum()
    return float(max(0.0, means @ means + np.trace(a) + np.trace(b) - 2 * cross))


def mmd(
    left: Vectors, right: Vectors, *, seed: int = 0, permutations: int = PERMUTATIONS
) -> Discrepancy:
    """Returns the discrepancy of two samples, shapes (n, d) and (m, d), n and m at least 2.

    The kernel's width is the median distance of the pooled sample. Without permutations the
    p-value is 1.

    Source: Gretton et al. 2012, JMLR 13.
    """
    pooled = np.concatenate([left, right])
    squares = distance.squareform(distance.pdist(pooled, "sqeuclidean"))
    median = np.median(squares[np.triu_indices(len(pooled), 1)])
    kernel = np.exp(-squares / median) if median > 0 else np.ones_like(squares)
    n = len(left)
    labels = np.concatenate([np.ones(n), -np.ones(len(right))])
    observed = _unbiased(kernel, labels)
    generator = Seeds(seed).generator("mmd")
    relabelled = [_unbiased(kernel, generator.permutation(labels)) for _ in range(permutations)]
    biased = kernel[:n, :n].mean() + kernel[n:, n:].mean() - 2 * kernel[:n, n:].mean()
    at_least = sum(value >= observed for value in relabelled)
    return Discrepancy(
        observed, max(0.0, float(biased)) ** 0.5, (1 + at_least) / (1 + permutations)
    )


def _unbiased(kernel: Vectors, labels: Vectors) -> float:
    first, second = labels > 0, labels < 0
    n, m = int(first.sum()), int(second.sum())
    sums = kernel @ np.stack([first, second], axis=1).astype(np.float64)
    diagonal = np.diag(kernel)
    within = (sums[first, 0].sum() - diagonal[first].sum()) / (n * (n - 1))
    other = (sums[second, 1].sum() - diagonal[second].sum()) / (m * (m - 1))
    return float(within + other - 2 * sums[first, 1].sum() / (n * m))


def _covariance(vectors: Vectors) -> Vectors:
    if len(vectors) > vectors.shape[1]:
        return np.atleast_2d(np.cov(vectors, rowvar=False))
    from sklearn.covariance import ledoit_wolf

    shrunk: Vectors = ledoit_wolf(vectors)[0]
    return shrunk
