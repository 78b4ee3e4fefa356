"""The age is admission minus birth, wherever it is said; other ages are the case's facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_UNITS = ("", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun")
_SMALL = {
    "null": 0, "eins": 1, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14,
    "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19,
}  # fmt: skip
_TENS = {
    "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
    "achtzig": 80, "neunzig": 90,
}  # fmt: skip
_WORDS = (
    _SMALL
    | _TENS
    | {word: number for number, word in enumerate(_UNITS) if word}
    | {f"{unit}und{tens}": value + number for tens, value in _TENS.items()
       for number, unit in enumerate(_UNITS) if unit}
    | {"hundert": 100, "einhundert": 100}
)  # fmt: skip
_OLDEST = 115
_VAGUE = {"anfang": range(4), "mitte": range(3, 8), "ende": range(6, 10)}


class Age:
    """Does the arithmetic again and compares each labelled age with what it must be."""

    name = "age"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields a fault for a wrong attribute and for each wrong mention."""
        yield from _of_others(evidence)
        birth, admission = evidence.dates.get("geburtsdatum"), evidence.dates.get("aufnahme")
        if birth is None or admission is None:
            return
        expected = years_between(birth, admission)
        if evidence.age is not None and evidence.age != expected:
            yield evidence.fault(self.name, f"Expected age {expected}, got {evidence.age}.")
        for span in evidence.document.spans:
            if span.label != "AGE" or span.slot != "alter":
                continue
            surface = evidence.surface(span)
            after = evidence.document.text[span.end : span.end + 8]
            age = in_unit(after, birth, admission)
            if not says(surface, age):
                yield evidence.fault(
                    self.name, f"Expected an age of {age}, found {surface!r}.", at=span
                )


def _of_others(evidence: Evidence) -> Iterator[Fault]:
    """Yields a fault for each age of somebody else that is not what the case says it is."""
    facts = evidence.course.get("facts")
    if not isinstance(facts, Mapping):
        return
    for span in evidence.document.spans:
        slot, _, name = span.slot.partition(":")
        if slot != "lebensalter":
            continue
        age, surface = facts.get(name), evidence.surface(span)
        if not isinstance(age, (int, float)) or not 0 < age <= _OLDEST:
            yield evidence.fault(Age.name, f"Expected an age as {name!r}, got {age!r}.", at=span)
        elif not says(surface, int(age)):
            yield evidence.fault(Age.name, f"Expected {name} {age}, found {surface!r}.", at=span)


def in_unit(after: str, birth: date, day: date) -> int:
    """Returns the age in the unit that `after` names: months or weeks of an infant, else years."""
    word = after.lstrip(" -").casefold()
    if word.startswith("mon"):
        return (day.year - birth.year) * 12 + day.month - birth.month - (day.day < birth.day)
    if word.startswith("wo"):
        return (day - birth).days // 7
    return years_between(birth, day)


def years_between(birth: date, day: date) -> int:
    """Returns the whole years lived on `day`."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def says(text: str, age: int) -> bool:
    """Returns whether `text` (a number, a word, "Mitte sechzig") can mean `age`."""
    words = " ".join(text.casefold().replace("ss", "ß").split())
    if re.fullmatch(r"\d{1,3}", words):
        return int(words) == age
    part, _, decade = words.partition(" ")
    if part in _VAGUE and decade in _TENS:
        return age - _TENS[decade] in _VAGUE[part]
    return _WORDS.get(words) == age
