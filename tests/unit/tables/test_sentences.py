from __future__ import annotations

import numpy as np
import pytest
import torch

from mustermann.tables.domain import Column, Domain
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.sentences import FREE, IGNORED, Sentences
from mustermann.tables.subwords import Subwords

DOMAIN = Domain(
    (
        Column("a", 3, ordered=False, labels=("ab", "abc", "x")),
        Column("one", 1, ordered=False, labels=("only",)),
        Column("b", 4, ordered=False, labels=("ab", "y", "", "abz")),
    )
)
LEVELS = Lexicon.of_levels(DOMAIN)
PIECES = Lexicon.of_names(
    DOMAIN, Subwords.train("bpe", [n for c in DOMAIN.columns for n in c.labels], vocabulary=258)
)
ROWS = torch.tensor([[0, 0, 1], [2, 0, 2], [1, 0, 3]])
ORDERS = torch.tensor([[0, 1, 2], [2, 0, 1], [1, 2, 0]])


def spelt(lexicon, row, order):
    """Returns a row's tokens, by hand."""
    tokens = []
    for column in order:
        tokens += [lexicon.begin(column), *lexicon.spellings[column][row[column]]]
        tokens.append(lexicon.end(column))
    return tokens


@pytest.mark.parametrize("lexicon", [LEVELS, PIECES], ids=["level", "bpe"])
def test_a_row_is_begin_value_end_of_each_column_in_its_order(lexicon):
    laid = Sentences(lexicon).lay(ROWS, ORDERS)
    for at in range(3):
        tokens = spelt(lexicon, ROWS[at].tolist(), ORDERS[at].tolist())
        length = len(tokens) - 1
        assert laid.inputs[at, :length].tolist() == tokens[:-1]
        expected = [
            IGNORED if lexicon.begin(0) <= token < lexicon.end(0) else token for token in tokens[1:]
        ]
        assert laid.targets[at, :length].tolist() == expected
        assert (laid.targets[at, length:] == IGNORED).all()
        assert (laid.choices[at, length:] == FREE).all()
    assert laid.inputs.shape == laid.targets.shape == laid.choices.shape
    assert laid.inputs.shape[1] <= lexicon.length - 1


@pytest.mark.parametrize("lexicon", [LEVELS, PIECES], ids=["level", "bpe"])
def test_a_target_is_a_choice_where_the_trie_has_other_ways_and_among_them(lexicon):
    sentences = Sentences(lexicon)
    laid = sentences.lay(ROWS, ORDERS)
    chosen = laid.choices != FREE
    assert (laid.targets[chosen] != IGNORED).all()
    offers = sentences.allowed[laid.choices[chosen]]
    assert offers.gather(1, laid.targets[chosen].unsqueeze(1)).all()
    assert (offers.sum(1) > 1).all()


def test_with_a_word_a_level_there_is_one_choice_a_column_that_has_levels():
    laid = Sentences(LEVELS).lay(ROWS, ORDERS)
    assert ((laid.choices != FREE).sum(1) == 2).all()


def test_no_rows_are_laid_out_as_none():
    sentences = Sentences(LEVELS)
    one = sentences.lay(ROWS[:1], ORDERS[:1])
    assert one.inputs.shape == (1, 8)
    assert np.array_equal(sentences.counts, [3] * 8)
