from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from mustermann.privacy import bounded_range


@pytest.mark.parametrize("epsilon", [1e-3, 0.05, 0.3, 1.0, 3.0, 8.0])
def test_mu_is_the_worst_case_over_all_coins_of_bounded_range(epsilon: float) -> None:
    ratios = np.linspace(1e-6, 1 - 1e-6, 20_001) * epsilon
    q = (np.exp(-ratios) - math.exp(-epsilon)) / (1 - math.exp(-epsilon))
    p = q * np.exp(ratios)
    apart = norm.ppf(p) - norm.ppf(q)
    assert bounded_range.gaussian_mu(epsilon) == pytest.approx(float(apart.max()), rel=1e-6)


@pytest.mark.parametrize("mu", [1e-4, 0.01, 0.1, 1.0, 5.0])
def test_epsilon_is_the_inverse(mu: float) -> None:
    assert bounded_range.gaussian_mu(bounded_range.epsilon_for(mu)) == pytest.approx(mu, rel=1e-9)


def test_gaussian_privacy_costs_at_most_half_pi_times_the_concentrated_bound() -> None:
    for epsilon in (0.01, 0.1, 1.0, 4.0):
        concentrated = epsilon**2 / 8
        gaussian = bounded_range.gaussian_mu(epsilon) ** 2 / 2
        assert concentrated < gaussian <= concentrated * math.pi / 2


def test_a_choice_is_not_easier_to_tell_apart_than_two_normals() -> None:
    # Scores of three candidates on neighbouring tables, sensitivity 1, moved adversarially.
    epsilon, mu = 1.2, bounded_range.gaussian_mu(1.2)
    for before, after in (([0, 0, 0], [1, -1, -1]), ([2, 0, 1], [1, 1, 0]), ([0, 5, 5], [1, 4, 4])):
        p, q = (np.exp(epsilon / 2 * np.array(scores, float)) for scores in (before, after))
        p, q = p / p.sum(), q / q.sum()
        order = np.argsort(q / p)
        for size in range(1, 3):
            false, missed = p[order[size:]].sum(), q[order[:size]].sum()
            # The Gaussian trade-off curve is the least missed rate at this false rate.
            assert missed >= norm.cdf(norm.ppf(1 - false) - mu) - 1e-12
