"""Splits of a corpus on disk, and what two corpora share."""

from __future__ import annotations

import dataclasses
from collections import Counter
from contextlib import ExitStack
from itertools import combinations
from typing import TYPE_CHECKING, Any

from mustermann.core.files import new_directory, read_json, write_json
from mustermann.core.manifest import MANIFEST
from mustermann.documents.corpus import Corpus, CorpusWriter, load_corpus
from mustermann.documents.leakage import THRESHOLD, Leakage
from mustermann.documents.leakage import leakage as find_leakage
from mustermann.documents.splits import Summary, summary
from mustermann.documents.splits import split as assign

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SHARES: Mapping[str, float] = {"train": 0.8, "dev": 0.1, "test": 0.1}
LISTING = "split.json"
_EXAMPLES = 5


@dataclasses.dataclass(frozen=True, slots=True)
class SplitResult:
    """Splits as they were written.

    Attributes:
      documents: How many documents each split holds.
      patients: How many patients there are in all.
      difficulties: Documents by difficulty in each split.
      labels: Spans by label in each split.
      leakage: What each pair of splits shares.
    """

    documents: dict[str, int]
    patients: int
    difficulties: dict[str, dict[str, int]]
    labels: dict[str, dict[str, int]]
    leakage: dict[str, Leakage]

    def to_record(self) -> dict[str, Any]:
        """Returns the result as JSON values."""
        record = {name: getattr(self, name) for name in ("documents", "patients", "difficulties")}
        pairs = {pair: leakage_record(found) for pair, found in self.leakage.items()}
        return record | {"labels": self.labels, "leakage": pairs}


def split(
    source: Path, target: Path, *, shares: Mapping[str, float] = SHARES, seed: int = 0,
    pattern: str = "",
) -> SplitResult:  # fmt: skip
    """Writes the splits of `source` as corpora below `target`, a new directory.

    Patients stay together; labels and difficulties are shared out alike. `split.json` lists the
    documents of each split.

    Args:
      source: A corpus in any format.
      target: Gets one corpus a split, and `split.json`.
      shares: Size of each split; they add up to 1.
      seed: Breaks ties between equal choices.
      pattern: Finds the patient in a document's id, as in `splits.patient`.

    Raises:
      ConfigError: `target` exists, or the shares or the pattern are wrong.
      DataError: `source` is missing or broken, or has fewer patients than there are splits.
    """
    corpus = load_corpus(source)
    summaries = [summary(document, pattern=pattern) for document in corpus]
    places = assign(summaries, shares, seed=seed)
    members: dict[str, list[str]] = {name: [] for name in shares}
    for name_of, place in places.items():
        members[place].append(name_of)
    manifest = corpus.manifest or _manifest(source)
    about = {"seed": seed, "shares": dict(shares), "pattern": pattern, "source": str(source)}
    with new_directory(target) as directory:
        _write(directory, corpus, places, shares)
        for name, found in members.items():
            counts = {"documents": len(found)}
            mine = manifest | {"split": about | {"name": name}, "counts": counts}
            write_json(directory / name / MANIFEST, mine)
        write_json(directory / LISTING, about | {"documents": members})
        pairs = {
            f"{a}-{b}": leakage(directory / a, directory / b, pattern=pattern)
            for a, b in combinations(shares, 2)
        }
    return _result(summaries, places, pairs, shares)


def _write(
    directory: Path, corpus: Corpus, places: Mapping[str, str], shares: Mapping[str, float]
) -> None:
    """Writes each document to the split that `places` says."""
    with ExitStack() as stack:
        writers = {name: stack.enter_context(CorpusWriter(directory / name)) for name in shares}
        for document in corpus:
            writers[places[document.id]].write(document)


def _result(
    summaries: Sequence[Summary], places: Mapping[str, str], pairs: dict[str, Leakage],
    shares: Mapping[str, float],
) -> SplitResult:  # fmt: skip
    strata: dict[str, Counter[str]] = {name: Counter() for name in shares}
    for one in summaries:
        strata[places[one.id]].update(one.strata)
    return SplitResult(
        {name: found["documents"] for name, found in strata.items()},
        len({one.patient for one in summaries}),
        {name: _only(found, "difficulty ") for name, found in strata.items()},
        {name: _only(found, "label ") for name, found in strata.items()},
        pairs,
    )


def leakage(left: Path, right: Path, *, threshold: float = THRESHOLD, pattern: str = "") -> Leakage:
    """Returns what the corpora at two paths share.

    Raises:
      DataError: A corpus is missing or broken.
      ConfigError: The pattern is no regular expression.
    """
    return find_leakage(load_corpus(left), load_corpus(right), threshold=threshold, pattern=pattern)


def leakage_record(found: Leakage) -> dict[str, Any]:
    """Returns what was found as JSON values: counts, and a few examples of each."""
    shared = {
        overlap.label: {
            "kind": overlap.kind, "left": overlap.left, "right": overlap.right,
            "shared": len(overlap.shared), "examples": list(overlap.shared[:_EXAMPLES]),
        }
        for overlap in found.overlaps
    }  # fmt: skip
    return {
        "leaks": found.leaks,
        "documents": list(found.documents),
        "shared_ids": len(found.ids),
        "shared_patients": len(found.patients),
        "shared_numbers": len(found.numbers),
        "twins": [dataclasses.asdict(twin) for twin in found.twins],
        "threshold": found.threshold,
        "nearest": dict(zip(("median", "p90", "max"), found.nearest, strict=True)),
        "values": shared,
    }


def _manifest(source: Path) -> dict[str, Any]:
    """Returns the manifest beside a corpus in a foreign format, {} if there is none."""
    file = source / MANIFEST
    found: dict[str, Any] = read_json(file) if source.is_dir() and file.is_file() else {}
    return found


def _only(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {
        name.removeprefix(prefix): count
        for name, count in sorted(counts.items())
        if name.startswith(prefix) and count
    }
