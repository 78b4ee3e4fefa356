"""Synonyms: a house has one column of each group, and authors may write any of them."""

import re
from random import Random

import pytest

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.letters.cases.house import (
    LIBRARY,
    Synonyms,
    WordEntry,
    Words,
    draw_house,
    house_rules,
)

GROUPS = [[["bisher", "bislang"]], [["lediglich", ">nur"], ["Sonographie", "Sonografie"]]]


def test_every_form_but_outputs_leads_to_its_row():
    words = Words([WordEntry("beidseits", "bds.")], GROUPS)
    split = words.free.split("Bislang lediglich beidseits, nur bisher.")
    rows = Synonyms(GROUPS).entries()
    found = [rows[piece - 1][1] for piece in split if isinstance(piece, int) and piece]
    assert found == [("Bisher", "Bislang"), ("lediglich", ">nur"), ("bisher", "bislang")]
    assert ", nur " in split
    assert split.count(0) == 1


def test_titles_keep_their_official_words():
    words = Words([WordEntry("beidseits", "bds.")], GROUPS)
    assert words.split("bisher beidseits") == ["bisher ", 0]


def test_rows_of_a_group_go_together():
    synonyms = Synonyms(GROUPS)
    seen = {tuple(synonyms.columns(Random(seed).random)) for seed in range(40)}
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_parts_of_words_stay():
    assert Words([], GROUPS).free.split("Bisherige Sonographiekontrolle") == [
        "Bisherige Sonographiekontrolle"
    ]


@pytest.mark.parametrize(
    "text", ["Puls- und Sonographie", "Ergo- oder Sonographie", "zwei- bis Sonographie"]
)
def test_the_second_half_of_a_divided_word_stays(text):
    assert Words([], GROUPS).free.split(text) == [text]
    assert len(Words([], GROUPS).free.split("Puls und Sonographie")) == 2


def test_a_phrase_that_stands_twice_is_refused():
    with pytest.raises(ConfigError, match=r"each phrase once.*'bisher'"):
        Words([WordEntry("bisher", "")], GROUPS)


def test_a_phrase_like_none_is_refused():
    with pytest.raises(ConfigError, match=r"like to name a phrase.*'rechts'"):
        Words([WordEntry("links", "li.", like="rechts")])


def test_a_house_abbreviates_both_sides_or_none():
    words = house_rules().lexicon
    place = {entry.long: number for number, entry in enumerate(words.entries)}
    seen = set()
    for seed in range(60):
        house = draw_house(
            Seeds(seed).draws("house"), style="standard", structure="structured",
            specialty="Kardiologie",
        )  # fmt: skip
        seen.add((house.words[place["rechts"]], house.words[place["links"]]))
    assert seen == {("rechts", "links"), ("re.", "li.")}


def test_columns_of_the_real_groups_are_as_long_as_their_rows():
    for group in house_rules().file.synonyms:
        assert len({len(row) for row in group}) == 1, group


_UNITS = "Wochen|Monaten?|Tagen?|Stunden|Jahren?"
_WORDS = "ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|vierzehn|achtzehn"


def test_a_range_of_time_is_written_in_words_or_in_digits_but_not_in_both():
    known = {row[0] for group in house_rules().file.synonyms for row in group}
    for path in LIBRARY.rglob("*.toml"):
        found = re.findall(
            rf"\b(?:{_WORDS}) bis (?:{_WORDS}) (?:{_UNITS})\b", path.read_text("utf-8")
        )
        assert set(found) <= known, path.name
