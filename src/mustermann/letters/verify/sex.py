"""Honorifics and the word for the patient follow the patient's sex."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_HONORIFIC = {
    "m": re.compile(r"herrn?|hr(n)?\.?"),
    "f": re.compile(r"frau|fr\.?"),
}
_NOUN = re.compile(r"Patient(?:in|en)?\b")
_MALE = frozenset({"der", "den", "dem", "des", "ein", "einen", "einem", "eines", "unser"})
_FEMALE = frozenset({"die", "der", "eine", "einer", "unsere", "unserer"})


class SexAgreement:
    """Finds a Herr before a woman's name, and a Patientin who is a man."""

    name = "sex"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each disagreement."""
        sex = evidence.patient.get("sex")
        if sex not in _HONORIFIC:
            return
        for span in evidence.document.spans:
            person = evidence.patient if span.slot == "patient" else evidence.people.get(span.slot)
            for part in span.components:
                if part.kind != "honorific" or not person:
                    continue
                word = evidence.document.surface(part)
                if not _HONORIFIC[person["sex"]].fullmatch(word.strip().casefold()):
                    yield evidence.fault(self.name, f"Expected the honorific of sex "
                                         f"{person['sex']}, found {word!r}.", at=span)  # fmt: skip
        text = evidence.document.text
        at = text.find("Patient")
        while at >= 0:
            noun = _NOUN.match(text, at)
            word = text[:at].rstrip().rpartition(" ")[2].rpartition("\n")[2].casefold()
            if noun and text[at - 1 : at] == " " and _contradicts(sex, word, noun.group()):
                found = f"Expected the patient to be {sex}, found {word} {noun.group()!r}."
                yield evidence.fault(self.name, found, at=noun.span())
            at = text.find("Patient", at + 1)


def _contradicts(sex: str, article: str, noun: str) -> bool:
    """Returns whether article and noun speak of one patient of the other sex."""
    if sex == "m":
        return noun == "Patientin" and article in _FEMALE
    # "der Patienten" and "den Patienten" may be plurals.
    plural = noun == "Patienten" and article in {"der", "den"}
    return noun in {"Patient", "Patienten"} and article in _MALE and not plural
