"""What a corpus format is, and what may get lost in one."""

from __future__ import annotations

import codecs
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
    """What came of writing a corpus in another format.

    Attributes:
      documents: How many went over.
      losses: What the target could not hold, by kind.
      set_aside: Annotations of the source that overlap others, kept in the documents' meta.
    """

    documents: int
    losses: dict[str, int]
    set_aside: int = 0


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


def read_text(file: Path, *, marked: bool = False) -> str:
    """Returns the text of a file, line ends as they are.

    UTF-8, or UTF-16 where the file begins with its byte order mark.

    Args:
      file: What to read.
      marked: Whether a UTF-8 byte order mark is part of the text. It is in a letter, whose
        offsets count it, and not in a file of annotations.

    Raises:
      DataError: It is in neither encoding.
    """
    data = file.read_bytes()
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"Expected UTF-8 or UTF-16 text in {file}, but: {error}.") from error
    return text if marked else text.removeprefix("\ufeff")


def named(documents: Iterable[Document]) -> Iterator[tuple[str, Document]]:
    """Yields each document with the file name that its id gives.

    Raises:
      DataError: Two documents have one id: the second would overwrite the first.
    """
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise DataError(
                f"Expected an id of its own for each document, found {document.id!r} twice. "
                f"Rename one, or choose a format that holds all documents in one file."
            )
        seen.add(document.id)
        yield file_name(document.id), document


def file_name(document_id: str) -> str:
    """Returns a file name for a document; `document_name` is the inverse."""
    return quote(document_id, safe=" ._-()") or "%00"


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
