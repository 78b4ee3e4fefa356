"""A find: what one rule says about one stretch of text, and the canvas it is drawn on."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mustermann.documents.spans import Component


@dataclasses.dataclass(frozen=True, slots=True)
class Find:
    """A stretch of normalised text that a rule claims.

    Attributes:
      start: Index of the first character.
      end: Index one past the last character.
      label: A label of ours; a decoy's where the rule says that this is none.
      parts: Components of a name.
    """

    start: int
    end: int
    label: str
    parts: tuple[Component, ...] = ()


class Canvas:
    """The text and which of its characters are claimed already.

    Rules run from the surest to the weakest. A later one can't take a character that an
    earlier one has, so the finds are disjoint by construction.
    """

    __slots__ = ("_claimed", "finds", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.finds: list[Find] = []
        self._claimed = bytearray(len(text))

    def free(self, start: int, end: int) -> bool:
        """Returns whether nobody has claimed a character of `[start, end)`."""
        return self._claimed.find(1, start, end) < 0

    def claim(self, find: Find) -> bool:
        """Takes the find if its place is free; returns whether it was."""
        if find.start >= find.end or not self.free(find.start, find.end):
            return False
        self._claimed[find.start : find.end] = b"\x01" * (find.end - find.start)
        self.finds.append(find)
        return True

    def claim_all(self, finds: Iterable[Find]) -> None:
        """Takes each find whose place is free, longer ones first where two begin together."""
        for find in sorted(finds, key=lambda item: (item.start, -item.end)):
            self.claim(find)

    def labels_at(self, start: int, end: int) -> frozenset[str]:
        """Returns the labels of the finds that touch `[start, end)`."""
        return frozenset(f.label for f in self.finds if f.start < end and start < f.end)


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text, such as a line.

    Attributes:
      start: Index of its first character.
      end: Index one past its last character.
    """

    start: int
    end: int


def lines_with(text: str, words: Iterable[str]) -> Iterator[Stretch]:
    """Yields in order the lines that hold one of `words`, each once.

    A pattern that can't match without one of some fixed words, nor over a line break, need
    not look elsewhere; to find the words is two orders of magnitude cheaper.
    """
    starts: set[int] = set()
    for word in words:
        at = text.find(word)
        while at >= 0:
            starts.add(text.rfind("\n", 0, at) + 1)
            at = text.find(word, at + len(word))
    for start in sorted(starts):
        end = text.find("\n", start)
        yield Stretch(start, len(text) if end < 0 else end)
