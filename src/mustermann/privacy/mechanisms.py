"""Mechanisms: each object that adds noise also states what that noise costs.

The ledger makes these objects, so a fit can only run what has been accounted. Fields are
public; nothing in them depends on private data.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import dp_accounting
import numpy as np
import numpy.typing as npt

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.bounded_range import gaussian_mu
from mustermann.privacy.noise import os_generator

if TYPE_CHECKING:
    from mustermann.privacy.noise import Floats, Randomness


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mechanism:
    """DP-SGD: everything its guarantee depends on, and nothing else.

    Attributes:
      steps: Number of releases of a noisy gradient.
      rate: Probability with which each record joins a step, in (0, 1].
      clip: L2 bound C of one record's share of a step's sum.
      noise: Standard deviation of the noise in units of C.
    """

    steps: int
    rate: float
    clip: float
    noise: float
    _runs: list[None] = dataclasses.field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ConfigError(f"Expected a rate in (0, 1], found {self.rate}.")
        if self.steps < 1:
            raise ConfigError(f"Expected at least 1 step, found {self.steps}.")
        for name, value in (("clip", self.clip), ("noise", self.noise)):
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"Expected a finite {name} above 0, found {value}.")

    @property
    def std(self) -> float:
        """Returns the standard deviation of the noise on a step's sum."""
        return self.noise * self.clip

    def event(self) -> dp_accounting.DpEvent:
        """Returns what this mechanism costs; built from the fields that run it."""
        step = dp_accounting.GaussianDpEvent(self.noise)
        return dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(self.rate, step), self.steps
        )

    def take(self) -> None:
        """Marks the mechanism as running.

        Raises:
          PrivacyError: It has run before; a second run was not paid.
        """
        if self._runs:
            raise PrivacyError(
                "Expected one run of this mechanism, found a second one, which the ledger has "
                "not accounted. Ask the ledger for another mechanism."
            )
        self._runs.append(None)


class GaussianMechanism:
    """One release of a vector under Gaussian noise.

    The values must not move by more than `sensitivity` in L2 norm, all entries together,
    when one row comes or goes: that is the caller's proof.
    """

    def __init__(self, *, noise: float, sensitivity: float) -> None:
        """Makes the mechanism; the ledger does this, with a noise that it has accounted.

        Args:
          noise: Noise multiplier: standard deviation over sensitivity.
          sensitivity: L2 sensitivity of the values to one row.
        """
        for name, value in (("noise", noise), ("sensitivity", sensitivity)):
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"Expected a finite {name} above 0, found {value}.")
        self.noise = noise
        self.sensitivity = sensitivity
        self._released = False

    @property
    def std(self) -> float:
        """Returns the standard deviation of the noise on each entry."""
        return self.noise * self.sensitivity

    def event(self) -> dp_accounting.DpEvent:
        """Returns what the release costs."""
        return dp_accounting.GaussianDpEvent(self.noise)

    def release(self, values: npt.ArrayLike, *, randomness: Randomness | None = None) -> Floats:
        """Returns `values` plus noise, float64, in the shape of `values`; works once.

        Args:
          values: Private values, of any shape; several arrays go in as one.
          randomness: The operating system's unless a test passes its own.

        Raises:
          PrivacyError: The mechanism has released before; a second release was not paid.
          DataError: A value is not finite: no noise hides it.
        """
        exact = np.asarray(values, dtype=np.float64)
        if not np.isfinite(exact).all():
            raise DataError("Expected finite values to add noise to, found NaN or infinity.")
        self._mark()
        source = randomness or os_generator()
        return exact + self.std * source.standard_normal(exact.size).reshape(exact.shape)

    def _mark(self) -> None:
        if self._released:
            raise PrivacyError(
                "Expected one release of this mechanism, found a second one, which the ledger "
                "has not accounted. Ask the ledger for another mechanism."
            )
        self._released = True


class ExponentialMechanism:
    """One choice among candidates, likelier the higher its score."""

    def __init__(self, *, epsilon: float, sensitivity: float) -> None:
        """Makes the mechanism; the ledger does this, with an epsilon that it has accounted.

        Args:
          epsilon: Pure-DP cost of the choice.
          sensitivity: Most that any candidate's score moves when one row comes or goes.
        """
        for name, value in (("epsilon", epsilon), ("sensitivity", sensitivity)):
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"Expected a finite {name} above 0, found {value}.")
        self.epsilon = epsilon
        self.sensitivity = sensitivity
        self._chosen = False

    def event(self) -> dp_accounting.DpEvent:
        """Returns what the choice costs, as the Gaussian release that costs as much.

        Choices and Gaussian releases then add up exactly; see `bounded_range`.
        """
        return dp_accounting.GaussianDpEvent(1 / gaussian_mu(self.epsilon))

    def choose(self, scores: npt.ArrayLike, *, randomness: Randomness | None = None) -> int:
        """Returns the index of the chosen candidate; works once.

        Args:
          scores: Private scores, shape (M,), M > 0.
          randomness: The operating system's unless a test passes its own.

        Raises:
          PrivacyError: The mechanism has chosen before; a second choice was not paid.
          DataError: There is no candidate, or a score is not finite.

        Source: McSherry and Talwar 2007, by the Gumbel trick.
        """
        exact = np.asarray(scores, dtype=np.float64)
        if exact.ndim != 1 or exact.size == 0 or not np.isfinite(exact).all():
            raise DataError("Expected a vector of finite scores with at least one entry.")
        if self._chosen:
            raise PrivacyError(
                "Expected one choice of this mechanism, found a second one, which the ledger "
                "has not accounted. Ask the ledger for another mechanism."
            )
        self._chosen = True
        uniform = 1.0 - (randomness or os_generator()).random(exact.size)
        with np.errstate(divide="ignore"):
            gumbel = -np.log(-np.log(uniform))
        return int(np.argmax(exact * (self.epsilon / (2 * self.sensitivity)) + gumbel))
