"""What noisy counts say about the true ones: the denoised one-way marginals.

Two facts about tables are used, and nothing about the table at hand that the noise does
not let through:

* a column has few frequent levels and many rare ones: all counts share a prior over their
  size, learnt from the noisy counts (empirical Bayes);
* neighbouring bins of an ordered column are alike: a hidden Markov chain along the bins
  walks over the size of the count, and the evidence picks how smoothly.

The input has been released, so all of this is free post-processing.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats: TypeAlias = npt.NDArray[np.float64]

CELLS = 41
"""Cells of the grid over counts, G; the first holds the counts below a third."""
SMOOTHNESS = (0.3, 0.6, 1.2, 2.5, 5.0, 20.0)
"""Typical change of the log count from a bin to the next, in nats, to pick from."""
JUMPS = (0.02, 0.15)
"""Chance that a bin has nothing to do with its neighbour, to pick from."""
LEAST_STD = 0.5
"""Counts are whole: noise below this tells no more."""
LEAST_CHAIN = 9
"""Shorter columns are treated as unordered: a chain would learn nothing."""
LEAST_COUNT = 0.05
"""Floor of a denoised count, so that no level is impossible."""


@dataclasses.dataclass(frozen=True, slots=True)
class Marginal:
    """What is known of one column's levels.

    Attributes:
      probabilities: Shape (n,), all above 0, summing to 1.
      errors: Standard deviation of what is still unknown of each, shape (n,).
    """

    probabilities: Floats
    errors: Floats


@dataclasses.dataclass(frozen=True, slots=True)
class _View:
    """A column's noisy counts seen from each cell of the grid, all of shape (n, G)."""

    likelihood: Floats
    mean: Floats
    variance: Floats


def denoise(
    noisy: Sequence[Floats],
    *,
    ordered: Sequence[bool],
    records: float,
    std: float,
    tails: Sequence[int] | None = None,
) -> tuple[Marginal, ...]:
    """Returns the marginal of each column.

    Args:
      noisy: Counts plus Gaussian noise, one array a column.
      ordered: Whether neighbouring levels of a column are alike.
      records: About how many rows were counted; public or noised.
      std: Standard deviation of the noise on one count.
      tails: How many of a column's last levels stand outside its order.
    """
    std = max(std, LEAST_STD)
    edges = np.concatenate([[0.02], np.geomspace(0.3, 1.3 * max(records, 1.0), CELLS)])
    views = [_view(counts, edges, std) for counts in noisy]
    prior = _shared_prior(np.concatenate([view.likelihood for view in views]))
    size = np.log(np.sqrt(edges[:-1] * edges[1:]))
    posteriors = []
    for view, chain, tail in zip(views, ordered, tails or [0] * len(views), strict=True):
        inside = len(view.likelihood) - tail
        parts = [_posterior(view.likelihood[:inside], prior, size if chain else None)]
        parts += [_posterior(view.likelihood[inside:], prior, None)] if tail else []
        posteriors.append(np.concatenate(parts))
    return tuple(map(_marginal, views, posteriors))


def _view(noisy: Floats, edges: Floats, std: float) -> _View:
    """Returns what a cell tells where a count is uniform within it; the variance is a bound."""
    low, high = edges[:-1], edges[1:]
    a, b = (low - noisy[:, None]) / std, (high - noisy[:, None]) / std
    # Differences of the tail nearer to both ends, or far cells cancel to nothing.
    mass = np.where(a > 0, ndtr(-a) - ndtr(-b), ndtr(b) - ndtr(a)).clip(0.0)
    peak = (np.exp(-a * a / 2) - np.exp(-b * b / 2)) / math.sqrt(math.tau)
    nearest = np.clip(noisy[:, None], low, high)
    inside = noisy[:, None] + std * peak / np.maximum(mass, 1e-300)
    mean = np.where(mass < 1e-9, nearest, np.clip(inside, low, high))
    variance = np.broadcast_to(np.minimum(std**2, (high - low) ** 2 / 12), mean.shape)
    return _View(mass * std / (high - low) + 1e-300, mean, variance)


def _shared_prior(likelihood: Floats, *, rounds: int = 150) -> Floats:
    """Returns how often a count falls into each cell, shape (G,), by EM over all levels."""
    cells = likelihood.shape[1]
    prior = np.full(cells, 1 / cells)
    for _ in range(rounds):
        posterior = likelihood * prior
        posterior /= posterior.sum(axis=1, keepdims=True)
        prior = 0.98 * posterior.mean(axis=0) + 0.02 / cells
    return prior


def _posterior(likelihood: Floats, prior: Floats, size: Floats | None) -> Floats:
    """Returns each level's chance of each cell, shape (n, G); along a chain if `size` is given."""
    if size is None or len(likelihood) < LEAST_CHAIN:
        posterior = likelihood * prior
    else:
        steps = _transitions(prior, size)
        forward, evidence = _forward(likelihood, prior, steps)
        best = int(evidence.argmax())
        posterior = forward[:, best] * _backward(likelihood, steps[best])
    return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))


def _transitions(prior: Floats, size: Floats) -> Floats:
    """Returns one matrix of steps between cells for each setting, shape (S, G, G)."""
    distance = np.abs(size[:, None] - size)
    matrices = []
    for smoothness in SMOOTHNESS:
        near = np.exp(-distance / smoothness) * np.sqrt(prior)
        near /= near.sum(axis=1, keepdims=True)
        matrices += [(1 - jump) * near + jump * prior for jump in JUMPS]
    return np.stack(matrices)


def _forward(likelihood: Floats, prior: Floats, steps: Floats) -> tuple[Floats, Floats]:
    """Returns filtered cells (n, S, G) and the log evidence of each setting (S,)."""
    filtered = np.empty((len(likelihood), len(steps), len(prior)))
    evidence = np.zeros(len(steps))
    before = np.broadcast_to(prior, filtered.shape[1:])
    for level, seen in enumerate(likelihood):
        joint = before * seen
        total = joint.sum(axis=1, keepdims=True)
        filtered[level] = joint / total
        evidence += np.log(total[:, 0])
        before = (filtered[level][:, None] @ steps)[:, 0]
    return filtered, evidence


def _backward(likelihood: Floats, step: Floats) -> Floats:
    """Returns the chance of all later counts given each cell, scaled by level, shape (n, G)."""
    later = np.ones_like(likelihood)
    for level in range(len(likelihood) - 2, -1, -1):
        later[level] = step @ (likelihood[level + 1] * later[level + 1])
        later[level] /= later[level].sum()
    return later


def _marginal(view: _View, posterior: Floats) -> Marginal:
    expected = (posterior * view.mean).sum(axis=1)
    second = (posterior * (view.mean**2 + view.variance)).sum(axis=1)
    counts = np.maximum(expected, LEAST_COUNT)
    errors = np.sqrt(np.maximum(second - expected**2, 0.0))
    return Marginal(counts / counts.sum(), errors / counts.sum())
