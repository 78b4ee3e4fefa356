"""The model whose marginals come closest to noisy measurements of them.

Among all distributions on a junction tree, the one that minimises the squared distance
to the measured counts, each weighted by its noise; found by mirror descent with the
entropy as mirror, which keeps every cell positive.

Source: McKenna, Sheldon and Miklau 2019, "Graphical-model based estimation and inference
for differential privacy", algorithm 1 (arXiv 1901.09136).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.tables import junction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.tables.junction import JunctionTree, Scope, Table

_GROWTH = 1.2
_BLOCK = 20
_STALLED = 1e-5


@dataclasses.dataclass(frozen=True, kw_only=True)
class Measurement:
    """Noisy counts of the rows by their levels in a few columns.

    Attributes:
      scope: The columns.
      counts: Counts with noise, an axis for each column.
      std: The noise's standard deviation, the same in each cell.
    """

    scope: Scope
    counts: Table
    std: float


@dataclasses.dataclass(frozen=True, kw_only=True)
class Fit:
    """A calibrated model.

    Attributes:
      tree: The clusters.
      potentials: The log-potential of each measured scope; its product is the model.
      beliefs: The marginal distribution of each cluster.
      loss: Half the squared distance to the measurements in units of their noise.
      iterations: How many steps were taken.
    """

    tree: JunctionTree
    potentials: dict[Scope, Table]
    beliefs: list[Table]
    loss: float
    iterations: int


def pooled(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Returns one measurement a scope: the mean weighted by inverse variances."""
    groups: dict[Scope, list[Measurement]] = {}
    for measurement in measurements:
        groups.setdefault(measurement.scope, []).append(measurement)
    result = []
    for scope, group in groups.items():
        weights = [m.std**-2 for m in group]
        counts = np.average([m.counts for m in group], axis=0, weights=weights)
        result.append(Measurement(scope=scope, counts=counts, std=sum(weights) ** -0.5))
    return result


def estimate_total(measurements: Sequence[Measurement]) -> float:
    """Returns the number of rows: the measurements' sums, weighted by inverse variances."""
    weights = [1.0 / (m.std**2 * m.counts.size) for m in measurements]
    sums = [float(m.counts.sum()) for m in measurements]
    return max(1.0, float(np.average(sums, weights=weights)))


def fit(
    tree: JunctionTree,
    measurements: Sequence[Measurement],
    *,
    total: float,
    start: Mapping[Scope, Table],
    iterations: int,
) -> Fit:
    """Returns the closest model on `tree`.

    Args:
      tree: Holds the scope of each measurement.
      measurements: At most one a scope (`pooled`).
      total: The number of rows that the counts stand for.
      start: Log-potentials to go on from; scopes without one start at zero.
      iterations: At most so many steps; fewer where twenty of them gain next to nothing.

    Raises:
      ConfigError: `tree` has no cluster for a measurement.
    """
    problem = _Problem(tree, measurements, total)
    potentials = [start.get(m.scope, np.zeros(m.counts.shape)) for m in measurements]
    state = problem.evaluate(potentials)
    # Twice what is safe whatever the marginals are; the line search grows it from there.
    step = 2.0 / sum((total / m.std) ** 2 for m in measurements)
    checkpoint, done = state.loss, 0
    for done in range(1, iterations + 1):
        moved = [p - step * g for p, g in zip(potentials, state.gradients, strict=True)]
        after = problem.evaluate(moved)
        change = sum(
            float(np.vdot(g, old - new))
            for g, old, new in zip(state.gradients, state.marginals, after.marginals, strict=True)
        )
        if state.loss - after.loss >= 0.5 * change:
            potentials, state, step = moved, after, _GROWTH * step
        else:
            step *= 0.5
        if done % _BLOCK == 0:
            if checkpoint - state.loss <= _STALLED * checkpoint:
                break
            checkpoint = state.loss
    named = {m.scope: p for m, p in zip(measurements, potentials, strict=True)}
    return Fit(tree=tree, potentials=named, beliefs=state.beliefs, loss=state.loss, iterations=done)


@dataclasses.dataclass(frozen=True)
class _State:
    beliefs: list[Table]
    marginals: list[Table]
    gradients: list[Table]
    loss: float


class _Problem:
    """The loss and its gradient with respect to the marginals."""

    def __init__(
        self, tree: JunctionTree, measurements: Sequence[Measurement], total: float
    ) -> None:
        self.tree = tree
        self.measurements = measurements
        self.total = total
        self.hosts: list[int] = []
        for measurement in measurements:
            host = tree.host(measurement.scope)
            if host is None:
                raise ConfigError(
                    f"Expected a junction tree that holds the columns {measurement.scope}, "
                    f"found none of its clusters does. Build it from the measured scopes."
                )
            self.hosts.append(host)

    def evaluate(self, potentials: Sequence[Table]) -> _State:
        clusters = self.tree.clusters
        tables = [np.zeros(self.tree.shape(cluster.scope)) for cluster in clusters]
        for host, measurement, potential in zip(
            self.hosts, self.measurements, potentials, strict=True
        ):
            tables[host] += junction.aligned(potential, measurement.scope, clusters[host].scope)
        beliefs = junction.calibrate(self.tree, tables)
        marginals, gradients, loss = [], [], 0.0
        for host, measurement in zip(self.hosts, self.measurements, strict=True):
            found = junction.marginal(beliefs[host], clusters[host].scope, measurement.scope)
            excess = (self.total * found - measurement.counts) / measurement.std
            loss += 0.5 * float(np.vdot(excess, excess))
            marginals.append(found)
            gradients.append(excess * (self.total / measurement.std))
        return _State(beliefs, marginals, gradients, loss)
