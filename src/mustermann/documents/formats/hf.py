"""A data set for the `datasets` library: Parquet below `data/`, and a card with its features."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from mustermann.core.errors import DataError
from mustermann.documents.formats.parquet import SCHEMA, Parquet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mustermann.documents.document import Document

_CARD = """---
language: de
task_categories:
- token-classification
tags:
- de-identification
dataset_info:
  features:
{features}configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---

# Labelled clinical letters

{count} documents, put into this layout by mustermann. Each row has `id`, `text`, `spans` (start,
end, label, slot, form, components, details), `clinical` (the same for diagnoses, procedures,
drugs and laboratory values) and `meta` (JSON).

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
        card = _CARD.format(count=count, labels=rows, features=_features(SCHEMA, "  "))
        (directory / "README.md").write_text(card, encoding="utf-8")
        return losses

    def read(self, path: Path) -> Iterator[Document]:
        """Yields the documents of every Parquet file below `data/`."""
        if not self.found_at(path):
            raise DataError(f"Expected Parquet files in {path / 'data'}, found none.")
        yield from Parquet().read(path / "data")

    def found_at(self, path: Path) -> bool:
        """Returns whether there are Parquet files below `data/`."""
        return (path / "data").is_dir() and any((path / "data").glob("*.parquet"))


def _features(fields: Iterable[Any], indent: str) -> str:
    """Returns the features of a card as YAML, nested as the Arrow fields are."""
    lines = []
    for field in fields:
        lines.append(f"{indent}- name: {field.name}\n")
        if hasattr(field.type, "value_type"):
            lines.append(f"{indent}  list:\n{_features(field.type.value_type, indent + '  ')}")
        else:
            lines.append(f"{indent}  dtype: {field.type}\n")
    return "".join(lines)


class _Shard(Parquet):
    file: ClassVar[str] = "data/train-00000.parquet"
