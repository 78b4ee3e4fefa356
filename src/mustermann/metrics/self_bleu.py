"""Self-BLEU: how alike the documents of a corpus are, pair by pair, exactly.

Pairwise BLEU-4 with one hypothesis and one reference, smoothed by method 1 of Chen and
Cherry 2014 as NLTK has it, averaged over ordered pairs. Clipped matches of all pairs are
products of sparse 0/1 matrices: min(a, b) is the number of thresholds t with a >= t and
b >= t. So a thousand letters of seven thousand characters take seconds.

Source: Papineni et al. 2002; Chen and Cherry 2014 (method 1, epsilon = 0.1).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mustermann.core.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Sequence

ORDERS = 4
EPSILON = 0.1
ALL_PAIRS_UP_TO = 2_000
SAMPLED_PAIRS = 20_000
_DENSE_BLOCK = 4_096

Matrix = npt.NDArray[np.float64]


def self_bleu(documents: Sequence[Sequence[str]], *, seed: int = 0) -> float:
    """Returns the mean pairwise BLEU-4 in [0, 1]; 0 for fewer than two documents.

    All ordered pairs up to 2,000 documents, else 20,000 pairs drawn with `seed`.
    """
    if len(documents) < 2:
        return 0.0
    if len(documents) <= ALL_PAIRS_UP_TO:
        scores = pairwise_bleu(documents)
        np.fill_diagonal(scores, 0.0)
        return float(scores.sum() / (len(documents) * (len(documents) - 1)))
    return float(np.mean([_pair(documents, *pair) for pair in _pairs(len(documents), seed)]))


def pairwise_bleu(documents: Sequence[Sequence[str]]) -> Matrix:
    """Returns BLEU-4 of each hypothesis (row) against each reference (column), shape (n, n)."""
    lengths = np.array([len(words) for words in documents], dtype=np.float64)
    logs = np.zeros((len(documents), len(documents)))
    alike = np.ones_like(logs, dtype=bool)
    for order in range(1, ORDERS + 1):
        matches = clipped_matches([_ngrams(words, order) for words in documents])
        totals = np.maximum(1.0, lengths - order + 1)[:, None]
        if order == 1:
            alike = matches > 0
        logs += np.log(np.where(matches > 0, matches, EPSILON) / totals) / ORDERS
    hypothesis, reference = lengths[:, None], lengths[None, :]
    ratio = np.divide(reference, hypothesis, out=np.full_like(logs, np.inf), where=hypothesis > 0)
    penalty = np.where(hypothesis > reference, 1.0, np.exp(np.minimum(0.0, 1.0 - ratio)))
    return np.where(alike, penalty * np.exp(logs), 0.0)


def clipped_matches(counts: Sequence[Counter[tuple[str, ...]]]) -> Matrix:
    """Returns the sum over n-grams of min(count in i, count in j), shape (n, n)."""
    columns: dict[tuple[str, ...], int] = {}
    rows, cols, values = [], [], []
    for row, found in enumerate(counts):
        for gram, count in found.items():
            rows.append(row)
            cols.append(columns.setdefault(gram, len(columns)))
            values.append(count)
    shape = (len(counts), max(1, len(columns)))
    matrix = sparse.csc_matrix((values, (rows, cols)), shape=shape, dtype=np.int32)
    result = np.zeros((len(counts), len(counts)))
    while matrix.nnz:
        _add_products(result, matrix.astype(bool).astype(np.float32))
        matrix.data -= 1
        matrix.eliminate_zeros()
    return result


def _add_products(result: Matrix, ones: sparse.csc_matrix) -> None:
    """Adds ones @ ones.T: frequent n-grams by dense blocks, the rest by sparse product."""
    frequency = np.diff(ones.indptr)
    frequent = frequency > max(8, ones.shape[0] // 25)
    rest = ones[:, (frequency > 1) & ~frequent].tocsr()
    if rest.nnz:
        result += (rest @ rest.T).toarray()
    # A column with one entry meets only itself.
    np.einsum("ii->i", result)[:] += np.asarray(ones[:, frequency == 1].sum(axis=1)).ravel()
    chosen = np.flatnonzero(frequent)
    for start in range(0, len(chosen), _DENSE_BLOCK):
        block = ones[:, chosen[start : start + _DENSE_BLOCK]].toarray()
        result += block @ block.T


def _ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[i:] for i in range(order)), strict=False))


def _pairs(count: int, seed: int) -> list[tuple[int, int]]:
    generator = Seeds(seed).generator("self-bleu")
    first = generator.integers(count, size=SAMPLED_PAIRS)
    other = generator.integers(count - 1, size=SAMPLED_PAIRS)
    return [(int(i), int(j + (j >= i))) for i, j in zip(first, other, strict=True)]


def _pair(documents: Sequence[Sequence[str]], hypothesis: int, reference: int) -> float:
    return float(pairwise_bleu([documents[hypothesis], documents[reference]])[0, 1])
