"""Wards and rooms: the number or short name after the word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_WARD = re.compile(
    r"(?P<word>[Ss]tation|STATION|Stat\.|Pflegegruppe|Ebene|[Aa]mbulanz)[ :]{1,3}(?P<value>"
    r"[A-Z]{0,4}[- ]?\d{1,4}\.?\d?[A-Za-z]?(?:[-/]\d+)?\b(?: (?:Süd|Nord|Ost|West)\b)?"
    r"|[A-Z]{1,4}\d*[A-Z]?\b(?![a-zäöüß.])|\d ?(?:[Ss]üd|[Nn]ord|[Oo]st|[Ww]est)"
    r"|(?:Süd|Nord|Ost|West|[A-ZÄÖÜ][a-zäöü]+) \d{1,2}\b)"
)
_ROOM = re.compile(
    r"(?:Zimmernummer|Zi(?:mmer)?(?:[- ]?[Nn]r)?\.?|Raum|Bett|OP-Saal|Saal)(?<!\w\w\wZi)[ :]{1,3}"
    r"(?P<value>[A-Z]?\d{1,4}[a-z]?(?:[.-]\d+)?)(?!\w|[.,]\d| ?(?:mg|ml|Uhr|%))"
)
_LABELLED = re.compile(
    r"(?:Station|Stat\.|STATION)(?::[ ]|(?<=\(Station)[ ]|(?<=\(Stat\.)[ ])"
    r"(?P<value>[A-ZÄÖÜ][a-zäöüß]+(?: [A-ZÄÖÜ][a-zäöüß]+| [A-Z]?\d{1,3})?)(?=[ ]?(?:[,;)\n·|]|$))"
)
_NAMED = re.compile(
    r"(?:von|der|auf|Station) (?P<value>\d{1,2} ?(?:Süd|Nord|Ost|West))"
    r"(?= ?(?:[,.;)]|verlegt|übernommen|aufgenommen|\())"
)


def find_wards(text: str) -> Iterator[Find]:
    """Yields wards and rooms in a normalised text; may overlap."""
    for match in _WARD.finditer(text):
        word, value = match["word"], match["value"]
        if word == "Ebene" and not value.isdigit():
            continue
        if word.lower() == "ambulanz" and not any(character.isdigit() for character in value):
            continue
        yield Find(*match.span("value"), "WARD")
    for match in _ROOM.finditer(text):
        if not text[max(0, match.start() - 1) : match.start()].isalnum():
            yield Find(*match.span("value"), "ROOM")
    for match in (*_LABELLED.finditer(text), *_NAMED.finditer(text)):
        yield Find(*match.span("value"), "WARD")
