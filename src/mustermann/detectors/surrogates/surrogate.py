"""What is written in place of each span of a patient's letters."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from mustermann.core.seeds import Seeds
from mustermann.detectors.prediction import disjoint
from mustermann.detectors.redaction import Redacted, labelled, redact
from mustermann.detectors.surrogates import dates, patterns, places
from mustermann.detectors.surrogates.people import UNSEEN, People
from mustermann.documents.coarse import coarse_class

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mustermann.core.seeds import Draws
    from mustermann.documents.spans import Span
    from mustermann.german.places import Town

OLDEST = 90
"""Ages above are written as this one: there are too few people of each."""
_WEEKS = (8, 52)
_YEAR = 2001
"""Stands in where no date of a letter has a year."""
_ZIP = re.compile(r"(?:[A-Z]{1,3}[- ])?\d{4,5}")
_PHONE = re.compile(r"(?!\d{1,3}(?:\.\d{1,3}){3}\Z)[\d\s()+/.,–-]+(?:[A-Za-z.]{1,6}\s?[\d-]+)?")
_NEXT_TO = 3
"""Characters between a ZIP and its town."""


class Surrogates:
    """Replaces what was found in letters; a patient's letters are told the same story.

    The same name, number or town becomes the same one wherever it stands, and all dates
    move by the same number of weeks.
    """

    def __init__(self, seed: int) -> None:
        """Begins without knowing anybody.

        Args:
          seed: Whoever knows it can undo the shift of the dates: keep it secret.
        """
        self._seeds = Seeds(seed)
        self._patients: dict[str, _Patient] = {}

    def redact(self, text: str, spans: Iterable[Span], *, patient: str) -> Redacted:
        """Returns the text with a surrogate for each span.

        Args:
          text: What the offsets count.
          spans: What was found; overlapping ones are made disjoint first.
          patient: Letters with the same one are kept consistent.
        """
        if patient not in self._patients:
            self._patients[patient] = _Patient(self._seeds.draws("patient", patient))
        found = disjoint(spans)
        return redact(text, found, _Letter(self._patients[patient], text, found))


class _Patient:
    def __init__(self, draws: Draws) -> None:
        self.draws = draws
        self.people = People(draws.below("people"))
        weeks = draws.integer("weeks", *_WEEKS)
        self.days = 7 * (weeks if draws.bernoulli("later", 0.5) else -weeks)


class _Letter:
    """Replaces the spans of one letter."""

    def __init__(self, patient: _Patient, text: str, spans: tuple[Span, ...]) -> None:
        self._patient, self._text = patient, text
        self._towns = {
            left.start: text[right.start : right.end]
            for left, right in itertools.pairwise(spans)
            if _ZIP.fullmatch(text[left.start : left.end]) and right.start - left.end <= _NEXT_TO
        }
        patient.people.meet(text, [s for s in spans if coarse_class(s.label) == "NAME"])
        written = (text[s.start : s.end] for s in spans if coarse_class(s.label) == "DATE")
        years = (dates.year_in(value) for value in written)
        self._year = next((year for year in years if year), _YEAR)

    def __call__(self, value: str, span: Span) -> str:
        """Returns what is written in place of `value`; the label where nothing fits."""
        kind = coarse_class(span.label)
        if kind == "TITLE":
            return value
        if kind == "NAME" and span.label != "USERNAME":
            return self._patient.people.name(self._text, span)
        value = UNSEEN.sub("", value)
        if kind == "DATE":
            moved = dates.shifted(value, days=self._patient.days, year=self._year)
            return labelled(value, span) if moved is None else moved
        if kind == "AGE":
            return re.sub(r"\d+", lambda m: str(min(int(m[0]), OLDEST)), value)
        draws = self._patient.draws.below(f"{kind} {' '.join(value.split()).lower()}")
        named = places.named(value, span.label, draws)
        if named is not None:
            return named
        if kind in {"ID", "NAME"}:
            return patterns.code(value, draws)
        if kind == "CONTACT":
            replace = patterns.phone if _PHONE.fullmatch(value) else patterns.address
            return str(replace(value, draws))
        if kind == "LOCATION":
            return self._place(value, span, draws)
        return labelled(value, span)

    def _place(self, value: str, span: Span, draws: Draws) -> str:
        if _ZIP.fullmatch(value):
            name = self._towns.get(span.start, "")
            town = self._town(name) if name else places.town(draws, other_than="")
            return re.sub(r"\d{4,5}", town.zips[0], value)
        if span.label in {"STREET", "LOCATION_STREET"} or re.search(r"\d", value):
            return places.street(value, draws)
        new = self._town(value).name
        return new.upper() if value.isupper() else new

    def _town(self, name: str) -> Town:
        draws = self._patient.draws.below(f"LOCATION {' '.join(name.split()).lower()}")
        return places.town(draws, other_than=name)
