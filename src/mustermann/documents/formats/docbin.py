"""spaCy DocBin: `corpus.spacy`, a blank German pipeline's tokens with entities.

A span that cuts a token is widened to it in `doc.ents`, counted as `misaligned`, and kept
exactly in `doc.user_data`, together with everything else, so that reading back is exact.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError, PluginError
from mustermann.documents.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_RECORD = "mustermann"


class Docbin:
    """`corpus.spacy`."""

    name: ClassVar[str] = "docbin"
    file: ClassVar[str] = "corpus.spacy"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes one file; all documents are held in memory, as spaCy does."""
        from spacy.tokens import DocBin

        losses: Counter[str] = Counter()
        collected = DocBin(store_user_data=True)
        for document in documents:
            made, misaligned = _doc(document)
            losses["misaligned"] += misaligned
            collected.add(made)
        collected.to_disk(directory / self.file)
        return +losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents; those of other makers by their entities."""
        pipeline = _pipeline()
        from spacy.tokens import DocBin

        file = path / self.file if path.is_dir() else path
        try:
            collected = DocBin().from_disk(file)
        except Exception as error:  # msgpack and zlib raise their own kinds
            raise DataError(f"Expected a spaCy DocBin in {file}, but: {error!r}.") from error
        for number, doc in enumerate(collected.get_docs(pipeline.vocab)):
            yield _document(doc, number)

    def found_at(self, path: Path) -> bool:
        """Returns whether there is a `.spacy` file."""
        return (path / self.file).is_file() or (path.is_file() and path.suffix == ".spacy")


@cache
def _pipeline() -> Any:
    try:
        import spacy
    except ImportError as error:
        raise PluginError(
            "Expected spaCy for DocBin files, found none. "
            "Install it: pip install 'mustermann[spacy]'."
        ) from error
    return spacy.blank("de")


def _doc(document: Document) -> tuple[Any, int]:
    doc = _pipeline().make_doc(document.text)
    found, misaligned, last = [], 0, 0
    for span in document.spans:
        exact = doc.char_span(span.start, span.end, label=span.label)
        misaligned += exact is None
        entity = exact or doc.char_span(
            span.start, span.end, label=span.label, alignment_mode="expand"
        )
        if entity is not None and entity.start >= last:
            found.append(entity)
            last = entity.end
    doc.set_ents(found)
    record = document.to_record()
    del record["text"]
    doc.user_data[_RECORD] = json.dumps(record, ensure_ascii=False)
    return doc, misaligned


def _document(doc: Any, number: int) -> Document:
    if _RECORD in doc.user_data:
        return Document.from_record(json.loads(doc.user_data[_RECORD]) | {"text": doc.text})
    spans = [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]
    return Document.from_record({"id": str(number), "text": doc.text, "spans": spans})
