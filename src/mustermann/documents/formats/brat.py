"""brat standoff: a `.txt` and a `.ann` file a document; offsets in code points.

A span over a line break is written in fragments, as brat wants it. Fragments with only
white space between them are read as one span; others (a discontinuous annotation) become
one span each, counted in the document's meta as `discontinuous`. Slot, form, components and
details stand in AnnotatorNotes, the clinical layer under labels with the prefix `clinical-`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.document import Document
from mustermann.documents.formats.format import document_name, file_name, read_text, unheld

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_CLINICAL = "clinical-"
_LINE = re.compile(r"(T\S+)\t(\S+) ([\d ;]+)\t")
_BREAKS = re.compile(r"[\r\n]+")


class Brat:
    """A folder of `.txt` with `.ann` beside each."""

    name: ClassVar[str] = "brat"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes two files a document."""
        losses: Counter[str] = Counter()
        for document in documents:
            stem = file_name(document.id)
            (directory / f"{stem}.txt").write_bytes(document.text.encode())
            (directory / f"{stem}.ann").write_bytes("".join(_lines(document)).encode())
            losses += unheld(document, "meta")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each `.ann` file, in the order of their names."""
        for file in sorted(path.glob("*.ann")):
            text = file.with_suffix(".txt")
            if not text.is_file():
                raise DataError(f"Expected {text.name} beside {file}, found none.")
            yield _document(file, read_text(text))

    def found_at(self, path: Path) -> bool:
        """Returns whether the folder has `.ann` files."""
        return path.is_dir() and any(path.glob("*.ann"))


def _lines(document: Document) -> Iterator[str]:
    record = document.to_record()
    spans = record["spans"] + [
        span | {"label": _CLINICAL + span["label"]} for span in record.get("clinical", ())
    ]
    for number, span in enumerate(spans, start=1):
        start, end = span.pop("start"), span.pop("end")
        pairs = list(_fragments(document.text, start, end)) or [(start, end)]
        if _joined(document.text, pairs) != [(start, end)]:
            # A break at a span's edge has no place in brat's fragments.
            span |= {"start": start, "end": end}
        fragments = ";".join(f"{a} {b}" for a, b in pairs)
        words = _BREAKS.sub(" ", document.text[start:end])
        label = span.pop("label")
        yield f"T{number}\t{label} {fragments}\t{words}\n"
        if span:
            yield f"#{number}\tAnnotatorNotes T{number}\t{json.dumps(span, ensure_ascii=False)}\n"


def _fragments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _BREAKS.finditer(text, start, end):
        if match.start() > at:
            yield at, match.start()
        at = match.end()
    if at < end:
        yield at, end


def _document(file: Path, text: str) -> Document:
    found: dict[str, list[dict[str, Any]]] = {}
    notes: dict[str, dict[str, Any]] = {}
    apart = 0
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        try:
            if line.startswith("T"):
                key, label, fragments = _bound(line)
                joined = _joined(text, fragments)
                apart += len(joined) > 1
                found[key] = [{"start": a, "end": b, "label": label} for a, b in joined]
            elif line.startswith("#") and "\tAnnotatorNotes " in line:
                _, target, note = line.split("\t", 2)
                notes[target.split(" ")[1]] = json.loads(note) if note.startswith("{") else {}
        except (ValueError, IndexError) as error:
            raise DataError(f"Expected brat standoff in {file}, line {number}: {error}.") from error
    record: dict[str, Any] = {
        "id": document_name(file.stem),
        "text": text,
        "spans": [],
        "clinical": [],
    }
    for key, spans in found.items():
        for span in spans:
            span |= notes.get(key, {})
            label = str(span["label"])
            layer = "clinical" if label.startswith(_CLINICAL) else "spans"
            record[layer].append(span | {"label": label.removeprefix(_CLINICAL)})
    return Document.from_record(record | ({"discontinuous": apart} if apart else {}))


def _bound(line: str) -> tuple[str, str, list[tuple[int, int]]]:
    match = _LINE.match(line)
    if not match:
        raise ValueError(f"a text-bound annotation was expected, not {line[:60]!r}")
    pairs = [fragment.split() for fragment in match[3].split(";")]
    return match[1], match[2], [(int(start), int(end)) for start, end in pairs]


def _joined(text: str, fragments: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined = [fragments[0]]
    for start, end in fragments[1:]:
        if not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
