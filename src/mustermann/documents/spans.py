"""Spans: half-open `[start, end)` character offsets into `Document.text`, and their writer."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from mustermann.core.errors import SpanError

_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Component:
    """A part of a name: a title, a given name, an honorific before it.

    Attributes:
      start: Index of the first character, in Unicode code points.
      end: Index one past the last character.
      kind: One of `labels.COMPONENTS` (inside the span) or `labels.ATTACHED` (outside).
    """

    start: int
    end: int
    kind: str


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Span:
    """A labelled stretch of text.

    Attributes:
      start: Index of the first character, in Unicode code points.
      end: Index one past the last character.
      label: A name from `mustermann.documents.labels`, or a foreign one in a foreign corpus.
      slot: The placeholder's slot that wrote it, "" if none.
      form: The surface form, case and variant it was written in, "" if none.
      components: Parts of the name, in order.
      details: What else is known of the value: an ICD code, a dose, a broken checksum.
    """

    start: int
    end: int
    label: str
    slot: str = ""
    form: str = ""
    components: tuple[Component, ...] = ()
    details: Mapping[str, str] = dataclasses.field(
        default_factory=lambda: _NOTHING, compare=False, hash=False
    )

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise SpanError(f"Expected 0 <= start < end, got start={self.start}, end={self.end}.")

    def __len__(self) -> int:
        return self.end - self.start

    def overlap(self, other: Span) -> int:
        """Returns how many characters both spans cover."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))


@dataclasses.dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a value as it goes into the text.

    Attributes:
      text: The characters, never empty.
      kind: The component that it is, "" for text between components.
      inside: Whether the value's span covers it (an honorific stands outside).
    """

    text: str
    kind: str = ""
    inside: bool = True


class Filter(Protocol):
    """Changes each piece before it is written: NFD, upper case, OCR noise.

    A filter sees one piece at a time and may keep state from piece to piece. What it
    returns for a piece of an entity must not be empty.
    """

    def __call__(self, text: str, *, label: str, kind: str) -> str:
        """Returns what is written instead of `text`; `label` and `kind` are "" in running text."""
        ...


class SpanWriter:
    """Builds a text left to right and labels each value as it is written.

    A label can't drift: its offsets are read off the text at the moment that the value
    goes in, and what was written is never edited again. Transformations are filters
    that see each piece before it is written.
    """

    __slots__ = ("_clinical", "_filters", "_length", "_parts", "_spans")

    def __init__(self, *, filters: Sequence[Filter] = ()) -> None:
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self._clinical: list[Span] = []
        self._length = 0
        self._filters = tuple(filters)

    def __len__(self) -> int:
        """Returns how many characters have been written."""
        return self._length

    def write(self, text: str) -> None:
        """Appends running text that carries no label."""
        if text:
            self._append(text, "", "")

    def entity(
        self,
        pieces: Sequence[Piece],
        label: str,
        *,
        slot: str = "",
        form: str = "",
        details: Mapping[str, str] = _NOTHING,
    ) -> None:
        """Appends a value piece by piece; its span covers the pieces that are inside.

        Raises:
          SpanError: No piece is inside, an outside piece stands between inside ones, or a
            piece is empty or begins with a combining mark (which would change the
            character before it).
        """
        start = end = -1
        components: list[Component] = []
        for piece in pieces:
            if not piece.text or unicodedata.combining(piece.text[0]):
                raise SpanError(f"Expected a piece that stands by itself, got {piece.text!r} "
                                f"in {label} at {self._length}.")  # fmt: skip
            at = self._length
            self._append(piece.text, label, piece.kind)
            if piece.kind:
                components.append(Component(at, self._length, piece.kind))
            if piece.inside:
                if start >= 0 and end != at:
                    raise SpanError(f"Expected one stretch for {label}, got a gap at {at}.")
                start, end = (at if start < 0 else start), self._length
        if start < 0:
            raise SpanError(f"Expected a piece inside the span of {label}, got {list(pieces)}.")
        self._spans.append(Span(start, end, label, slot, form, tuple(components), details))

    def open_clinical(self) -> int:
        """Returns a mark for `close_clinical`: a clinical mention begins here."""
        return self._length

    def close_clinical(self, mark: int, label: str, details: Mapping[str, str]) -> None:
        """Labels everything written since `mark` on the clinical layer.

        Raises:
          SpanError: Nothing was written since.
        """
        self._clinical.append(Span(mark, self._length, label, details=details))

    def text(self) -> str:
        """Returns what has been written so far."""
        return "".join(self._parts)

    def spans(self) -> tuple[Span, ...]:
        """Returns the PHI and decoy spans, in order of their start."""
        return tuple(self._spans)

    def clinical(self) -> tuple[Span, ...]:
        """Returns the clinical spans, in order of their start."""
        return tuple(sorted(self._clinical))

    def _append(self, text: str, label: str, kind: str) -> None:
        for change in self._filters:
            text = change(text, label=label, kind=kind)
        self._parts.append(text)
        self._length += len(text)
