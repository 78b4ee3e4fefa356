"""PDF: each letter as pages to read or print, its exact text in a `.txt` beside it.

A page is a picture: line ends, tabs and decomposed letters are set as they look. The labels
do not go over; the text that is read back is the `.txt`. Set in Source Sans (extra `[pdf]`).
"""

from __future__ import annotations

import datetime
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError, PluginError
from mustermann.documents.document import Document
from mustermann.documents.formats.format import document_name, named, read_text, unheld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_FONT = "Source Sans"
_SIZE_PT, _LINE_MM, _MARGIN_MM = 10.5, 4.8, 22
_TAB, _ABSENT = "    ", "?"
_UNSEEN = {"Cc", "Cf"}
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
"""Stands for the time of writing: equal letters give equal files."""


class Pdf:
    """A folder of `.pdf` files with a `.txt` beside each."""

    name: ClassVar[str] = "pdf"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes two files a document; counts labels, and characters that the font lacks."""
        fpdf, font = _library()
        losses: Counter[str] = Counter()
        for name, document in named(documents):
            (directory / f"{name}.txt").write_bytes(document.text.encode())
            missing = _write(fpdf.FPDF(format="A4"), font, document, directory / f"{name}.pdf")
            losses["spans"] += len(document.spans)
            losses["characters without a glyph"] += missing
            losses += unheld(document, "clinical", "meta")
        return +losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields a document without labels for each PDF, from the text beside it."""
        for file in sorted(path.glob("*.pdf")) if path.is_dir() else [path]:
            text = file.with_suffix(".txt")
            if not text.is_file():
                raise DataError(
                    f"Expected the letter's text in {text.name} beside {file}, found none. "
                    f"A PDF by itself does not hold it exactly."
                )
            yield Document(document_name(file.stem), read_text(text, marked=True))

    def found_at(self, path: Path) -> bool:
        """Returns whether there are `.pdf` files."""
        return path.suffix == ".pdf" if path.is_file() else any(path.glob("*.pdf"))


def _write(pages: Any, font: str, document: Document, file: Path) -> int:
    """Returns how many characters of the letter the font has no glyph for, shown as `_ABSENT`."""
    pages.set_creation_date(_EPOCH)
    pages.set_title(document.id)
    pages.set_lang("de")
    pages.set_margins(_MARGIN_MM, _MARGIN_MM)
    pages.set_auto_page_break(auto=True, margin=_MARGIN_MM)
    pages.add_font(_FONT, fname=font)
    pages.set_font(_FONT, size=_SIZE_PT)
    pages.add_page()
    text = _visible(document.text)
    glyphs = pages.current_font.cmap
    shown = "".join(c if c == "\n" or ord(c) in glyphs else _ABSENT for c in text)
    pages.multi_cell(0, _LINE_MM, shown, align="L")
    pages.output(str(file))
    return sum(a != b for a, b in zip(text, shown, strict=True))


def _visible(text: str) -> str:
    """Returns the text composed, with plain line ends, without what has no width."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        c for c in lines.replace("\t", _TAB) if c == "\n" or unicodedata.category(c) not in _UNSEEN
    )


def _library() -> tuple[Any, str]:
    """Returns the module fpdf and the font's file."""
    try:
        import font_source_sans_pro
        import fpdf
    except ImportError as error:
        raise PluginError(
            f"Expected fpdf2 and font-source-sans-pro for PDF letters, but: {error}. "
            f"Install them: pip install 'mustermann[pdf]'."
        ) from error
    return fpdf, str(font_source_sans_pro.font_files_ttf["SourceSansPro"])
