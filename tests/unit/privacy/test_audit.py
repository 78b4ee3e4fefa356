from __future__ import annotations

import math

import numpy as np
import pytest

from mustermann.core.errors import ConfigError
from mustermann.privacy.audit import audit, chance_of_guesses, draw_canaries


def coins(count, epsilon, rng):
    """Returns scores that tell a canary's coin with the chance that epsilon allows."""
    included = rng.random(count) < 0.5
    truthful = rng.random(count) < 1 / (1 + math.exp(-epsilon))
    return np.where(truthful == included, 1.0, -1.0) + 1e-3 * rng.random(count), included


def test_a_fit_without_noise_is_caught():
    included = draw_canaries(1000)
    found = audit(included.astype(float), included, guesses=200, delta=1e-5)
    assert found.right == 200
    assert found.epsilon > 3
    assert (found.canaries, found.guesses, found.confidence) == (1000, 200, 0.95)


def test_scores_that_know_nothing_prove_nothing():
    rng = np.random.default_rng(0)
    bounds = [
        audit(rng.random(500), rng.random(500) < 0.5, guesses=100, delta=1e-5).epsilon
        for _ in range(40)
    ]
    # At 95% confidence about 2 of 40 may be above 0.
    assert np.count_nonzero(bounds) <= 8


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_bound_is_below_the_truth_and_close_to_it(epsilon):
    rng = np.random.default_rng(1)
    bounds = [audit(*coins(2000, epsilon, rng), guesses=2000, delta=0.0).epsilon for _ in range(40)]
    assert np.count_nonzero(np.array(bounds) > epsilon) <= 8
    assert np.median(bounds) > 0.7 * epsilon


def test_delta_and_more_guesses_only_weaken_the_evidence():
    without = chance_of_guesses(100, 50, 45, 1.0, 0.0)
    assert without == pytest.approx(
        sum(
            math.comb(50, k) * (1 / (1 + math.exp(-1))) ** k * (1 / (1 + math.exp(1))) ** (50 - k)
            for k in range(45, 51)
        )
    )
    assert without < chance_of_guesses(100, 50, 45, 1.0, 1e-3)
    assert chance_of_guesses(100, 50, 45, 1.0, 1e-3) < chance_of_guesses(1000, 50, 45, 1.0, 1e-3)
    assert chance_of_guesses(100, 50, 0, 1.0, 0.0) == 1.0


@pytest.mark.parametrize(
    "wrong", [{"guesses": 3}, {"guesses": 0}, {"guesses": 12}, {"delta": 1.0}, {"confidence": 1.0}]
)
def test_arguments_out_of_range_are_refused(wrong):
    settings = {"guesses": 4, "delta": 1e-5, "confidence": 0.9} | wrong
    with pytest.raises(ConfigError):
        audit(np.arange(10.0), np.ones(10, dtype=bool), **settings)


def test_scores_must_match_the_canaries():
    with pytest.raises(ConfigError, match="canaries"):
        audit(np.arange(3.0), np.ones(4, dtype=bool), guesses=2, delta=1e-5)
    with pytest.raises(ConfigError, match="NaN"):
        audit(np.array([np.nan, 1.0]), np.ones(2, dtype=bool), guesses=2, delta=1e-5)
