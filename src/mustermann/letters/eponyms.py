"""Finds eponyms in the words of a diagnosis or procedure: they are labelled as decoys."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from mustermann.documents.spans import Piece
from mustermann.german.terms import eponyms

EPONYM = "EPONYM"


@lru_cache(maxsize=8192)
def pieces_of(text: str) -> tuple[Piece, ...]:
    """Returns the text in pieces; those of kind EPONYM are terms that bear a name.

    >>> [piece.text for piece in pieces_of("Idiopathisches Parkinson-Syndrom, Hoehn 2")]
    ['Idiopathisches ', 'Parkinson-Syndrom', ', Hoehn 2']
    """
    pieces: list[Piece] = []
    at = 0
    for found in _pattern().finditer(text):
        if found.start() > at:
            pieces.append(Piece(text[at : found.start()]))
        pieces.append(Piece(found[0], EPONYM))
        at = found.end()
    if at < len(text) or not pieces:
        pieces.append(Piece(text[at:]))
    return tuple(pieces)


@cache
def _pattern() -> re.Pattern[str]:
    """Returns what a term looks like: "Morbus X", "X-Syndrom", "Non-X-Lymphom".

    A name by itself is none: it may be a word.
    """
    names = sorted({name for term in eponyms() for name in term.names}, key=len, reverse=True)
    name = "(?:" + "|".join(map(re.escape, names)) + ")"
    compound = rf"(?:\w+-)*{name}(?:-\w+)+|(?:\w+-)+{name}"
    return re.compile(rf"(?<![\w-])(?:(?:Morbus|M\.|Chorea) {name}(?:-\w+)*|{compound})(?![\w-])")
