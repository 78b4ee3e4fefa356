from __future__ import annotations

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.design import GPT2, Design
from mustermann.tables.domain import Column, Domain
from mustermann.tables.recipe import plan
from mustermann.tables.subwords import Subwords

DEFAULT = plan("default", epsilon=3, rows=10_000)
PAPER = plan("paper", epsilon=3, rows=10_000)
DOMAIN = Domain((Column("a", 3, ordered=False, labels=("red", "reddish", "blue")),))


def test_the_default_changes_nothing():
    assert Design().applied(DEFAULT) == DEFAULT
    assert Design().applied(PAPER) == PAPER
    assert Design().public_text() is None


@pytest.mark.parametrize(
    "settings", [{"tokenizer": "bpe"}, {"order": "random"}, {"trie": "evaluation"}, {"tied": True}]
)
def test_what_needs_sentences_says_so(settings):
    with pytest.raises(ConfigError, match="layout=sentence"):
        Design(**settings)
    Design(layout="sentence", **settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"tokenizer": "file"}, "tokenizer_file"),
        ({"tokenizer_file": __file__}, "tokenizer=file"),
        ({"tokenizer_text": __file__}, "tokenizer_text"),
        ({"tokenizer": "bpe", "tokenizer_text": "/no/such/text"}, "/no/such/text"),
        ({"vocabulary": 256}, "vocabulary"),
        ({"augmult": 0}, "augmult"),
        ({"augmult": 1000}, "augmult"),
        ({"steps": 0}, "steps"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings, words):
    with pytest.raises(ConfigError, match=words):
        Design(layout="sentence", **settings)


def test_what_it_says_goes_before_the_recipe():
    found = Design(layout="sentence", order="random", augmult=4, steps=7).applied(DEFAULT)
    assert (found.views, found.training.steps, found.shape.smooth) == (4, 7, False)
    assert found.training.peak == DEFAULT.training.peak
    assert Design(augmult=1).applied(PAPER).views == 1
    large = Design(size="gpt2").applied(PAPER).shape
    assert (large.width, large.layers, large.heads) == (GPT2.width, GPT2.layers, GPT2.heads)
    assert large.dropout == PAPER.shape.dropout


def test_views_that_do_not_differ_and_moments_that_are_not_there_are_refused():
    with pytest.raises(ConfigError, match="augmult=2"):
        Design(layout="sentence", augmult=2).applied(DEFAULT)
    assert Design(augmult=3).applied(PAPER).views == 3
    with pytest.raises(ConfigError, match="moments"):
        Design(order="moments").applied(PAPER)


def test_pieces_come_from_names_a_text_or_a_file(tmp_path):
    names = Design(layout="sentence", tokenizer="bpe", vocabulary=262).lexicon(DOMAIN)
    red, reddish, _ = names.spellings[0]
    assert reddish[: len(red)] == red
    text = tmp_path / "public.txt"
    text.write_text("blue blue blue\n", encoding="utf-8")
    design = Design(layout="sentence", tokenizer="bpe", tokenizer_text=str(text), vocabulary=262)
    assert design.public_text() == "the text that the tokenizer was trained on"
    assert [len(level) for level in design.lexicon(DOMAIN).spellings[0]] == [3, 7, 1]
    file = tmp_path / "tokenizer.json"
    file.write_text(Subwords.train("bpe", ["red"] * 3, vocabulary=260).to_json(), encoding="utf-8")
    read = Design(layout="sentence", tokenizer="file", tokenizer_file=str(file))
    assert read.public_text() == "the tokenizer that was given"
    assert [len(level) for level in read.lexicon(DOMAIN).spellings[0]] == [1, 5, 4]
    file.write_text("{}")
    with pytest.raises(DataError, match="tokenizer"):
        read.lexicon(DOMAIN)
