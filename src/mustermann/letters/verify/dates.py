"""Dates say what their slot holds, and stand in the order of a life and a stay."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mustermann.documents.labels import LABELS
from mustermann.letters.verify.german_dates import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_ORDER = ("geburtsdatum", "aufnahme", "entlassung", "brief")


class Dates:
    """Reads each labelled date with its own parser and compares it with its slot."""

    name = "dates"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each date that is unreadable, wrong, or out of order."""
        for span in evidence.document.spans:
            if span.label not in LABELS or LABELS[span.label].group != "DATE":
                continue
            expected = evidence.dates.get(span.slot)
            if expected is None:
                if evidence.dates:
                    yield evidence.fault(self.name, f"No date is known for {span.slot!r}.", at=span)
                continue
            surface = evidence.surface(span)
            said = read(surface)
            if said is None:
                yield evidence.fault(self.name, f"Expected a date, found {surface!r}.", at=span)
            elif not said.agrees(expected):
                yield evidence.fault(self.name, f"Expected {span.slot} {expected.isoformat()}, "
                                     f"found {surface!r}.", at=span)  # fmt: skip
        yield from self._order(evidence)

    def _order(self, evidence: Evidence) -> Iterator[Fault]:
        known = [(slot, evidence.dates[slot]) for slot in _ORDER if slot in evidence.dates]
        for (early, a), (late, b) in pairwise(known):
            if a > b:
                yield evidence.fault(self.name, f"Expected {early} {a} not after {late} {b}.")
        birth = evidence.dates.get("geburtsdatum")
        for slot, day in evidence.dates.items():
            if birth and day < birth and not slot.endswith("_geburt"):
                yield evidence.fault(self.name, f"Expected {slot} {day} after birth {birth}.")
