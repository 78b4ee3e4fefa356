"""A language model attacks a finished letter: what identifies somebody, what can't be true?

Its claims are only as good as it is, so each is checked: a quote has to stand in the letter,
and an identifier counts as a leak only where no label touches it. What it finds of the labelled
ones says how good an attacker it is.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from mustermann.documents.labels import PHI
from mustermann.llm.answer import Shape, ask_typed
from mustermann.llm.quotes import Place, Quote, locate
from mustermann.llm.request import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.document import Document
    from mustermann.documents.spans import Span
    from mustermann.llm.request import LanguageModel

VERSION = "1"
"""Raised with every change of the prompt."""
_SYSTEM = (
    "Du prüfst einen deutschen Arztbrief über einen erfundenen Patienten. Suche erstens jede "
    "Stelle, die eine Person erkennbar macht (Namen, Daten, Orte, Nummern, Kontakte, Alter, "
    "Beruf), zweitens Widersprüche und medizinisch Unmögliches. Zitiere jede Stelle wörtlich mit "
    "zwei bis drei Wörtern davor und danach. Krankheiten mit Eigennamen, Messwerte und Paragraphen "
    "machen niemanden erkennbar. Findest du nichts, sind die Listen leer. Antworte mit JSON: "
    '{"identifiers": [{"text": "…", "before": "…", "after": "…"}], '
    '"implausible": [{"text": "…", "reason": "…"}]}'
)


@dataclasses.dataclass(frozen=True, slots=True)
class Identifier:
    """A piece that the model holds for identifying."""

    text: str
    before: str = ""
    after: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Implausible:
    """A piece that the model doubts, and why."""

    text: str
    reason: Annotated[str, Field(max_length=300)] = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Attack:
    """What the model answers with."""

    identifiers: list[Identifier]
    implausible: list[Implausible]


SHAPE = Shape(Attack)


@dataclasses.dataclass(frozen=True, slots=True)
class Claim:
    """Something that the model says of a place in the letter."""

    start: int
    end: int
    text: str
    reason: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What an attack came to, each claim checked against the labels.

    Attributes:
      known: Identifiers that a label covers: the attacker is right, and nothing leaks.
      decoys: Identifiers that are decoys: the attacker was fooled.
      leaks: Identifiers that no label touches.
      implausible: Doubts about a piece that stands in the letter.
      unlocated: Quotes that do not stand in it.
    """

    known: int
    decoys: int
    leaks: tuple[Claim, ...]
    implausible: tuple[Claim, ...]
    unlocated: int

    @property
    def flagged(self) -> bool:
        """Whether a letter should be looked at, or dropped where nobody looks."""
        return bool(self.leaks or self.implausible)

    @property
    def first(self) -> str:
        """Returns the first claim that flags the letter, in one line."""
        claims = (*self.leaks, *self.implausible)
        return f"attack: {claims[0].text!r} {claims[0].reason}".rstrip() if claims else ""

    def counts(self) -> Counter[str]:
        """Returns the numbers that go into a manifest."""
        return Counter(
            attacked=1, attack_flagged=int(self.flagged), attack_known=self.known,
            attack_decoys=self.decoys, attack_leaks=len(self.leaks),
            attack_implausible=len(self.implausible), attack_unlocated=self.unlocated,
        )  # fmt: skip


def attack(document: Document, *, model: LanguageModel, max_tokens: int = 2000) -> Report:
    """Returns what a language model finds in a letter.

    Raises:
      LlmError: It did not answer, or not with what was asked for.
    """
    messages = (Message("system", _SYSTEM), Message("user", document.text))
    found = ask_typed(model, messages, SHAPE, max_tokens=max_tokens).value
    quotes = [Quote(item.text, item.before, item.after) for item in found.identifiers]
    places = locate(document.text, quotes)
    kinds = Counter(_kind(place, document.spans) for place in places)
    uncovered = (p for p in places if p and _kind(p, document.spans) == "leak")
    leaks = tuple(_claim(document, place) for place in uncovered)
    doubted = locate(document.text, [Quote(item.text) for item in found.implausible])
    implausible = tuple(
        _claim(document, place, doubt.reason)
        for place, doubt in zip(doubted, found.implausible, strict=True)
        if place
    )
    unlocated = kinds["unlocated"] + sum(place is None for place in doubted)
    return Report(kinds["known"], kinds["decoy"], leaks, implausible, unlocated)


def _claim(document: Document, place: Place, reason: str = "") -> Claim:
    return Claim(place.start, place.end, document.text[place.start : place.end], reason)


def _kind(place: Place | None, spans: Sequence[Span]) -> str:
    """Returns "known", "decoy", "leak" or "unlocated"."""
    if place is None:
        return "unlocated"
    touched = [span for span in spans if span.start < place.end and place.start < span.end]
    if any(span.label in PHI for span in touched):
        return "known"
    return "decoy" if touched else "leak"
