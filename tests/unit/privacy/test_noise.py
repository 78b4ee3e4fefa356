from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mustermann.privacy.noise import SystemRandomness, os_generator
from mustermann.privacy.sampling import poisson_batch


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_any_size(size):
    source = os_generator()
    assert source.random(size).shape == source.standard_normal(size).shape == (size,)
    assert source.standard_normal(size).dtype == np.float64


def test_values_differ_from_call_to_call():
    # Two equal draws of 64 values have a chance below 2^-3000.
    assert (SystemRandomness().standard_normal(64) != SystemRandomness().standard_normal(64)).any()


def test_all_bits_come_from_the_operating_system(monkeypatch):
    asked = []

    def zeros(count):
        asked.append(count)
        return bytes(count)

    monkeypatch.setattr("os.urandom", zeros)
    assert (os_generator().random(3) == 0).all()
    # The smallest uniform gives the largest radius: the tails end there, at a finite value.
    assert os_generator().standard_normal(2)[0] == pytest.approx((2 * 53 * np.log(2)) ** 0.5)
    assert asked == [24, 16]


def test_the_largest_words_stay_below_one(monkeypatch):
    monkeypatch.setattr("os.urandom", lambda count: b"\xff" * count)
    assert os_generator().random(1)[0] < 1
    assert np.isfinite(os_generator().standard_normal(2)).all()


def test_normals_are_normal_and_uniforms_uniform():
    # A fair source fails each of these once in a million runs.
    source = os_generator()
    normal = source.standard_normal(100_001)
    assert stats.kstest(normal, "norm").pvalue > 1e-6
    assert stats.kstest(source.random(100_000), "uniform").pvalue > 1e-6
    # Halves of a pair by Box and Muller must not tell of one another, in size or sign.
    first, second = normal[:50_000], normal[50_001:100_001]
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / 50_000**0.5
    assert abs(np.corrcoef(first**2, second**2)[0, 1]) < 5 / 50_000**0.5


def test_batches_are_indices_in_order():
    batch = poisson_batch(1000, rate=0.5)
    assert (np.diff(batch) > 0).all()
    assert 0 <= batch.min() <= batch.max() < 1000


def test_batches_may_be_empty_or_whole():
    assert len(poisson_batch(0, rate=0.5)) == 0
    assert len(poisson_batch(5, rate=1e-12)) == 0
    assert poisson_batch(5, rate=1.0).tolist() == [0, 1, 2, 3, 4]
