"""Parquet: one row a document, spans as lists of records; holds everything."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq

from mustermann.core.errors import DataError
from mustermann.documents.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_PART = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("kind", pa.string())])
_SPAN = pa.struct(
    [
        ("start", pa.int64()), ("end", pa.int64()), ("label", pa.string()),
        ("slot", pa.string()), ("form", pa.string()), ("components", pa.list_(_PART)),
        ("details", pa.string()),
    ]
)  # fmt: skip
SCHEMA = pa.schema(
    [
        ("id", pa.string()), ("text", pa.string()), ("spans", pa.list_(_SPAN)),
        ("clinical", pa.list_(_SPAN)), ("meta", pa.string()),
    ]
)  # fmt: skip
_ROWS = 500


class Parquet:
    """`corpus.parquet`; meta and details as JSON text."""

    name: ClassVar[str] = "parquet"
    file: ClassVar[str] = "corpus.parquet"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes one file, block by block."""
        (directory / self.file).parent.mkdir(parents=True, exist_ok=True)
        source = iter(documents)
        with pq.ParquetWriter(directory / self.file, SCHEMA) as writer:
            while block := [_row(document) for document in islice(source, _ROWS)]:
                writer.write_table(pa.Table.from_pylist(block, SCHEMA))
        return Counter()

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of one file, or of every Parquet file below a directory."""
        for file in sorted(path.rglob("*.parquet")) if path.is_dir() else [path]:
            try:
                source = pq.ParquetFile(file)
                for batch in source.iter_batches(batch_size=_ROWS):
                    yield from (_document(row) for row in batch.to_pylist())
            except DataError:
                raise
            except (pa.ArrowException, OSError, ValueError, TypeError) as error:
                raise DataError(f"Expected Parquet in {file}, but: {error}.") from error

    def found_at(self, path: Path) -> bool:
        """Returns whether there are Parquet files, or one by itself."""
        return path.suffix == ".parquet" if path.is_file() else any(path.glob("*.parquet"))


def _row(document: Document) -> dict[str, Any]:
    record = document.to_record()
    row: dict[str, Any] = {name: record.pop(name) for name in ("id", "text", "spans")}
    row["clinical"] = record.pop("clinical", [])
    for span in [*row["spans"], *row["clinical"]]:
        span["details"] = (
            json.dumps(span["details"], ensure_ascii=False) if "details" in span else None
        )
    row["meta"] = json.dumps(record, ensure_ascii=False)
    return row


def _document(row: dict[str, Any]) -> Document:
    record = {name: row.get(name) for name in ("id", "text")}
    for layer in ("spans", "clinical"):
        record[layer] = [_span(span) for span in row.get(layer) or ()]
    return Document.from_record(json.loads(row.get("meta") or "{}") | record)


def _span(span: dict[str, Any]) -> dict[str, Any]:
    found = {name: value for name, value in span.items() if value is not None}
    if "details" in found:
        found["details"] = json.loads(found["details"])
    return found
