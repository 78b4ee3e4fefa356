"""Readability of German text: SMOG and Flesch-Kincaid by textstat, and two German formulas."""

from __future__ import annotations

import dataclasses
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


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
    """Returns the formulas' values; a text without words gives zeros."""
    textstat = _textstat()
    if not re.search(r"\w", text):
        return Readability(0.0, 0.0, 0.0, 0.0)
    return Readability(
        smog=float(textstat.smog_index(text)),
        fkgl=float(textstat.flesch_kincaid_grade(text)),
        wiener=float(textstat.wiener_sachtextformel(text, variant=1)),
        amstad=_amstad(textstat, text),
    )


def _amstad(textstat: ModuleType, text: str) -> float:
    words = max(1, textstat.lexicon_count(text))
    sentence_length = words / max(1, textstat.sentence_count(text))
    return float(180 - sentence_length - 58.5 * textstat.syllable_count(text) / words)


@cache
def _textstat() -> ModuleType:
    import textstat

    textstat.set_lang("de")
    module: ModuleType = textstat
    return module
