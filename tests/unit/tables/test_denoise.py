"""Denoised marginals: probabilities, nearer to the truth than the noise left them."""

from __future__ import annotations

import numpy as np
import pytest

from mustermann.tables.denoise import denoise

RNG = np.random.default_rng(0)
ROWS = 20_000
WAVE = np.exp(-((np.arange(80) - 30) ** 2) / 200)
TAIL = 1 / np.arange(1, 41) ** 2


def counts(weights, seed=0):
    return np.random.default_rng(seed).multinomial(ROWS, weights / weights.sum()).astype(float)


def distance(p, truth):
    return 0.5 * np.abs(p - truth / truth.sum()).sum()


def noisy(truth, std, seed=1):
    return truth + np.random.default_rng(seed).normal(0, std, len(truth))


def one(counted, ordered, std):
    (marginal,) = denoise([counted], ordered=[ordered], records=ROWS, std=std)
    return marginal.probabilities


def projected(noisy_counts):
    kept = np.maximum(noisy_counts, 1.0)
    return kept / kept.sum()


@pytest.mark.parametrize("std", [0.0, 1.0, 50.0, 1e5])
def test_probabilities_are_positive_and_sum_to_one(std):
    truth = [counts(WAVE), counts(TAIL), np.array([7.0]), np.zeros(12)]
    found = denoise(
        [noisy(t, std) for t in truth],
        ordered=[True, False, True, True],
        records=ROWS,
        std=std,
    )
    for marginal, t in zip(found, truth, strict=True):
        p = marginal.probabilities
        assert p.shape == marginal.errors.shape == t.shape
        assert (marginal.errors >= 0).all()
        assert (p > 0).all()
        assert p.sum() == pytest.approx(1)


def test_without_noise_the_counts_come_back():
    truth = counts(TAIL)
    p = one(truth, False, 0.0)
    assert distance(p, truth) < 0.002


@pytest.mark.parametrize(("weights", "ordered"), [(WAVE, True), (TAIL, False)])
def test_nearer_to_the_truth_than_clipped_noise(weights, ordered):
    truth, std = counts(weights), 60.0
    ours, clipped = [], []
    for seed in range(10):
        seen = noisy(truth, std, seed)
        ours.append(distance(one(seen, ordered, std), truth))
        clipped.append(distance(projected(seen), truth))
    assert np.mean(ours) < 0.95 * np.mean(clipped)


def test_order_helps_where_neighbours_are_alike():
    truth, std = counts(WAVE), 60.0
    by_order = {
        ordered: np.mean(
            [
                distance(one(seen, ordered, std), truth)
                for seen in (noisy(truth, std, seed) for seed in range(10))
            ]
        )
        for ordered in (True, False)
    }
    assert by_order[True] < 0.85 * by_order[False]


def test_levels_may_be_renamed():
    truth = noisy(counts(TAIL), 30.0)
    turned = RNG.permutation(len(truth))
    p, q = one(truth, False, 30.0), one(truth[turned], False, 30.0)
    assert q == pytest.approx(p[turned])


def test_a_chain_reads_the_same_from_both_ends():
    seen = noisy(counts(WAVE), 40.0)
    p, q = one(seen, True, 40.0), one(seen[::-1], True, 40.0)
    # The steps prefer frequent cells, so the two directions agree closely, not exactly.
    assert distance(p, q[::-1]) < 0.02


@pytest.mark.parametrize(("weights", "ordered"), [(WAVE, True), (TAIL, False)])
def test_errors_are_about_as_large_as_they_say(weights, ordered):
    truth, std, scores = counts(weights), 40.0, []
    for seed in range(20):
        seen = noisy(truth, std, seed)
        (marginal,) = denoise([seen], ordered=[ordered], records=ROWS, std=std)
        off = ((marginal.probabilities - truth / ROWS) ** 2).sum()
        scores.append(off / (marginal.errors**2).sum())
    assert 0.3 < np.median(scores) < 3


def test_a_level_outside_the_order_is_no_neighbour():
    counts = np.append(np.full(30, 100.0), 2000.0)
    settings = {"ordered": [True], "records": 5000.0, "std": 60.0}
    apart = denoise([counts], tails=[1], **settings)[0].probabilities
    joined = denoise([counts], **settings)[0].probabilities
    # Beside a peak that is no neighbour, the last bin looks like the bins before it.
    assert abs(apart[29] - apart[28]) < abs(joined[29] - joined[28])
    assert apart[30] == pytest.approx(0.4, abs=0.03)
