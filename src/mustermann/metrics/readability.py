"""Readability of German text: SMOG and Flesch-Kincaid by textstat, and two German formulas."""

from __future__ import annotations

import dataclasses
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_MANY, _LONG = 3, 6
"""Syllables of a polysyllabic word; letters that a long word has more than."""


@dataclasses.dataclass(frozen=True, slots=True)
class Readability:
    """Readability of one text.

    Attributes:
      smog: McLaughlin 1969, in school years.
      fkgl: Flesch-Kincaid grade level, in school years.
      wiener: First Wiener Sachtextformel (Bamberger and Vanecek 1984), in school years.
      amstad: Flesch reading ease for German (Amstad 1978); 100 is easy, 0 is hard.
    """

    smog: float
    fkgl: float
    wiener: float
    amstad: float


def readability(text: str) -> Readability:
    """Returns the formulas' values; a text without words gives zeros.

    Equal to textstat's, which splits each text into syllables anew for each formula.
    """
    textstat = _textstat()
    words = textstat.remove_punctuation(text).split()
    if not words:
        return Readability(0.0, 0.0, 0.0, 0.0)
    syllables = [_syllables(word) for word in words]
    sentences = max(1, int(textstat.sentence_count(text)))
    count = len(words)
    per_sentence, per_word = count / sentences, sum(syllables) / count
    many = sum(found >= _MANY for found in syllables)
    single = sum(found == 1 for found in syllables)
    long = sum(len(word.replace("'", "")) > _LONG for word in words)
    return Readability(
        smog=1.043 * (30 * many / sentences) ** 0.5 + 3.1291,
        fkgl=0.39 * per_sentence + 11.8 * per_word - 15.59 if per_word else 0.0,
        wiener=0.1935 * 100 * many / count + 0.1672 * per_sentence
        + 0.1297 * 100 * long / count - 0.0327 * 100 * single / count - 0.875,
        amstad=180 - per_sentence - 58.5 * per_word,
    )  # fmt: skip


@lru_cache(maxsize=200_000)
def _syllables(word: str) -> int:
    return int(_textstat().syllable_count(word))


@cache
def _textstat() -> ModuleType:
    import textstat

    textstat.set_lang("de")
    # As its formulas split words: "EK's" keeps its apostrophe, and with it a syllable.
    textstat.set_rm_apostrophe(False)
    module: ModuleType = textstat
    return module
