"""What runs has the noise and the sampling that were accounted, and no other.

Each check is a test at level 1e-6 with the operating system's own randomness, and is shown
to have power: it rejects noise that is off by a factor of 3/2 either way, rates that are,
and batches of fixed size.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats
from torch import nn

from mustermann.privacy.budget import Budget
from mustermann.privacy.dpsgd import DpSgd, Mechanism
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.mechanisms import ExponentialMechanism, GaussianMechanism
from mustermann.privacy.noise import SystemRandomness

LEVEL = 1e-6
RECORDS, STEPS, RATE = 200, 150, 0.1


def two_sided(value, distribution):
    return 2 * min(distribution.cdf(value), distribution.sf(value))


def noise_fits(values, std):
    """Returns whether `values` look like normal noise of deviation `std`."""
    spread = two_sided(np.square(values).sum() / std**2, stats.chi2(len(values)))
    shape = stats.kstest(values / values.std(), "norm").pvalue
    return spread > LEVEL and shape > LEVEL


def sampling_fits(joined, rate):
    """Returns whether `joined`, shape (steps, records), are coins of chance `rate`."""
    steps, records = joined.shape
    counts = joined.sum(1)
    total = two_sided(counts.sum(), stats.binom(steps * records, rate))
    # Counts that vary less, or more, than coins make them.
    variance = records * rate * (1 - rate)
    spread = two_sided(np.square(counts - counts.mean()).sum() / variance, stats.chi2(steps - 1))
    each = stats.chisquare(joined.sum(0)).pvalue
    again = np.mean(joined[1:] * joined[:-1]) - np.mean(joined) ** 2
    return min(total, spread, each) > LEVEL and abs(again) < 6 / np.sqrt(joined.size)


class NoNoise(SystemRandomness):
    def standard_normal(self, size, /):
        return np.zeros(size)


class FixedSize(NoNoise):
    """Gives every batch its expected size, as shuffled epochs do."""

    def random(self, size, /):
        return stats.rankdata(super().random(size)) / size - 1e-9


def steps_of(mechanism, randomness=None, *, empty=False):
    """Returns what each step added to a model with one weight a record, times q n."""
    model = nn.Linear(RECORDS, 1, bias=False)
    data = torch.eye(RECORDS)[: 0 if empty else RECORDS]
    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    with DpSgd(
        model, lambda x: model(x).squeeze(1), data, mechanism, optimiser,
        records=RECORDS, randomness=randomness,
    ) as run:  # fmt: skip
        seen = []
        for _ in range(mechanism.steps):
            before = model.weight.detach().clone()
            run.advance()
            seen.append((before - model.weight.detach()).squeeze(0).numpy())
    return np.stack(seen).astype(np.float64) * mechanism.rate * RECORDS


@pytest.fixture(scope="module")
def paid():
    ledger = Ledger(Budget(epsilon=2.0, delta=1e-5))
    return ledger.sgd("sgd", steps=STEPS, rate=RATE, clip=0.3, what="gradients")


@pytest.fixture(scope="module")
def noise(paid):
    return steps_of(paid, empty=True)


@pytest.fixture(scope="module")
def joined():
    mechanism = Mechanism(steps=STEPS, rate=RATE, clip=1.0, noise=1.0)
    return np.round(steps_of(mechanism, NoNoise()))


def test_steps_carry_the_noise_that_was_paid(paid, noise):
    assert noise_fits(noise.ravel(), paid.noise * paid.clip)


@pytest.mark.parametrize("factor", [2 / 3, 3 / 2])
def test_another_noise_would_be_noticed(paid, noise, factor):
    assert not noise_fits(noise.ravel() * factor, paid.noise * paid.clip)


def test_noise_is_fresh_in_every_step_and_weight(noise):
    limit = 6 / np.sqrt(noise.size) * noise.var()
    assert abs(np.mean(noise[1:] * noise[:-1])) < limit
    assert abs(np.mean(noise[:, 1:] * noise[:, :-1])) < limit


def test_batches_are_poisson_at_the_rate_that_was_paid(joined):
    assert set(np.unique(joined)) == {0.0, 1.0}
    assert sampling_fits(joined, RATE)


@pytest.mark.parametrize("factor", [2 / 3, 3 / 2])
def test_another_rate_would_be_noticed(joined, factor):
    assert not sampling_fits(joined, RATE * factor)


def test_batches_of_fixed_size_would_be_noticed():
    mechanism = Mechanism(steps=STEPS, rate=RATE, clip=1.0, noise=1.0)
    fixed = np.round(steps_of(mechanism, FixedSize()))
    assert set(fixed.sum(1)) == {RATE * RECORDS}
    assert not sampling_fits(fixed, RATE)


def test_gaussian_releases_carry_the_noise_that_was_paid():
    mechanism = GaussianMechanism(noise=3.0, sensitivity=0.5)
    values = mechanism.release(np.full(20_000, 7.0)) - 7.0
    assert noise_fits(values, 1.5)
    assert not noise_fits(values, 1.5 * 1.1)


def test_choices_have_the_chances_of_the_exponential_mechanism():
    scores = np.array([0.0, 1.0, 3.0])
    chosen = [
        ExponentialMechanism(epsilon=1.0, sensitivity=1.0).choose(scores) for _ in range(20_000)
    ]
    chances = np.exp(scores / 2) / np.exp(scores / 2).sum()
    observed = np.bincount(chosen, minlength=3)
    assert stats.chisquare(observed, chances * len(chosen)).pvalue > LEVEL
    twice = np.exp(scores) / np.exp(scores).sum()
    assert stats.chisquare(observed, twice * len(chosen)).pvalue < LEVEL
