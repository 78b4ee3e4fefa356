"""Paired bootstrap over documents: resampled counts, ratios last."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mustermann.core.seeds import Seeds

REPLICATES = 10_000
_CHUNK = 500


@dataclasses.dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % percentile interval; NaN where fewer than two documents can be resampled.

    Attributes:
      low: The 2.5 % percentile of the replicates.
      high: The 97.5 % percentile.
    """

    low: float
    high: float


def resample(
    counts: NDArray[np.float64], *, seeds: Seeds, replicates: int = REPLICATES
) -> NDArray[np.float64]:
    """Returns the summed counts of resampled corpora.

    Two systems on the same documents that are resampled under the same seeds see the same
    resampled corpora: their replicates are paired.

    Args:
      counts: Counts per document, float of shape (documents, fields).
      seeds: Node of the tree of streams; the result is a pure function of it.
      replicates: How many corpora to draw.

    Returns:
      Float of shape (replicates, fields).
    """
    documents = len(counts)
    sums = np.empty((replicates, counts.shape[1]))
    if documents == 0:
        return np.zeros_like(sums)
    generator = seeds.generator("bootstrap", documents)
    shares = np.full(documents, 1 / documents)
    for start in range(0, replicates, _CHUNK):
        stop = min(start + _CHUNK, replicates)
        times = generator.multinomial(documents, shares, size=stop - start)
        sums[start:stop] = times @ counts
    return sums


def interval(
    replicates: NDArray[np.float64],
    ratio: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Interval:
    """Returns the 95 % interval of a ratio of counts.

    Args:
      replicates: Summed counts, float of shape (replicates, fields).
      ratio: Maps counts to one score a replicate, NaN where it is undefined.
    """
    return _percentiles(ratio(replicates))


def difference(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    ratio: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> Interval:
    """Returns the 95 % interval of `ratio(left) - ratio(right)` over paired replicates."""
    return _percentiles(ratio(left) - ratio(right))


def _percentiles(scores: NDArray[np.float64]) -> Interval:
    defined = scores[np.isfinite(scores)]
    if defined.size == 0:
        return Interval(float("nan"), float("nan"))
    low, high = np.percentile(defined, [2.5, 97.5])
    return Interval(float(low), float(high))
