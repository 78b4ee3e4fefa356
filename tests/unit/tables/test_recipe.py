"""The rules use public facts only, and stay within sense at every size."""

from __future__ import annotations

import inspect

import pytest

from mustermann.tables import training
from mustermann.tables.recipe import Training, frequencies, plan, sampling_rate


@pytest.mark.parametrize(("epsilon", "rate"), [(1, 0.05), (3, 0.08), (10, 0.10)])
def test_rates_as_measured(epsilon, rate):
    assert sampling_rate(epsilon, 26_048) == pytest.approx(rate)


def test_rates_rise_with_epsilon_and_batches_stay_bounded():
    for rows in (1, 50, 5_000, 26_000, 1_000_000):
        rates = [sampling_rate(epsilon, rows) for epsilon in (0.1, 0.5, 1, 2, 3, 5, 10, 50)]
        assert rates == sorted(rates)
        assert all(0 < rate <= 1 for rate in rates)
    assert 1_000_000 * sampling_rate(10, 1_000_000) <= 3_000
    assert sampling_rate(1, 100) == 1


@pytest.mark.parametrize(
    ("epsilon", "rows", "expected"),
    [
        (1, 9_864, 4),
        (0.1, 1_000, 4),
        (1, 26_048, 6),
        (3, 12_000, 8),
        (10, 12_000, 12),
        (9, 1e9, 12),
    ],
)
def test_cosines_follow_rows_times_epsilon(epsilon, rows, expected):
    assert frequencies(epsilon, rows) == expected
    assert plan("default", epsilon=epsilon, rows=rows).field.frequencies == expected


def test_marginals_get_more_of_a_larger_budget():
    shares = [
        plan("default", epsilon=e, rows=20_000).field.marginal_share for e in (0.1, 1, 1.7, 3, 10)
    ]
    assert shares == sorted(shares)
    assert (shares[0], shares[1], shares[3], shares[4]) == (0.10, 0.10, 0.14, 0.14)


def test_a_plan_depends_on_public_facts_only():
    assert set(inspect.signature(plan).parameters) == {"name", "epsilon", "rows"}


def test_the_papers_recipe_has_neither_field_nor_smooth_tables():
    ours, theirs = (plan(name, epsilon=3, rows=10_000) for name in ("default", "paper"))
    assert ours.field is not None
    assert ours.shape.smooth
    assert theirs.field is None
    assert not theirs.shape.smooth
    assert theirs.views == 2
    assert theirs.shape.dropout > 0
    assert theirs.training.decay > 0


def test_the_learning_rate_rises_and_falls_to_zero():
    rate = training.schedule(Training(steps=100, peak=2.0, rise=0.1))
    rates = [rate(step) for step in range(100)]
    assert max(rates) == rates[9] == pytest.approx(2.0)
    assert rates[0] == pytest.approx(0.2)
    assert rates[-1] == pytest.approx(0.0)
    assert rates[:10] == sorted(rates[:10])
    assert rates[9:] == sorted(rates[9:], reverse=True)
