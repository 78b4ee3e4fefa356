"""Text as the rules want to see it, with the way back to the original offsets.

Hospital systems export decomposed umlauts, no-break and zero-width spaces, soft hyphens
and CRLF. The rules see composed letters, plain blanks and LF; every character keeps
the range of the original that it stands for.
"""

from __future__ import annotations

import dataclasses
import re
import unicodedata

_ODD = re.compile(
    "[\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\u00ad\r\u0300-\u036f\u00a8]"
)
_DROPPED = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")
_BLANKS = frozenset("\u00a0\u1680\u202f\u205f\u3000") | {chr(c) for c in range(0x2000, 0x200B)}
_BREAKS = frozenset("\u2028\u2029\r")


@dataclasses.dataclass(frozen=True, slots=True)
class NormalText:
    """A normalised text.

    Attributes:
      text: The text for the rules.
      starts: Where each of its characters begins in the original; empty when nothing
        was changed.
      ends: Where each of them ends there.
    """

    text: str
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()

    def start(self, index: int) -> int:
        """Returns where the character at `index` begins in the original text."""
        return self.starts[index] if self.starts else index

    def end(self, index: int) -> int:
        """Returns where the character before `index` ends in the original text."""
        return self.ends[index - 1] if self.ends else index


def normalise(text: str) -> NormalText:
    """Returns the text composed, with plain blanks and LF, and the offsets of the original."""
    if not _ODD.search(text):
        return NormalText(text)
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at, length = 0, len(text)
    while at < length:
        stop = at + 1
        while stop < length and _attaches(text[stop], text[at]):
            stop += 1
        shown = _shown(text[at:stop], text[stop : stop + 1])
        for offset, character in enumerate(shown):
            characters.append(character)
            starts.append(at + offset)
            ends.append(stop if offset == len(shown) - 1 else at + offset + 1)
        at = stop
    return NormalText("".join(characters), tuple(starts), tuple(ends))


def _attaches(character: str, base: str) -> bool:
    """Returns whether `character` is a mark on `base`, also as typewriters set it: u¨."""
    return "\u0300" <= character <= "\u036f" or (character == "\u00a8" and base in "aouAOU")


def _shown(cluster: str, following: str) -> str:
    if len(cluster) == 1:
        if cluster in _DROPPED or (cluster == "\r" and following == "\n"):
            return ""
        return " " if cluster in _BLANKS else "\n" if cluster in _BREAKS else cluster
    return unicodedata.normalize("NFC", cluster.replace("\u00a8", "\u0308"))
