"""No value of a PHI attribute stands in the text without a label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.letters.verify.evidence import COVERED, Names
from mustermann.letters.verify.loose_forms import ages_in, dates_in, ward_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_WORD = re.compile(r"[^\W_]+")
_CAPITALISED = re.compile(r"[^\W\d_a-zäöüß][^\W_]+")
_LOWER = re.compile(r"\b[a-zß-öø-\u024f][^\W\d_]{3,}")
_SUFFIXES = ("", "s", "es")
_LIFE = ("alter", "menarche", "menopause")
"""Ends of names of facts that are an age of somebody."""
_SHORTEST = 3
_SHORTEST_LOWER = 4
WORDS = frozenset({
    "abend", "alt", "blank", "braun", "bunt", "daher", "dick", "edel", "ernst", "essen", "fein",
    "fest", "frei", "fromm", "fröhlich", "früh", "ganz", "grau", "grob", "groß", "grün", "gut",
    "hart", "heiß", "heller", "jung", "kalt", "kamen", "klar", "klein", "kraus", "kurz", "kühl",
    "lang", "lange", "langen", "ledig", "leer", "lieb", "müde", "neu", "oral", "regen", "reich",
    "rot", "roth", "sauer", "scharf", "schnell", "schwarz", "singen", "spät", "stark", "still",
    "streng", "stumpf", "vitale", "voll", "waren", "weich", "weil", "weiß", "wenig", "wild",
    "zart",
})  # fmt: skip
"""Family names that are other words in lower case, and so not searched for in it."""


class Unlabelled:
    """Searches the text outside all spans for every name and every value of the letter.

    Names are compared word by word, as written, in capitals, in lower case and in the
    genitive, after composition (NFC) and without invisible characters; other values by their
    letters and digits, blanks and line breaks apart; dates and the age in all their forms.
    """

    name = "unlabelled"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each value that is found outside a span."""
        if not evidence.patient:
            return
        text = evidence.rest
        words = set(_CAPITALISED.findall(text))
        for word in sorted(words & _name_words(evidence)):
            yield self._found(evidence, word)
        for word in sorted(set(_LOWER.findall(text)) & _lower_words(evidence)):
            yield self._found(evidence, word)
        flat = " ".join(text.split())
        for initials in _initials(evidence):
            if _occurs(initials, flat):
                yield self._found(evidence, initials)
        for slot, value in evidence.values.items():
            if len(value) < _SHORTEST:
                short = ward_in(flat, value) if slot == "station" else ""
                if short:
                    yield self._found(evidence, short)
            elif _occurs(value, flat):
                yield self._found(evidence, value)
        yield from self._dates(evidence, flat)
        for age in _ages(evidence):
            for found in ages_in(flat, age):
                yield self._found(evidence, found)

    def _dates(self, evidence: Evidence, flat: str) -> Iterator[Fault]:
        # Dates with a four-digit year are the business of `literals`, whosever they are.
        for day in evidence.dates.values():
            for form in (f"{day:%d.%m.%y}", f"{day.day}.{day.month}.{day:%y}"):
                if _occurs(form, flat):
                    yield self._found(evidence, form)
                    break
        if found := set(dates_in(flat, evidence.dates.values())):
            said = " ".join(evidence.unmeasured.split())
            for form in sorted(found.intersection(dates_in(said, evidence.dates.values()))):
                yield self._found(evidence, form)

    def _found(self, evidence: Evidence, value: str) -> Fault:
        at = evidence.uncovered.find(value)
        where = (at, at + len(value)) if at >= 0 else (0, 0)
        return evidence.fault(self.name, f"{value!r} stands in the text without a label.", at=where)


def _name_words(evidence: Evidence) -> set[str]:
    """Returns every word that names a person of this letter, in the forms searched for."""
    found: set[str] = set()
    people: list[Mapping[str, object]] = [evidence.patient, *evidence.people.values()]
    for person in people:
        names = Names.of(person)
        for word in names.given | names.family | names.other:
            for part in _WORD.findall(word):
                if len(part) >= _SHORTEST:
                    found.update(part + suffix for suffix in _SUFFIXES)
                    found.add(part.upper())
    return found


def _ages(evidence: Evidence) -> set[int]:
    """Returns the age of the patient and those that the case has of others."""
    facts = evidence.course.get("facts") or {}
    others = [value for name, value in facts.items() if name.endswith(_LIFE)]
    return {age for age in (evidence.age, *others) if isinstance(age, int) and 0 < age < 120}


def _lower_words(evidence: Evidence) -> set[str]:
    """Returns the family names of the letter in lower case, those that are words left out."""
    people: list[Mapping[str, object]] = [evidence.patient, *evidence.people.values()]
    parts = {
        part.lower()
        for person in people for word in Names.of(person).family for part in _WORD.findall(word)
        if len(part) >= _SHORTEST_LOWER
    }  # fmt: skip
    return parts - WORDS


def _initials(evidence: Evidence) -> tuple[str, ...]:
    """Returns the patient's initials with dots, as people write them."""
    given = [str(name) for name in evidence.patient.get("given", ()) if name]
    family = str(evidence.patient.get("family", ""))
    if not given or not family:
        return ()
    first, every = [given[0][0], family[0]], [*(name[0] for name in given), family[0]]
    shown = [first] if first == every else [first, every]
    return tuple(gap.join(f"{one}." for one in letters) for letters in shown for gap in (" ", ""))


def _occurs(value: str, text: str) -> bool:
    """Returns whether `value` stands in `text` by itself: not inside a word, not beside a span."""
    at = text.find(value)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(value) : at + len(value) + 1]
        if not (_joins(before, value[0]) or _joins(value[-1], after)):
            return True
        at = text.find(value, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    if COVERED in (left, right):
        return True
    return bool(left and right) and left.isalnum() and right.isalnum()
