"""presidio-evaluator: one JSON list of input samples."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.formats.format import unheld
from mustermann.documents.formats.overlaps import disjoint_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document


class Presidio:
    """`samples.json`, as `InputSample.read_dataset_json` reads it."""

    name: ClassVar[str] = "presidio"
    file: ClassVar[str] = "samples.json"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes one list; ids go into the samples' metadata."""
        losses: Counter[str] = Counter()
        with (directory / self.file).open("w", encoding="utf-8") as file:
            for number, document in enumerate(documents):
                file.write("[\n" if number == 0 else ",\n")
                file.write(json.dumps(_sample(document), ensure_ascii=False))
                losses += unheld(document, "components", "details", "clinical", "meta")
            file.write("\n]\n" if file.tell() else "[]\n")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of the list."""
        file = path / self.file if path.is_dir() else path
        try:
            samples = json.loads(file.read_bytes())
            for number, sample in enumerate(samples):
                yield _document(sample, number)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"Expected presidio-evaluator samples in {file}, but: {error!r}."
            ) from error

    def found_at(self, path: Path) -> bool:
        """Returns whether there is a JSON list with `full_text`."""
        file = path / self.file if path.is_dir() else path
        if not file.is_file() or file.suffix != ".json":
            return False
        with file.open("rb") as start:
            return b'"full_text"' in start.read(1 << 20)


def _sample(document: Document) -> dict[str, Any]:
    return {
        "full_text": document.text,
        "masked": None,
        "spans": [
            {"entity_type": s.label, "entity_value": document.surface(s),
             "start_position": s.start, "end_position": s.end}
            for s in document.spans
        ],
        "template_id": None,
        "metadata": {"id": document.id},
    }  # fmt: skip


def _document(sample: dict[str, Any], number: int) -> Document:
    spans = [
        {"start": s["start_position"], "end": s["end_position"], "label": s["entity_type"]}
        for s in sample["spans"]
    ]
    name = str((sample.get("metadata") or {}).get("id", number))
    return disjoint_document({"id": name, "text": sample["full_text"], "spans": spans})
