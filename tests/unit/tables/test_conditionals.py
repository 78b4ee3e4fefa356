from __future__ import annotations

import itertools

import numpy as np
import pytest

from mustermann.tables import conditionals, junction
from mustermann.tables.conditionals import Chain, Conditional

SIZES = (3, 2, 4, 2, 3)
SCOPES = [(0, 1), (1, 2), (0, 2), (2, 3)]


@pytest.fixture
def everything() -> np.ndarray:
    return np.array(list(itertools.product(*(range(size) for size in SIZES))))


@pytest.fixture
def model() -> tuple[Chain, np.ndarray]:
    draws = np.random.default_rng(5)
    tree = junction.build(SIZES, SCOPES)
    potentials = [2 * draws.normal(size=tree.shape(c.scope)) for c in tree.clusters]
    joint = np.zeros(SIZES)
    for potential, cluster in zip(potentials, tree.clusters, strict=True):
        joint = joint + junction.aligned(potential, cluster.scope, tuple(range(5)))
    joint = np.exp(joint)
    beliefs = junction.calibrate(tree, potentials)
    return conditionals.chain(tree, beliefs, total=500.0), joint / joint.sum()


def test_likelihood_is_that_of_the_junction_tree(model, everything) -> None:
    chain, joint = model
    expected = np.log(joint[tuple(everything.T)])
    np.testing.assert_allclose(chain.log_likelihood(everything), expected, atol=1e-12)


@pytest.mark.parametrize("pseudo_counts", [0.0, 0.3, 7.0, 1e4])
def test_likelihoods_of_all_rows_sum_to_one(model, everything, pseudo_counts) -> None:
    total = np.exp(model[0].smoothed(pseudo_counts).log_likelihood(everything)).sum()
    assert total == pytest.approx(1.0, abs=1e-12)


def test_pseudo_counts_are_one_way_counts_and_a_little_uniform() -> None:
    joint = np.array([[0.5, 0.0], [0.3, 0.2]])
    parent = Conditional(0, (), joint.sum(axis=1))
    chain = Chain(
        conditionals=(parent, Conditional(1, (0,), joint)), total=100.0, pseudo_counts=4.0
    )
    one_way = 0.999 * np.array([0.8, 0.2]) + 0.0005
    first = (50 + 4 * (0.999 * 0.5 + 0.0005)) / 104
    expected = np.log(first) + np.log(4 * one_way[1] / 54)
    assert chain.log_likelihood(np.array([[0, 1]]))[0] == pytest.approx(expected)
    assert chain.smoothed(0.0).log_likelihood(np.array([[0, 1]]))[0] == -np.inf


@pytest.mark.parametrize("pseudo_counts", [0.0, 25.0])
def test_samples_follow_the_likelihood(model, everything, pseudo_counts) -> None:
    chain = model[0].smoothed(pseudo_counts)
    rows = chain.sample(200_000, np.random.default_rng(0))
    place = np.ravel_multi_index(tuple(rows.T), SIZES)
    found = np.bincount(place, minlength=len(everything)) / len(rows)
    expected = np.exp(chain.log_likelihood(everything))
    # Five standard deviations of independent draws in every cell at once.
    assert (np.abs(found - expected) < 5 * np.sqrt(expected / len(rows)) + 1e-6).all()


def test_one_way_counts_of_a_sample_are_rounded_not_drawn(model) -> None:
    chain, joint = model
    rows = chain.sample(10_000, np.random.default_rng(1))
    root = chain.conditionals[0].column
    expected = 10_000 * joint.sum(axis=tuple(c for c in range(5) if c != root))
    found = np.bincount(rows[:, root], minlength=SIZES[root])
    assert (np.abs(found - expected) <= 2).all()


def test_a_sample_of_no_rows_is_empty(model) -> None:
    assert model[0].sample(0, np.random.default_rng(0)).shape == (0, 5)
