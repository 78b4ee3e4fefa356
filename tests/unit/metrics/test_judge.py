import numpy as np
import pytest

from mustermann.metrics.judge import DIMENSIONS, NAMES, judged, weighted_kappa


def kappa_of_sklearn(left, right):
    metrics = pytest.importorskip("sklearn.metrics")
    return metrics.cohen_kappa_score(left, right, weights="quadratic", labels=[1, 2, 3, 4, 5])


def test_kappa_agrees_with_scikit_learn():
    generator = np.random.default_rng(0)
    for _ in range(20):
        left, right = generator.integers(1, 6, size=(2, 30))
        assert weighted_kappa(left, right) == pytest.approx(kappa_of_sklearn(left, right))


def test_kappa_of_equal_opposite_and_constant_readings():
    scores = np.array([1, 2, 3, 4, 5])
    assert weighted_kappa(scores, scores) == 1
    assert weighted_kappa(scores, scores[::-1]) == pytest.approx(-1)
    assert np.isnan(weighted_kappa(np.array([3, 3]), np.array([3, 3])))


def test_means_are_over_letters_and_agreement_over_pairs_of_readings():
    scores = np.full((3, 4, len(NAMES)), 3)
    scores[:, :, 0] = [[1, 2, 4, 5], [1, 2, 4, 5], [2, 2, 4, 5]]
    found = judged(scores, difficulties=["easy", "easy", "hard", ""], failed=2, judge="m")
    first = found.dimensions["structure"]
    assert first.mean == pytest.approx(37 / 12)
    assert first.std == pytest.approx(np.std([4 / 3, 2, 4, 5]))
    pair = weighted_kappa(scores[0, :, 0], scores[2, :, 0])
    assert first.kappa == pytest.approx((1 + pair + pair) / 3)
    assert found.dimensions["discharge_plan"].kappa is None
    assert found.by_difficulty["easy"]["structure"] == pytest.approx(5 / 3)
    assert set(found.by_difficulty) == {"easy", "hard"}
    assert (found.documents, found.failed) == (4, 2)
    assert found.overall == pytest.approx((37 / 12 + 15) / 6)
    assert str(found.signature).startswith("judge|match:m-3")


def test_one_reading_has_no_agreement():
    found = judged(np.full((1, 2, len(NAMES)), 4))
    assert {score.kappa for score in found.dimensions.values()} == {None}


def test_every_quality_has_three_anchors():
    assert len(DIMENSIONS) == 6
    assert all(d.worst and d.middle and d.best for d in DIMENSIONS)
