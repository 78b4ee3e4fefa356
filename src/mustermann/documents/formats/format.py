"""What a corpus format is, and what may get lost in one."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, ClassVar, Protocol
from urllib.parse import quote, unquote

from mustermann.core import plugins
from mustermann.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document


class Format(Protocol):
    """Writes documents to a directory and reads them back.

    Text, offsets and labels of a round trip are exact. What else a format can't hold is
    counted by `write`, never dropped in silence.

    Attributes:
      name: As on the command line.
    """

    name: ClassVar[str]

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes documents into an existing, empty directory; returns losses by kind."""
        ...

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents at `path`, what `write` made or a foreign tool.

        Raises:
          DataError: A file is broken; the message names it.
        """
        ...

    def found_at(self, path: Path) -> bool:
        """Returns whether `path` looks like this format."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Conversion:
    """How many documents went over, and what the target could not hold, by kind."""

    documents: int
    losses: dict[str, int]


def load_format(name: str) -> Format:
    """Returns the format `name`.

    Raises:
      PluginError: It is unknown, or what it needs is not installed.
    """
    found: Format = plugins.load("mustermann.formats", name)()  # type: ignore[operator]
    return found


def guess_format(path: Path) -> Format:
    """Returns the format that `path` is in.

    Raises:
      DataError: Nothing is there, or no format knows it.
    """
    if not path.exists():
        raise DataError(f"Expected a corpus at {path}, found nothing.")
    for name in plugins.names("mustermann.formats"):
        found = load_format(name)
        if found.found_at(path):
            return found
    known = ", ".join(plugins.names("mustermann.formats"))
    raise DataError(f"Expected a corpus in one of {known} at {path}, recognised none.")


def read_text(file: Path) -> str:
    """Returns the UTF-8 text of a file, line ends as they are.

    Raises:
      DataError: It is no UTF-8.
    """
    try:
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"Expected UTF-8 text in {file}, but: {error}.") from error


def file_name(document_id: str) -> str:
    """Returns a file name for a document; `document_name` is the inverse."""
    return quote(document_id, safe=" ._-()äöüÄÖÜß") or "%00"


def document_name(stem: str) -> str:
    """Returns the document's id of a file name."""
    return "" if stem == "%00" else unquote(stem)


def unheld(document: Document, *kinds: str) -> Counter[str]:
    """Returns how much of the named kinds a document has that its format can't hold."""
    counts = {
        "components": sum(len(span.components) for span in document.spans),
        "details": sum(bool(span.slot or span.form or span.details) for span in document.spans),
        "clinical": len(document.clinical),
        "meta": len(document.meta),
    }
    return Counter({kind: counts[kind] for kind in kinds if counts[kind]})
