"""Corpora: into other formats, what one is like, how far it is from another."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import DataError
from mustermann.core.files import new_directory, read_json, refuse_unwritable, write_json
from mustermann.core.manifest import MANIFEST
from mustermann.core.progress import track
from mustermann.documents.corpus import Corpus, load_corpus
from mustermann.documents.formats.format import Conversion, load_format
from mustermann.documents.formats.overlaps import SET_ASIDE
from mustermann.documents.mapping import load_mapping, map_document
from mustermann.metrics.corpus import CorpusStatistics, MeasuredCorpus, measured
from mustermann.metrics.corpus_distance import (
    CorpusDistance,
    DistanceFloor,
    Side,
    corpus_distance,
    distance_floor,
)
from mustermann.metrics.embedding import embedding as load_embedding
from mustermann.metrics.profile import CorpusProfile, corpus_profile
from mustermann.metrics.token_table import Vocabulary
from mustermann.report.build import write_report
from mustermann.report.corpus import corpus_sections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusResult:
    """Figures of a corpus; where another was given, its figures and the distance to it."""

    corpus: MeasuredCorpus
    against: MeasuredCorpus | None = None
    distance: CorpusDistance | None = None
    floor: DistanceFloor | None = None

    @property
    def statistics(self) -> CorpusStatistics:
        """Returns the figures of the corpus itself."""
        return self.corpus.statistics

    def to_record(self) -> dict[str, Any]:
        """Returns the figures as JSON values, those of the corpus and its distance on top."""
        record = self.corpus.to_record()
        if self.distance and self.against:
            distance = dataclasses.asdict(self.distance)
            record |= {name: distance[name] for name in distance if name != "signature"}
            record["distance_signature"] = distance["signature"]
            record["floor"] = dataclasses.asdict(self.floor) if self.floor else None
            record["against"] = self.against.to_record()
        return record


def statistics(
    path: Path, *, against: Path | None = None, size: int | None = None, seed: int = 0,
    embedding: str = "characters", report: Path | None = None,
) -> CorpusResult:  # fmt: skip
    """Returns the figures of the corpus at `path`.

    Args:
      path: A corpus in any format.
      against: Another corpus, measured too, and the distance to it.
      size: Novelty and Self-BLEU also of subsets of this size; with `against` the smaller
        corpus's by default.
      seed: Draws subsets, bootstrap replicates, and pairs in corpora over 2,000 documents.
      embedding: "characters", "e5", or a folder with a sentence-transformers model.
      report: Where to write the figures as one HTML file.

    Raises:
      DataError: A corpus is missing, broken, or has fewer than two documents.
      PluginError: The embedding or the report needs something that is not installed.
      ConfigError: `report` can't be written to.
    """
    if report is not None:
        refuse_unwritable(report)
    vocabulary = Vocabulary()
    corpora = [load_corpus(place) for place in (path, against) if place is not None]
    profiles = [_profile(corpus, vocabulary) for corpus in corpora]
    if size is None and against is not None:
        size = min(map(len, profiles))
    sides = [
        measured(corpus.path.resolve().stem, profile, size=size, seed=seed)
        for corpus, profile in zip(corpora, profiles, strict=True)
    ]
    result = CorpusResult(sides[0])
    if against is not None:
        distance, floor = _compared(corpora, profiles, len(vocabulary), embedding, seed)
        result = CorpusResult(sides[0], sides[1], distance, floor)
    if report is not None:
        _write(report, corpora[0], result)
    return result


def convert(
    source: Path, target: Path, *, to: str, from_: str | None = None, labels: str | None = None
) -> Conversion:
    """Writes the corpus `source` in the format `to` to `target`, a new directory.

    Args:
      source: A corpus in any format.
      target: Gets the files.
      to: Name of the format to write.
      from_: Name of the source's format; guessed from its files if not given.
      labels: Maps labels of ours to another set, by the name of its mapping.

    Returns how many documents went over and what the format could not hold, by kind.

    Raises:
      DataError: `source` is missing or broken.
      PluginError: A format is unknown or needs something that is not installed.
      ConfigError: `target` exists, or the mapping is unknown.
    """
    corpus, writer = load_corpus(source, format=from_), load_format(to)
    mapping = load_mapping(labels) if labels else None
    documents = aside = 0

    def counted() -> Iterator[Document]:
        nonlocal documents, aside
        for document in track(corpus, f"writing {to}"):
            documents += 1
            aside += len(document.meta.get(SET_ASIDE, ()))
            _refuse_halves(document)
            yield map_document(document, mapping) if mapping else document

    with new_directory(target) as directory:
        losses = writer.write(counted(), directory)
        manifest = corpus.manifest or _manifest_beside(source)
        if manifest:
            changed = {"losses": dict(losses)} | ({"labels": labels} if labels else {})
            write_json(directory / MANIFEST, manifest | changed)
    return Conversion(documents, dict(losses), aside)


def _profile(corpus: Corpus, vocabulary: Vocabulary) -> CorpusProfile:
    documents = track(corpus, f"measuring {corpus.path.name}")
    profile = corpus_profile(documents, vocabulary=vocabulary)
    if len(profile) < 2:
        raise DataError(f"Expected at least two documents in {corpus.path}, found {len(profile)}.")
    return profile


def _compared(
    corpora: list[Corpus], profiles: list[CorpusProfile], words: int, embedding: str, seed: int
) -> tuple[CorpusDistance, DistanceFloor | None]:
    chosen = load_embedding(embedding)
    vectors = chosen.embed(*([document.text for document in corpus] for corpus in corpora))
    left, right = (
        Side(found, profile.table) for found, profile in zip(vectors, profiles, strict=True)
    )
    distance = corpus_distance(left, right, words=words, embedding=chosen.signature, seed=seed)
    return distance, distance_floor(left, right, words=words, seed=seed)


def _write(report: Path, corpus: Corpus, result: CorpusResult) -> None:
    sides = [side for side in (result.corpus, result.against) if side is not None]
    sections = corpus_sections(
        sides, examples=_examples(corpus, result.corpus.profile),
        distance=result.distance, floor=result.floor,
    )  # fmt: skip
    lead = (
        f"{result.statistics.documents:,} documents, {result.statistics.tokens:,} words, "
        f"{result.statistics.spans:,} PHI spans."
    )
    write_report(report, title=f"Corpus {result.corpus.name}", lead=lead, sections=sections)


def _examples(corpus: Corpus, profile: CorpusProfile) -> list[Document]:
    """Returns the document of median length of each difficulty, or of the corpus."""
    lengths = profile.measures["chars"]
    wanted = set()
    for name in dict.fromkeys(profile.difficulties):
        rows = profile.rows(name)
        wanted.add(profile.ids[rows[lengths[rows].argsort(kind="stable")[len(rows) // 2]]])
    return [document for document in corpus if document.id in wanted]


def _refuse_halves(document: Document) -> None:
    """Raises DataError where a text has half of a surrogate pair, which no file can hold."""
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"Expected text that UTF-8 can hold, found U+{ord(document.text[error.start]):04X} "
            f"at {error.start} of document {document.id!r}."
        ) from error


def _manifest_beside(source: Path) -> dict[str, Any]:
    """Returns the manifest beside a corpus in a foreign format, {} if there is none."""
    file = source / MANIFEST
    found: dict[str, Any] = read_json(file) if source.is_dir() and file.is_file() else {}
    return found
