"""What a detector says of one text, made safe to count: nothing it does stops a run.

A detector may raise, return spans outside the text, twice, overlapping, in any order, or
things that are no spans. Each is counted by kind; what can be used is used.
"""

from __future__ import annotations

import bisect
import collections
import dataclasses
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mustermann.documents.coarse import CLASSES
from mustermann.documents.labels import LABELS
from mustermann.documents.spans import Component, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mustermann.documents.detector import Detector


@runtime_checkable
class Rewriter(Protocol):
    """A detector that also gives back the whole text without PHI."""

    def rewrite(self, text: str) -> str:
        """Returns the text as the tool hands it out."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Prediction:
    """What a detector found in one text.

    Attributes:
      spans: Inside the text, sorted, each once; they may overlap.
      faults: How often it broke the contract, by kind.
      failure: What it raised, "" if nothing; there are no spans then.
      rewritten: The text that a rewriting tool gave back, None for all others.
    """

    spans: tuple[Span, ...] = ()
    faults: Mapping[str, int] = dataclasses.field(default_factory=dict)
    failure: str = ""
    rewritten: str | None = None

    def to_record(self) -> dict[str, Any]:
        """Returns the prediction as JSON values."""
        record: dict[str, Any] = {"spans": [_plain(span) for span in self.spans]}
        if self.faults:
            record["faults"] = dict(self.faults)
        if self.rewritten is not None:
            record["rewritten"] = self.rewritten
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Prediction:
        """Returns the prediction of a record that `to_record` made."""
        return cls(
            spans=tuple(
                Span(start, end, label, components=tuple(Component(*part) for part in parts))
                for start, end, label, parts in record["spans"]
            ),
            faults=record.get("faults", {}),
            rewritten=record.get("rewritten"),
        )


def predict(detector: Detector, text: str) -> Prediction:
    """Returns what `detector` finds in `text`; an exception becomes a failure in words."""
    try:
        found = list(detector.detect(text))
        rewritten = detector.rewrite(text) if isinstance(detector, Rewriter) else None
    except Exception as error:
        message = " ".join(str(error).split())
        return Prediction(failure=f"{type(error).__name__}: {message}"[:300])
    cleaned = clean(found, length=len(text))
    return Prediction(cleaned.spans, cleaned.faults, rewritten=rewritten)


@dataclasses.dataclass(frozen=True, slots=True)
class Cleaned:
    """Spans that fit a text, and what was wrong with those that came.

    Attributes:
      spans: Inside the text, sorted, each once.
      faults: Counts by kind: "unreadable", "outside", "unknown_label", "duplicate",
        "unsorted", "overlapping".
    """

    spans: tuple[Span, ...]
    faults: Mapping[str, int]


def clean(found: Iterable[object], *, length: int) -> Cleaned:
    """Returns the spans that fit a text of `length` characters, and what was wrong.

    A span that sticks out at the end is cut; one wholly outside is left out. Overlapping
    spans stay: what is covered is covered.
    """
    faults: collections.Counter[str] = collections.Counter()
    spans: list[Span] = []
    for item in found:
        if not isinstance(item, Span) or not isinstance(item.start, int):
            faults["unreadable"] += 1
            continue
        if item.end > length:
            faults["outside"] += 1
            if item.start >= length:
                continue
            item = Span(item.start, length, item.label)
        if item.label not in LABELS and item.label not in CLASSES:
            faults["unknown_label"] += 1
        spans.append(item)
    once = list(dict.fromkeys(spans))
    ordered = sorted(once, key=lambda span: (span.start, span.end, span.label))
    faults["duplicate"] = len(spans) - len(once)
    faults["unsorted"] = int(ordered != once)
    reach = 0
    for span in ordered:
        faults["overlapping"] += span.start < reach
        reach = max(reach, span.end)
    return Cleaned(tuple(ordered), {kind: n for kind, n in sorted(faults.items()) if n})


def disjoint(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Returns spans without overlap: the longer one stays whole, of the other what sticks out.

    No character that was covered is uncovered.
    """
    taken: list[Span] = []  # disjoint and sorted at any time
    for span in sorted(spans, key=lambda item: (-len(item), item.start)):
        at = bisect.bisect_right(taken, span.start, key=attrgetter("end"))
        start, pieces = span.start, []
        while start < span.end and at < len(taken) and taken[at].start < span.end:
            if start < taken[at].start:
                pieces.append((start, taken[at].start))
            start = taken[at].end
            at += 1
        if start < span.end:
            pieces.append((start, span.end))
        for left, right in pieces:
            whole = (left, right) == (span.start, span.end)
            bisect.insort(taken, span if whole else Span(left, right, span.label))
    return tuple(taken)


def _plain(span: Span) -> list[Any]:
    parts = [[part.start, part.end, part.kind] for part in span.components]
    return [span.start, span.end, span.label, parts]
