from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

from mustermann.core.errors import ConfigError
from mustermann.tables import junction, marginal_fit
from mustermann.tables.marginal_fit import Measurement

SIZES = (4, 3, 5, 2)


def measure(std: float, scopes, seed: int = 0) -> list[Measurement]:
    draws = np.random.default_rng(seed)
    joint = 2000 * draws.dirichlet(np.full(120, 0.3)).reshape(SIZES)
    return [
        Measurement(
            scope=scope,
            counts=(exact := junction.marginal(joint, (0, 1, 2, 3), scope))
            + std * draws.normal(size=exact.shape),
            std=std,
        )
        for scope in scopes
    ]


SCOPES = [(0, 1), (1, 2), (2, 3), (3,)]


def test_without_contradiction_the_measured_marginals_are_met() -> None:
    exact = [Measurement(scope=m.scope, counts=m.counts, std=1.0) for m in measure(0.0, SCOPES)]
    tree = junction.build(SIZES, SCOPES)
    found = marginal_fit.fit(tree, exact, total=2000.0, start={}, iterations=3000)
    for measurement in exact:
        host = tree.host(measurement.scope)
        estimate = 2000 * junction.marginal(
            found.beliefs[host], tree.clusters[host].scope, measurement.scope
        )
        np.testing.assert_allclose(estimate, measurement.counts, atol=1.0)


def test_the_loss_is_as_low_as_that_of_an_independent_library() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mbi = pytest.importorskip("mbi")
    noisy = measure(10.0, SCOPES)
    tree = junction.build(SIZES, SCOPES)
    ours = marginal_fit.fit(tree, noisy, total=2000.0, start={}, iterations=2000)
    theirs = mbi.estimation.MirrorDescent().estimate(
        mbi.Domain(range(4), SIZES),
        [mbi.LinearMeasurement(m.counts.ravel(), m.scope, m.std) for m in noisy],
        known_total=2000.0,
        iters=2000,
    )
    loss = 0.0
    for measurement in noisy:
        estimate = np.asarray(theirs.project(measurement.scope).datavector())
        loss += 0.5 * (((estimate - measurement.counts.ravel()) / measurement.std) ** 2).sum()
    assert ours.loss <= loss * 1.01


def test_a_fit_goes_on_from_its_own_potentials() -> None:
    noisy = measure(5.0, SCOPES)
    tree = junction.build(SIZES, SCOPES)
    first = marginal_fit.fit(tree, noisy, total=2000.0, start={}, iterations=200)
    again = marginal_fit.fit(tree, noisy, total=2000.0, start=first.potentials, iterations=1)
    assert again.loss <= first.loss
    # Potentials of measured pairs carry over to a tree with other clusters.
    wider = junction.build(SIZES, [*SCOPES, (0, 3)])
    moved = marginal_fit.fit(wider, noisy, total=2000.0, start=first.potentials, iterations=0)
    assert moved.loss == pytest.approx(first.loss)


def test_pooling_weighs_by_inverse_variance() -> None:
    twice = [
        Measurement(scope=(0,), counts=np.array([10.0, 0.0]), std=1.0),
        Measurement(scope=(1,), counts=np.array([1.0]), std=2.0),
        Measurement(scope=(0,), counts=np.array([20.0, 5.0]), std=2.0),
    ]
    first, second = marginal_fit.pooled(twice)
    np.testing.assert_allclose(first.counts, [12.0, 1.0])
    assert first.std == pytest.approx(0.8**0.5)
    assert second.scope == (1,)


def test_the_total_weighs_each_sum_by_its_noise() -> None:
    measurements = [
        Measurement(scope=(0,), counts=np.full(4, 25.0), std=1.0),
        Measurement(scope=(1,), counts=np.full(1, 200.0), std=2.0),
    ]
    assert marginal_fit.estimate_total(measurements) == pytest.approx(150.0)
    below = [Measurement(scope=(0,), counts=np.array([-7.0]), std=1.0)]
    assert marginal_fit.estimate_total(below) == 1.0


def test_a_measurement_without_a_cluster_is_refused() -> None:
    tree = junction.build(SIZES, [(0, 1)])
    with pytest.raises(ConfigError, match="junction tree"):
        marginal_fit.fit(tree, measure(1.0, [(2, 3)]), total=1.0, start={}, iterations=1)


def test_every_row_stays_possible() -> None:
    tree = junction.build(SIZES, SCOPES)
    found = marginal_fit.fit(tree, measure(50.0, SCOPES), total=2000.0, start={}, iterations=300)
    assert all((belief > 0).all() for belief in found.beliefs)
    assert set(found.potentials) == set(SCOPES)
    assert list(itertools.chain(*(b.shape for b in found.beliefs)))
