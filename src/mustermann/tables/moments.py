"""Pairwise moments: how the columns hang together, in one noisy matrix.

Each column is mapped to a few features φ that have mean 0 under its released marginal. The
off-diagonal blocks of the mean of φφᵀ are released (`privacy.marginals.noisy_moments`);
what is done here costs nothing.
"""

from __future__ import annotations

import dataclasses
import itertools
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
LOW_OCTAVE = 2
"""Frequencies 1 to 4 are one band, 5 to 8 the next: a band of very few is shrunk too far."""
LEAST_FREQUENCIES = 4
"""An ordered column is offered so many cosines however few of its levels are in use."""
LEAST_LEFT = 2e-3
"""A further cosine of which less variance (near 1 before) is left once the lower ones are taken
out tells rare levels apart and nothing else; at unit length it would make rows long there."""
MOST_INDICATORS = 128
"""So many unordered levels of a column get features, the most frequent ones. Rare levels of a
column of texts would cost time, memory and a longer row, and their moments are noise."""


@dataclasses.dataclass(frozen=True)
class Features:
    """A map of rows to D features, made from released marginals only.

    Attributes:
      tables: One (n, w) array a column: row v holds the features of level v.
      radius: The length to which a row's features are to be clipped.
      bands: Of each column's features: 0, and for cosines the octave of the frequency.
    """

    tables: tuple[Floats, ...]
    radius: float
    bands: tuple[tuple[int, ...], ...]

    @property
    def groups(self) -> tuple[int, ...]:
        """Returns the column of each feature, shape (D,)."""
        return tuple(c for c, table in enumerate(self.tables) for _ in range(table.shape[1]))

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Returns where each column's features stand among all."""
        ends = np.cumsum([table.shape[1] for table in self.tables]).tolist()
        return tuple(slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True))

    @property
    def banded(self) -> tuple[tuple[slice, ...], ...]:
        """Returns where each band of each column's features stands among all."""
        found = []
        for block, bands in zip(self.blocks, self.bands, strict=True):
            starts = [i for i, band in enumerate(bands) if not i or band != bands[i - 1]]
            edges = [block.start + place for place in (*starts, len(bands))]
            found.append(tuple(slice(a, b) for a, b in itertools.pairwise(edges)))
        return tuple(found)

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
      banded: Where each band of each column's features stands.
    """

    matrix: Floats
    std: float
    banded: tuple[tuple[slice, ...], ...]

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Returns where each column's features stand."""
        found, end = [], 0
        for bands in self.banded:
            start, end = end, bands[-1].stop if bands else end
            found.append(slice(start, end))
        return tuple(found)

    @property
    def strengths(self) -> Floats:
        """Returns how much two columns tell of each other, beyond noise, shape (k, k)."""
        blocks = self.blocks
        strengths = np.zeros((len(blocks), len(blocks)))
        for i, rows in enumerate(blocks):
            for j, columns in enumerate(blocks[:i]):
                block = self.matrix[rows, columns]
                excess = float((block**2).sum()) - self.std**2 * block.size
                strengths[i, j] = strengths[j, i] = max(0.0, excess)
        return strengths

    def shrunk(self) -> Moments:
        """Returns the moments with each pair of bands pulled to 0 by its share of noise.

        High frequencies tell less than low ones, and would drown them in one common factor.
        Source: James and Stein 1961 (positive part).
        """
        matrix = self.matrix.copy()
        for i, bands in enumerate(self.banded):
            others = [other for column in self.banded[:i] for other in column]
            for rows, columns in itertools.product(bands, others):
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
      frequencies: Most cosines of the distribution function that stand for an ordered column;
        one in which few levels are in use gets fewer. They are made orthonormal, low ones first.
      damping: Unordered levels are scaled by (p + damping)^(-1/2), so that rare ones do
        not set the length of a row.
      slack: Radius in units of the root mean squared length of independent rows.
      tails: How many of a column's last levels stand outside its order; they get features of
        unordered levels beside the cosines of the others.
    """
    made = [
        _curve_and_tail(p, tail, frequencies, damping)
        if curve and len(p) - tail >= LEAST_CURVE
        else _indicators(p, damping)
        for p, curve, tail in zip(marginals, ordered, tails or [0] * len(marginals), strict=True)
    ]
    tables, bands = tuple(table for table, _ in made), tuple(band for _, band in made)
    mean = sum(float((p @ t**2).sum()) for p, t in zip(marginals, tables, strict=True))
    # Columns of one level have no features; clipping wants a radius all the same.
    return Features(tables, slack * math.sqrt(mean) if mean else 1.0, bands)


def greedy_order(strengths: Floats) -> tuple[int, ...]:
    """Returns the columns, best connected first, then always the best partner of one placed.

    A column then finds what it depends on among those before it.
    """
    order = [int(strengths.sum(axis=1).argmax())]
    while len(order) < len(strengths):
        left = [c for c in range(len(strengths)) if c not in order]
        order.append(max(left, key=lambda c: strengths[c, order].max()))
    return tuple(order)


def _curve_and_tail(
    p: Floats, tail: int, frequencies: int, damping: float
) -> tuple[Floats, tuple[int, ...]]:
    """Returns features (n, w) of an ordered column whose last levels stand outside the order."""
    if not tail:
        return _curve(p, frequencies)
    inside = len(p) - tail
    curve, bands = _curve(p[:inside] / p[:inside].sum(), frequencies)
    _, directions, centred = _principal(
        np.eye(len(p))[:, inside:] / np.sqrt(p[inside:] + damping), p
    )
    padded = np.concatenate([curve, np.zeros((tail, curve.shape[1]))])
    outside = centred @ directions
    return np.concatenate([outside, padded], axis=1), (0,) * outside.shape[1] + bands


def _curve(p: Floats, frequencies: int) -> tuple[Floats, tuple[int, ...]]:
    """Returns orthonormal cosines of the distribution function, shape (n, w), and their octaves.

    Where few levels are in use, high frequencies tell them no further apart and are large at
    rare ones; the effective number of levels is the exponential of the entropy.
    """
    used = p[p > 0]
    effective = math.exp(-float((used * np.log(used)).sum()))
    most = min(frequencies, max(LEAST_FREQUENCIES, round(effective) - 1))
    middle = np.cumsum(p) - p / 2
    made: list[Floats] = []
    octaves = []
    for frequency in range(1, most + 1):
        wave = np.sqrt(2) * np.cos(np.pi * frequency * middle)
        wave -= p @ wave
        left = wave.copy()
        for _ in range(2):  # Once more for the rounding (Gram and Schmidt).
            for other in made:
                left -= (p @ (left * other)) * other
        rest = float(p @ left**2)
        if rest > (LEAST_LEFT if made else 1e-12):
            made.append(left / math.sqrt(rest))
            octaves.append(max(LOW_OCTAVE, (frequency - 1).bit_length()))
    return np.stack(made, axis=1) if made else np.zeros((len(p), 0)), tuple(octaves)


def _indicators(p: Floats, damping: float) -> tuple[Floats, tuple[int, ...]]:
    """Returns one-hot features at their damped scale, turned to drop the constant, (n, w)."""
    one_hot = np.eye(len(p))
    if len(p) > MOST_INDICATORS:
        one_hot = one_hot[:, np.sort(np.argsort(-p, kind="stable")[:MOST_INDICATORS])]
    _, directions, centred = _principal(one_hot / np.sqrt(p + damping)[:, None], p)
    return np.asarray(centred @ directions), (0,) * directions.shape[1]


def _principal(table: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """Returns variances and directions of the centred table under p, and that table."""
    centred = table - p @ table
    variances, directions = np.linalg.eigh(centred.T @ (p[:, None] * centred))
    kept = variances > max(1e-3 * variances[-1], 1e-12)
    return variances[kept], directions[:, kept], centred
