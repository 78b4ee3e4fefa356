"""Foreign annotations may overlap, repeat or be empty; spans of a document may not.

Of annotations that overlap, the longest is a span of the document: it hides the most. The
others, and empty ones, stand in the document's meta under `set_aside`, each with its reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.core.errors import DataError
from mustermann.documents.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SET_ASIDE = "set_aside"


def disjoint_document(record: Mapping[str, Any]) -> Document:
    """Returns the document of a foreign record, whose layers may hold overlaps.

    Raises:
      DataError: A field is missing, or a span lies outside the text.
    """
    made = dict(record)
    aside: list[dict[str, Any]] = []
    try:
        for layer in ("spans", "clinical"):
            if layer in record:
                made[layer], left = _parted(record[layer])
                aside += left
    except (KeyError, TypeError) as error:
        raise DataError(
            f"Expected annotations {{start, end, label}} in document {record.get('id')!r}, "
            f"got one where {error!r}."
        ) from error
    if aside:
        made[SET_ASIDE] = [*record.get(SET_ASIDE, ()), *aside]
    return Document.from_record(made)


def _parted(spans: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Returns the spans that are kept, in order, and those that are set aside."""
    kept: list[dict[str, Any]] = []
    aside: list[dict[str, Any]] = []
    for span in sorted(spans, key=lambda s: (s["start"] - s["end"], s["start"])):
        over = [o for o in kept if span["start"] < o["end"] and o["start"] < span["end"]]
        if span["start"] == span["end"]:
            aside.append({**span, "reason": "empty"})
        elif not over:
            kept.append(dict(span))
        elif any(_key(other) == _key(span) for other in over):
            aside.append({**span, "reason": "repeated"})
        else:
            aside.append({**span, "reason": "overlaps"})
    return sorted(kept, key=lambda span: int(span["start"])), aside


def _key(span: Mapping[str, Any]) -> tuple[object, ...]:
    return span["start"], span["end"], span["label"]
