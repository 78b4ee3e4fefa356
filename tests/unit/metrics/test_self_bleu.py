import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mustermann.metrics.self_bleu import pairwise_bleu, self_bleu

documents = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=0, max_size=30), min_size=2, max_size=30
)


@settings(deadline=None, max_examples=50)
@given(documents)
def test_every_pair_agrees_with_nltk(corpus):
    bleu = pytest.importorskip("nltk.translate.bleu_score")
    smooth = bleu.SmoothingFunction().method1
    ours = pairwise_bleu(corpus)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, hypothesis in enumerate(corpus):
            for j, reference in enumerate(corpus):
                theirs = bleu.sentence_bleu([reference], hypothesis, smoothing_function=smooth)
                assert np.isclose(ours[i, j], theirs, atol=1e-12)


def test_equal_documents_have_a_score_of_one():
    assert self_bleu([list("abcdefg")] * 3) == pytest.approx(1.0)
    assert self_bleu([list("abcdefg"), list("hijklmn")]) == 0.0
    assert self_bleu([list("abc")]) == 0.0
