"""What a benchmark of detectors found: scores with signatures, by label, by group, misses."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.metrics.detection import RATIOS, Counts, LabelCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.metrics.mode_costs import ModeCosts
    from mustermann.metrics.signature import Score

PROJECTED = {"span_precision": "labelled_precision", "span_recall": "labelled_recall",
             "span_f1": "labelled_f1"}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Miss:
    """A gold span that some character of leaked, in its context.

    Attributes:
      document: Id of the document.
      start: Where the span begins.
      label: As in the corpus.
      text: The span's text.
      before: Up to 40 characters before it.
      after: Up to 40 characters after it.
      part: Whether a part of it was covered.
    """

    document: str
    start: int
    label: str
    text: str
    before: str
    after: str
    part: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """A document on which a detector raised.

    Attributes:
      document: Its id.
      message: What was raised.
    """

    document: str
    message: str


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """The documents that share a difficulty, a style or a mode.

    Attributes:
      counts: Added up over them.
    """

    counts: Counts

    def record(self) -> dict[str, Any]:
        """Returns the figures of the group's table."""
        names = ("leak_rate", "span_precision", "span_recall", "span_f1", "char_recall",
                 "char_precision", "over_redaction", "over_anonymisation")  # fmt: skip
        record: dict[str, Any] = {name: RATIOS[name].of(self.counts) for name in names}
        record["projected"] = {
            shown: RATIOS[name].of(self.counts) for shown, name in PROJECTED.items()
        }
        return record | {"documents": int(self.counts.documents)}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DetectorResult:
    """How one detector did on a corpus.

    Attributes:
      name: As asked for.
      signature: The detector's own, under which its predictions are cached.
      counts: Added up over all documents; a failed one counts as nothing found.
      scores: Every ratio of `metrics.detection.RATIOS`, with interval and signature.
      failures: Documents on which it raised.
      faults: Broken contracts by kind: spans outside the text, overlapping …
      by_label: Counts by label after projection.
      by_difficulty: Groups of letters; empty for corpora without it.
      by_style: Likewise.
      adversarial: "with" and "without" adversarial letters, where there are any.
      by_mode: Letters with each adversarial mode.
      mode_costs: What modes cost it, None where no letter has one or none is without.
      misses: The worst leaks in their context.
      seconds: Time spent in the detector, over all processes; cached texts take none.
    """

    name: str
    signature: str
    counts: Counts
    scores: Mapping[str, Score]
    failures: tuple[Failure, ...]
    faults: Mapping[str, int]
    by_label: Mapping[str, LabelCounts]
    by_difficulty: Mapping[str, Group]
    by_style: Mapping[str, Group]
    adversarial: Mapping[str, Group]
    by_mode: Mapping[str, Group]
    mode_costs: ModeCosts | None
    misses: tuple[Miss, ...]
    seconds: float

    def record(self) -> dict[str, Any]:
        """Returns the result as JSON values, the contract's keys among them."""
        record: dict[str, Any] = {name: score.value for name, score in self.scores.items()}
        record["projected"] = {shown: self.scores[name].value for shown, name in PROJECTED.items()}
        record["documents"] = int(self.counts.documents)
        record["failed"] = len(self.failures)
        record["faults"] = dict(self.faults)
        record["failures"] = [dataclasses.asdict(failure) for failure in self.failures]
        record["by_label"] = {name: counts.record() for name, counts in self.by_label.items()}
        for name in ("by_difficulty", "by_style", "adversarial", "by_mode"):
            groups: Mapping[str, Group] = getattr(self, name)
            record[name] = {key: group.record() for key, group in groups.items()}
        record["mode_costs"] = self.mode_costs.record() if self.mode_costs else None
        record["boundary_pairs"] = int(self.counts.pairs)
        record["eponyms"] = int(self.counts.eponyms)
        record["decoys"] = int(self.counts.decoys)
        record["intervals"] = {
            name: [score.low, score.high]
            for name, score in self.scores.items()
            if score.low is not None
        }
        record["signatures"] = {name: str(score.signature) for name, score in self.scores.items()}
        record["misses"] = [dataclasses.asdict(miss) for miss in self.misses]
        return record | {"signature": self.signature, "seconds": self.seconds}


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """Left minus right in one score, on the same documents.

    Attributes:
      left: A detector's name.
      right: Another's.
      score: Which.
      value: Of the difference.
      low: Lower end of its paired 95 % interval, None where it is undefined.
      high: Upper end of it.
    """

    left: str
    right: str
    score: str
    value: float
    low: float | None
    high: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResult:
    """How detectors did on one corpus.

    Attributes:
      corpus: Where it lies.
      labels: Its label set.
      documents: How many it has.
      detectors: Results by name, in the order asked for.
      differences: Between every two of them, paired over documents.
    """

    corpus: str
    labels: str
    documents: int
    detectors: Mapping[str, DetectorResult]
    differences: tuple[Difference, ...]

    def to_record(self) -> dict[str, Any]:
        """Returns the result as JSON values."""
        return {
            "corpus": self.corpus,
            "labels": self.labels,
            "documents": self.documents,
            "detectors": {name: result.record() for name, result in self.detectors.items()},
            "differences": [dataclasses.asdict(item) for item in self.differences],
        }
