"""Cuts a document into stretches of plain and labelled text, for templates."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING

from mustermann.documents.labels import LABELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of text; `label` and `group` are "" where nothing is labelled."""

    text: str
    label: str = ""
    group: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class LegendEntry:
    """A label that occurs in a document, with its meaning and how often it does."""

    label: str
    group: str
    meaning: str
    count: int


def stretches(document: Document) -> Iterator[Stretch]:
    """Yields the text of `document` in order, cut at the borders of its spans."""
    at = 0
    for span in document.spans:
        if span.start > at:
            yield Stretch(document.text[at : span.start])
        yield Stretch(document.surface(span), span.label, group(span.label))
        at = span.end
    if at < len(document.text):
        yield Stretch(document.text[at:])


def legend(document: Document) -> list[LegendEntry]:
    """Returns an entry for each label in `document`, in the order of the label table."""
    counts = Counter(span.label for span in document.spans)
    order = {name: index for index, name in enumerate(LABELS)}
    return [
        LegendEntry(name, group(name), LABELS[name].meaning if name in LABELS else name, count)
        for name, count in sorted(counts.items(), key=lambda e: order.get(e[0], len(order)))
    ]


def group(label: str) -> str:
    """Returns the coarse class of a label, "OTHER" for a foreign one."""
    return LABELS[label].group if label in LABELS else "OTHER"
