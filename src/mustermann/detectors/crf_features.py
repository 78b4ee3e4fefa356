"""What a conditional random field sees of a token: characters, shape, gazetteers, context."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from mustermann.detectors.rules.gazetteer import built_in
from mustermann.detectors.rules.words import FUNCTIONS, RELATIVES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.detectors.tagging import Token

VERSION = "1"
LONGEST = 150
"""Tokens in one sequence, as far as lines allow."""

_HONORIFICS = frozenset({"Herr", "Herrn", "Frau", "Hr", "Fr", "Familie", "HERR", "HERRN", "FRAU"})
_TITLES = frozenset(
    {"Dr", "Prof", "PD", "Doz", "Priv", "Univ", "Mag", "Prim", "DR", "PROF", "Dipl", "DDr", "Drs"}
)
_MONTHS = re.compile(
    r"(?:Jan|Jän|Feb|Mär|Mrz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*|JANUAR|FEBRUAR|MÄRZ"
)
_STREET = re.compile(r"(?i:str(?:aße|asse)?|weg|platz|gasse|allee|ring|damm|ufer|chaussee)")
_HOUSE = re.compile(r"(?i:klinik|klinikum|krankenhaus|spital|praxis|hospital|kasse|versicherung)")


def signature() -> str:
    """Names the features: their version, and the word lists that they look into."""
    return f"{VERSION}-{built_in().digest}"


def sequences(words: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Yields ranges of tokens to tag together: whole lines, up to `LONGEST` tokens."""
    start = 0
    for index, word in enumerate(words):
        if (word.breaks and index - start >= LONGEST * 2 // 3) or index - start >= LONGEST:
            yield start, index
            start = index
    if start < len(words):
        yield start, len(words)


def features(words: Sequence[Token], *, domain: str = "") -> list[list[str]]:
    """Returns the features of each token of a document, as strings.

    A token has its own, and those of the two tokens on either side with their distance.

    Args:
      words: Of a document.
      domain: Where it comes from. Each feature then stands there twice, once for every
        domain and once for this one, so that a field learns from several what they share
        and from each what is its own.

    Source: Daumé III 2007, Frustratingly Easy Domain Adaptation.
    """
    rows = _rows(words)
    return [row + [f"{domain}:{name}" for name in row] for row in rows] if domain else rows


def _rows(words: Sequence[Token]) -> list[list[str]]:
    own = [list(_own(word.text)) for word in words]
    result: list[list[str]] = []
    for index, word in enumerate(words):
        row = list(own[index])
        row.append("bias")
        if word.breaks:
            row.append("line=first" if word.breaks == 1 else "line=block")
        if index + 1 == len(words) or words[index + 1].breaks:
            row.append("line=last")
        for step in (-3, -2, -1, 1, 2, 3):
            at = index + step
            if not 0 <= at < len(words):
                row.append(f"{step}:edge")
                continue
            if abs(step) == 3:
                row.append(f"{step}:{own[at][0]}")
                continue
            row.extend(f"{step}:{feature}" for feature in own[at][: _CONTEXT + 3] if feature)
            broken = words[at + 1 : index + 1] if step < 0 else words[index + 1 : at + 1]
            if any(token.breaks for token in broken):
                row.append(f"{step}:break")
        if index:
            glued = words[index - 1].end == word.start
            row.append("glued" if glued else "apart")
            row.append(f"-1|0={own[index - 1][0]}|{own[index][1]}")
        result.append(row)
    return result


_CONTEXT = 4


@lru_cache(maxsize=200_000)
def _own(word: str) -> tuple[str, ...]:
    """Returns what a token shows by itself, the most telling first."""
    known = built_in()
    lower = word.lower()
    found = [
        f"w={lower}" if not word.isdecimal() else f"d={len(word)}",
        f"shape={_shape(word)}",
        f"suf3={lower[-3:]}" if len(word) > 3 else "",
        _kind(word),
    ]
    if known.is_given(word):
        found.append("gaz=given")
    if known.is_family(word):
        found.append("gaz=family")
    if word in known.towns:
        found.append("gaz=town")
    if word in known.eponyms:
        found.append("gaz=eponym")
    if word[:1].isupper() and known.common_noun(word):
        found.append("gaz=noun")
    if not word.isdecimal() and len(word) > 2:
        found += [f"pre3={lower[:3]}", f"suf2={lower[-2:]}", f"suf4={lower[-4:]}"]
    elif word.isdecimal():
        found.append(_number(word))
    return tuple(feature for feature in found if feature)


def _kind(word: str) -> str:
    """Returns the closed class that a word belongs to, "" if none."""
    if word in _HONORIFICS:
        return "kind=honorific"
    if word in _TITLES:
        return "kind=title"
    if word in _FUNCTIONS:
        return "kind=function"
    if word in _RELATIVES:
        return "kind=relative"
    if _MONTHS.fullmatch(word):
        return "kind=month"
    if _HOUSE.search(word):
        return "kind=house"
    return "kind=street" if _STREET.search(word) and len(word) > 2 else ""


_FUNCTIONS, _RELATIVES = frozenset(FUNCTIONS), frozenset(RELATIVES)


def _number(word: str) -> str:
    value = int(word) if len(word) < 5 else 10_000
    if 1900 <= value <= 2099:
        return "num=year"
    if 1 <= value <= 12:
        return "num=month"
    if value <= 31:
        return "num=day"
    return "num=age" if value <= 110 else "num=other"


def _shape(word: str) -> str:
    """Returns the word with each run of capitals, small letters and digits as one sign or two."""
    signs = re.sub(r"\d", "0", re.sub(r"[^\W\d_]", _sign, word))
    return re.sub(r"(.)\1{2,}", r"\1\1", signs)


def _sign(match: re.Match[str]) -> str:
    return "X" if match[0].isupper() else "x"
