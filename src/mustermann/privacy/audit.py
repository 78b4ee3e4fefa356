"""A lower bound on epsilon from one run with canaries.

Of M canaries each is put into the data on a fair coin. After the fit an auditor guesses,
for the canaries about which it is surest, whether they were in. A fit that is private
can't let it be right too often: the number of right guesses is at most about that of an
auditor who flips coins of chance 1 / (1 + exp(-epsilon)). Too many right guesses refute
every epsilon below the bound.

Source: Steinke, Nasr and Jagielski 2023, "Privacy Auditing with One (1) Training Run",
theorem 5.2 and appendix D.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy import stats

from mustermann.core.errors import ConfigError
from mustermann.privacy.noise import os_generator

if TYPE_CHECKING:
    from mustermann.privacy.noise import Floats, Randomness

_MOST = 100.0
_PRECISION = 1e-4


@dataclasses.dataclass(frozen=True, kw_only=True)
class AuditResult:
    """What an audit found.

    Attributes:
      epsilon: Lower bound on the epsilon of the audited fit; 0 where nothing was found.
      confidence: Chance with which the bound holds.
      canaries: M.
      guesses: How many canaries the auditor guessed.
      right: How many of the guesses were right.
    """

    epsilon: float
    confidence: float
    canaries: int
    guesses: int
    right: int


def draw_canaries(canaries: int, *, randomness: Randomness | None = None) -> npt.NDArray[np.bool_]:
    """Returns which canaries go into the data, each on a fair coin, shape (M,)."""
    return (randomness or os_generator()).random(canaries) < 0.5


def audit(
    scores: Floats,
    included: npt.NDArray[np.bool_],
    *,
    guesses: int,
    delta: float,
    confidence: float = 0.95,
) -> AuditResult:
    """Returns a lower bound on epsilon from the canaries' scores.

    The half of the guesses with the highest scores is guessed to be in, the half with the
    lowest to be out.

    Args:
      scores: How strongly the fitted model suggests that each canary was in the data, such
        as its log-likelihood gain over an average, shape (M,).
      included: Which canaries were in, by `draw_canaries`, shape (M,).
      guesses: How many canaries to guess, even, at most M; to be chosen before looking.
      delta: Delta of the claim that is audited.
      confidence: Chance with which the bound must hold.

    Raises:
      ConfigError: An argument is out of range, or a score is NaN.
    """
    canaries = len(scores)
    if len(included) != canaries or bool(np.isnan(scores).any()):
        raise ConfigError(
            f"Expected one score that is no NaN for each of {len(included)} canaries."
        )
    if guesses % 2 or not 0 < guesses <= canaries:
        raise ConfigError(
            f"Expected an even number of guesses from 2 to {canaries}, found {guesses}."
        )
    if not (0 <= delta < 1 and 0 < confidence < 1):
        raise ConfigError(f"Expected delta and confidence within 0 and 1: {delta}, {confidence}.")
    order = np.argsort(scores, kind="stable")
    said_out, said_in = order[: guesses // 2], order[-(guesses // 2) :]
    right = int(included[said_in].sum() + (~included[said_out]).sum())
    return AuditResult(
        epsilon=_least_epsilon(canaries, guesses, right, delta, 1 - confidence),
        confidence=confidence,
        canaries=canaries,
        guesses=guesses,
        right=right,
    )


def _least_epsilon(canaries: int, guesses: int, right: int, delta: float, level: float) -> float:
    """Returns the least epsilon under which so many right guesses are not too unlikely."""

    def refuted(epsilon: float) -> bool:
        return chance_of_guesses(canaries, guesses, right, epsilon, delta) < level

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, _MOST
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def chance_of_guesses(
    canaries: int, guesses: int, right: int, epsilon: float, delta: float
) -> float:
    """Returns a bound on the chance of `right` or more right guesses under (epsilon, delta).

    Source: Steinke, Nasr and Jagielski 2023, theorem 5.2.
    """
    coins = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
    chance = float(coins.sf(right - 1))
    # Delta may add some right guesses: the worst number of them counts.
    below = np.cumsum(coins.pmf(np.arange(right - 1, -1, -1)))
    worst = float((below / np.arange(1, right + 1)).max(initial=0.0))
    return min(1.0, chance + 2 * canaries * delta * worst)
