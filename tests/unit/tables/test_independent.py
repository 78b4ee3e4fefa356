"""The baseline model: exact likelihood, honest spending."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mustermann.core.errors import DataError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables.domain import Column, Domain
from mustermann.tables.independent import IndependentModel

DOMAIN = Domain(
    (Column("a", 2, ordered=False), Column("b", 3, ordered=True), Column("c", 1, ordered=False))
)
ROWS = np.random.default_rng(0).integers(0, (2, 3, 1), (4000, 3)) * np.array([1, 1, 0])


def fitted(codes=ROWS, epsilon=1.0, ledger=None):
    ledger = ledger or Ledger(Budget(epsilon=epsilon, delta=1e-6))
    model = IndependentModel()
    model.fit(codes, DOMAIN, ledger=ledger, seed=0)
    return model, ledger


def test_likelihoods_sum_to_one_over_all_rows():
    model, _ = fitted()
    every = np.array(list(itertools.product(range(2), range(3), range(1))))
    assert np.exp(model.log_likelihood(every)).sum() == pytest.approx(1)


def test_marginals_near_the_truth_at_a_large_budget():
    model, _ = fitted(epsilon=50)
    for column, probabilities in enumerate(model.marginals):
        truth = np.bincount(ROWS[:, column], minlength=len(probabilities)) / len(ROWS)
        assert probabilities == pytest.approx(truth, abs=0.01)


@pytest.mark.parametrize("codes", [ROWS[:0], ROWS[:1], np.zeros_like(ROWS)])
def test_no_level_is_impossible_whatever_the_rows(codes):
    model, _ = fitted(codes, epsilon=0.1)
    assert all((probabilities > 0).all() for probabilities in model.marginals)


def test_the_whole_budget_is_spent_in_one_release():
    _, ledger = fitted()
    guarantee = ledger.guarantee()
    assert [share.share for share in guarantee.shares] == [1.0]
    assert guarantee.epsilon == pytest.approx(1.0, rel=1e-6)
    assert guarantee.epsilon <= 1.0


def test_what_earlier_releases_left_is_spent():
    ledger = Ledger(Budget(epsilon=1.0, delta=1e-6))
    ledger.gaussian("bins", share=0.2, sensitivity=1.0, what="bounds")
    fitted(ledger=ledger)
    assert ledger.guarantee().epsilon <= 1.0
    assert ledger.guarantee().shares[1].share == pytest.approx(0.8, abs=1e-3)


def test_an_empty_budget_is_refused():
    ledger = Ledger(Budget(epsilon=1.0, delta=1e-6))
    ledger.gaussian("bins", share=1.0, sensitivity=1.0, what="bounds")
    with pytest.raises(PrivacyError, match="nothing is left"):
        fitted(ledger=ledger)


def test_noise_knows_no_seed():
    assert not np.array_equal(fitted()[0].marginals[1], fitted()[0].marginals[1])


def test_samples_follow_the_marginals_and_the_seed():
    model, _ = fitted()
    rows = np.concatenate(list(model.sample(20_000, seed=1)))
    assert rows.shape == (20_000, 3)
    assert np.bincount(rows[:, 1]) / 20_000 == pytest.approx(model.marginals[1], abs=0.02)
    assert np.array_equal(rows, np.concatenate(list(model.sample(20_000, seed=1))))
    assert not np.array_equal(rows, np.concatenate(list(model.sample(20_000, seed=2))))


def test_a_longer_sample_begins_with_a_shorter_ones_blocks():
    model, _ = fitted()
    short = next(iter(model.sample(8192, seed=1)))
    assert np.array_equal(short, next(iter(model.sample(10_000, seed=1))))


def test_a_saved_model_comes_back(tmp_path):
    model, _ = fitted()
    model.save(tmp_path)
    again = IndependentModel.load(tmp_path, DOMAIN)
    assert np.array_equal(again.log_likelihood(ROWS), model.log_likelihood(ROWS))


def test_a_model_of_another_domain_or_a_broken_one_is_refused(tmp_path):
    model, _ = fitted()
    model.save(tmp_path)
    with pytest.raises(DataError, match="of sizes"):
        IndependentModel.load(
            tmp_path, Domain((*DOMAIN.columns[:2], Column("c", 4, ordered=False)))
        )
    (tmp_path / "marginals.safetensors").write_bytes(b"nonsense")
    with pytest.raises(DataError, match="Expected marginals"):
        IndependentModel.load(tmp_path, DOMAIN)
