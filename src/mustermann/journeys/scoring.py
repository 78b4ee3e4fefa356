"""One document of a benchmark: detect or take from the cache, project, match, count."""

from __future__ import annotations

import dataclasses
import functools
import time
from typing import TYPE_CHECKING

from mustermann.detectors.prediction import Prediction, predict
from mustermann.detectors.registry import load_detector
from mustermann.documents.labels import DECOYS
from mustermann.metrics.detection import Counts, LabelCounts, Reading, count, count_labels
from mustermann.metrics.projection import projection
from mustermann.metrics.results import Miss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.documents.detector import Detector
    from mustermann.documents.document import Document

_AROUND = 40


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A document and what a detector is known to find in it.

    Attributes:
      document: With its gold spans.
      known: An earlier prediction, None if the detector must look.
    """

    document: Document
    known: Prediction | None


@dataclasses.dataclass(frozen=True, slots=True)
class Scored:
    """What came of one document.

    Attributes:
      document: Its id.
      prediction: What the detector found.
      counts: Of the document.
      by_label: Of the document, after projection.
      misses: Gold spans that leaked, at least in part.
      groups: Difficulty, style and modes of the document.
      seconds: Spent in the detector.
    """

    document: str
    prediction: Prediction
    counts: Counts
    by_label: Mapping[str, LabelCounts]
    misses: tuple[Miss, ...]
    groups: Mapping[str, tuple[str, ...]]
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class Scorer:
    """Scores documents with one detector; goes to worker processes as it is.

    Attributes:
      detector: As on the command line.
      labels: The label set of the corpus.
    """

    detector: str
    labels: str

    def __call__(self, case: Case) -> Scored:
        """Returns what the detector makes of one document."""
        detector = _loaded(self.detector)
        document, begun = case.document, time.perf_counter()
        prediction = case.known or predict(detector, document.text)
        seconds = 0.0 if case.known else time.perf_counter() - begun
        compared = projection(self.labels, detector.labels)
        claimed = compared.claims(detector.labels)
        reading = Reading(
            text=document.text,
            gold=document.spans,
            predicted=prediction.spans,
            gold_policy=compared.gold(document),
            predicted_policy=compared.predicted(document.text, prediction.spans),
            rewritten=prediction.rewritten,
        )
        return Scored(
            document=document.id,
            prediction=prediction,
            counts=count(reading, claimed=claimed.__contains__),
            by_label=count_labels(reading),
            misses=tuple(_misses(document, prediction)),
            groups=_groups(document),
            seconds=seconds,
        )


@functools.cache
def _loaded(spec: str) -> Detector:
    """Loads a detector once a process."""
    return load_detector(spec)


def _misses(document: Document, prediction: Prediction) -> list[Miss]:
    covered = bytearray(len(document.text))
    for span in prediction.spans:
        covered[span.start : span.end] = b"\x01" * len(span)
    misses = []
    for span in document.spans:
        stretch = covered[span.start : span.end]
        shown = (
            character
            for character, hidden in zip(document.surface(span), stretch, strict=True)
            if not hidden
        )
        if span.label in DECOYS or all(map(str.isspace, shown)):
            continue
        before = document.text[max(0, span.start - _AROUND) : span.start]
        after = document.text[span.end : span.end + _AROUND]
        misses.append(
            Miss(
                document.id,
                span.start,
                span.label,
                document.surface(span),
                before,
                after,
                any(stretch),
            )
        )
    return misses


def _groups(document: Document) -> dict[str, tuple[str, ...]]:
    """Returns the groups that a document belongs to, by kind of group."""
    meta = document.meta
    groups: dict[str, tuple[str, ...]] = {}
    for kind in ("difficulty", "style"):
        if isinstance(meta.get(kind), str):
            groups[kind] = (meta[kind],)
    modes = meta.get("modes")
    if isinstance(modes, (list, tuple)):
        groups["mode"] = tuple(str(mode) for mode in modes)
    return groups
