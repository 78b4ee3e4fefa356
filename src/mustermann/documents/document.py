"""A document: a text, what is labelled in it, and what is known about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from mustermann.core.errors import DataError, SpanError
from mustermann.documents.labels import ATTACHED
from mustermann.documents.spans import Component, Span

Record = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """A text with exact labels.

    Attributes:
      id: Unique within its corpus.
      text: The text; offsets count its Unicode code points.
      spans: PHI and decoys: sorted, inside the text, disjoint.
      clinical: The clinical layer, under the same rules by itself.
      meta: What else is known: attributes, difficulty, style, modes, seed path.

    Raises:
      SpanError: A span breaks one of the rules above; the message says where.
    """

    id: str
    text: str
    spans: tuple[Span, ...] = ()
    clinical: tuple[Span, ...] = ()
    meta: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for layer in (self.spans, self.clinical):
            _check_layer(self.id, self.text, layer)

    def surface(self, span: Span | Component) -> str:
        """Returns the text that a span or component covers."""
        return self.text[span.start : span.end]

    def to_record(self) -> Record:
        """Returns the document as plain JSON values; empty fields are left out."""
        record: Record = {"id": self.id, "text": self.text}
        record["spans"] = [_span_record(span) for span in self.spans]
        if self.clinical:
            record["clinical"] = [_span_record(span) for span in self.clinical]
        return record | dict(self.meta)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Document:
        """Returns the document of a JSON record.

        Raises:
          DataError: A field is missing or of the wrong type; SpanError for bad offsets.
        """
        try:
            rest = {k: v for k, v in record.items() if k not in _FIELDS}
            return cls(
                id=_text(record["id"]),
                text=_text(record["text"]),
                spans=tuple(sorted(_span(raw) for raw in record.get("spans", ()))),
                clinical=tuple(sorted(_span(raw) for raw in record.get("clinical", ()))),
                meta=rest,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"Expected a document with id, text and spans [{{start, end, label}}], "
                f"got one where {error!r} in {str(record)[:80]!r}."
            ) from error


_FIELDS = frozenset({"id", "text", "spans", "clinical"})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a string was expected, not {type(value).__name__}")
    return value


def _span_record(span: Span) -> Record:
    record: Record = {"start": span.start, "end": span.end, "label": span.label}
    if span.slot:
        record["slot"] = span.slot
    if span.form:
        record["form"] = span.form
    if span.components:
        record["components"] = [
            {"start": part.start, "end": part.end, "kind": part.kind} for part in span.components
        ]
    if span.details:
        record["details"] = dict(span.details)
    return record


def _span(raw: Mapping[str, Any]) -> Span:
    return Span(
        start=_index(raw["start"]),
        end=_index(raw["end"]),
        label=_text(raw["label"] if raw["label"] is not None else "UNKNOWN"),
        slot=raw.get("slot", ""),
        form=raw.get("form", ""),
        components=tuple(
            Component(_index(c["start"]), _index(c["end"]), _text(c["kind"]))
            for c in raw.get("components", ())
        ),
        details=raw.get("details", {}),
    )


def _index(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"an integer offset was expected, not {value!r}")
    return value


def _check_layer(name: str, text: str, spans: Sequence[Span]) -> None:
    """Raises SpanError unless spans are sorted, inside the text, disjoint, parts nested."""
    last = 0
    for span in spans:
        if span.end > len(text):
            raise SpanError(
                f"Expected {span.label} [{span.start}, {span.end}) inside the {len(text)} "
                f"characters of document {name!r}."
            )
        if span.start < last:
            raise SpanError(
                f"Expected sorted, disjoint spans in document {name!r}, got {span.label} at "
                f"{span.start} before the previous one ends at {last}."
            )
        last = span.end
        for part in span.components:
            attached = part.kind in ATTACHED and part.end <= span.start
            if not (attached or span.start <= part.start < part.end <= span.end):
                raise SpanError(
                    f"Expected {part.kind} [{part.start}, {part.end}) inside {span.label} "
                    f"[{span.start}, {span.end}) of document {name!r}."
                )
