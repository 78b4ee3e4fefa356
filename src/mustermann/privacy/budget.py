"""A privacy budget, and the noise that spends it exactly."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import dp_accounting
import scipy.optimize

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.accounting import COARSE, FINE, epsilon_of

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_EPSILON = 1e6
"""Far beyond any promise; above it the searches for noise leave the range of numbers."""
_LEAST, _MOST = 1e-2, 1e6
_TOLERANCE = 1e-5
_STEP = 1.01
_UP = 1 + 1e-9
"""Rounds noise upwards by more than the error of the searches (1e-12) and of adding shares."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Budget:
    """How much a table may lose to all releases together.

    Attributes:
      epsilon: Above 0, at most `LARGEST_EPSILON`.
      delta: In (0, 1); should be well below one over the number of rows.
    """

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise ConfigError(f"Expected a finite epsilon above 0, found {self.epsilon}.")
        if self.epsilon > LARGEST_EPSILON:
            raise ConfigError(
                f"Expected epsilon of at most {LARGEST_EPSILON:g}, found {self.epsilon:g}."
            )
        if not 0 < self.delta < 1:
            raise ConfigError(f"Expected delta between 0 and 1, found {self.delta}.")


def gaussian_sigma(budget: Budget) -> float:
    """Returns the noise multiplier of one Gaussian release that costs exactly `budget`.

    Releases compose by adding 1/sigma^2, so a release that may take the share w of the
    budget gets the noise multiplier `gaussian_sigma(budget) / sqrt(w)`.

    Returns:
      Standard deviation of the noise over the L2 sensitivity, rounded upwards (1e-9).

    Source: Balle and Wang 2018, theorem 8 (analytic Gaussian mechanism).
    """
    return float(dp_accounting.get_sigma_gaussian(budget.epsilon, budget.delta)) * _UP


def zcdp_rho(budget: Budget) -> float:
    """Returns the largest rho such that rho-concentrated DP implies `budget`.

    For mechanisms that mix exponential and Gaussian releases. Rounded downwards.

    Source: Bun and Steinke 2016; Canonne, Kamath and Steinke 2020, prop. 12.
    """

    def fits(rho: float) -> bool:
        return epsilon_of([dp_accounting.ZCDpEvent(rho)], delta=budget.delta) <= budget.epsilon

    low, high = 0.0, 1.0
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low / _UP


def calibrate(budget: Budget, make_event: Callable[[float], dp_accounting.DpEvent]) -> float:
    """Returns the least noise multiplier with which `make_event` keeps to `budget`.

    Rounded upwards (relative 1e-5), never downwards: the returned multiplier itself has
    been put through the accountant.

    Args:
      budget: What the event may cost.
      make_event: Maps a noise multiplier to the whole event; more noise costs less.

    Raises:
      PrivacyError: No noise is enough; names the least epsilon that would work.
    """

    def spent(noise: float, interval: float) -> float:
        event = make_event(noise)
        return epsilon_of([event], delta=budget.delta, interval=interval)

    floor = spent(_MOST, COARSE)
    if floor > budget.epsilon:
        raise PrivacyError(
            f"Expected a budget above epsilon={floor:.8g} at delta={budget.delta:g}, which is "
            f"spent whatever the noise, found epsilon={budget.epsilon:.8g}. "
            f"Raise epsilon or give the earlier releases a smaller share."
        )
    noise = _root(lambda noise: spent(noise, COARSE), budget.epsilon)
    # The coarse search overstates the cost. The cost is close to a power of the noise, so
    # one step along that power takes back what the search gave away.
    fine, less = spent(noise, FINE), spent(noise * _STEP, COARSE)
    power = math.log(budget.epsilon / max(less, budget.epsilon / 2)) / math.log(_STEP)
    closer = noise * math.exp(math.log(fine / budget.epsilon) / power) * (1 + _TOLERANCE)
    if closer < noise and spent(closer, FINE) <= budget.epsilon:
        return closer
    return noise


def _root(cost: Callable[[float], float], target: float) -> float:
    """Returns a noise multiplier with `cost` at or just below `target`."""
    high = 1.0
    while high < _MOST and cost(high) > target:
        high *= 2
    while cost(high / 2) <= target:
        high /= 2
        if high < _LEAST:
            return high

    def excess(exponent: float) -> float:
        # The ends of the bracket may cost 0 or infinity.
        return math.log(min(max(cost(math.exp(exponent)) / target, 1e-6), 1e6))

    ends = math.log(high / 2), math.log(high)
    noise = math.exp(float(scipy.optimize.brentq(excess, *ends, xtol=_TOLERANCE / 4)))
    while cost(noise) > target:
        noise *= 1 + _TOLERANCE
    return noise
