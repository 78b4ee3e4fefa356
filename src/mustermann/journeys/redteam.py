"""The red-team journey: attack a whole corpus, and list what a person should look at."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any

from mustermann.core.parallel import executor
from mustermann.core.progress import track
from mustermann.detectors.prediction import disjoint, predict
from mustermann.detectors.registry import load_detector
from mustermann.documents.corpus import load_corpus
from mustermann.letters.redteam.balance import Balance, LabelCount, Validity
from mustermann.letters.redteam.identities import Identities, Repeated
from mustermann.letters.redteam.near_duplicates import NearDuplicates, Pair
from mustermann.report import build
from mustermann.report.redteam import redteam_sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mustermann.documents.detector import Detector
    from mustermann.documents.document import Document

CONTEXT = 40
"""Characters shown on each side of a find."""
_SHOWN = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Find:
    """What detectors hold for PHI and no label touches; a leak, or a false alarm.

    Attributes:
      text: The found text.
      label: As the first detector calls it.
      detectors: Who found it, anywhere in the corpus.
      count: In how many places.
      letter: Id of the first letter.
      start: Offset there, in characters.
      context: The text around it there.
    """

    text: str
    label: str
    detectors: tuple[str, ...]
    count: int
    letter: str
    start: int
    context: str


@dataclasses.dataclass(frozen=True, slots=True)
class RedTeam:
    """What the attack on a corpus found.

    Attributes:
      letters: How many were read.
      duplicates: Pairs of letters that are nearly the same, names aside.
      repeated: Patients, names and numbers in more than one letter.
      repeats: How many values repeat, by kind.
      labels: Every label, with how often it stands.
      validity: Identifiers that pass their check digits.
      finds: Unlabelled finds of the detectors; those of several detectors first.
      failed: Letters on which a detector raised, by detector.
    """

    letters: int
    duplicates: tuple[Pair, ...]
    repeated: tuple[Repeated, ...]
    repeats: Mapping[str, int]
    labels: tuple[LabelCount, ...]
    validity: tuple[Validity, ...]
    finds: tuple[Find, ...]
    failed: Mapping[str, int]

    def to_record(self) -> dict[str, Any]:
        """Returns everything as JSON values."""
        return dataclasses.asdict(self)

    def lines(self) -> Iterator[str]:
        """Yields what a person should look at, in lines."""
        yield f"{self.letters} letters, {len(self.duplicates)} pairs nearly the same"
        for pair in self.duplicates[:_SHOWN]:
            yield f"  {pair.first} and {pair.second}: {pair.similarity:.2f} of their shingles"
        repeats = ", ".join(f"{count} {kind}" for kind, count in self.repeats.items() if count)
        yield f"in more than one letter: {repeats or 'nothing'}"
        absent = [count.label for count in self.labels if not count.spans]
        yield f"labels that never occur: {', '.join(absent) or 'none'}"
        for found in self.validity:
            yield (f"{found.label}: {found.valid} of {found.spans} valid, "
                   f"{found.declared_broken} wrong on purpose")  # fmt: skip
        yield f"{len(self.finds)} unlabelled finds of the detectors, to be looked at"
        for find in self.finds[:_SHOWN]:
            by = ", ".join(find.detectors)
            yield f"  {find.label} {find.text!r}, {find.count} places, {by}: {find.context}"
        for name, count in self.failed.items():
            yield f"{name} failed on {count} letters"


def attack(path: Path, *, detectors: Sequence[str] = ("rules",), workers: int = 1) -> RedTeam:
    """Returns what near-duplicates, repeats, counts and detectors say of the corpus at `path`.

    Args:
      path: A corpus in any known format.
      detectors: As on the command line; () leaves them out.
      workers: Processes for the detectors.

    Raises:
      DataError: There is no corpus.
      PluginError: A detector can't be loaded.
    """
    for name in detectors:
        load_detector(name)
    duplicates, identities, balance = NearDuplicates(), Identities(), Balance()
    finds, letters = _Finds(), 0
    search = partial(_search, tuple(detectors))
    for document, found in track(executor(workers).map(search, load_corpus(path)), "red team"):
        letters += 1
        for reader in (duplicates, identities, balance):
            reader.add(document)
        finds.add(document, found)
    return RedTeam(
        letters=letters, duplicates=tuple(duplicates.pairs()),
        repeated=tuple(identities.repeated()), repeats=dict(identities.counts()),
        labels=tuple(balance.labels()), validity=tuple(balance.validity()),
        finds=finds.ranked(), failed=dict(finds.failed),
    )  # fmt: skip


def write_report(result: RedTeam, path: Path, *, name: str) -> None:
    """Writes what was found as one HTML file.

    Raises:
      ConfigError: `path` can't be written to.
    """
    lead = (
        f"{result.letters} letters of {name} under attack. A find is text that a detector holds "
        "for identifying and that no label touches: a leak, or the detector's false alarm."
    )
    build.write_report(path, title="Red team", lead=lead, sections=redteam_sections(result))


_LOADED: dict[str, Detector] = {}


def _search(
    detectors: Sequence[str], document: Document
) -> tuple[Document, list[tuple[str, int, int, str]]]:
    """Returns a letter with the finds that no label touches, as detector, start, end, label.

    A detector that raised has one find at -1.
    """
    found: list[tuple[str, int, int, str]] = []
    for name in detectors:
        if name not in _LOADED:
            _LOADED[name] = load_detector(name)
        prediction = predict(_LOADED[name], document.text)
        if prediction.failure:
            found.append((name, -1, -1, prediction.failure))
        found += [
            (name, span.start, span.end, span.label)
            for span in disjoint(prediction.spans)
            if not any(s.start < span.end and span.start < s.end for s in document.spans)
        ]
    return document, found


class _Finds:
    """Gathers finds by their text."""

    def __init__(self) -> None:
        self.failed: dict[str, int] = defaultdict(int)
        self._places: dict[str, set[tuple[str, int]]] = defaultdict(set)
        self._by: dict[str, set[str]] = defaultdict(set)
        self._first: dict[str, Find] = {}

    def add(self, document: Document, found: Iterable[tuple[str, int, int, str]]) -> None:
        for name, start, end, label in found:
            if start < 0:
                self.failed[name] += 1
                continue
            text = document.text[start:end]
            self._places[text].add((document.id, start))
            self._by[text].add(name)
            around = document.text[max(0, start - CONTEXT) : end + CONTEXT]
            find = Find(text, label, (), 0, document.id, start, " ".join(around.split()))
            self._first.setdefault(text, find)

    def ranked(self) -> tuple[Find, ...]:
        """Returns the finds, those of most detectors first, then the most frequent."""
        finds = [
            dataclasses.replace(
                find, detectors=tuple(sorted(self._by[text])), count=len(self._places[text])
            )
            for text, find in self._first.items()
        ]
        return tuple(sorted(finds, key=lambda f: (-len(f.detectors), -f.count, f.text)))
