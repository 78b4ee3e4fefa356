"""Plain text: one `.txt` a letter, nothing else; for reading, and for tools that take text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from mustermann.documents.document import Document
from mustermann.documents.formats.format import document_name, named, read_text, unheld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


class Text:
    """A folder of `.txt` files."""

    name: ClassVar[str] = "text"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes a file a document; its labels are counted as lost."""
        losses: Counter[str] = Counter()
        for name, document in named(documents):
            (directory / f"{name}.txt").write_bytes(document.text.encode())
            losses["spans"] += len(document.spans)
            losses += unheld(document, "clinical", "meta")
        return +losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields a document without labels for each file."""
        for file in sorted(path.glob("*.txt")) if path.is_dir() else [path]:
            yield Document(document_name(file.stem), read_text(file, marked=True))

    def found_at(self, path: Path) -> bool:
        """Returns whether there are only `.txt` files."""
        if path.is_file():
            return path.suffix == ".txt"
        others = (any(path.glob(f"*{suffix}")) for suffix in (".ann", ".pdf"))
        return any(path.glob("*.txt")) and not any(others)
