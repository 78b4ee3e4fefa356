from __future__ import annotations

import math

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.budget import Budget, gaussian_sigma
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.marginals import noisy_counts, noisy_moments, noisy_row_count

ONE = Budget(epsilon=1.0, delta=1e-5)
SIZES = (3, 2)


class Silent:
    """Noise that is none, to see the exact values."""

    def standard_normal(self, size, /):
        return np.zeros(size)

    def random(self, size, /):
        return np.zeros(size)


def moments(features, groups, radius=1.0):
    return noisy_moments(
        features, groups=groups, radius=radius, ledger=Ledger(ONE), share=1.0, randomness=Silent()
    )


def test_counts_are_counts():
    codes = np.array([[0, 1], [2, 1], [2, 0]])
    found = noisy_counts(codes, sizes=SIZES, ledger=Ledger(ONE), share=1.0, randomness=Silent())
    assert [c.tolist() for c in found.counts] == [[1, 0, 2], [1, 2]]
    assert found.std == pytest.approx(gaussian_sigma(ONE) * math.sqrt(2))


def test_no_rows_have_counts_of_noise():
    found = noisy_counts(np.zeros((0, 2), dtype=int), sizes=SIZES, ledger=Ledger(ONE), share=0.5)
    assert [len(c) for c in found.counts] == [3, 2]
    assert all((c != 0).all() for c in found.counts)


@pytest.mark.parametrize("codes", [[[3, 0]], [[0, -1]], [[0]], [0, 0]])
def test_levels_outside_the_domain_are_refused_before_anything_is_spent(codes):
    ledger = Ledger(ONE)
    with pytest.raises(DataError):
        noisy_counts(np.array(codes), sizes=SIZES, ledger=ledger, share=0.5)
    assert ledger.spent() == 0


def test_releases_are_entries():
    ledger = Ledger(ONE)
    codes = np.zeros((5, 2), dtype=int)
    noisy_counts(codes, sizes=SIZES, ledger=ledger, share=0.5)
    noisy_moments(np.ones((5, 2)), groups=(0, 1), radius=1.0, ledger=ledger, share=0.4)
    assert noisy_row_count(5, ledger=ledger, share=0.1) >= 1
    assert [r.name for r in ledger.releases] == ["marginals", "moments", "rows"]
    with pytest.raises(PrivacyError):
        noisy_row_count(5, ledger=ledger, share=0.1)


def test_moments_are_sums_of_products_between_groups():
    rng = np.random.default_rng(0)
    features, groups = rng.normal(size=(9000, 4)), (0, 1, 0, 2)
    found = moments(features, groups, radius=1e3)
    expected = features.T @ features
    same = np.equal.outer(groups, groups)
    np.testing.assert_allclose(found.moments, np.where(same, 0, expected), atol=1e-8)
    assert found.std == pytest.approx(gaussian_sigma(ONE) * 1e6 / math.sqrt(2))


@pytest.mark.parametrize("row", [[1e300, -1e300, 3e299], [3.0, 4.0, 0.0], [1e-300, 0.0, 0.0]])
def test_a_row_moves_the_moments_by_at_most_their_sensitivity(row):
    found = moments(np.array([row]), (0, 1, 2)).moments
    assert np.linalg.norm(found[np.triu_indices(3)]) <= 1 / math.sqrt(2) + 1e-12
    assert np.isfinite(found).all()


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_rows_that_are_not_finite_count_as_zero(bad):
    assert (moments(np.array([[bad, 1.0]]), (0, 1)).moments == 0).all()


def test_settings_out_of_range_are_refused():
    with pytest.raises(ConfigError, match="radius"):
        moments(np.ones((2, 2)), (0, 1), radius=0.0)
    with pytest.raises(ConfigError, match="groups"):
        moments(np.ones((2, 2)), (0, 1, 2))
