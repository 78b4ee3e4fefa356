"""WebAnno TSV 3.3: one file a document, as INCEpTION and WebAnno read and write it.

A line of the letter is a sentence; its text includes the white space up to the next token,
escaped. Offsets count UTF-16 units. A span that cuts a token is written on sub-tokens
(`1-3.1`), so extents and labels are exact. Of a foreign file with several layers the one is
read whose name ends with PHI, else named entities, else the first.

Source: WebAnno user guide, appendix on TSV 3.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.formats.format import document_name, named, read_text, unheld
from mustermann.documents.formats.overlaps import disjoint_document
from mustermann.documents.formats.tokens import token_ranges
from mustermann.documents.formats.utf16 import code_points, utf16_offsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

_HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.PHI|kind\n\n"
_ESCAPES = (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))
_VALUE_ESCAPES = tuple((sign, "\\" + sign) for sign in ("[", "]", "|", "_", ";", "*", "->"))
_UNESCAPE = re.compile(r"\\([\\nrt\[\]|_;*>-])")
_SIGNS = {"n": "\n", "r": "\r", "t": "\t"}
_TOKEN = re.compile(r"\d+-\d+(\.\d+)?$")
_STACK = re.compile(r"(?<!\\)\|")
_VALUE = re.compile(r"(?P<label>.+?)(?:\[(?P<id>\d+)\])?$")


class Tsv3:
    """A folder of `.tsv` files."""

    name: ClassVar[str] = "tsv3"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes a file a document; white space at a span's edge has no token to stand on."""
        losses: Counter[str] = Counter()
        for name, document in named(documents):
            (directory / f"{name}.tsv").write_bytes(_tsv(document).encode())
            losses += unheld(document, "components", "details", "clinical", "meta")
            surfaces = [document.surface(span) for span in document.spans]
            losses["white space at an edge"] += sum(s != s.strip() for s in surfaces)
        return +losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the document of each file, in the order of their names."""
        for file in sorted(path.glob("*.tsv")) if path.is_dir() else [path]:
            try:
                yield _document(file, read_text(file))
            except DataError:
                raise
            except (ValueError, IndexError, KeyError) as error:
                raise DataError(f"Expected WebAnno TSV 3 in {file}, but: {error!r}.") from error

    def found_at(self, path: Path) -> bool:
        """Returns whether there are files that begin as TSV 3 does."""
        for file in sorted(path.glob("*.tsv"))[:1] if path.is_dir() else [path]:
            with file.open("rb") as start:
                return start.read(16) == b"#FORMAT=WebAnno "
        return False


def _tsv(document: Document) -> str:
    text, ranges = document.text, token_ranges(document.text)
    units = utf16_offsets(text)
    tags = _tags(document, ranges)
    starts = [i for i, (start, _) in enumerate(ranges)
              if i == 0 or "\n" in text[ranges[i - 1][1] : start]]  # fmt: skip
    lines = [_HEAD]
    if text and not ranges:
        lines.append(f"\n#Text={_escaped(text)}\n")
    for sentence, first in enumerate(starts, start=1):
        last = starts[sentence] if sentence < len(starts) else len(ranges)
        end = ranges[last][0] if last < len(ranges) else len(text)
        begin = ranges[first][0] if first else 0
        lines.append(f"\n#Text={_escaped(text[begin:end])}\n")
        for index in range(first, last):
            for part, (start, stop, tag) in enumerate(tags[index]):
                number = f"{sentence}-{index - first + 1}" + (f".{part}" if part else "")
                lines.append(
                    f"{number}\t{units[start]}-{units[stop]}\t{text[start:stop]}\t{tag}\t\n"
                )
    return "".join(lines)


def _tags(document: Document, ranges: list[tuple[int, int]]) -> list[list[tuple[int, int, str]]]:
    """Returns, for each token, itself with its tag, then its sub-tokens with theirs."""
    tags = [[(start, end, "_")] for start, end in ranges]
    ends = [end for _, end in ranges]
    for number, span in enumerate(document.spans, start=1):
        first = bisect_right(ends, span.start)
        touched = [i for i in range(first, len(ranges)) if ranges[i][0] < span.end]
        tag = f"{_escaped_value(span.label)}[{number}]"
        for index in touched:
            start, end = max(ranges[index][0], span.start), min(ranges[index][1], span.end)
            if (start, end) == ranges[index]:
                tags[index][0] = (start, end, tag)
            else:
                tags[index].append((start, end, tag))
    return tags


def _document(file: Path, content: str) -> Document:
    parts: list[str] = []
    spans: list[dict[str, Any]] = []
    begun: dict[str, dict[str, Any]] = {}
    pending, length = "", 0
    column = _column(content)
    for line in content.split("\n"):
        if line.startswith("#Text="):
            pending += "\n" if pending else ""
            pending += _unescaped(line.rstrip("\r").removeprefix("#Text="))
            continue
        fields = line.rstrip("\r").split("\t")
        if not _TOKEN.match(fields[0]):
            continue
        start, end = map(int, fields[1].split("-"))
        if pending:
            begin = start - (len(pending) - len(pending.lstrip()))
            parts.append("\n" * (begin - length) + pending)
            length = begin + len(pending.encode("utf-16-le")) // 2
            pending = ""
        tagged = fields[column] if column < len(fields) else "_"
        for value in _STACK.split(tagged) if tagged not in {"_", ""} else ():
            _note(value, start, end, spans, begun)
    text = "".join([*parts, pending])
    points = code_points(text)
    for span in spans:
        span["start"], span["end"] = points[span["start"]], points[span["end"]]
    return disjoint_document({"id": document_name(file.stem), "text": text, "spans": spans})


def _column(content: str) -> int:
    """Returns the column of the layer that holds the labels, counted from the token's number."""
    at, found = 3, {}
    for line in content.split("\n"):
        if line.startswith(("#T_SP=", "#T_CH=", "#T_RL=")):
            name, *features = line.rstrip("\r").partition("=")[2].split("|")
            if line.startswith("#T_SP="):
                found[name] = at
            at += max(1, len(features))
        elif _TOKEN.match(line.partition("\t")[0]):
            break
    for ending in ("PHI", "NamedEntity", ""):
        for name, column in found.items():
            if name.endswith(ending):
                return column
    return 3


def _note(
    value: str, start: int, end: int, spans: list[dict[str, Any]], begun: dict[str, dict[str, Any]]
) -> None:
    match = _VALUE.match(value)
    if match is None:
        raise ValueError(f"a label was expected, not {value!r}")
    label = _unescaped(match["label"])
    known = begun.get(match["id"]) if match["id"] else None
    if known is not None and known["label"] == label:
        known["end"] = max(known["end"], end)
        return
    spans.append({"start": start, "end": end, "label": "UNKNOWN" if label == "*" else label})
    if match["id"]:
        begun[match["id"]] = spans[-1]


def _escaped(text: str) -> str:
    for sign, escape in _ESCAPES:
        text = text.replace(sign, escape)
    return text


def _escaped_value(label: str) -> str:
    label = _escaped(label)
    for sign, escape in _VALUE_ESCAPES:
        label = label.replace(sign, escape)
    return label


def _unescaped(text: str) -> str:
    return _UNESCAPE.sub(lambda match: _SIGNS.get(match[1], match[1]), text)
