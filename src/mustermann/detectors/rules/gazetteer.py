"""What the rules know by heart: the listed part of the name pools, towns, eponyms."""

from __future__ import annotations

import dataclasses
import functools
import hashlib

from mustermann.detectors.rules.words import (
    CLINICAL,
    FUNCTIONS,
    NOUN_ENDINGS,
    RELATIVES,
    STRUCTURAL,
    TOWN_WORDS,
)
from mustermann.german import names, places, terms


@dataclasses.dataclass(frozen=True)
class Gazetteer:
    """Word lists by kind.

    Attributes:
      given: Listed given names.
      family: Listed family names.
      towns: Towns whose name is no common word.
      eponyms: Names that stand in the terms of medicine: Parkinson, Foley.
    """

    given: frozenset[str] = frozenset()
    family: frozenset[str] = frozenset()
    towns: frozenset[str] = frozenset()
    eponyms: frozenset[str] = frozenset()

    def common_noun(self, word: str) -> bool:
        """Returns whether a capitalised word is more likely a common noun than a name."""
        shown = _shown(word)
        if shown in _STRUCTURAL or shown in CLINICAL:
            return True
        if shown in self.given or shown in self.family:
            return False
        return len(shown) > 5 and shown.lower().endswith(NOUN_ENDINGS)

    def never_a_name(self, word: str) -> bool:
        """Returns whether a word is no name even after a title: Oberarzt, Klinik, Datum."""
        return _shown(word) in _STRUCTURAL

    def is_given(self, word: str) -> bool:
        """Returns whether a word, or its first part before a hyphen, is a listed given name."""
        shown = word.capitalize() if word.isupper() and len(word) > 2 else word
        return shown in self.given or shown.split("-")[0] in self.given

    def is_family(self, word: str) -> bool:
        """Returns whether a word is a listed family name."""
        return word in self.family or (word.isupper() and word.capitalize() in self.family)

    @functools.cached_property
    def digest(self) -> str:
        """Names the lists, for the detector's signature."""
        own = [getattr(self, field.name) for field in dataclasses.fields(self)]
        closed = (_STRUCTURAL, CLINICAL, NOUN_ENDINGS)
        text = "\n".join(",".join(sorted(words)) for words in (*own, *closed))
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


_STRUCTURAL = STRUCTURAL | set(FUNCTIONS) | set(RELATIVES)


def _shown(word: str) -> str:
    return word.capitalize() if word.isupper() and len(word) > 3 else word


@functools.cache
def built_in() -> Gazetteer:
    """Returns the lists that ship with the package: of names only what is listed."""
    return Gazetteer(
        given=frozenset(name for name in names.listed_given() if len(name) > 2),
        family=names.listed_family(),
        towns=frozenset(town.name for town in places.towns()) - TOWN_WORDS,
        eponyms=frozenset(
            name for term in (*terms.eponyms(), *terms.lookalikes()) for name in term.names
        ),
    )
