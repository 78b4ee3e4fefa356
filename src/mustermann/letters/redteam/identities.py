"""Who and what turns up in more than one letter: names, birthdays, numbers."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import TYPE_CHECKING

from mustermann.documents.labels import LABELS
from mustermann.letters.verify.evidence import Evidence, canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.documents.document import Document

_SHARED = frozenset({"LANR", "BSNR", "IK_NR", "EFN"})
"""Numbers of physicians, practices and houses, which several patients may share."""


@dataclasses.dataclass(frozen=True, slots=True)
class Repeated:
    """A value that several letters have.

    Attributes:
      kind: "patient" for name and birthday, "name" for the name alone, else the label.
      value: As a reader compares it: letters and digits, case folded.
      letters: Ids.
    """

    kind: str
    value: str
    letters: tuple[str, ...]


class Identities:
    """Takes letters one by one and finds what repeats."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._letters = 0

    def add(self, document: Document) -> None:
        """Takes a letter: its patient from the record, numbers from the labelled text."""
        self._letters += 1
        evidence = Evidence(document)
        keys = set(_patient(evidence))
        for span in document.spans:
            label = LABELS.get(span.label)
            if label is not None and label.group == "ID" and span.label not in _SHARED:
                keys.add((span.label, canonical(document.surface(span))))
        for key in keys:
            self._seen[key].append(document.id)

    def repeated(self) -> list[Repeated]:
        """Returns what stands in more than one letter, by kind, the most frequent first."""
        found = [
            Repeated(kind, value, tuple(letters))
            for (kind, value), letters in self._seen.items()
            if len(letters) > 1 and value
        ]
        return sorted(found, key=lambda one: (one.kind, -len(one.letters), one.value))

    def counts(self) -> Mapping[str, int]:
        """Returns how many values of each kind repeat; 0 for kinds that do not."""
        kinds = dict.fromkeys(sorted({kind for kind, _ in self._seen}), 0)
        for one in self.repeated():
            kinds[one.kind] += 1
        return kinds


def _patient(evidence: Evidence) -> list[tuple[str, str]]:
    patient = evidence.patient
    if not patient:
        return []
    name = canonical("".join([*patient.get("given", ()), patient.get("family", "")]))
    birth = evidence.dates.get("geburtsdatum")
    keys = [("name", name)]
    return [*keys, ("patient", f"{name}{birth.isoformat()}")] if birth else keys
