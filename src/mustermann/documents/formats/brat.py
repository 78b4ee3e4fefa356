"""brat standoff: a `.txt` and a `.ann` file a document; offsets in code points.

A span over a line break is written in fragments, as brat wants it. Fragments with only
white space between them are read as one span; others (a discontinuous annotation) become
one span each, counted in the document's meta as `discontinuous`. Slot, form, components and
details stand in AnnotatorNotes, the clinical layer under labels with the prefix `clinical-`.

A foreign `.ann` repeats the words that it marks. They settle what its offsets count: code
points, the same with CRLF counted as one (a checkout that changed line ends), or UTF-16 units.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.formats.format import document_name, named, read_text, unheld
from mustermann.documents.formats.overlaps import disjoint_document
from mustermann.documents.formats.utf16 import code_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mustermann.documents.document import Document

_CLINICAL = "clinical-"
_LINE = re.compile(
    r"(?P<key>T\S+)\t(?P<label>\S+) (?P<at>\d+ \d+(?:;\d+ \d+)*)(?:\t(?P<words>.*))?$"
)
_NOTE = "mustermann"
_BLANKS = re.compile(r"\s")
_BREAKS = re.compile(r"[\r\n]+")


class Brat:
    """A folder of `.txt` with `.ann` beside each."""

    name: ClassVar[str] = "brat"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes two files a document."""
        losses: Counter[str] = Counter()
        for stem, document in named(documents):
            (directory / f"{stem}.txt").write_bytes(document.text.encode())
            (directory / f"{stem}.ann").write_bytes("".join(_lines(document)).encode())
            losses += unheld(document, "meta")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each `.txt` file, in the order of their names.

        One without an `.ann` beside it has no spans.
        """
        texts = sorted(path.glob("*.txt"))
        for file in sorted(path.glob("*.ann")):
            if file.with_suffix(".txt") not in texts:
                raise DataError(f"Expected {file.stem}.txt beside {file}, found none.")
        for text in texts:
            yield _document(text.with_suffix(".ann"), read_text(text, marked=True))

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
        label = _BLANKS.sub("_", span["label"])
        if label == span["label"]:
            del span["label"]
        yield f"T{number}\t{label} {fragments}\t{words}\n"
        if span:
            note = json.dumps({_NOTE: span}, ensure_ascii=False)
            yield f"#{number}\tAnnotatorNotes T{number}\t{note}\n"


def _fragments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in _BREAKS.finditer(text, start, end):
        if match.start() > at:
            yield at, match.start()
        at = match.end()
    if at < end:
        yield at, end


@dataclasses.dataclass(frozen=True, slots=True)
class _Bound:
    """A text-bound annotation: its label, fragments, the words it says it marks."""

    label: str
    fragments: tuple[tuple[int, int], ...]
    words: str


def _document(file: Path, text: str) -> Document:
    bounds: dict[str, _Bound] = {}
    notes: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(read_text(file).split("\n") if file.is_file() else (), start=1):
        if line.startswith("T"):
            match = _LINE.match(line.rstrip("\r"))
            if not match:
                raise DataError(
                    f"Expected a text-bound annotation in {file}, line {number}, "
                    f"found {line[:60]!r}."
                )
            pairs = (pair.split() for pair in match["at"].split(";"))
            fragments = tuple((int(start), int(end)) for start, end in pairs)
            bounds[match["key"]] = _Bound(match["label"], fragments, match["words"] or "")
        elif line.startswith("#") and "\tAnnotatorNotes " in line:
            _, target, *note = line.rstrip("\r").split("\t", 2)
            notes[target.split(" ")[1]] = _note("".join(note))
    text, bounds = _settled(file, text, bounds)
    return _assembled(document_name(file.stem), text, bounds, notes)


def _assembled(
    name: str, text: str, bounds: dict[str, _Bound], notes: dict[str, dict[str, Any]]
) -> Document:
    layers: dict[str, list[dict[str, Any]]] = {"spans": [], "clinical": []}
    apart = 0
    for key, bound in bounds.items():
        joined = _joined(text, bound.fragments)
        apart += len(joined) > 1
        for start, end in joined:
            span = {"start": start, "end": end, "label": bound.label} | notes.get(key, {})
            label = str(span["label"])
            layer = "clinical" if label.startswith(_CLINICAL) else "spans"
            layers[layer].append(span | {"label": label.removeprefix(_CLINICAL)})
    meta = {"discontinuous": apart} if apart else {}
    return disjoint_document({"id": name, "text": text, **layers, **meta})


def _note(text: str) -> dict[str, Any]:
    """Returns what a note of ours says; a foreign one, in words or JSON, says nothing to us."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    ours = found.get(_NOTE) if isinstance(found, dict) else None
    return ours if isinstance(ours, dict) else {}


def _settled(file: Path, text: str, bounds: dict[str, _Bound]) -> tuple[str, dict[str, _Bound]]:
    """Returns text and bounds in code points, whatever the offsets were counted in."""
    if _fits(text, bounds):
        return text, bounds
    unix = text.replace("\r\n", "\n")
    if unix != text and _fits(unix, bounds):
        return unix, bounds
    points = code_points(text)
    narrow = {
        key: dataclasses.replace(
            bound,
            fragments=tuple((points.get(a, -1), points.get(b, -1)) for a, b in bound.fragments),
        )
        for key, bound in bounds.items()
    }
    if _fits(text, narrow):
        return text, narrow
    key = next(key for key, bound in bounds.items() if not _fits(text, {key: bound}))
    start, end = bounds[key].fragments[0]
    raise DataError(
        f"Expected {bounds[key].words[:40]!r} at [{start}, {end}) for {key} of {file}, found "
        f"{text[start:end][:40]!r}. The text was changed after it was annotated."
    )


def _fits(text: str, bounds: dict[str, _Bound]) -> bool:
    """Returns whether each annotation covers the words that it says, white space aside."""
    return all(
        0 <= start <= end <= len(text) for b in bounds.values() for start, end in b.fragments
    ) and all(
        not bound.words
        or "".join("".join(text[a:b] for a, b in bound.fragments).split())
        == "".join(bound.words.split())
        for bound in bounds.values()
    )


def _joined(text: str, fragments: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns the fragments with those made one that only white space parts."""
    joined = [fragments[0]]
    for start, end in fragments[1:]:
        if not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
