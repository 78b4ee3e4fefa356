"""Takes what was found out of a text, and keeps the way between old and new offsets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from mustermann.detectors.prediction import disjoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mustermann.documents.spans import Span

BLACK = "\u2588"


@dataclasses.dataclass(frozen=True, slots=True)
class Replacement:
    """A stretch of the old text and what stands in its place.

    Attributes:
      start: Where the old stretch begins.
      end: Where it ends.
      new_start: Where the new one begins in the new text.
      new_end: Where that ends.
      label: What was found there.
    """

    start: int
    end: int
    new_start: int
    new_end: int
    label: str


@dataclasses.dataclass(frozen=True, slots=True)
class Redacted:
    """A text without what was found.

    Attributes:
      text: The new text.
      replacements: In order; between them both texts are equal.
    """

    text: str
    replacements: tuple[Replacement, ...]

    def offset(self, old: int) -> int:
        """Returns where the character at `old` stands in the new text.

        A character that was replaced stands where its replacement begins.
        """
        shift = 0
        for piece in self.replacements:
            if old < piece.start:
                break
            if old < piece.end:
                return piece.new_start
            shift = piece.new_end - piece.end
        return old + shift


Replace = Callable[[str, "Span"], str]
"""Maps the text of a span and the span to what is written instead."""


def blackened(text: str, span: Span) -> str:
    """Returns bars of the same length; line breaks stay, so that the layout does."""
    del span
    return "".join(c if c in "\r\n" else BLACK for c in text)


def labelled(text: str, span: Span) -> str:
    """Returns the label in brackets."""
    del text
    return f"[{span.label}]"


MODES: Mapping[str, Replace] = {"mask": blackened, "label": labelled}
"""Ways to replace, by the name on the command line."""


def redact(text: str, spans: Iterable[Span], replace: Replace) -> Redacted:
    """Returns `text` with each span replaced; overlapping spans are made disjoint first."""
    parts: list[str] = []
    pieces: list[Replacement] = []
    last = length = 0
    for span in disjoint(spans):
        new = replace(text[span.start : span.end], span)
        before = text[last : span.start]
        start = length + len(before)
        length = start + len(new)
        parts += [before, new]
        pieces.append(Replacement(span.start, span.end, start, length, span.label))
        last = span.end
    return Redacted("".join([*parts, text[last:]]), tuple(pieces))
