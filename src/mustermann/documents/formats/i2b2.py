"""i2b2-2014 de-identification XML: one file a letter, tags by PHI group with a TYPE.

Our labels are written as they are; to get i2b2's own, map the corpus first (`--labels i2b2`).
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar
from xml.etree import ElementTree

from mustermann.core.errors import DataError
from mustermann.documents.formats.cas import refuse_control
from mustermann.documents.formats.format import document_name, named, read_text
from mustermann.documents.formats.overlaps import disjoint_document
from mustermann.documents.labels import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

_GROUPS = {
    "NAME": "PATIENT DOCTOR USERNAME", "LOCATION": "STREET CITY STATE ZIP COUNTRY HOSPITAL "
    "ORGANIZATION DEPARTMENT ROOM LOCATION-OTHER", "AGE": "AGE", "DATE": "DATE",
    "CONTACT": "PHONE FAX EMAIL URL IPADDR", "PROFESSION": "PROFESSION",
    "ID": "HEALTHPLAN MEDICALRECORD IDNUM LICENSE ACCOUNT SSN VEHICLE DEVICE BIOID",
}  # fmt: skip
_TAGS = {label: tag for tag, labels in _GROUPS.items() for label in labels.split()}


class I2b2:
    """A folder of `.xml` files."""

    name: ClassVar[str] = "i2b2"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes a file a document.

        Raises:
          DataError: A text has a character that XML can't hold.
        """
        for name, document in named(documents):
            refuse_control(document)
            (directory / f"{name}.xml").write_bytes(_xml(document).encode())
        return Counter()

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each file, in the order of their names."""
        for file in sorted(path.glob("*.xml")) if path.is_dir() else [path]:
            yield _document(file)

    def found_at(self, path: Path) -> bool:
        """Returns whether there are files with i2b2's root element."""
        for file in sorted(path.glob("*.xml"))[:1] if path.is_dir() else [path]:
            with file.open("rb") as start:
                return b"<deIdi2b2" in start.read(400)
        return False


def _xml(document: Document) -> str:
    record = document.to_record()
    lines = ['<?xml version="1.0" encoding="UTF-8" ?>', "<deIdi2b2>"]
    lines += [f"<TEXT>{_escaped(record.pop('text'))}</TEXT>", "<TAGS>"]
    for number, span in enumerate(record.pop("spans")):
        start, end, label = span.pop("start"), span.pop("end"), span.pop("label")
        tag = _TAGS.get(label) or (LABELS[label].group if label in LABELS else "OTHER")
        comment = json.dumps(span, ensure_ascii=False) if span else ""
        lines.append(
            f'<{tag} id="P{number}" start="{start}" end="{end}" '
            f'text="{_escaped(document.text[start:end])}" TYPE="{_escaped(label)}" '
            f'comment="{_escaped(comment)}" />'
        )
    lines += ["</TAGS>", f"<RECORD>{_escaped(json.dumps(record, ensure_ascii=False))}</RECORD>"]
    return "\n".join([*lines, "</deIdi2b2>", ""])


def _escaped(text: str) -> str:
    """Escapes for element and attribute; XML readers would change raw line ends."""
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"),
                         ("\r", "&#13;"), ("\t", "&#9;")):  # fmt: skip
        text = text.replace(sign, entity)
    return text.replace("\n", "&#10;")


def _document(file: Path) -> Document:
    content = read_text(file)
    if "<!ENTITY" in content or "<!DOCTYPE" in content:
        raise DataError(f"Expected i2b2 XML without a document type in {file}, found one.")
    try:
        root = ElementTree.fromstring(content)  # noqa: S314 - entities are refused above
        record: dict[str, Any] = json.loads(root.findtext("RECORD") or "{}")
        record.setdefault("id", document_name(file.stem))
        record["text"] = root.findtext("TEXT") or ""
        record["spans"] = [
            {"start": int(tag.attrib["start"]), "end": int(tag.attrib["end"]),
             "label": tag.attrib["TYPE"], **_comment(tag.attrib.get("comment", ""))}
            for tag in root.find("TAGS") or ()
        ]  # fmt: skip
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise DataError(f"Expected i2b2 XML in {file}, but: {error!r}.") from error
    return disjoint_document(record)


def _comment(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text) if text.startswith("{") else {}
    return found
