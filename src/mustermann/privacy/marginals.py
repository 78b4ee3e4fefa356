"""Gaussian releases of what a table of levels adds up to: counts and second moments.

What comes out is raw: denoising it is free and belongs to the callers.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.privacy.ledger import Ledger
    from mustermann.privacy.noise import Floats, Randomness

_BLOCK = 8192


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoisyCounts:
    """Noisy one-way counts; entries may be negative.

    Attributes:
      counts: One array a column, of the column's size.
      std: Standard deviation of the noise on each count.
    """

    counts: tuple[Floats, ...]
    std: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class NoisyMoments:
    """Noisy sums of products of features of different groups.

    Attributes:
      moments: Symmetric, shape (p, p); 0 within a group, where nothing is released.
      std: Standard deviation of the noise on each entry.
    """

    moments: Floats
    std: float


def noisy_row_count(
    rows: int, *, ledger: Ledger, share: float, randomness: Randomness | None = None
) -> float:
    """Returns the number of rows with noise, at least 1."""
    mechanism = ledger.gaussian(
        "rows", share=share, sensitivity=1.0, what="a noisy count of the rows"
    )
    return max(1.0, float(mechanism.release([rows], randomness=randomness)[0]))


def noisy_counts(
    codes: npt.NDArray[np.int64],
    *,
    sizes: Sequence[int],
    ledger: Ledger,
    share: float,
    randomness: Randomness | None = None,
) -> NoisyCounts:
    """Returns how often each level occurs in each column, with noise.

    A row adds 1 to one count in each of k columns, so the counts of all columns together
    have L2 sensitivity sqrt(k) under adding or removing a row.

    Args:
      codes: Levels, shape (N, k); N may be 0.
      sizes: Public number of levels of each column, shape (k,).
      ledger: Pays for the release.
      share: Part of the budget's mu^2.
      randomness: The operating system's unless a test passes its own.

    Raises:
      DataError: A level is outside its column's size.
      PrivacyError: The budget does not cover the share.
    """
    if codes.ndim != 2 or codes.shape[1] != len(sizes):
        raise DataError(f"Expected levels of {len(sizes)} columns, found shape {codes.shape}.")
    if codes.size and bool(((codes < 0) | (codes >= np.asarray(sizes))).any()):
        raise DataError("Expected every level within its column's size, found one outside.")
    mechanism = ledger.gaussian(
        "marginals",
        share=share,
        sensitivity=math.sqrt(len(sizes)),
        what="noisy counts of every column's levels",
    )
    exact = [np.bincount(codes[:, c], minlength=n) for c, n in enumerate(sizes)]
    noisy = mechanism.release(np.concatenate(exact), randomness=randomness)
    ends = np.cumsum(sizes)[:-1]
    return NoisyCounts(counts=tuple(np.split(noisy, ends)), std=mechanism.std)


class Rows(Protocol):
    """Rows of numbers that are handed out block by block; an array is one."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Returns (N, p)."""
        ...

    def __getitem__(self, rows: slice, /) -> Floats:
        """Returns some of the rows, shape (B, p)."""
        ...


def noisy_moments(
    features: Rows,
    *,
    groups: Sequence[int],
    radius: float,
    ledger: Ledger,
    share: float,
    randomness: Randomness | None = None,
) -> NoisyMoments:
    """Returns the sum over rows of products of features of different groups, with noise.

    Rows are clipped to L2 norm `radius`. A row f then adds f_i f_j once for each pair of
    features of different groups; twice the squares of these add up to at most |f|^4, so
    the L2 sensitivity under adding or removing a row is radius^2 / sqrt(2).

    Args:
      features: Public functions of the rows, shape (N, p); a row that is not finite counts
        as zero. No more than a block of them is asked for at once.
      groups: The group (column of the table) of each feature, shape (p,).
      radius: Clipping norm of a row, public.
      ledger: Pays for the release.
      share: Part of the budget's mu^2.
      randomness: The operating system's unless a test passes its own.

    Raises:
      ConfigError: The radius is not above 0, or `groups` does not fit the features.
      PrivacyError: The budget does not cover the share.
    """
    if not (math.isfinite(radius) and radius > 0):
        raise ConfigError(f"Expected a finite radius above 0, found {radius}.")
    if len(features.shape) != 2 or features.shape[1] != len(groups):
        raise ConfigError(
            f"Expected a group for each of the features, found {len(groups)} groups for "
            f"features of shape {features.shape}."
        )
    mechanism = ledger.gaussian(
        "moments",
        share=share,
        sensitivity=radius**2 / math.sqrt(2),
        what="noisy moments of pairs of columns",
    )
    exact = np.zeros((len(groups), len(groups)))
    for start in range(0, features.shape[0], _BLOCK):
        rows = _clipped(features[start : start + _BLOCK], radius)
        exact += rows.T @ rows
    of = np.asarray(groups)
    pairs = np.triu(of[:, None] != of[None, :])
    noisy = np.zeros_like(exact)
    noisy[pairs] = mechanism.release(exact[pairs], randomness=randomness)
    return NoisyMoments(moments=noisy + noisy.T, std=mechanism.std)


def _clipped(rows: Floats, radius: float) -> Floats:
    """Returns `rows`, shape (B, p), at norms of at most `radius`."""
    # The largest entry is taken out first, so that no square overflows.
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
        scaled = rows / np.where(largest > 0, largest, 1.0)
        norms = largest * np.linalg.norm(scaled, axis=1, keepdims=True)
        factors = np.minimum(1.0, radius / np.where(norms > 0, norms, 1.0))
        clipped = scaled * (largest * factors)
    return np.where(np.isfinite(rows).all(axis=1, keepdims=True), clipped, 0.0)
