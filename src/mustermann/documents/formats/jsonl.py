"""JSON lines: the native format; holds everything."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.corpus import CorpusWriter, load_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document


class Jsonl:
    """`corpus.jsonl`, or any one `.jsonl` file with id, text and spans."""

    name: ClassVar[str] = "jsonl"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes `corpus.jsonl`."""
        with CorpusWriter(directory) as writer:
            for document in documents:
                writer.write(document)
        return Counter()

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of a directory or a file."""
        corpus = load_corpus(path, format=self.name)
        if not corpus.shards:
            raise DataError(f"Expected JSON lines at {path}, found none.")
        yield from corpus

    def found_at(self, path: Path) -> bool:
        """Returns whether there are JSON lines of documents."""
        if path.is_dir():
            return any(path.glob("corpus*.jsonl"))
        if path.suffix != ".jsonl":
            return False
        with path.open("rb") as file:
            return b'"text"' in file.read(1 << 16)
