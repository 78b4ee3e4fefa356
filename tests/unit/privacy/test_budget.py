from __future__ import annotations

import math

import dp_accounting
import pytest
from dp_accounting import pld, rdp
from scipy.stats import norm

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.accounting import epsilon_of
from mustermann.privacy.budget import Budget, calibrate, gaussian_sigma, zcdp_rho

ONE = Budget(epsilon=1.0, delta=1e-5)


def sgd(noise, *, rate=0.05, steps=100):
    return dp_accounting.SelfComposedDpEvent(
        dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise)), steps
    )


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_epsilon_must_be_finite_and_above_zero(epsilon):
    with pytest.raises(ConfigError, match="epsilon"):
        Budget(epsilon=epsilon, delta=1e-5)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-5, math.nan])
def test_delta_must_be_a_probability(delta):
    with pytest.raises(ConfigError, match="delta"):
        Budget(epsilon=1.0, delta=delta)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 10.0])
def test_gaussian_sigma_costs_exactly_the_budget(epsilon):
    sigma = gaussian_sigma(Budget(epsilon=epsilon, delta=1e-5))
    # Balle and Wang 2018, theorem 8, written out.
    delta = norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * norm.cdf(
        -0.5 / sigma - epsilon * sigma
    )
    assert delta <= 1e-5
    assert delta == pytest.approx(1e-5, rel=1e-6)


def test_shares_of_gaussian_releases_fill_the_budget_and_never_exceed_it():
    sigma = gaussian_sigma(ONE)
    shares = [0.1, 0.2, 0.3, 0.15, 0.25]
    events = [dp_accounting.GaussianDpEvent(sigma / math.sqrt(w)) for w in shares]
    assert 1 - 1e-6 < epsilon_of(events, delta=1e-5) <= 1


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_calibrate_returns_the_least_noise_that_fits(epsilon):
    budget = Budget(epsilon=epsilon, delta=1e-5)
    noise = calibrate(budget, sgd)

    def cost(noise):
        accountant = pld.PLDAccountant(value_discretization_interval=1e-4)
        return accountant.compose(sgd(noise)).get_epsilon(1e-5)

    assert cost(noise) <= epsilon < cost(noise * 0.999)


def test_calibrate_of_plain_gaussians_is_the_analytic_sigma():
    assert calibrate(ONE, dp_accounting.GaussianDpEvent) == pytest.approx(
        gaussian_sigma(ONE), rel=1e-4
    )


def test_calibrate_names_the_least_epsilon_that_works():
    spent = dp_accounting.GaussianDpEvent(gaussian_sigma(Budget(epsilon=2.0, delta=1e-5)))
    with pytest.raises(PrivacyError, match=r"above epsilon=2 .*found epsilon=1"):
        calibrate(ONE, lambda noise: dp_accounting.ComposedDpEvent([spent, sgd(noise)]))


def test_a_generous_budget_needs_little_noise():
    noise = calibrate(Budget(epsilon=1e6, delta=1e-5), dp_accounting.GaussianDpEvent)
    assert 0 < noise < 0.02


def test_rho_implies_the_budget_by_the_tight_conversion():
    rho = zcdp_rho(ONE)
    # Canonne, Kamath and Steinke 2020, prop. 12, minimised over a grid of orders.
    orders = [1 + 10 ** (k / 500) for k in range(-500, 1500)]
    epsilon = min(a * rho + math.log1p(-1 / a) - math.log(1e-5 * a) / (a - 1) for a in orders)
    assert epsilon == pytest.approx(1.0, abs=1e-3)


def test_epsilon_agrees_with_renyi_accountants():
    opacus = pytest.importorskip("opacus.accountants")
    ours = epsilon_of([sgd(1.1, rate=0.02, steps=500)], delta=1e-5)
    theirs = opacus.PRVAccountant()
    theirs.history = [(1.1, 0.02, 500)]
    assert ours == pytest.approx(theirs.get_epsilon(1e-5), rel=0.01)
    for bound in (opacus.RDPAccountant(), None):
        if bound is None:
            renyi = rdp.RdpAccountant().compose(sgd(1.1, rate=0.02, steps=500)).get_epsilon(1e-5)
        else:
            bound.history = [(1.1, 0.02, 500)]
            renyi = bound.get_epsilon(1e-5)
        # A Renyi bound is valid and a little looser.
        assert ours <= renyi <= 1.15 * ours


def test_mixtures_without_loss_distributions_fall_back_to_renyi():
    events = [dp_accounting.ZCDpEvent(0.01), dp_accounting.GaussianDpEvent(10.0)]
    both = epsilon_of([dp_accounting.ZCDpEvent(0.015)], delta=1e-5)
    assert epsilon_of(events, delta=1e-5) == pytest.approx(both, rel=1e-9)


@pytest.mark.parametrize(
    ("event", "epsilon"),
    [
        (dp_accounting.NonPrivateDpEvent(), math.inf),
        (dp_accounting.GaussianDpEvent(0.0), math.inf),
        (dp_accounting.NoOpDpEvent(), 0.0),
    ],
)
def test_extremes(event, epsilon):
    assert epsilon_of([event], delta=1e-5) == epsilon


def test_unknown_events_are_refused():
    with pytest.raises(PrivacyError, match="UnsupportedDpEvent"):
        epsilon_of([dp_accounting.UnsupportedDpEvent()], delta=1e-5)
