"""The field's rows have the marginals and moments that it was given."""

from __future__ import annotations

import numpy as np
import pytest

from mustermann.tables import mrf
from mustermann.tables.moments import Moments, make_features
from mustermann.tables.recipe import Chains

CHAINS = Chains(count=1500, sweeps=60, kept=10)
MARGINALS = (np.array([0.6, 0.4]), np.array([0.5, 0.3, 0.2]), np.full(12, 1 / 12))


def rows_of(joint):
    """Many rows in which column 0 and 1 hang together and column 2 does not."""
    rng = np.random.default_rng(0)
    cells = rng.choice(6, 50_000, p=joint.ravel())
    return np.stack([cells // 3, cells % 3, rng.integers(12, size=50_000)], axis=1)


def moments_of(rows, features):
    values = features.apply(rows)
    matrix = values.T @ values / len(rows)
    groups = np.array(features.groups)
    matrix[groups[:, None] == groups] = 0
    return Moments(matrix, 0.0, features.banded)


@pytest.fixture(scope="module")
def made():
    joint = np.array([[0.45, 0.1, 0.05], [0.05, 0.2, 0.15]])
    marginals = (joint.sum(1), joint.sum(0), MARGINALS[2])
    features = make_features(
        marginals, ordered=(False, False, True), frequencies=4, damping=0.05, slack=1.15
    )
    wanted = moments_of(rows_of(joint), features)
    draws = np.random.default_rng(1)
    rows = mrf.sample(marginals, features, wanted, chains=CHAINS, draws=draws)
    return joint, marginals, features, wanted, rows


def test_shape_and_levels(made):
    _, marginals, _, _, rows = made
    assert rows.shape == (15_000, 3)
    assert rows.dtype == np.int64
    assert (rows >= 0).all()
    assert (rows < [len(p) for p in marginals]).all()


def test_marginals_are_met(made):
    _, marginals, _, _, rows = made
    for c, p in enumerate(marginals):
        found = np.bincount(rows[:, c], minlength=len(p)) / len(rows)
        assert np.abs(found - p).sum() / 2 < 0.02


def test_dependence_is_met(made):
    joint, _, _, _, rows = made
    found = np.bincount(rows[:, 0] * 3 + rows[:, 1], minlength=6).reshape(2, 3) / len(rows)
    assert np.abs(found - joint).sum() / 2 < 0.02
    independent = np.outer(joint.sum(1), joint.sum(0))
    assert np.abs(found - independent).sum() / 2 > 0.2


def test_independent_where_the_moments_are_zero():
    features = make_features(
        MARGINALS, ordered=(False, False, True), frequencies=4, damping=0.05, slack=1.15
    )
    zero = Moments(np.zeros((len(features.groups),) * 2), 0.0, features.banded)
    draws = np.random.default_rng(1)
    rows = mrf.sample(MARGINALS, features, zero, chains=CHAINS, draws=draws)
    table = np.bincount(rows[:, 0] * 3 + rows[:, 1], minlength=6).reshape(2, 3) / len(rows)
    assert np.abs(table - np.outer(MARGINALS[0], MARGINALS[1])).sum() / 2 < 0.02


def test_the_same_draws_give_the_same_rows(made):
    _, marginals, features, wanted, _ = made
    few = Chains(count=20, sweeps=4, kept=2)
    one, two = (
        mrf.sample(marginals, features, wanted, chains=few, draws=np.random.default_rng(3))
        for _ in range(2)
    )
    assert (one == two).all()


def test_columns_of_one_level():
    features = make_features(
        (np.ones(1), np.ones(1)),
        ordered=(False, True),
        frequencies=4,
        damping=0.05,
        slack=1.15,
    )
    zero = Moments(np.zeros((0, 0)), 0.0, features.banded)
    few = Chains(count=5, sweeps=2, kept=1)
    draws = np.random.default_rng(0)
    rows = mrf.sample((np.ones(1), np.ones(1)), features, zero, chains=few, draws=draws)
    assert (rows == 0).all()
