"""The bootstrap against a plain loop, and what pairing must give."""

import numpy as np
import pytest

from mustermann.core.seeds import Seeds
from mustermann.metrics.bootstrap import difference, interval, resample


def ratio(rows):
    return rows[:, 0] / rows[:, 1]


def test_resampling_keeps_the_number_of_documents():
    counts = np.ones((7, 2))
    assert (resample(counts, seeds=Seeds(1), replicates=50) == 7).all()


def test_equal_seeds_give_equal_replicates_and_others_others():
    counts = np.arange(20.0).reshape(10, 2)
    first = resample(counts, seeds=Seeds(1), replicates=600)
    assert (first == resample(counts, seeds=Seeds(1), replicates=600)).all()
    assert (first != resample(counts, seeds=Seeds(2), replicates=600)).any()


def test_the_interval_agrees_with_a_naive_loop():
    generator = np.random.default_rng(5)
    counts = np.column_stack([generator.integers(0, 10, 40), np.full(40, 10)]).astype(float)
    naive = []
    for _ in range(4000):
        chosen = counts[generator.integers(0, 40, 40)].sum(axis=0)
        naive.append(chosen[0] / chosen[1])
    found = interval(resample(counts, seeds=Seeds(3)), ratio)
    low, high = np.percentile(naive, [2.5, 97.5])
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_pairing_removes_what_both_systems_share():
    generator = np.random.default_rng(6)
    hits = generator.integers(0, 100, 60).astype(float)
    left = np.column_stack([hits + 1, np.full(60, 101.0)])
    right = np.column_stack([hits, np.full(60, 101.0)])
    sides = [resample(side, seeds=Seeds(4)) for side in (left, right)]
    paired = difference(*sides, ratio)
    assert paired.low == pytest.approx(1 / 101)
    assert paired.high == pytest.approx(1 / 101)
    assert interval(sides[0], ratio).high - interval(sides[0], ratio).low > 0.05


def test_undefined_scores_give_no_interval():
    with np.errstate(invalid="ignore"):
        found = interval(resample(np.zeros((0, 2)), seeds=Seeds(1), replicates=10), ratio)
    assert np.isnan(found.low)
    assert np.isnan(found.high)
