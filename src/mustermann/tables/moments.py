"""Pairwise moments: how the columns hang together, in one noisy matrix.

Each column is mapped to a few features φ that have mean 0 under its released marginal. The
off-diagonal blocks of the mean of φφᵀ are released (`privacy.marginals.noisy_moments`);
what is done here costs nothing.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.tables.domain import Codes

Floats: TypeAlias = npt.NDArray[np.float64]

LEAST_CURVE = 5
"""Ordered columns with fewer levels get the features of unordered ones."""
MOST_INDICATORS = 128
"""So many unordered levels of a column get features, the most frequent ones. Rare levels of a
column of texts would cost time, memory and a longer row, and their moments are noise."""


@dataclasses.dataclass(frozen=True)
class Features:
    """A map of rows to D features, made from released marginals only.

    Attributes:
      tables: One (n, w) array a column: row v holds the features of level v.
      radius: The length to which a row's features are to be clipped.
    """

    tables: tuple[Floats, ...]
    radius: float

    @property
    def groups(self) -> tuple[int, ...]:
        """Returns the column of each feature, shape (D,)."""
        return tuple(c for c, table in enumerate(self.tables) for _ in range(table.shape[1]))

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Returns where each column's features stand among all."""
        ends = np.cumsum([table.shape[1] for table in self.tables]).tolist()
        return tuple(slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True))

    def apply(self, codes: Codes) -> Floats:
        """Returns the features of rows, shape (N, D), not clipped."""
        return np.concatenate([t[codes[:, c]] for c, t in enumerate(self.tables)], axis=1)

    def of(self, codes: Codes) -> FeatureRows:
        """Returns the same, made block by block as they are asked for."""
        return FeatureRows(self, codes)


@dataclasses.dataclass(frozen=True, eq=False)
class FeatureRows:
    """The features of rows, of which only the asked-for ones stand in memory.

    A large table's would take many times the room of its levels.
    """

    features: Features
    codes: Codes

    @property
    def shape(self) -> tuple[int, ...]:
        """Returns (N, D)."""
        return len(self.codes), len(self.features.groups)

    def __getitem__(self, rows: slice, /) -> Floats:
        """Returns the features of these rows, shape (B, D)."""
        return self.features.apply(self.codes[rows])


@dataclasses.dataclass(frozen=True)
class Moments:
    """Released means of products of features of different columns.

    Attributes:
      matrix: Shape (D, D), symmetric, 0 within a column's own block.
      std: Standard deviation of the noise on one entry.
      blocks: Where each column's features stand.
    """

    matrix: Floats
    std: float
    blocks: tuple[slice, ...]

    @property
    def strengths(self) -> Floats:
        """Returns how much two columns tell of each other, beyond noise, shape (k, k)."""
        k = len(self.blocks)
        strengths = np.zeros((k, k))
        for i, rows in enumerate(self.blocks):
            for j, columns in enumerate(self.blocks[:i]):
                block = self.matrix[rows, columns]
                excess = float((block**2).sum()) - self.std**2 * block.size
                strengths[i, j] = strengths[j, i] = max(0.0, excess)
        return strengths

    def shrunk(self) -> Moments:
        """Returns the moments with each block pulled to 0 by its share of noise.

        Source: James and Stein 1961 (positive part).
        """
        matrix = self.matrix.copy()
        for i, rows in enumerate(self.blocks):
            for columns in self.blocks[:i]:
                block = matrix[rows, columns]
                noise = self.std**2 * block.size
                block *= max(0.0, 1 - noise / max(float((block**2).sum()), 1e-300))
                matrix[columns, rows] = block.T
        return dataclasses.replace(self, matrix=matrix)


def make_features(
    marginals: Sequence[Floats],
    *,
    ordered: Sequence[bool],
    frequencies: int,
    damping: float,
    slack: float,
    tails: Sequence[int] | None = None,
) -> Features:
    """Returns features with mean 0 under the marginals.

    Args:
      marginals: Probabilities of each column's levels.
      ordered: Whether neighbouring levels of a column are alike.
      frequencies: Cosines of the distribution function that stand for an ordered column;
        they are whitened.
      damping: Unordered levels are scaled by (p + damping)^(-1/2), so that rare ones do
        not set the length of a row.
      slack: Radius in units of the root mean squared length of independent rows.
      tails: How many of a column's last levels stand outside its order; they get features of
        unordered levels beside the cosines of the others.
    """
    tables = tuple(
        _curve_and_tail(p, tail, frequencies, damping)
        if curve and len(p) - tail >= LEAST_CURVE
        else _indicators(p, damping)
        for p, curve, tail in zip(marginals, ordered, tails or [0] * len(marginals), strict=True)
    )
    mean = sum(float((p @ t**2).sum()) for p, t in zip(marginals, tables, strict=True))
    # Columns of one level have no features; clipping wants a radius all the same.
    return Features(tables, slack * math.sqrt(mean) if mean else 1.0)


def greedy_order(strengths: Floats) -> tuple[int, ...]:
    """Returns the columns, best connected first, then always the best partner of one placed.

    A column then finds what it depends on among those before it.
    """
    order = [int(strengths.sum(axis=1).argmax())]
    while len(order) < len(strengths):
        left = [c for c in range(len(strengths)) if c not in order]
        order.append(max(left, key=lambda c: strengths[c, order].max()))
    return tuple(order)


def _curve_and_tail(p: Floats, tail: int, frequencies: int, damping: float) -> Floats:
    """Returns features (n, w) of an ordered column whose last levels stand outside the order."""
    if not tail:
        return _curve(p, frequencies)
    inside = len(p) - tail
    curve = _curve(p[:inside] / p[:inside].sum(), frequencies)
    _, directions, centred = _principal(
        np.eye(len(p))[:, inside:] / np.sqrt(p[inside:] + damping), p
    )
    padded = np.concatenate([curve, np.zeros((tail, curve.shape[1]))])
    return np.concatenate([padded, centred @ directions], axis=1)


def _curve(p: Floats, frequencies: int) -> Floats:
    """Returns whitened cosines of the distribution function, shape (n, w)."""
    middle = np.cumsum(p) - p / 2
    waves = np.sqrt(2) * np.cos(np.pi * middle[:, None] * np.arange(1, frequencies + 1))
    variances, directions, centred = _principal(waves, p)
    return np.asarray(centred @ directions / np.sqrt(variances))


def _indicators(p: Floats, damping: float) -> Floats:
    """Returns one-hot features at their damped scale, turned to drop the constant, (n, w)."""
    one_hot = np.eye(len(p))
    if len(p) > MOST_INDICATORS:
        one_hot = one_hot[:, np.sort(np.argsort(-p, kind="stable")[:MOST_INDICATORS])]
    _, directions, centred = _principal(one_hot / np.sqrt(p + damping)[:, None], p)
    return np.asarray(centred @ directions)


def _principal(table: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns variances and directions of the centred table under p, and that table."""
    centred = table - p @ table
    variances, directions = np.linalg.eigh(centred.T @ (p[:, None] * centred))
    kept = variances > max(1e-3 * variances[-1], 1e-12)
    return variances[kept], directions[:, kept], centred
