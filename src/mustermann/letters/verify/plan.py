"""The letter says how it goes on: an appointment, the end of what is limited, why a drug pauses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_LATER = re.compile(
    r"\b(?:in|nach|binnen|innerhalb|alle|für|über|vor|ab)\b[^.\n]{0,40}?"
    r"(?:Tag|Woche|Wo\.|Monat|Jahr|Stunde|Quartal)|wöchentlich|monatlich|jährlich|Termin",
)
_LIMITED = ("J01", "J05")
_STOPPED = frozenset({"pausiert", "abgesetzt"})
_END = re.compile(
    r"\bbis\b|\bEnde\b|\b[Tt]age?n?\b|\bWo(?:\.|che)|\bMonat|einmalig|\bd\b|letzte|endet"
)
_ENDLESS = re.compile(r"[Pp]rophyla|[Dd]auer|Rezidiv|lebenslang|Suppress")
_WORD = re.compile(r"[^\W\d]{3,}")


class Plan:
    """Finds no next step, an antibiotic without an end, and a pause without a reason."""

    name = "plan"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields what the plan lacks; a letter without a course makes no claim."""
        if not evidence.diagnoses:
            return
        if not self._has_next_step(evidence):
            yield evidence.fault(self.name, "Expected an appointment or interval after discharge, "
                                 "found none.")  # fmt: skip
        for drug in evidence.course.get("medication") or ():
            said = _said_of(evidence, drug["substance"])
            if not said:
                continue
            status, words = drug["status"], " ".join((drug["scheme"], *said))
            limited = status == "neu" and drug["atc"].startswith(_LIMITED)
            if limited and not _END.search(words) and not _ENDLESS.search(words):
                yield evidence.fault(self.name, f"Expected an end of {drug['substance']}, found "
                                     f"{words!r}.")  # fmt: skip
            if status in _STOPPED and not any(map(_WORD.search, said)):
                yield evidence.fault(self.name, f"Expected a reason why {drug['substance']} is "
                                     f"{status}, found none.")  # fmt: skip

    def _has_next_step(self, evidence: Evidence) -> bool:
        discharge = evidence.dates.get("entlassung")
        for span in evidence.document.spans:
            day = evidence.dates.get(span.slot)
            if discharge and day and day > discharge and span.label == "DATE_EVENT":
                return True
        return bool(_LATER.search(evidence.document.text))


def _said_of(evidence: Evidence, substance: str) -> list[str]:
    """Returns what stands behind each mention of a drug, up to the end of the line."""
    text = evidence.document.text
    found = []
    for span in evidence.document.clinical:
        if span.label == "MEDICATION" and span.details.get("substance") == substance:
            end = text.find("\n", span.end)
            found.append(text[span.end : end if end >= 0 else len(text)][:200])
    return found
