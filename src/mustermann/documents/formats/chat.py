"""Chat transcripts for fine-tuning a language model to find PHI, one a line."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.formats.format import read_text, unheld
from mustermann.documents.formats.overlaps import disjoint_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

INSTRUCTION = (
    "Finde alle Angaben im Arztbrief, die eine Person erkennbar machen. Antworte nur mit JSON: "
    'eine Liste von {"start", "end", "label", "text"} in der Reihenfolge des Textes; start und '
    "end zählen Zeichen ab 0, end steht hinter dem letzten Zeichen."
)


class Chat:
    """`chat.jsonl`: system, user and assistant message of each letter."""

    name: ClassVar[str] = "chat"
    file: ClassVar[str] = "chat.jsonl"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes one transcript a document."""
        losses: Counter[str] = Counter()
        with (directory / self.file).open("w", encoding="utf-8", newline="\n") as file:
            for document in documents:
                file.write(json.dumps(_transcript(document), ensure_ascii=False) + "\n")
                losses += unheld(document, "components", "details", "clinical", "meta")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of the transcripts."""
        file = path / self.file if path.is_dir() else path
        for number, line in enumerate(read_text(file).split("\n"), start=1):
            if not line:
                continue
            try:
                found = json.loads(line)
                _, user, assistant = found["messages"]
                spans = json.loads(assistant["content"])
                record = {"id": found["id"], "text": user["content"], "spans": spans}
            except (ValueError, KeyError, TypeError) as error:
                raise DataError(
                    f"Expected a transcript in {file}, line {number}: {error!r}."
                ) from error
            yield disjoint_document(record)

    def found_at(self, path: Path) -> bool:
        """Returns whether there is `chat.jsonl`, or a file of transcripts."""
        file = path / self.file if path.is_dir() else path
        if not file.is_file() or file.suffix != ".jsonl":
            return False
        with file.open("rb") as start:
            return b'"messages"' in start.read(1 << 10)


def _transcript(document: Document) -> dict[str, Any]:
    spans = [
        {"start": s.start, "end": s.end, "label": s.label, "text": document.surface(s)}
        for s in document.spans
    ]
    contents = (INSTRUCTION, document.text, json.dumps(spans, ensure_ascii=False))
    roles = ("system", "user", "assistant")
    return {
        "id": document.id,
        "messages": [
            {"role": role, "content": content}
            for role, content in zip(roles, contents, strict=True)
        ],
    }
