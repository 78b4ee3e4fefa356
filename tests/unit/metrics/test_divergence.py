import numpy as np
import pytest

from mustermann.core.seeds import Seeds
from mustermann.metrics.divergence import frechet, jensen_shannon, mmd, vocabulary_jaccard


def test_words_in_common_and_apart():
    assert jensen_shannon([["a", "b"]], [["b", "a"]]) == pytest.approx(0.0)
    assert jensen_shannon([["a"]], [["b"]]) == pytest.approx(1.0)
    assert jensen_shannon([["a", "b"]], [["a", "c"]]) == pytest.approx(0.5)
    assert vocabulary_jaccard([["a", "b"]], [["b", "c"]]) == pytest.approx(1 / 3)


def test_frechet_of_two_gaussians_is_the_closed_form():
    generator = Seeds(0).generator("frechet")
    left = generator.normal(size=(40_000, 3)) * [1.0, 2.0, 3.0]
    right = generator.normal(size=(40_000, 3)) * [2.0, 2.0, 1.0] + [1.0, 0.0, 0.0]
    assert frechet(left, right) == pytest.approx(1 + 1 + 0 + 4, rel=0.05)
    assert frechet(left, left) == pytest.approx(0.0, abs=1e-6)


def test_mmd_tells_samples_apart_and_not_from_themselves():
    generator = Seeds(1).generator("mmd")
    a, b, c = (generator.normal(size=(60, 4)) + shift for shift in (0.0, 0.0, 1.0))
    assert mmd(a, b).p_value > 0.01
    assert mmd(a, c).p_value < 0.01
    assert mmd(a, c).squared > mmd(a, b).squared
    assert np.isclose(mmd(a, a).root, 0.0)
