"""AIM's rounds: choose the marginal that the model gets most wrong, measure it, fit again.

Everything that AIM learns from private rows it learns here, and each read is an entry of
the ledger. Rounds depend on each other: a round that taught little doubles the signal of
the next, so the shares are handed out one by one until none is left.

Accounting differs from the paper in one point, to AIM's favour: the paper adds up
concentrated-privacy parameters, which loses when they are turned into (epsilon, delta);
here all releases are Gaussian private and add up exactly (see `privacy.bounded_range`).

Source: McKenna, Mullins, Sheldon and Miklau 2022, "AIM: an adaptive and iterative
mechanism for differentially private synthetic data", algorithms 2 to 4 (arXiv 2201.12677).
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING

import dp_accounting
import numpy as np

from mustermann.core import progress
from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy import bounded_range
from mustermann.privacy.budget import calibrate, gaussian_sigma
from mustermann.privacy.mechanisms import ExponentialMechanism
from mustermann.tables import junction, marginal_fit
from mustermann.tables.marginal_fit import Measurement

if TYPE_CHECKING:
    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.junction import Scope, Table
    from mustermann.tables.marginal_fit import Fit

_ABSOLUTE_NORMAL = math.sqrt(2 / math.pi)
_BYTES_A_CELL = 8
_LEAST_SHARE = 1e-4
"""Of the budget; below this, noise is all that AIM would see."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """What steers the rounds; none of it looks at the data.

    Attributes:
      model_megabytes: The most that the tables of the junction tree may take.
      max_cells: Pairs of columns with more cells are not part of the workload.
      rounds_per_column: Rounds planned for each column; the paper's T / d.
      measuring: Part of each round's budget for the measurement; the rest is for the choice.
      iterations: Steps of the fit in each round.
      final_iterations: Steps of the last fit.
    """

    model_megabytes: float = 4.0
    max_cells: int = 10_000
    rounds_per_column: int = 16
    measuring: float = 0.9
    iterations: int = 100
    final_iterations: int = 200

    def __post_init__(self) -> None:
        if not 0 < self.measuring < 1:
            raise ConfigError(f"Expected measuring between 0 and 1, found {self.measuring}.")
        for name in ("model_megabytes", "max_cells", "rounds_per_column", "iterations"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"Expected {name} above 0, found {getattr(self, name)}.")
        if self.final_iterations < 0:
            raise ConfigError(f"Expected final_iterations, found {self.final_iterations}.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the rounds leave behind.

    Attributes:
      fit: The final model.
      total: The number of rows, estimated from the measurements.
      measurements: All of them, in order.
    """

    fit: Fit
    total: float
    measurements: list[Measurement]


def run(codes: Codes, domain: Domain, *, ledger: Ledger, settings: RoundSettings) -> Outcome:
    """Returns the model after all rounds; spends all that is left in `ledger`.

    Args:
      codes: Private rows, shape (N, k).
      domain: Their columns.
      ledger: Gets two entries a round, and one for the columns' own counts.
      settings: What steers the rounds.

    Raises:
      PrivacyError: Next to nothing is left in the ledger.
    """
    rounds = _Rounds(codes, domain, ledger, settings)
    rounds.measure_columns()
    with progress.task("AIM rounds") as bar:
        while rounds.left > 0:
            rounds.next()
            bar.advance()
    return rounds.finish()


class _Rounds:
    def __init__(
        self, codes: Codes, domain: Domain, ledger: Ledger, settings: RoundSettings
    ) -> None:
        self.codes = codes
        self.domain = domain
        self.ledger = ledger
        self.settings = settings
        self.measurements: list[Measurement] = []
        self.count = 0
        self.weights = _weights(domain.sizes, settings.max_cells)
        self.budget = _remaining_share(ledger)
        self.left = self.budget
        planned = self.budget / (settings.rounds_per_column * len(domain))
        self.measuring = planned * settings.measuring
        self.choosing = planned - self.measuring
        self.fit: Fit
        self.total = 0.0

    def measure_columns(self) -> None:
        """Measures each column's own counts and fits the model of independent columns."""
        columns = range(len(self.domain))
        # One row is in one cell of each column: the joint L2 sensitivity is sqrt(k).
        share = self.measuring * len(columns) if self.weights else self.left
        mechanism = self.ledger.gaussian(
            "aim columns",
            share=share,
            sensitivity=math.sqrt(len(columns)),
            what="counts of each column's levels",
        )
        self._spend(share)
        exact = [self._counts((column,)) for column in columns]
        noisy = mechanism.release(np.concatenate(exact))
        for column, counts in zip(
            columns, np.split(noisy, np.cumsum(self.domain.sizes)[:-1]), strict=True
        ):
            self.measurements.append(Measurement(scope=(column,), counts=counts, std=mechanism.std))
        self.fit = self._fit({}, self.settings.iterations)

    def next(self) -> None:
        """Chooses one marginal, measures it, fits, and sets the next round's noise."""
        if self.left < 2 * (self.measuring + self.choosing):
            self.measuring = self.settings.measuring * self.left
            self.choosing = self.left - self.measuring
        self.count += 1
        self._spend(self.measuring + self.choosing)
        before = self._estimates(self._candidates())
        scope = self._choose(before)
        std = self._measure(scope)
        self.fit = self._fit(self.fit.potentials, self.settings.iterations)
        after = self._estimates([scope])[scope]
        if np.abs(after - before[scope]).sum() <= _ABSOLUTE_NORMAL * std * after.size:
            # Little was learnt under this noise: half of it, at four times the cost.
            self.measuring *= 4
            self.choosing *= 4

    def finish(self) -> Outcome:
        """Returns the model fitted to the end."""
        fit = self._fit(self.fit.potentials, self.settings.final_iterations)
        return Outcome(fit=fit, total=self.total, measurements=self.measurements)

    def _spend(self, share: float) -> None:
        self.left -= share
        if self.left < 1e-9 * self.budget:
            self.left = 0.0

    def _candidates(self) -> list[Scope]:
        """Returns what may be measured now: the model grows with the budget that is spent."""
        part = (self.budget - self.left) / self.budget
        limit = part * self.settings.model_megabytes * 2**20 / _BYTES_A_CELL
        scopes = [measurement.scope for measurement in self.measurements]
        sizes = self.domain.sizes
        return [
            candidate
            for candidate in self.weights
            if self.fit.tree.host(candidate) is not None
            or junction.build(sizes, [*scopes, candidate]).cells <= limit
        ]

    def _estimates(self, scopes: list[Scope]) -> dict[Scope, Table]:
        """Returns the model's counts for each of `scopes`."""
        tree, beliefs = self.fit.tree, self.fit.beliefs
        pairs = junction.pair_marginals(tree, beliefs) if len(scopes) > 1 else {}
        estimates = {}
        for scope in scopes:
            host = tree.host(scope)
            if scope in pairs:
                estimates[scope] = self.total * pairs[scope]
            elif host is not None:
                held = tree.clusters[host].scope
                estimates[scope] = self.total * junction.marginal(beliefs[host], held, scope)
        return estimates

    def _choose(self, estimates: dict[Scope, Table]) -> Scope:
        """Returns the marginal that the model gets most wrong, beyond what noise would hide."""
        mu = math.sqrt(self.choosing) / gaussian_sigma(self.ledger.budget)
        std = gaussian_sigma(self.ledger.budget) / math.sqrt(self.measuring)
        self.ledger.spend(
            f"aim choice {self.count}",
            dp_accounting.GaussianDpEvent(1.0 / mu),
            what="which counts to release next, by an exponential mechanism of this cost",
        )
        # One row moves one cell of a marginal by one, and its score by its weight at most.
        mechanism = ExponentialMechanism(
            epsilon=bounded_range.epsilon_for(mu), sensitivity=max(self.weights.values())
        )
        scopes = list(estimates)
        scores = [
            self.weights[scope]
            * (
                np.abs(self._counts(scope) - estimates[scope]).sum()
                - _ABSOLUTE_NORMAL * std * estimates[scope].size
            )
            for scope in scopes
        ]
        return scopes[mechanism.choose(scores)]

    def _measure(self, scope: Scope) -> float:
        """Adds noisy counts of `scope` to the measurements; returns the noise's deviation."""
        names = " and ".join(self.domain.columns[column].name for column in scope)
        mechanism = self.ledger.gaussian(
            f"aim measurement {self.count}",
            share=self.measuring,
            sensitivity=1.0,
            what=f"counts of rows by {names}",
        )
        counts = mechanism.release(self._counts(scope))
        self.measurements.append(Measurement(scope=scope, counts=counts, std=mechanism.std))
        return mechanism.std

    def _fit(self, start: dict[Scope, Table], iterations: int) -> Fit:
        pooled = marginal_fit.pooled(self.measurements)
        self.total = marginal_fit.estimate_total(pooled)
        tree = junction.build(self.domain.sizes, [measurement.scope for measurement in pooled])
        return marginal_fit.fit(tree, pooled, total=self.total, start=start, iterations=iterations)

    def _counts(self, scope: Scope) -> Table:
        """Returns the exact counts of `scope`: private, only ever passed to a mechanism."""
        shape = tuple(self.domain.sizes[column] for column in scope)
        place = np.ravel_multi_index(tuple(self.codes[:, column] for column in scope), shape)
        return np.bincount(place, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def _weights(sizes: tuple[int, ...], max_cells: int) -> dict[Scope, float]:
    """Returns each candidate's weight: how many columns it shares with all of the workload.

    The workload is every pair of columns with at most `max_cells` cells; candidates are
    these pairs and their columns.
    """
    pairs = [
        pair
        for pair in itertools.combinations(range(len(sizes)), 2)
        if sizes[pair[0]] * sizes[pair[1]] <= max_cells
    ]
    columns = sorted({column for pair in pairs for column in pair})
    candidates: list[Scope] = [*((column,) for column in columns), *pairs]
    return {
        scope: float(sum(len(set(scope) & set(pair)) for pair in pairs)) for scope in candidates
    }


def _remaining_share(ledger: Ledger) -> float:
    """Returns the part of the budget's mu^2 that one more Gaussian release may take.

    Raises:
      PrivacyError: It is next to nothing.
    """
    earlier = [release.event for release in ledger.releases]
    if not earlier:
        return 1.0
    noise = calibrate(
        ledger.budget,
        lambda noise: dp_accounting.ComposedDpEvent(
            [*earlier, dp_accounting.GaussianDpEvent(noise)]
        ),
    )
    share = (gaussian_sigma(ledger.budget) / noise) ** 2
    if share < _LEAST_SHARE:
        raise PrivacyError(
            f"Expected at least {_LEAST_SHARE:g} of the budget to be left for AIM, found "
            f"{share:.2g}. Raise epsilon or give the earlier releases a smaller share."
        )
    return share
