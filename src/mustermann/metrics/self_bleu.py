"""Self-BLEU: how alike the documents of a corpus are, exactly, in two definitions.

Pairwise: BLEU-4 with one hypothesis and one reference, averaged over ordered pairs. Clipped
matches of all pairs are products of sparse 0/1 matrices: min(a, b) is the number of thresholds t
with a >= t and b >= t. So a thousand letters of seven thousand characters take seconds.

Texygen's: each document against all others as references of one hypothesis; a match is clipped
by the reference that has most of it. It grows with the corpus.

Both are smoothed by method 1 of Chen and Cherry 2014, as NLTK has it.

Source: Papineni et al. 2002; Chen and Cherry 2014 (epsilon = 0.1); Zhu et al. 2018 (Texygen).
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mustermann.core.seeds import Seeds
from mustermann.metrics.token_table import TokenTable, token_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mustermann.metrics.token_table import Grams

ORDERS = 4
EPSILON = 0.1
ALL_PAIRS_UP_TO = 2_000
SAMPLED_PAIRS = 20_000
_DENSE_BLOCK = 4_096
_PAIR_BLOCK = 1_000

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


def self_bleu(documents: TokenTable | Sequence[Sequence[str]], *, seed: int = 0) -> float:
    """Returns the mean pairwise BLEU-4 in [0, 1]; 0 for fewer than two documents.

    All ordered pairs up to 2,000 documents, else 20,000 pairs drawn with `seed`.
    """
    table = _table(documents)
    if len(table) < 2:
        return 0.0
    if len(table) <= ALL_PAIRS_UP_TO:
        return mean_of_pairs(pairwise_bleu(table))
    return float(_sampled_pairs(table, seed).mean())


def mean_of_pairs(scores: Matrix) -> float:
    """Returns the mean of a square matrix without its diagonal; 0 for fewer than two rows."""
    count = len(scores)
    return float((scores.sum() - np.trace(scores)) / (count * (count - 1))) if count > 1 else 0.0


def pairwise_bleu(documents: TokenTable | Sequence[Sequence[str]]) -> Matrix:
    """Returns BLEU-4 of each hypothesis (row) against each reference (column), shape (n, n)."""
    table = _table(documents)
    lengths = table.lengths.astype(np.float64)
    matches = (clipped_matches(grams) for grams in table.orders(ORDERS))
    return _bleu(matches, lengths[:, None], lengths[None, :])


def texygen_bleu(documents: TokenTable | Sequence[Sequence[str]]) -> Vector:
    """Returns BLEU-4 of each document against all others together, shape (n,)."""
    table = _table(documents)
    lengths = table.lengths.astype(np.float64)
    matches = (_best_matches(grams) for grams in table.orders(ORDERS))
    return _bleu(matches, lengths, _closest_lengths(table.lengths.tolist()))


def clipped_matches(grams: Grams) -> Matrix:
    """Returns the sum over n-grams of min(count in i, count in j), shape (n, n)."""
    matrix = sparse.csc_matrix(
        (grams.counts, (grams.rows, grams.grams)), shape=(grams.documents, grams.kinds),
        dtype=np.int32,
    )  # fmt: skip
    result = np.zeros((grams.documents, grams.documents))
    while matrix.nnz:
        _add_products(result, matrix.astype(bool).astype(np.float32))
        matrix.data -= 1
        matrix.eliminate_zeros()
    return result


def _bleu(
    matches: Iterable[npt.NDArray[np.float64]], hypothesis: Vector, reference: Vector
) -> Matrix:
    """Returns BLEU-4 of clipped matches by order, where lengths broadcast against them."""
    logs, alike = np.zeros(()), np.zeros((), dtype=bool)
    for order, found in enumerate(matches, start=1):
        totals = np.maximum(1.0, hypothesis - order + 1)
        if order == 1:
            alike = found > 0
        logs = logs + np.log(np.where(found > 0, found, EPSILON) / totals) / ORDERS
    empty = np.full(np.broadcast(hypothesis, reference).shape, np.inf)
    ratio = np.divide(reference, hypothesis, out=empty, where=hypothesis > 0)
    penalty = np.where(hypothesis > reference, 1.0, np.exp(np.minimum(0.0, 1.0 - ratio)))
    return np.where(alike, penalty * np.exp(logs), 0.0)


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


def _best_matches(grams: Grams) -> Vector:
    """Returns the sum over n-grams of min(count in i, highest count in another), shape (n,)."""
    if not len(grams.counts):
        return np.zeros(grams.documents)
    order = np.lexsort((-grams.counts, grams.grams))
    rows, kinds, counts = grams.rows[order], grams.grams[order], grams.counts[order]
    first = np.searchsorted(kinds, np.arange(grams.kinds))
    other = counts[first][kinds]
    # The holder of the highest count is clipped by the next one, if another document has any.
    after = np.minimum(first + 1, len(kinds) - 1)
    several = (after != first) & (kinds[after] == np.arange(grams.kinds))
    other[first] = np.where(several, counts[after], 0)
    weights = np.minimum(counts, other).astype(np.float64)
    return np.bincount(rows, weights=weights, minlength=grams.documents).astype(np.float64)


def _closest_lengths(lengths: Sequence[int]) -> Vector:
    """Returns, for each document, the length of another that is nearest; the shorter of two."""
    ranked = sorted(lengths)
    found = np.zeros(len(lengths))
    for row, length in enumerate(lengths):
        at = bisect_left(ranked, length)
        # `at` stands for the document itself, so its neighbours are the candidates.
        near = [ranked[i] for i in (at - 1, at + 1) if 0 <= i < len(ranked)]
        found[row] = min(near, key=lambda other: (abs(other - length), other), default=0)
    return found


def _sampled_pairs(table: TokenTable, seed: int) -> Vector:
    """Returns BLEU-4 of drawn ordered pairs."""
    generator = Seeds(seed).generator("self-bleu")
    first = generator.integers(len(table), size=SAMPLED_PAIRS)
    other = generator.integers(len(table) - 1, size=SAMPLED_PAIRS)
    other = other + (other >= first)
    lengths = table.lengths.astype(np.float64)
    matches = (_pair_matches(grams, first, other) for grams in table.orders(ORDERS))
    return _bleu(matches, lengths[first], lengths[other])


def _pair_matches(
    grams: Grams, first: npt.NDArray[np.int64], other: npt.NDArray[np.int64]
) -> Vector:
    """Returns the clipped matches of the pairs, shape (pairs,), block by block."""
    matrix = sparse.csr_matrix(
        (grams.counts, (grams.rows, grams.grams)), shape=(grams.documents, grams.kinds)
    )
    sums = [
        matrix[first[at : at + _PAIR_BLOCK]]
        .minimum(matrix[other[at : at + _PAIR_BLOCK]])
        .sum(axis=1)
        for at in range(0, len(first), _PAIR_BLOCK)
    ]
    return np.asarray(np.concatenate(sums), dtype=np.float64).ravel()


def _table(documents: TokenTable | Sequence[Sequence[str]]) -> TokenTable:
    return documents if isinstance(documents, TokenTable) else token_table(documents)
