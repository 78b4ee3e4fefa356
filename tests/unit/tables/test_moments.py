"""Features with mean 0, moments that shrink towards independence, an order from strengths."""

from __future__ import annotations

import numpy as np
import pytest

from mustermann.tables.moments import Features, Moments, greedy_order, make_features

P = np.array([0.5, 0.3, 0.15, 0.05])
Q = np.full(30, 1 / 30)
CONSTANT = np.array([1.0])


def features(marginals=(P, Q, CONSTANT), ordered=(False, True, False), frequencies=4):
    return make_features(
        marginals, ordered=ordered, frequencies=frequencies, damping=0.05, slack=1.15
    )


def test_means_are_zero_under_the_marginals():
    found = features()
    for p, table in zip((P, Q, CONSTANT), found.tables, strict=True):
        assert p @ table == pytest.approx(np.zeros(table.shape[1]), abs=1e-12)


def test_curves_are_white_and_at_most_as_many_as_asked():
    table = features().tables[1]
    assert table.shape == (30, 4)
    assert table.T @ (Q[:, None] * table) == pytest.approx(np.eye(4), abs=1e-9)


def test_cosines_are_in_the_order_of_frequency():
    table = features(frequencies=8).tables[1]
    changes = [(np.diff(np.sign(column)) != 0).sum() for column in table.T]
    assert changes == list(range(1, 9))


def test_a_column_of_which_few_levels_are_in_use_has_few_cosines():
    p = np.append(np.full(4, 0.24), np.full(26, 0.04 / 26))
    table = features((p, Q), (True, True), frequencies=8).tables
    assert [t.shape[1] for t in table] == [4, 8]
    assert features((p, Q), (True, True), frequencies=12).bands[1] == (2,) * 4 + (3,) * 4 + (4,) * 4


def test_cosines_that_tell_only_rare_levels_apart_are_left_out():
    p = np.append(0.98, np.full(29, 0.02 / 29))
    table = features((p, Q), (True, True)).tables[0]
    assert table.shape == (30, 1)
    assert p @ table**2 == pytest.approx([1.0])
    assert features((np.append(0.9999, np.full(29, 1e-4 / 29)), Q), (True, True)).tables[0].size


def test_unordered_levels_keep_all_but_the_constant():
    assert features().tables[0].shape == (4, 3)
    assert features().tables[2].shape == (1, 0)


def test_only_the_frequent_ones_of_very_many_levels_have_features():
    p = np.random.default_rng(0).permutation(np.append(np.full(100, 0.0091), np.full(900, 1e-4)))
    found = features((p, Q), (False, True))
    table = found.tables[0]
    assert table.shape == (1000, 128)
    assert p @ table == pytest.approx(np.zeros(128), abs=1e-12)
    # Rare levels beyond these are one: their features are all alike.
    assert len(np.unique(table.round(9), axis=0)) == 129
    assert len(np.unique(table[p > 0.001].round(9), axis=0)) == 100


def test_rare_levels_do_not_set_the_length():
    rare = np.array([1 - 1e-6, 1e-6])
    table = features((rare,), (False,)).tables[0]
    assert np.abs(table).max() < 1.1 / np.sqrt(0.05)


def test_radius_is_the_slack_times_the_typical_length():
    found = features()
    rng = np.random.default_rng(0)
    rows = np.stack([rng.choice(4, 20_000, p=P), rng.choice(30, 20_000), np.zeros(20_000, int)], 1)
    typical = np.sqrt((found.apply(rows) ** 2).sum(1).mean())
    assert found.radius == pytest.approx(1.15 * typical, rel=0.02)


def test_groups_and_blocks_name_the_columns():
    found = features()
    assert found.groups == (0, 0, 0, 1, 1, 1, 1)
    assert found.blocks == (slice(0, 3), slice(3, 7), slice(7, 7))
    assert found.bands == ((0, 0, 0), (2, 2, 2, 2), ())
    assert found.banded == ((slice(0, 3),), (slice(3, 7),), ())
    moments = Moments(np.zeros((7, 7)), 1.0, found.banded)
    assert moments.blocks == found.blocks
    assert isinstance(found, Features)


def noisy_moments(signal, std, seed=0):
    """Two columns of 3 and 4 features with one block of the given root mean square."""
    rng = np.random.default_rng(seed)
    matrix = np.zeros((7, 7))
    matrix[:3, 3:] = signal * rng.normal(size=(3, 4)) + std * rng.normal(size=(3, 4))
    return Moments(matrix + matrix.T, std, ((slice(0, 3),), (slice(3, 5), slice(5, 7))))


def test_pure_noise_shrinks_towards_zero():
    sizes = [
        (np.linalg.norm(m.shrunk().matrix), np.linalg.norm(m.matrix))
        for m in (noisy_moments(0.0, 0.1, seed) for seed in range(50))
    ]
    assert np.mean([a for a, _ in sizes]) < 0.35 * np.mean([b for _, b in sizes])


def test_signal_far_above_noise_stays():
    moments = noisy_moments(1.0, 1e-3)
    assert moments.shrunk().matrix == pytest.approx(moments.matrix, rel=1e-4)


def test_noise_at_high_frequencies_does_not_shrink_low_ones():
    rng = np.random.default_rng(0)
    matrix = np.zeros((20, 20))
    matrix[0, 4:6] = 1.0
    matrix[:4, 4:] += 0.2 * rng.normal(size=(4, 16))
    banded = ((slice(0, 2), slice(2, 4)), (slice(4, 6), slice(6, 8), slice(8, 20)))
    shrunk = Moments(matrix + matrix.T, 0.2, banded).shrunk().matrix
    assert shrunk[0, 4] > 0.85 * matrix[0, 4]
    assert np.linalg.norm(shrunk[2:4, 8:]) < 0.5 * np.linalg.norm(matrix[2:4, 8:])


def test_shrinking_keeps_symmetry_and_leaves_the_original():
    moments = noisy_moments(0.1, 0.1)
    before = moments.matrix.copy()
    shrunk = moments.shrunk().matrix
    assert (shrunk == shrunk.T).all()
    assert (moments.matrix == before).all()


def test_strengths_are_what_exceeds_the_noise():
    strengths = noisy_moments(1.0, 0.01).strengths
    assert strengths[0, 1] == strengths[1, 0] > 5
    assert strengths[0, 0] == 0
    assert (noisy_moments(0.0, 0.0).strengths == 0).all()


def test_order_starts_at_the_best_connected_and_follows_partners():
    strengths = np.zeros((4, 4))
    for i, j, s in [(2, 0, 3.0), (2, 3, 1.0), (0, 1, 2.0)]:
        strengths[i, j] = strengths[j, i] = s
    assert greedy_order(strengths) == (0, 2, 1, 3)


def test_order_without_any_strength_is_a_permutation():
    assert sorted(greedy_order(np.zeros((5, 5)))) == [0, 1, 2, 3, 4]


def test_levels_outside_the_order_have_features_of_their_own():
    p = np.append(np.full(20, 0.04), 0.2)
    table = make_features(
        [p], ordered=[True], frequencies=4, damping=0.05, slack=1.0, tails=[1]
    ).tables[0]
    assert p @ table == pytest.approx(np.zeros(5), abs=1e-12)
    assert table[20, 1:] == pytest.approx(np.zeros(4))
    assert abs(table[20, 0]) > 3 * np.abs(table[:20, 0]).max()
