from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mustermann.tables import junction


def random_model(draws: np.random.Generator):
    count = int(draws.integers(1, 7))
    sizes = tuple(int(size) for size in draws.integers(1, 4, count))
    scopes = [
        tuple(sorted(draws.choice(count, min(count, int(width)), replace=False).tolist()))
        for width in draws.integers(1, 4, int(draws.integers(0, 8)))
    ]
    tree = junction.build(sizes, scopes)
    potentials = [3 * draws.normal(size=tree.shape(c.scope)) for c in tree.clusters]
    everything = tuple(range(count))
    joint = np.zeros(sizes)
    for potential, cluster in zip(potentials, tree.clusters, strict=True):
        joint = joint + junction.aligned(potential, cluster.scope, everything)
    joint = np.exp(joint)
    return tree, scopes, potentials, joint / joint.sum()


@pytest.mark.parametrize("seed", range(60))
def test_inference_agrees_with_brute_force(seed: int) -> None:
    tree, scopes, potentials, joint = random_model(np.random.default_rng(seed))
    everything = tuple(range(len(tree.sizes)))
    beliefs = junction.calibrate(tree, potentials)
    for belief, cluster in zip(beliefs, tree.clusters, strict=True):
        expected = junction.marginal(joint, everything, cluster.scope)
        np.testing.assert_allclose(belief, expected, atol=1e-12)
    pairs = junction.pair_marginals(tree, beliefs)
    assert set(pairs) == set(itertools.combinations(everything, 2))
    for pair, found in pairs.items():
        np.testing.assert_allclose(found, junction.marginal(joint, everything, pair), atol=1e-12)
    assert all(tree.host(scope) is not None for scope in scopes)


@pytest.mark.parametrize("seed", range(30))
def test_clusters_hold_each_column_once_as_residual_and_intersect_in_separators(seed: int) -> None:
    tree, *_ = random_model(np.random.default_rng(1000 + seed))
    met = [column for cluster in tree.clusters for column in cluster.residual]
    assert sorted(met) == list(range(len(tree.sizes)))
    for index, cluster in enumerate(tree.clusters):
        assert cluster.parent < index
        if cluster.parent >= 0:
            parent = tree.clusters[cluster.parent].scope
            assert set(cluster.separator) == set(cluster.scope) & set(parent)
        earlier = {column for c in tree.clusters[:index] for column in c.scope}
        assert set(cluster.separator) == set(cluster.scope) & earlier


def test_no_cluster_lies_within_another() -> None:
    tree = junction.build((5, 5, 5, 5), [(0, 1), (1, 2), (0, 2), (2, 3)])
    assert {frozenset(c.scope) for c in tree.clusters} == {frozenset({0, 1, 2}), frozenset({2, 3})}
    assert tree.cells == 125 + 25


def test_a_cycle_is_triangulated_through_the_cheapest_clusters() -> None:
    # The cycle 0-1-2-3 needs the chord 0-2 or 1-3; 1 and 3 are small, so 1-3 is cheaper.
    tree = junction.build((9, 2, 9, 2), [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert tree.cells == 2 * 9 * 2 * 2
    assert tree.host((1, 3)) is not None
    assert tree.host((0, 2)) is None


def test_the_cells_agree_with_an_independent_library() -> None:
    mbi = pytest.importorskip("mbi")
    draws = np.random.default_rng(3)
    for _ in range(10):
        sizes = tuple(int(size) for size in draws.integers(2, 40, 9))
        scopes = [tuple(sorted(draws.choice(9, 2, replace=False).tolist())) for _ in range(9)]
        size = mbi.junction_tree.hypothetical_model_size(mbi.Domain(range(9), sizes), scopes)
        assert junction.build(sizes, scopes).cells == pytest.approx(size * 2**20 / 8)


def test_extreme_potentials_do_not_overflow() -> None:
    tree = junction.build((3, 3, 3), [(0, 1), (1, 2)])
    potentials = [np.zeros(tree.shape(c.scope)) for c in tree.clusters]
    potentials[0].flat[0], potentials[0].flat[1], potentials[1].flat[2] = 5e3, -5e3, 4e3
    for belief in junction.calibrate(tree, potentials):
        assert np.isfinite(belief).all()
        assert math.isclose(belief.sum(), 1.0)
