"""The run journey: a corpus → what a detector finds → labels on the text, or the text without."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError
from mustermann.core.manifest import Manifest
from mustermann.core.progress import track
from mustermann.detectors.prediction import Prediction, disjoint, predict
from mustermann.detectors.redaction import MODES, redact
from mustermann.detectors.registry import load_detector
from mustermann.documents.corpus import load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.labels import LABELS
from mustermann.documents.spans import Span
from mustermann.journeys.benchmark import executor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mustermann.documents.detector import Detector

KEEP = "keep"


@dataclasses.dataclass(frozen=True, slots=True)
class Deidentified:
    """What a run found.

    Attributes:
      documents: How many were read.
      failed: Ids of documents on which the detector raised; they are left out of the output.
      spans: Found spans by label.
      faults: Broken contracts by kind.
    """

    documents: int
    failed: tuple[str, ...]
    spans: dict[str, int]
    faults: dict[str, int]

    def to_record(self) -> dict[str, Any]:
        """Returns the counts as JSON values."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Finder:
    """Applies a detector to texts; goes to worker processes as it is.

    Attributes:
      detector: As on the command line.
    """

    detector: str

    def __call__(self, document: Document) -> tuple[Document, Prediction]:
        """Returns the document with what was found in it."""
        return document, predict(_loaded(self.detector), document.text)


def deidentify(
    detector: str, path: Path, out: Path, *, mode: str = KEEP, workers: int = 1
) -> Deidentified:
    """Writes what a detector makes of the corpus at `path` and returns the counts.

    Nothing of the input but ids and texts goes into the output: its labels and attributes
    would undo what was taken out. A document on which the detector raised is not written,
    since nothing in it has been protected.

    Args:
      detector: As on the command line.
      path: A corpus directory or a `.jsonl` file.
      out: A new directory.
      mode: "keep" labels the text, "mask" blackens, "label" writes the label instead.
      workers: Processes.

    Raises:
      ConfigError: `mode` is unknown or `out` exists.
      DataError: There is no corpus at `path`.
      PluginError: The detector can't be loaded.
    """
    if mode != KEEP and mode not in MODES:
        raise ConfigError(f"Expected --mode {'|'.join((KEEP, *MODES))}, got {mode!r}.")
    loaded = load_detector(detector)
    corpus = load_corpus(path)
    run = _Run(mode)
    results = executor(workers).map(Finder(detector), corpus)
    labels = "mustermann" if loaded.labels <= set(LABELS) else "coarse"
    manifest = Manifest(
        kind="corpus", config={"detector": loaded.signature, "mode": mode}, config_digest="",
        more={"labels": labels},
    )  # fmt: skip
    write_corpus(run.written(track(results, detector)), out, manifest=manifest)
    return run.result()


@functools.cache
def _loaded(spec: str) -> Detector:
    """Loads a detector once a process."""
    return load_detector(spec)


class _Run:
    """Counts while it turns predictions into documents."""

    def __init__(self, mode: str) -> None:
        self._mode = mode
        self._documents = 0
        self._failed: list[str] = []
        self._spans: collections.Counter[str] = collections.Counter()
        self._faults: collections.Counter[str] = collections.Counter()

    def written(self, results: Iterator[tuple[Document, Prediction]]) -> Iterator[Document]:
        """Yields the documents of the output."""
        for document, prediction in results:
            self._documents += 1
            self._faults.update(prediction.faults)
            if prediction.failure:
                self._failed.append(document.id)
                continue
            found = disjoint(prediction.spans)
            self._spans.update(span.label for span in found)
            yield self._changed(document, found)

    def result(self) -> Deidentified:
        """Returns the counts so far."""
        spans, faults = dict(sorted(self._spans.items())), dict(sorted(self._faults.items()))
        return Deidentified(self._documents, tuple(self._failed), spans, faults)

    def _changed(self, document: Document, found: tuple[Span, ...]) -> Document:
        if self._mode == KEEP:
            return Document(document.id, document.text, found)
        redacted = redact(document.text, found, MODES[self._mode])
        spans = tuple(Span(p.new_start, p.new_end, p.label) for p in redacted.replacements)
        offsets = [[p.start, p.end, p.new_start, p.new_end] for p in redacted.replacements]
        return Document(document.id, redacted.text, spans, meta={"offsets": offsets})
