"""No value of a PHI attribute stands in the text without a label."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from mustermann.letters.verify.evidence import COVERED, Names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault

_WORD = re.compile(r"[^\W_]+")
_CAPITALISED = re.compile(r"[^\W\d_a-zäöüß][^\W_]+")
_SUFFIXES = ("", "s", "es")
_SHORTEST = 3
_NO_PHI = frozenset({"bundesland", "land", "versicherer"})


class Unlabelled:
    """Searches the text outside all spans for every name and every value of the letter.

    Names are compared word by word, as written, in capitals and in the genitive, after
    composition (NFC) and without invisible characters; other values by their letters and
    digits, blanks and line breaks apart.
    """

    name = "unlabelled"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each value that is found outside a span."""
        if not evidence.patient:
            return
        text = evidence.rest
        words = set(_CAPITALISED.findall(text))
        for word in sorted(words & _name_words(evidence)):
            yield self._found(evidence, word)
        flat = " ".join(text.split())
        for match in _initials(evidence).finditer(flat):
            yield self._found(evidence, match.group())
        for slot, value in evidence.values.items():
            if slot in _NO_PHI or len(value) < _SHORTEST:
                continue
            if value in flat and _stands_alone(value).search(flat):
                yield self._found(evidence, value)
        yield from self._dates(evidence, flat)

    def _dates(self, evidence: Evidence, flat: str) -> Iterator[Fault]:
        # Dates with a four-digit year are the business of `literals`, whosever they are.
        for day in evidence.dates.values():
            for form in (f"{day:%d.%m.%y}", f"{day.day}.{day.month}.{day:%y}"):
                if form in flat and _stands_alone(form).search(flat):
                    yield self._found(evidence, form)
                    break

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


def _initials(evidence: Evidence) -> re.Pattern[str]:
    """Returns a pattern of the patient's initials with dots, as "A. S." or "A.S."."""
    given = next(iter(evidence.patient.get("given", ())), "")
    family = str(evidence.patient.get("family", ""))
    if not given or not family:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w.]){re.escape(given[0])}\. ?{re.escape(family[0])}\.(?!\w)")


@cache
def _stands_alone(value: str) -> re.Pattern[str]:
    left = r"(?<![\w" + COVERED + r"])" if value[0].isalnum() else ""
    right = r"(?![\w" + COVERED + r"])" if value[-1].isalnum() else ""
    return re.compile(left + re.escape(value) + right)
