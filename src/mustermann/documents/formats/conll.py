"""CoNLL-2003: a token a line, four columns, tags in BIO or BIOES; the texts stand beside it.

`corpus.conll` (or `corpus.bioes`) is what taggers read. `texts.jsonl` holds each document's
text, and the exact offsets of spans that do not fit the tokens (their tags are widened to whole
tokens), so that reading both back is exact. Without it a text is its tokens joined by blanks.
Reads BIO, BIOES and IOB1.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.document import Document
from mustermann.documents.formats.format import read_text, unheld
from mustermann.documents.formats.tokens import covered, token_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_START = "-DOCSTART-"
_COLUMNS = re.compile(r"[ \t]+")


class Conll:
    """`corpus.conll` and `texts.jsonl`."""

    name: ClassVar[str] = "conll"
    file: ClassVar[str] = "corpus.conll"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes both files; widened spans are counted as `misaligned`, and kept exactly."""
        losses: Counter[str] = Counter()
        with (
            (directory / self.file).open("w", encoding="utf-8", newline="\n") as tags,
            (directory / "texts.jsonl").open("w", encoding="utf-8", newline="\n") as texts,
        ):
            for document in documents:
                ranges = token_ranges(document.text)
                covers, misaligned = covered(document.spans, ranges)
                tags.writelines(_lines(document.text, ranges, self._tags(document, ranges, covers)))
                kept = [{"start": s.start, "end": s.end, "label": s.label} for s in document.spans
                        if s in misaligned or s.label != _label(s.label)]  # fmt: skip
                record = {"id": document.id, "text": document.text, "misaligned": kept}
                texts.write(json.dumps(record, ensure_ascii=False) + "\n")
                losses += unheld(document, "components", "details", "clinical", "meta")
                losses["misaligned"] += len(misaligned)
        return +losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of every file of the format in a directory, or of one file."""
        suffix = Path(self.file).suffix
        files = [path] if path.is_file() else sorted(path.glob(f"*{suffix}"))
        if not files:
            raise DataError(f"Expected {self.file} in {path}, found none.")
        for file in files:
            beside = file.with_name("texts.jsonl")
            texts: Iterator[Any] = iter(())
            if beside.is_file() and file.name == self.file:
                lines = read_text(beside).split("\n")
                texts = (_known(line, beside) for line in lines if line)
            prefix = f"{file.stem}-" if len(files) > 1 else ""
            for number, rows in enumerate(_documents(file)):
                yield _document(rows, next(texts, None), f"{prefix}{number}", file)

    def found_at(self, path: Path) -> bool:
        """Returns whether there is a `.conll` file."""
        if path.is_file():
            return path.suffix in {".conll", ".bio"}
        return any(path.glob("*.conll"))

    def _tags(
        self, document: Document, ranges: Sequence[tuple[int, int]],
        covers: Sequence[tuple[int, int] | None],
    ) -> list[str]:  # fmt: skip
        """Returns a tag for each token; blanks in a label become underscores."""
        tags = ["O"] * len(ranges)
        for span, tokens in zip(document.spans, covers, strict=True):
            if tokens:
                marks = self._marks(tokens[1] - tokens[0])
                label = _label(span.label)
                tags[tokens[0] : tokens[1]] = [f"{mark}-{label}" for mark in marks]
        return tags

    def _marks(self, count: int) -> str:
        return "B" + "I" * (count - 1)


class Bioes(Conll):
    """`corpus.bioes` and `texts.jsonl`: the end of a span has a mark of its own."""

    name: ClassVar[str] = "bioes"
    file: ClassVar[str] = "corpus.bioes"

    def found_at(self, path: Path) -> bool:
        """Returns whether there is a `.bioes` file."""
        return path.suffix == ".bioes" if path.is_file() else any(path.glob("*.bioes"))

    def _marks(self, count: int) -> str:
        return "S" if count == 1 else "B" + "I" * (count - 2) + "E"


def _label(label: str) -> str:
    return "_".join(label.split())


def _known(line: str, file: Path) -> Any:
    try:
        found = json.loads(line)
        return {name: found[name] for name in ("id", "text", "misaligned")}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"Expected id, text and misaligned in {file}, but: {error!r}.") from error


def _lines(text: str, ranges: Sequence[tuple[int, int]], tags: Sequence[str]) -> Iterator[str]:
    yield f"{_START} -X- -X- O\n\n"
    last = 0
    for (start, end), tag in zip(ranges, tags, strict=True):
        # A line break in the text ends a sentence, but not inside a span.
        if "\n" in text[last:start] and tag[:2] not in {"I-", "E-"} and last:
            yield "\n"
        yield f"{text[start:end]} -X- -X- {tag}\n"
        last = end
    yield "\n"


def _documents(file: Path) -> Iterator[list[tuple[str, str]]]:
    rows: list[tuple[str, str]] = []
    begun = False
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        # Blanks and tabs part columns; a no-break space may be part of a foreign token.
        parts = [part for part in _COLUMNS.split(line.strip("\r")) if part]
        if parts and parts[0] == _START:
            if begun:
                yield rows
            rows, begun = [], True
        elif len(parts) == 1:
            raise DataError(f"Expected a token and a tag in {file}, line {number}: {line!r}.")
        elif parts:
            rows.append((parts[0], parts[-1]))
    if begun or rows:
        yield rows


def _document(rows: list[tuple[str, str]], known: Any, name: str, file: Path) -> Document:
    if known is None:
        text, ranges = "", []
        for token, _ in rows:
            text += " " if text else ""
            ranges.append((len(text), len(text) + len(token)))
            text += token
        known = {"id": name, "text": text, "misaligned": []}
    else:
        ranges = token_ranges(known["text"])
        if [known["text"][a:b] for a, b in ranges] != [token for token, _ in rows]:
            raise DataError(f"Expected texts.jsonl to fit {file}, found another text for document "
                            f"{known['id']!r}.")  # fmt: skip
    exact = known["misaligned"]
    tagged = [
        span for span in _spans(ranges, [tag for _, tag in rows])
        if not any(span["start"] < e["end"] and e["start"] < span["end"] for e in exact)
    ]  # fmt: skip
    return Document.from_record({"id": known["id"], "text": known["text"], "spans": tagged + exact})


def _spans(ranges: Sequence[tuple[int, int]], tags: Sequence[str]) -> list[dict[str, Any]]:
    spans: list[dict[str, Any]] = []
    previous = "O"
    for (start, end), tag in zip(ranges, tags, strict=True):
        mark, _, label = tag.partition("-")
        goes_on = mark in {"I", "E"} and previous[:1] in {"B", "I"} and previous[2:] == label
        if goes_on:
            spans[-1]["end"] = end
        elif mark in {"B", "I", "S", "E"}:
            spans.append({"start": start, "end": end, "label": label})
        previous = tag if mark in {"B", "I"} else "O"
    return spans
