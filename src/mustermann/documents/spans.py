"""Spans: half-open `[start, end)` character offsets into `Document.text`, and their writer."""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from mustermann.core.errors import SpanError

_NOTHING: Mapping[str, str] = MappingProxyType({})
_LATIN = "\u02ff"
"""Below the first combining mark; most pieces need no closer look."""


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

    def __reduce__(self) -> tuple[type[Span], tuple[object, ...]]:
        """Lets spans go to worker processes: a read-only view of details can't be pickled."""
        rest = (self.slot, self.form, self.components)
        details = (dict(self.details),) if self.details else ()
        return Span, (self.start, self.end, self.label, *rest, *details)

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

    A filter sees one piece at a time and may keep state from piece to piece. It may drop a
    blank between components, but no component and no value as a whole.
    """

    def __call__(self, text: str, *, label: str, kind: str) -> str:
        """Returns what is written instead of `text`.

        Args:
          text: One piece, never empty.
          label: Of the value that the piece belongs to, or of the clinical mention around
            it; "" in running text.
          kind: The component that the piece is, "" if none.
        """
        ...


class SpanWriter:
    """Builds a text left to right and labels each value as it is written.

    A label can't drift: its offsets are read off the text at the moment that the value
    goes in, and what was written is never edited again. Transformations are filters
    that see each piece before it is written.
    """

    __slots__ = ("_clinical", "_filters", "_length", "_mention", "_parts", "_spans")

    def __init__(self, *, filters: Sequence[Filter] = ()) -> None:
        self._parts: list[str] = []
        self._spans: list[Span] = []
        self._clinical: list[Span] = []
        self._length = 0
        self._mention = ""
        self._filters = tuple(filters)

    def __len__(self) -> int:
        """Returns how many characters have been written."""
        return self._length

    def write(self, text: str) -> None:
        """Appends running text that carries no label.

        Raises:
          SpanError: It would change the last character of what is written.
        """
        if text:
            if text[0] > _LATIN:
                self._require_standing(text, "running text")
            self._append(text, self._mention, "")

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
            piece is empty or would change the character before it.
        """
        start = end = -1
        components: list[Component] = []
        for piece in pieces:
            text, at = piece.text, self._length
            if text[:1] > _LATIN or not text:
                self._require_standing(text, label)
            self._append(text, label, piece.kind)
            if piece.kind:
                components.append(Component(at, self._length, piece.kind))
            if piece.inside:
                if start >= 0 and end != at:
                    raise SpanError(f"Expected one stretch for {label}, got a gap at {at}.")
                start, end = (at if start < 0 else start), self._length
        if start < 0:
            raise SpanError(f"Expected a piece inside the span of {label}, got {list(pieces)}.")
        self._spans.append(Span(start, end, label, slot, form, tuple(components), details))

    def atom(self, text: str, label: str, details: Mapping[str, str] = _NOTHING) -> None:
        """Appends a value of the clinical layer: a drug, a diagnosis.

        Raises:
          SpanError: It is empty or would change the character before it.
        """
        if text[:1] > _LATIN or not text:
            self._require_standing(text, label)
        start = self._length
        self._append(text, label, "")
        self._clinical.append(Span(start, self._length, label, details=details))

    def open_clinical(self, label: str = "") -> int:
        """Returns a mark for `close_clinical`: a clinical mention begins here.

        Args:
          label: What filters see as the label of running text until it closes.
        """
        self._mention = label
        return self._length

    def close_clinical(self, mark: int, label: str, details: Mapping[str, str] = _NOTHING) -> None:
        """Labels everything written since `mark` on the clinical layer.

        Raises:
          SpanError: Nothing was written since.
        """
        self._clinical.append(Span(mark, self._length, label, details=details))
        self._mention = ""

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

    def _require_standing(self, text: str, what: str) -> None:
        """Raises SpanError if `text` is empty or would merge with the character before it.

        Combining marks do, and so do some vowels that compose with a consonant.
        """
        if text and not self._merges(text[0]):
            return
        raise SpanError(f"Expected a piece that stands by itself, got {text[:40]!r} "
                        f"in {what} at {self._length}.")  # fmt: skip

    def _merges(self, first: str) -> bool:
        if unicodedata.combining(unicodedata.normalize("NFD", first)[0]):
            return True
        last = next((part[-1] for part in reversed(self._parts) if part), "")
        return len(unicodedata.normalize("NFC", last + first)) < len(last + first)
