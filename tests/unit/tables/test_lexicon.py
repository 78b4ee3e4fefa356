from __future__ import annotations

import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.domain import Column, Domain
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.subwords import Subwords


def column(name, *labels):
    return Column(name, len(labels), ordered=False, labels=labels)


DOMAIN = Domain((column("a", "17", "177", "", "x"), column("b", "17", "x y"), column("c", "x")))


class Folding:
    """A tokenizer that tells nothing but lengths apart."""

    def spell(self, texts):
        return [(7,) * len(text) for text in texts]

    def piece(self, number):
        return f"<again {number}>"

    def to_json(self):
        return "{}"


def pieces(vocabulary=260):
    names = [label for c in DOMAIN.columns for label in c.labels]
    return Subwords.train("bpe", names, vocabulary=vocabulary)


def injective(lexicon):
    return all(len(set(column)) == len(column) for column in lexicon.spellings)


def test_levels_are_words_that_columns_do_not_share():
    lexicon = Lexicon.of_levels(DOMAIN)
    words = [word for column in lexicon.spellings for (word,) in column]
    assert words == list(range(7))
    assert lexicon.one_word_a_level
    assert (lexicon.vocabulary, lexicon.length) == (7 + 6, 9)


def test_equal_names_are_spelt_alike_and_unused_pieces_are_left_out():
    lexicon = Lexicon.of_names(DOMAIN, pieces())
    assert lexicon.spellings[0][0] == lexicon.spellings[1][0]
    assert {w for c in lexicon.spellings for level in c for w in level} == set(
        range(len(lexicon.words))
    )
    assert len(lexicon.words) < 20
    assert injective(lexicon)


def test_begin_and_end_are_tokens_of_their_own():
    lexicon = Lexicon.of_names(DOMAIN, pieces())
    around = [lexicon.begin(c) for c in range(3)] + [lexicon.end(c) for c in range(3)]
    assert around == list(range(len(lexicon.words), lexicon.vocabulary))


def test_levels_that_a_tokenizer_does_not_tell_apart_are_counted():
    domain = Domain((column("a", "ab", "cd", "", "xy"), column("b", "x", "")))
    lexicon = Lexicon.of_names(domain, Folding())
    assert injective(lexicon)
    first, second, empty, third = lexicon.spellings[0]
    assert first == second[:2] == third[:2]
    assert len(second) == len(third) == 3
    assert lexicon.spellings[1][1] == empty
    # The tokenizer's own piece is called like one of ours, and is another.
    assert lexicon.words.count("<again 7>") == 1
    assert second[2] != first[0]


def test_the_trie_leads_from_each_spelling_to_its_level():
    lexicon = Lexicon.of_names(DOMAIN, pieces())
    for trie, spellings in zip(lexicon.tries, lexicon.spellings, strict=True):
        assert sorted(trie.levels[trie.levels >= 0]) == list(range(len(spellings)))


@pytest.mark.parametrize("made", ["levels", "pieces"])
def test_it_comes_back_from_json(made):
    lexicon = Lexicon.of_levels(DOMAIN) if made == "levels" else Lexicon.of_names(DOMAIN, pieces())
    record = json.loads(json.dumps(lexicon.to_record()))
    again = Lexicon.from_record(record, DOMAIN, tokenizer=lexicon.tokenizer)
    assert again == lexicon


@pytest.mark.parametrize(
    "change",
    [
        {"spellings": [[[0]], [[0]], [[0]]]},
        {"spellings": [[[0], [1], [2], [0]], [[0], [1]], [[0]]]},
        {"spellings": [[[0], [1], [2], []], [[0], [1]], [[0]]]},
        {"spellings": [[[0], [1], [2], [-1]], [[0], [1]], [[0]]]},
        {"spellings": [[[0], [1], [2], [999]], [[0], [1]], [[0]]]},
        {"spellings": [[[0], [1], [2], "x"], [[0], [1]], [[0]]]},
        {"spellings": 3},
        {"words": None},
        {"tokenizer": None, "words": 1},
    ],
)
def test_records_that_are_none_are_refused(change):
    record = Lexicon.of_names(DOMAIN, pieces()).to_record() | change
    with pytest.raises(DataError):
        Lexicon.from_record(record, DOMAIN, tokenizer="{}")


def test_a_column_without_names_is_refused():
    with pytest.raises(ConfigError, match="'a'"):
        Lexicon.of_names(Domain((Column("a", 3, ordered=False),)), Folding())


def test_names_of_any_length_are_refused():
    with pytest.raises(ConfigError, match="'a'"):
        Lexicon.of_names(Domain((column("a", "x" * 300),)), Folding())
