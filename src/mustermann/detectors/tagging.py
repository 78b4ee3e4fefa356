"""Tokens, their BIO tags and back: what a token classifier needs besides its model."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from mustermann.documents.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Letters and digits part, so that the span of "49jähr." can end after the number.
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
OUTSIDE = "O"


@dataclasses.dataclass(frozen=True, slots=True)
class Token:
    """A stretch of letters, of digits, or one other character.

    Attributes:
      start: Index of its first character.
      end: Index one past its last character.
      text: Its characters.
      breaks: How many line breaks stand before it.
    """

    start: int
    end: int
    text: str
    breaks: int


def tokens(text: str) -> list[Token]:
    """Returns the tokens of a text, in order."""
    found: list[Token] = []
    last = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        found.append(Token(start, end, match[0], text.count("\n", last, start)))
        last = end
    return found


def tags(words: Sequence[Token], spans: Iterable[Span]) -> list[str]:
    """Returns the BIO tag of each token; a token that a span only touches is in it."""
    tagged = [OUTSIDE] * len(words)
    position = 0
    for span in sorted(spans):
        while position < len(words) and words[position].end <= span.start:
            position += 1
        first = True
        while position < len(words) and words[position].start < span.end:
            tagged[position] = f"{'B' if first else 'I'}-{span.label}"
            first = False
            position += 1
    return tagged


def spans(words: Sequence[Token], tagged: Sequence[str]) -> Iterator[Span]:
    """Yields the spans of BIO tags; an I- that follows nothing of its label begins a span."""
    start, end, label = -1, -1, ""
    for word, tag in zip(words, tagged, strict=True):
        kind, _, name = tag.partition("-")
        if kind == "I" and name == label and start >= 0:
            end = word.end
            continue
        if start >= 0:
            yield Span(start, end, label)
        start, end, label = (word.start, word.end, name) if name else (-1, -1, "")
    if start >= 0:
        yield Span(start, end, label)
