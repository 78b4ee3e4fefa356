"""The run journey: a corpus → what a detector finds → labels on the text, or the text without."""

from __future__ import annotations

import collections
import dataclasses
import functools
import json
import re
import secrets
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError
from mustermann.core.files import new_directory, refuse_existing
from mustermann.core.manifest import Manifest
from mustermann.core.parallel import executor
from mustermann.core.progress import track
from mustermann.detectors.prediction import Prediction, disjoint, predict
from mustermann.detectors.redaction import MODES, Redacted, redact
from mustermann.detectors.registry import load_detector
from mustermann.detectors.surrogates.surrogate import Surrogates
from mustermann.documents.coarse import coarse_class
from mustermann.documents.corpus import load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.formats.format import load_format
from mustermann.documents.labels import LABELS
from mustermann.documents.spans import Span
from mustermann.german.transliteration import fold

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mustermann.documents.detector import Detector

KEEP = "keep"
SURROGATE = "surrogate"
OFFSETS = "offsets.jsonl"
"""File that leads from old offsets to new ones where the format has no place for them."""
_MODES = (KEEP, *MODES, SURROGATE)
_SEED_BITS = 63


@dataclasses.dataclass(frozen=True, slots=True)
class Deidentified:
    """What a run found.

    Attributes:
      documents: How many were read.
      failed: Ids of documents on which the detector raised; they are left out of the output.
      spans: Found spans by label.
      faults: Broken contracts by kind.
      renamed: Documents whose id gave away what was taken out of their text.
      losses: What the output's format has no place for, by kind.
    """

    documents: int
    failed: tuple[str, ...]
    spans: dict[str, int]
    faults: dict[str, int]
    renamed: int = 0
    losses: dict[str, int] = dataclasses.field(default_factory=dict)

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
    detector: str, path: Path, out: Path, *, mode: str = KEEP, workers: int = 1,
    to: str = "", keep_ids: bool = False, seed: int | None = None,
) -> Deidentified:  # fmt: skip
    """Writes what a detector makes of the corpus at `path` and returns the counts.

    Nothing of the input but ids and texts goes into the output: its labels and attributes
    would undo what was taken out. A document on which the detector raised is not written,
    since nothing in it has been protected.

    Args:
      detector: As on the command line.
      path: A corpus in any known format.
      out: A new directory.
      mode: "keep" labels the text, "mask" blackens, "label" writes the label instead,
        "surrogate" an invented value, the same one for the same patient.
      workers: Processes.
      to: The output's format, "" for that of the input.
      keep_ids: Whether a document keeps an id that holds a name or number found in it.
      seed: Of the surrogates, None draws one that nobody knows. Whoever knows it can undo
        the shift of the dates.

    Raises:
      ConfigError: `mode` is unknown or `out` exists.
      DataError: There is no corpus at `path`.
      PluginError: The detector or the format can't be loaded.
    """
    if mode not in _MODES:
        raise ConfigError(f"Expected --mode {'|'.join(_MODES)}, got {mode!r}.")
    refuse_existing(out)
    loaded = load_detector(detector)
    corpus = load_corpus(path)
    # By default the shift of the dates must not be guessed, so it is no named stream's.
    hidden = secrets.randbits(_SEED_BITS) if seed is None else seed
    run = _Run(mode, Surrogates(hidden), keep_ids=keep_ids or mode == KEEP)
    written = run.written(track(executor(workers).map(Finder(detector), corpus), detector))
    if (to or corpus.format) != "jsonl":
        losses = _export(written, out, to or corpus.format)
        return dataclasses.replace(run.result(), losses=losses)
    labels = "mustermann" if loaded.labels <= set(LABELS) else "coarse"
    manifest = Manifest(
        kind="corpus", config={"detector": loaded.signature, "mode": mode}, config_digest="",
        more={"labels": labels},
    )  # fmt: skip
    write_corpus(written, out, manifest=manifest)
    return run.result()


def _export(documents: Iterator[Document], out: Path, to: str) -> dict[str, int]:
    """Writes documents in a format, the offsets beside them, and returns what it can't hold."""
    target = load_format(to)
    offsets: list[str] = []

    def passed() -> Iterator[Document]:
        for document in documents:
            if "offsets" in document.meta:
                record = {"id": document.id, "offsets": document.meta["offsets"]}
                offsets.append(json.dumps(record, ensure_ascii=False) + "\n")
            yield dataclasses.replace(document, meta={})

    with new_directory(out) as directory:
        losses = target.write(passed(), directory)
        if offsets:
            (directory / OFFSETS).write_text("".join(offsets), encoding="utf-8")
    return dict(sorted(losses.items()))


@functools.cache
def _loaded(spec: str) -> Detector:
    """Loads a detector once a process."""
    return load_detector(spec)


class _Run:
    """Counts while it turns predictions into documents."""

    def __init__(self, mode: str, surrogates: Surrogates, *, keep_ids: bool) -> None:
        self._mode, self._surrogates, self._keep_ids = mode, surrogates, keep_ids
        self._documents = self._renamed = 0
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
        failed = tuple(self._failed)
        return Deidentified(self._documents, failed, spans, faults, self._renamed)

    def _changed(self, document: Document, found: tuple[Span, ...]) -> Document:
        if self._mode == KEEP:
            return Document(document.id, document.text, found)
        redacted = self._redacted(document, found)
        spans = tuple(
            Span(p.new_start, p.new_end, p.label)
            for p in redacted.replacements
            if p.new_start < p.new_end
        )
        offsets = [[p.start, p.end, p.new_start, p.new_end] for p in redacted.replacements]
        name = self._name(document, found)
        return Document(name, redacted.text, spans, meta={"offsets": offsets})

    def _redacted(self, document: Document, found: tuple[Span, ...]) -> Redacted:
        if self._mode != SURROGATE:
            return redact(document.text, found, MODES[self._mode])
        patient = document.meta.get("patient")
        known = patient if isinstance(patient, str) and patient else document.id
        return self._surrogates.redact(document.text, found, patient=known)

    def _name(self, document: Document, found: tuple[Span, ...]) -> str:
        """Returns the document's id, or another one where it holds what was taken out."""
        if self._keep_ids or not _gives_away(document, found):
            return document.id
        self._renamed += 1
        return f"document-{self._documents:05d}"


def _gives_away(document: Document, found: tuple[Span, ...]) -> bool:
    """Returns whether a document's id holds a name, number or date that was found in it."""
    words = set(_WORD.findall(fold(document.id).lower()))
    joined = "".join(sorted(words, key=fold(document.id).lower().index))
    for span in found:
        if coarse_class(span.label) not in _TELLING:
            continue
        value = fold(document.surface(span)).lower()
        pieces = _WORD.findall(value)
        if any(len(piece) > 2 and piece in words for piece in pieces):
            return True
        whole = "".join(pieces)
        if len(whole) > 4 and whole in joined:
            return True
    return False


_WORD = re.compile(r"[a-z]+|\d+")
_TELLING = frozenset({"NAME", "ID", "CONTACT", "DATE"})
