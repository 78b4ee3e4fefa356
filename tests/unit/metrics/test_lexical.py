import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.metrics.lexical import mtld, tokens, trigram_novelty, type_token_ratio

words = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=300)


def test_a_hyphenated_word_is_one_token():
    assert tokens("Die 64-jährige Frau Müller-Lüdenscheidt.") == [
        "die", "64-jährige", "frau", "müller-lüdenscheidt",
    ]  # fmt: skip


@given(words)
def test_mtld_agrees_with_lexicalrichness(found):
    lexicalrichness = pytest.importorskip("lexicalrichness")
    theirs = lexicalrichness.LexicalRichness(found, preprocessor=None, tokenizer=None)
    if len(set(found)) == len(found):
        assert mtld(found) == len(found)
    else:
        assert math.isclose(mtld(found), theirs.mtld(threshold=0.72), rel_tol=1e-9)


def test_novelty_counts_distinct_trigrams_that_no_other_document_has():
    documents = [list("abcabcx"), list("abcy"), list("ab")]
    found = trigram_novelty(documents).tolist()
    assert found[:2] == [3 / 4, 1 / 2]
    assert math.isnan(found[2])


def test_nothing_gives_zero():
    assert type_token_ratio([]) == mtld([]) == 0.0
    assert trigram_novelty([]).tolist() == []
