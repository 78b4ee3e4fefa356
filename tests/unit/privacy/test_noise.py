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


def test_every_draw_has_a_key_of_its_own_from_the_operating_system(monkeypatch):
    asked = []

    def keys(count):
        asked.append(count)
        return bytes([len(asked)]) * count

    monkeypatch.setattr("os.urandom", keys)
    first, second = os_generator().random(3), os_generator().random(3)
    assert asked == [32, 32]
    assert (first != second).all()
    monkeypatch.setattr("os.urandom", lambda count: b"\1" * count)
    assert (os_generator().random(3) == first).all()


def test_the_stream_is_chacha20(monkeypatch):
    # RFC 8439, A.1, test vector 1: the first block of the zero key.
    monkeypatch.setattr("os.urandom", bytes)
    block = bytes.fromhex("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1a")
    words = [int.from_bytes(block[at : at + 8], "little") >> 11 for at in (0, 8, 16)]
    assert (os_generator().random(3) * 2.0**53).tolist() == words


@pytest.mark.parametrize("sign", [0, 255])
def test_the_smallest_and_the_largest_words(monkeypatch, sign):
    class Stream:
        def __init__(self, *given, **more): ...

        def encryptor(self):
            return self

        def update(self, data):
            return bytes([sign]) * len(data)

    monkeypatch.setattr("mustermann.privacy.noise.Cipher", Stream)
    assert os_generator().random(1)[0] == (0 if sign == 0 else 1 - 2.0**-53)
    normal = os_generator().standard_normal(2)
    # The smallest uniform gives the largest radius: the tails end there, at a finite value.
    assert normal[0] == pytest.approx((2 * 53 * np.log(2)) ** 0.5 if sign == 0 else 0)
    assert np.isfinite(normal).all()


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
