import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mustermann.metrics.self_bleu as module
from mustermann.core.seeds import Seeds
from mustermann.metrics.self_bleu import pairwise_bleu, self_bleu, texygen_bleu

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


@settings(deadline=None, max_examples=50)
@given(documents)
def test_each_document_against_all_others_agrees_with_nltk(corpus):
    bleu = pytest.importorskip("nltk.translate.bleu_score")
    smooth = bleu.SmoothingFunction().method1
    ours = texygen_bleu(corpus)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, hypothesis in enumerate(corpus):
            others = corpus[:i] + corpus[i + 1 :]
            theirs = bleu.sentence_bleu(others, hypothesis, smoothing_function=smooth)
            assert np.isclose(ours[i], theirs, atol=1e-12)


def test_each_document_against_all_others_agrees_with_sacrebleu():
    sacrebleu = pytest.importorskip("sacrebleu")
    draws = Seeds(0).random("texts")
    corpus = [[draws.choice("abcdefg") for _ in range(60)] for _ in range(12)]
    compared = 0
    metric = sacrebleu.BLEU(effective_order=False, tokenize="none", smooth_method="none")
    for i, ours in enumerate(texygen_bleu(corpus)):
        others = [" ".join(words) for j, words in enumerate(corpus) if j != i]
        theirs = metric.sentence_score(" ".join(corpus[i]), others)
        # Without a zero count smoothing plays no part, and the two definitions are one.
        if min(theirs.counts) > 0:
            assert 100 * ours == pytest.approx(theirs.score, rel=1e-9)
            compared += 1
    assert compared > 6


def test_drawn_pairs_estimate_the_mean_of_all_pairs(monkeypatch):
    draws = Seeds(1).random("texts")
    corpus = [[draws.choice("abcdef") for _ in range(40)] for _ in range(60)]
    exact = self_bleu(corpus)
    monkeypatch.setattr(module, "ALL_PAIRS_UP_TO", 10)
    assert self_bleu(corpus) == pytest.approx(exact, rel=0.02)
    assert self_bleu(corpus) == self_bleu(corpus)
    assert self_bleu(corpus, seed=1) != self_bleu(corpus)


def test_each_document_against_all_others_agrees_with_fast_bleu():
    fast_bleu = pytest.importorskip("fast_bleu")
    draws = Seeds(2).random("texts")
    corpus = [[draws.choice("abcdefgh") for _ in range(draws.randrange(5, 60))] for _ in range(20)]
    theirs = fast_bleu.SelfBLEU(corpus, {"four": (0.25,) * 4}).get_score()["four"]
    assert np.allclose(texygen_bleu(corpus), theirs, atol=1e-9)
