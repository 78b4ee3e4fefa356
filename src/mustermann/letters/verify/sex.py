"""Honorifics and the word for the patient follow the patient's sex."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault

_HONORIFIC = {
    "m": re.compile(r"herrn?|hr(n)?\.?"),
    "f": re.compile(r"frau|fr\.?"),
}
_WRONG = {
    "m": re.compile(r"\b(?:[Dd]ie|[Dd]er|[Uu]nsere|[Ee]ine|jährige|jährigen) Patientin\b"),
    "f": re.compile(
        r"\b(?:[Dd]er|[Dd]en|[Dd]em|[Dd]es|[Ee]inen?|jährige[rn]?) Patient(?:en)?\b(?!in)"
    ),
}


class SexAgreement:
    """Finds a Herr before a woman's name, and a Patientin who is a man."""

    name = "sex"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each disagreement."""
        sex = evidence.patient.get("sex")
        if sex not in _WRONG:
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
        for match in _WRONG[sex].finditer(evidence.document.text):
            # "der Patientin" is a woman's dative and "der Patienten" a plural.
            if not (sex == "f" and match.group().casefold() in _PLURALS):
                yield evidence.fault(self.name, f"Expected the patient to be {sex}, found "
                                     f"{match.group()!r}.", at=match.span())  # fmt: skip


_PLURALS = {"der patienten", "den patienten"}
