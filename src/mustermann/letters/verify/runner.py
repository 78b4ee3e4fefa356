"""Runs every check over a letter or a corpus and counts what they find."""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from mustermann.core import plugins
from mustermann.core.errors import DataError
from mustermann.documents.document import Document
from mustermann.letters.verify.evidence import Evidence
from mustermann.letters.verify.fault import Check, Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

SPANS = "spans"
"""Counts the records whose spans break the rules of `Document`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """What the checks found in a corpus.

    Attributes:
      letters: How many records were read.
      faults: Number of faults by check; a check that found nothing is there with 0.
      first: The first faults, at most `keep`, to be shown.
      severities: Number of faults by severity.
    """

    letters: int
    faults: dict[str, int]
    first: tuple[Fault, ...]
    severities: dict[Severity, int] = dataclasses.field(default_factory=dict)

    @property
    def total(self) -> int:
        """Returns the number of faults."""
        return sum(self.faults.values())


@cache
def checks() -> tuple[Check, ...]:
    """Returns every installed check, in the order of their names."""
    group = plugins.names("mustermann.checks")
    return tuple(plugins.load("mustermann.checks", name)() for name in group)  # type: ignore[operator]


def verify_letter(document: Document) -> list[Fault]:
    """Returns everything that is wrong with one letter."""
    evidence = Evidence(document)
    return [
        dataclasses.replace(fault, severity=check.severity)
        for check in checks() for fault in check.faults(evidence)
    ]  # fmt: skip


def verify_record(record: Mapping[str, Any]) -> list[Fault]:
    """Returns everything that is wrong with one record, even if it is no valid document."""
    try:
        document = Document.from_record(record)
    except DataError as error:
        return [Fault(SPANS, str(record.get("id", "")), 0, 0, str(error))]
    return verify_letter(document)


def verify_corpus(records: Iterable[Mapping[str, Any]], *, keep: int = 100) -> Verification:
    """Returns what the checks find in `records`, which are read one at a time."""
    counts = Counter({check.name: 0 for check in checks()} | {SPANS: 0})
    severities: dict[Severity, int] = {"error": 0, "warning": 0}
    first: list[Fault] = []
    letters = 0
    for record in records:
        letters += 1
        found = verify_record(record)
        counts.update(fault.check for fault in found)
        for fault in found:
            severities[fault.severity] += 1
        first += found[: keep - len(first)]
    return Verification(letters, dict(counts), tuple(first), severities)
