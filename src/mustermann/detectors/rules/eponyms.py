"""Eponyms: names that stand for a disease, a sign, a score or an operation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find, Stretch, lines_with
from mustermann.detectors.rules.words import COMPOUND, EPONYM_HEADS, START, any_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.detectors.rules.gazetteer import Gazetteer

_WORD = re.compile(r"[^\W\d_a-zäöüß][\w'’]+")
_CAP = rf"{START}[\w'’]+"
_CAPS = rf"{START}[\w'’]+(?:-[^\W\d_a-zäöüß][\w'’]+){{0,4}}"
_HEAD = "(?i:" + any_of(EPONYM_HEADS) + ")"
_BEFORE = re.compile(
    r"(?:[Mm]orbus|Mb\.|M\.|MB|Lues|Sulcus|Fossa|Foramen|Zeichen nach|Typ|Stadium|Grad|Level) "
    rf"(?P<name>{COMPOUND}(?:[ -](?:und |u\. )?{COMPOUND})?)"
)
_HYPHENED = re.compile(rf"(?P<name>{_CAPS}?)-{_HEAD}\w*")
_KNOWN = re.compile(rf"(?P<name>{_CAPS})-?(?:[^\W_]\w*)?")
_ADJECTIVE = re.compile(rf"(?P<name>{_CAP})[ ]?['’]?sche[rsnm]?[ ][A-ZÄÖÜ]\w")
_PAIR = re.compile(rf"(?P<name>{_CAP}(?:[ -][^\W\d_a-zäöüß][\w'’]+){{0,2}})[ ]{_HEAD}\b")
_BY = re.compile(
    r"(?:[Nn]ach|n\.|gemäß|mod\. nach|i\.S\.v\.) "
    rf"(?P<name>{COMPOUND}(?:(?:[/-]| und | & |/ ?){COMPOUND})?)"
)
_METHOD = re.compile(
    r"(?:ektomie|plastik|operation|OP|Operation|resektion|[Kk]lassifikation|[Ss]tadium|[Gg]rad\w*"
    r"|[Tt]yp|[Ss]chema|Score|Index|[Vv]erfahren|tomie|stomie|naht|[Tt]echnik|[Ff]ormel"
    r"|[Ee]inteilung"
    r"|[Mm]ethode|[Kk]riterien|[Tt]est|[Ss]kala|[Ff]raktur|[Rr]ekonstruktion|[Zz]ugang|[Dd]rainage"
    r"|[Pp]unktion|[Aa]naly\w+|Herzinsuffizienz|[IV]{1,3}[abc]?|\d[abc]?|[Tt]herapie|[Bb]ehandlung"
    r"|[Vv]ersorgung|[Kk]onzept|Übungen|[Ll]agerung)[ ),:]*$"
)
_GRADED = re.compile(
    rf"(?P<name>{_CAPS})[ -](?:I{{1,3}}V?[abc]?|IV|V|[ABC]|[1-5][abc]?)\b(?![.,]\d)"
)


def find_eponyms(text: str, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields names in a medical term: Morbus Crohn, Babinski-Zeichen, OP nach Whipple."""
    for pattern in (_BEFORE, _HYPHENED, _ADJECTIVE):
        for match in pattern.finditer(text):
            yield Find(*match.span("name"), "EPONYM")
    words = set(_WORD.findall(text))
    present = [name for name in gazetteer.eponyms if name in words or "-" in name]
    for line in lines_with(text, present):
        yield from _known(text, line, gazetteer)
    for match in _BY.finditer(text):
        known = re.split("[ /-]", match["name"])[0] in gazetteer.eponyms
        if known or _METHOD.search(text[max(0, match.start() - 40) : match.start()]):
            yield Find(*match.span("name"), "EPONYM")


def _known(text: str, line: Stretch, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields the terms of a line that begin with a name known from the terms of medicine."""
    for match in _KNOWN.finditer(text, line.start, line.end):
        if "-" not in match[0]:
            continue
        parts = match["name"].split("-")
        each = [part in gazetteer.eponyms for part in parts]
        if len(match[0]) > len(match["name"]) and all(each):
            yield Find(*match.span("name"), "EPONYM")
        elif len(parts) > 2 and all(each[:-1]):
            yield Find(match.start(), match.start() + len("-".join(parts[:-1])), "EPONYM")
    for match in _PAIR.finditer(text, line.start, line.end):
        if all(word in gazetteer.eponyms for word in re.split("[ -]", match["name"])):
            yield Find(*match.span("name"), "EPONYM")
    for match in _GRADED.finditer(text, line.start, line.end):
        if match["name"] in gazetteer.eponyms:
            yield Find(*match.span("name"), "EPONYM")
