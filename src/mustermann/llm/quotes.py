"""Finds where quoted pieces stand in a text: exactly, and told apart by what is around them.

A language model can't count characters, but it can quote. A quote that occurs once is found;
one that occurs often is placed where its context agrees best; one that does not occur, not
even with other blanks, is not found, and the caller counts it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence


@dataclasses.dataclass(frozen=True, slots=True)
class Quote:
    """A piece of a text as somebody quotes it.

    Attributes:
      text: The piece itself.
      before: A few words that stand before it, "" if not given.
      after: A few words that stand after it.
    """

    text: str
    before: str = ""
    after: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: [start, end) in code points."""

    start: int
    end: int


def locate(text: str, quotes: Sequence[Quote]) -> list[Place | None]:
    """Returns the place of each quote, None for one that is not in the text.

    Quotes of the same piece get different places while there are any; without context they
    are placed in the order of the text.
    """
    taken: set[tuple[int, int]] = set()
    found: list[Place | None] = []
    for quote in quotes:
        places = occurrences(text, quote.text)
        free = [place for place in places if (place.start, place.end) not in taken] or places
        best = max(free, key=lambda place: _agreement(text, place, quote), default=None)
        if best:
            taken.add((best.start, best.end))
        found.append(best)
    return found


def occurrences(text: str, piece: str) -> list[Place]:
    """Returns where a piece stands, as whole words if it begins or ends with one.

    Blanks and line breaks agree with any other blanks.
    """
    words = piece.split()
    if not words:
        return []
    body = r"\s+".join(re.escape(word) for word in words)
    left = r"(?<!\w)" if words[0][0].isalnum() else ""
    right = r"(?!\w)" if words[-1][-1].isalnum() else ""
    places = [Place(*match.span()) for match in re.finditer(f"{left}{body}{right}", text)]
    # German glues "64" to "jährig": a piece that is no whole word anywhere may be a part of one.
    return places or [Place(*match.span()) for match in re.finditer(body, text)]


def _agreement(text: str, place: Place, quote: Quote) -> tuple[int, int]:
    """Returns how many characters around a place are as quoted; then, the earlier the better."""
    before = _flat(text[max(0, place.start - 4 * len(quote.before) - 40) : place.start])
    after = _flat(text[place.end : place.end + 4 * len(quote.after) + 40])
    same = _common(reversed(before), reversed(_flat(quote.before)))
    same += _common(after, _flat(quote.after))
    return same, -place.start


def _flat(text: str) -> str:
    return " ".join(text.split())


def _common(left: Iterable[str], right: Iterable[str]) -> int:
    """Returns how many items agree from the beginning."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
