"""A data set for the `datasets` library: Parquet below `data/`, and a card with its features."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from mustermann.documents.formats.parquet import Parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

_CARD = """---
language: de
task_categories:
- token-classification
tags:
- synthetic
- de-identification
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---

# Labelled clinical letters

{count} documents, written by mustermann. Each row has `id`, `text`, `spans` (start, end, label,
slot, form, components, details), `clinical` (the same for diagnoses, procedures, drugs and
laboratory values) and `meta` (JSON).

Offsets are half-open and count Unicode code points. `details` and `meta` are JSON text.

| label | spans |
|---|---|
{labels}
"""


class HuggingFace:
    """`data/train-00000.parquet` and `README.md`."""

    name: ClassVar[str] = "hf"

    def write(self, documents: Iterable[Document], directory: Path) -> Counter[str]:
        """Writes the data and the card."""
        labels: Counter[str] = Counter()
        count = 0

        def counted() -> Iterator[Document]:
            nonlocal count
            for document in documents:
                count += 1
                labels.update(span.label for span in document.spans)
                yield document

        losses = _Shard().write(counted(), directory)
        rows = "\n".join(f"| {label} | {found} |" for label, found in sorted(labels.items()))
        card = _CARD.format(count=count, labels=rows)
        (directory / "README.md").write_text(card, encoding="utf-8")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of every Parquet file below `data/`."""
        yield from Parquet().read(path / "data")

    def found_at(self, path: Path) -> bool:
        """Returns whether there are Parquet files below `data/`."""
        return (path / "data").is_dir() and any((path / "data").glob("*.parquet"))


class _Shard(Parquet):
    file: ClassVar[str] = "data/train-00000.parquet"
