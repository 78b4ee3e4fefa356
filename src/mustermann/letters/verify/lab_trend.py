"""Where a clause says that a value fell or rose, the values did."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_TIMES = ("aufnahme", "verlauf", "entlassung")
_CUT = re.compile(r"[.;:!?,–](?:\s|$)|\n|\bund\b|\bbei\b")
_DIRECTION = re.compile(
    r"(?P<fell>rückläufig|Rückgang|gesunken|sank\b|gefallen|\bfiel(?:en)?\b|\bAbfall|abgefallen)"
    r"|(?P<rose>Anstieg|angestiegen|gestiegen|\bstieg|ansteigend)"
)
_STEMS = (
    "ückläufig", "ückgang", "sunken", "sank", "efallen", "fiel", "Abfall", "nstieg", "stiegen",
    "stieg", "nsteigend",
)  # fmt: skip
"""Parts of these words: looking for them first is many times faster than the expression."""
_BEFORE = re.compile(r"\bwar(?:en)?\b|Vorwert|Ausgang|vor ")
"""What rose before admission: the first value is the high one."""
_NOT = re.compile(
    r"\bkein|\bnicht\b|\bohne\b|\berneut|\bweiter|falls|sollte|sofern|Wieder|zunächst"
)


class LabTrend:
    """Judges clauses that name one analyte and one direction."""

    name = "lab_trend"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each clause whose direction no two of the values have."""
        labs = {lab["name"]: lab for lab in (evidence.course.get("labs") or {}).values()}
        if not labs:
            return
        text = evidence.document.text
        spans = [span for span in evidence.document.clinical if span.label == "LAB"]
        for word in _directions(text):
            start, end = _clause(text, word.start(), word.end())
            named = {s.details.get("analyte", "") for s in spans if start <= s.start < end}
            clause = text[start:end]
            fell = word["fell"] is not None
            if len(named) != 1 or _NOT.search(clause) or (not fell and _BEFORE.search(clause)):
                continue
            values = _course(labs.get(named.pop()))
            steps = [b - a for a, b in pairwise(values)]
            if steps and not any(step < 0 if fell else step > 0 for step in steps):
                said = "fell" if fell else "rose"
                yield evidence.fault(self.name, f"Expected values that {said}, found {values}: "
                                     f"{clause.strip()!r}.", at=(start, end))  # fmt: skip


def _directions(text: str) -> Iterator[re.Match[str]]:
    """Yields each word that says a direction, once."""
    seen: set[int] = set()
    for stem in _STEMS:
        at = text.find(stem)
        while at >= 0:
            word = _DIRECTION.search(text, max(0, at - 6), at + 12)
            if word and word.start() not in seen:
                seen.add(word.start())
                yield word
            at = text.find(stem, at + 1)


def _clause(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns where the clause around a word begins and ends."""
    before = [cut.end() for cut in _CUT.finditer(text, max(0, start - 120), start)]
    after = _CUT.search(text, end, end + 120)
    return (before[-1] if before else max(0, start - 120)), (after.start() if after else end + 120)


def _course(lab: Mapping[str, Any] | None) -> list[float]:
    """Returns the values of an analyte in the order of time."""
    values = lab["values"] if lab else {}
    return [values[time] for time in _TIMES if time in values]
