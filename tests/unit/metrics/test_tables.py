"""Table metrics against sums over all cells and rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mustermann.metrics import tables as metrics

SIZES = (2, 3, 4, 2)
ORDERED = (False, True, True, False)
DRAWS = np.random.default_rng(0)
REAL = DRAWS.integers(0, SIZES, (300, 4))
OTHER = DRAWS.integers(0, SIZES, (200, 4))


def brute_force(group):
    cells = itertools.product(*(range(SIZES[column]) for column in group))
    return 0.5 * sum(
        abs(
            np.mean((REAL[:, group] == cell).all(axis=1))
            - np.mean((OTHER[:, group] == cell).all(axis=1))
        )
        for cell in cells
    )


@pytest.mark.parametrize("group", [(0,), (1, 3), (2, 0, 1)])
def test_total_variation_is_half_the_difference_over_all_cells(group):
    found = metrics.total_variation(REAL, OTHER, group, SIZES)
    assert found == pytest.approx(brute_force(list(group)))


def test_mean_distances_are_over_all_columns_all_pairs_and_the_seeded_triples():
    found = metrics.marginal_distances(REAL, OTHER, SIZES)
    assert found.tvd1 == pytest.approx(np.mean([brute_force([c]) for c in range(4)]))
    pairs = [brute_force(list(pair)) for pair in itertools.combinations(range(4), 2)]
    assert found.tvd2 == pytest.approx(np.mean(pairs))
    threes = [brute_force(list(triple)) for triple in metrics.triples(4)]
    assert found.tvd3 == pytest.approx(np.mean(threes))


def test_the_triples_are_those_that_figures_were_published_for():
    assert len(metrics.triples(15)) == 100
    assert metrics.triples(15)[:3] == [(0, 8, 9), (2, 3, 14), (4, 6, 11)]


def test_equal_tables_are_no_way_apart_and_disjoint_ones_all_the_way():
    assert metrics.marginal_distances(REAL, REAL, SIZES).tvd3 == 0
    zeros, ones = np.zeros((5, 3), int), np.ones((9, 3), int)
    assert metrics.marginal_distances(zeros, ones, (2, 2, 2)).tvd1 == 1


def test_too_few_columns_have_no_higher_distances():
    found = metrics.marginal_distances(REAL[:, :1], OTHER[:, :1], SIZES[:1])
    assert found.tvd2 is None
    assert found.tvd3 is None


def copies(rows):
    """Returns rows whose last column is whether the middle ones add up to more than 2."""
    rows = rows.copy()
    rows[:, 3] = rows[:, 1] + rows[:, 2] > 2
    return rows


def test_rows_that_hold_the_relation_train_models_that_find_it():
    real, holdout, empty = copies(REAL), copies(OTHER), REAL
    kwargs = {"target": 3, "sizes": SIZES, "ordered": ORDERED}
    good = metrics.train_on_synthetic(real, real, holdout, **kwargs)
    bad = metrics.train_on_synthetic(real, empty, holdout, **kwargs)
    assert good.score == "accuracy"
    assert good.boosted == good.boosted_real > 0.95
    assert good.linear > 0.9
    assert bad.boosted < good.boosted - 0.2
    most_frequent = np.bincount(real[:, 3]).argmax()
    assert good.baseline == np.mean(holdout[:, 3] == most_frequent)


def test_a_target_of_one_class_in_the_synthetic_rows_predicts_that_class():
    constant = REAL * np.array([1, 1, 1, 0])
    found = metrics.train_on_synthetic(
        REAL, constant, OTHER, target=3, sizes=SIZES, ordered=ORDERED
    )
    assert found.boosted == found.linear == pytest.approx(np.mean(OTHER[:, 3] == 0))


def test_a_target_with_many_ordered_levels_is_a_number():
    numbers = DRAWS.integers(0, 40, (300, 2))
    numbers[:, 1] = 39 - numbers[:, 0]
    found = metrics.train_on_synthetic(
        numbers, numbers, numbers, target=1, sizes=(40, 40), ordered=(True, True)
    )
    assert found.score == "r2"
    assert found.boosted > 0.95
    assert found.linear > 0.99
    assert found.baseline == pytest.approx(0, abs=1e-9)


def test_copied_rows_are_closer_to_the_real_ones():
    wide = DRAWS.integers(0, 50, (400, 6))
    real, holdout = wide[:200], wide[200:]
    kwargs = {"sizes": (50,) * 6, "ordered": (True,) * 6}
    found = metrics.closest_records(real, real, holdout, **kwargs)
    assert found.closer_to_real == 1
    assert found.to_real == 0
    assert found.to_holdout > 0.05
    fresh = metrics.closest_records(real, DRAWS.integers(0, 50, (400, 6)), holdout, **kwargs)
    assert fresh.closer_to_real == pytest.approx(0.5, abs=0.12)


def test_distances_count_ranks_and_mismatches():
    real, row = np.array([[0, 0], [1, 3]]), np.array([[0, 1]])
    found = metrics.closest_records(real, row, real, sizes=(2, 4), ordered=(False, True))
    assert found.to_real == pytest.approx((0 + 1 / 3) / 2)
    assert found.closer_to_real == 0.5
    assert found.rows == 2
