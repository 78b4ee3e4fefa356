"""Choices against the trie that they leave the forced steps out of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.tables.choices import NONE, choices_of
from mustermann.tables.trie import Trie

END = 9

spellings = st.lists(
    st.lists(st.integers(0, 3), min_size=1, max_size=5).map(tuple),
    min_size=1, max_size=12, unique=True,
)  # fmt: skip


def made(found):
    return choices_of(Trie.build(found), found, end=END)


@given(spellings)
def test_options_spell_every_level_and_nothing_else(found):
    choices = made(found)
    if not choices.spelt:
        assert choices.start == (*found[0], END)
        assert len(found) == 1
        return
    spelt = {}

    def walk(choice, words):
        assert choices.spelt[choice] == words
        for option in choices.options[choice][choices.allowed[choice]]:
            on = words + choices.words[option]
            if choices.leads[option] == NONE:
                spelt[int(choices.levels[option])] = on
            else:
                walk(choices.leads[option], on)

    walk(0, choices.start)
    assert spelt == {level: (*words, END) for level, words in enumerate(found)}


@given(spellings)
def test_a_choice_has_several_ways_on_and_a_forced_step_one(found):
    choices = made(found)
    assert (choices.allowed.sum(1) > 1).all()
    for level, words in enumerate(found):
        for place, choice in enumerate(choices.chosen[level]):
            prefix = words[:place]
            ways = {(*w, END)[place] for w in found if w[:place] == prefix}
            assert (choice != NONE) == (len(ways) > 1)
            if choice != NONE:
                allowed = set(choices.tokens[choices.allowed[choice]].tolist())
                assert allowed == ways


@given(spellings)
def test_cells_multiply_to_a_distribution_over_levels(found):
    choices = made(found)
    weights = np.random.default_rng(0).random(choices.allowed.shape) * choices.allowed
    weights = weights / weights.sum(1, keepdims=True)
    flat = np.append(weights.ravel(), 1.0)
    chances = flat[choices.cells].prod(axis=1)
    assert chances.shape == (len(found),)
    assert chances.sum() == pytest.approx(1)


def test_words_that_all_levels_begin_with_are_no_choice():
    choices = made([(1, 2, 3), (1, 2), (1, 2, 3, 0)])
    assert choices.start == (1, 2)
    assert choices.tokens.tolist() == [0, 3, END]
    assert choices.spelt == ((1, 2), (1, 2, 3))
    assert choices.chosen[1] == (NONE, NONE, 0)
