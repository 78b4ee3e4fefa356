"""Corpora: into other formats, what one is like, how far it is from another."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import DataError
from mustermann.core.files import new_directory, write_json
from mustermann.core.manifest import MANIFEST
from mustermann.core.progress import track
from mustermann.documents.corpus import load_corpus
from mustermann.documents.formats.format import Conversion, load_format
from mustermann.metrics.corpus import (
    CorpusDistance,
    CorpusStatistics,
    corpus_distance,
    corpus_statistics,
    sampled,
)
from mustermann.metrics.embedding import embedding as load_embedding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusResult:
    """Statistics of one corpus, and its distance to another where one was given."""

    statistics: CorpusStatistics
    distance: CorpusDistance | None = None

    def to_record(self) -> dict[str, Any]:
        """Returns the figures as flat JSON values."""
        record = dataclasses.asdict(self.statistics)
        if self.distance:
            distance = dataclasses.asdict(self.distance)
            distance["distance_signature"] = distance.pop("signature")
            record |= distance
        return record


def statistics(
    path: Path, *, against: Path | None = None, size: int | None = None, seed: int = 0,
    embedding: str = "characters",
) -> CorpusResult:  # fmt: skip
    """Returns the figures of the corpus at `path`.

    Args:
      path: A corpus directory or a `.jsonl` file.
      against: Another corpus to measure the distance to.
      size: Takes so many documents of each, drawn by `seed`: diversity depends on size.
      seed: Also draws pairs for Self-BLEU in corpora over 2,000 documents.
      embedding: "characters" or "e5".

    Raises:
      DataError: A corpus is missing, broken, or has fewer than two documents.
    """
    documents = _documents(path, size=size, seed=seed)
    result = corpus_statistics(documents, seed=seed)
    if against is None:
        return CorpusResult(result)
    other = _documents(against, size=size, seed=seed)
    distance = corpus_distance(documents, other, embedding=load_embedding(embedding), seed=seed)
    return CorpusResult(result, distance)


def convert(source: Path, target: Path, *, to: str, from_: str | None = None) -> Conversion:
    """Writes the corpus `source` in the format `to` to `target`, a new directory.

    Returns how many documents went over and what the format could not hold, by kind.

    Raises:
      DataError: `source` is missing or broken.
      PluginError: A format is unknown or needs something that is not installed.
      ConfigError: `target` exists.
    """
    corpus, writer = load_corpus(source, format=from_), load_format(to)
    documents = 0

    def counted() -> Iterator[Document]:
        nonlocal documents
        for document in track(corpus, f"writing {to}"):
            documents += 1
            yield document

    with new_directory(target) as directory:
        losses = writer.write(counted(), directory)
        if corpus.manifest:
            write_json(directory / MANIFEST, corpus.manifest | {"losses": dict(losses)})
    return Conversion(documents, dict(losses))


def _documents(path: Path, *, size: int | None, seed: int) -> list[Document]:
    documents = list(load_corpus(path))
    if len(documents) < 2:
        raise DataError(f"Expected at least two documents in {path}, found {len(documents)}.")
    return sampled(documents, size, seed=seed) if size else documents
