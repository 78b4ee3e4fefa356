"""spaCy DocBin: `corpus.spacy`, a blank German pipeline's tokens with entities.

A span that cuts a token is widened to it in `doc.ents`, one with white space at an edge loses
it there; both are counted as `misaligned` and kept exactly in `doc.user_data`, together with
everything else, so that reading back is exact.
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

    from mustermann.documents.spans import Span

_RECORD = "mustermann"


class Docbin:
    """`corpus.spacy`."""

    name: ClassVar[str] = "docbin"
    file: ClassVar[str] = "corpus.spacy"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes one file; all documents are held in memory, as spaCy does."""
        _pipeline()
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
        """Yields the documents of every file; those of other makers by their entities."""
        pipeline = _pipeline()
        from spacy.tokens import DocBin

        files = sorted(path.glob("*.spacy")) if path.is_dir() else [path]
        for file in files:
            try:
                collected = DocBin().from_disk(file)
            except Exception as error:  # msgpack and zlib raise their own kinds
                raise DataError(f"Expected a spaCy DocBin in {file}, but: {error!r}.") from error
            prefix = f"{file.stem}-" if len(files) > 1 else ""
            for number, doc in enumerate(collected.get_docs(pipeline.vocab)):
                yield _document(doc, f"{prefix}{number}")

    def found_at(self, path: Path) -> bool:
        """Returns whether there is a `.spacy` file."""
        return path.suffix == ".spacy" if path.is_file() else any(path.glob("*.spacy"))


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
    # The tokenizer itself has no limit on length, as `make_doc` has.
    doc = _pipeline().tokenizer(document.text)
    found, misaligned, last = [], 0, 0
    for span in document.spans:
        entity = _entity(doc, span, last)
        exact = entity is not None and (entity.start_char, entity.end_char) == (
            span.start,
            span.end,
        )
        misaligned += not exact
        if entity is not None:
            found.append(entity)
            last = entity.end
    doc.set_ents(found)
    record = document.to_record()
    del record["text"]
    doc.user_data[_RECORD] = json.dumps(record, ensure_ascii=False)
    return doc, misaligned


def _entity(doc: Any, span: Span, first: int) -> Any:
    """Returns the span widened to tokens from `first` on, without white space at its edges."""
    wide = doc.char_span(span.start, span.end, alignment_mode="expand")
    if wide is None:
        return None
    start, end = max(first, wide.start), wide.end
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    from spacy.tokens import Span as Entity

    return Entity(doc, start, end, label=span.label) if start < end else None


def _document(doc: Any, name: str) -> Document:
    if _RECORD in doc.user_data:
        return Document.from_record(json.loads(doc.user_data[_RECORD]) | {"text": doc.text})
    spans = [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents]
    return Document.from_record({"id": name, "text": doc.text, "spans": spans})
