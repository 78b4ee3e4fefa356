"""Wards and rooms: the number or short name after the word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find
from mustermann.german import drugs

if TYPE_CHECKING:
    from collections.abc import Iterator

_AMOUNT = (
    r"(?!\d|[.,:]\d| ?(?:[mµnk]?g|[mµ]l|[mc]m|[mµ]mol|I\.?E\.?|mval|E|Gy|Uhr|h|Tag(?:en?|es)?"
    r"|Wochen?|Monaten?|Jahren?|Stunden?|Minuten?|min|[Xx]|Mal|Betten?|Patient\w*|Hub|Hübe|Stück"
    r"|Tbl|Kps|Tr|Trpf|Amp|Zyklen|Zyklus|Schritte|Meter|Grad|Liter|Atemzüge)(?![a-zäöüß])| ?[%°‰]"
    r"| ?-fach|/min)"
)
"""What follows no ward's number: the unit that makes it a dose, a time or a count."""
_WARD = re.compile(
    r"(?P<word>(?:[Ss]tation(?<![Mm]anifestation)(?<![Ww]orkstation)(?<![Gg]estation)|STATION"
    r"|Stat\.|Pflegegruppe|Ebene|[Aa]mbulanz))[ :]{1,3}(?P<value>"
    rf"[A-Z]{{0,4}}[- ]?\d{{1,4}}\.?\d?[A-Za-z]?(?:[-/]\d+)?\b{_AMOUNT}"
    r"(?: (?:Süd|Nord|Ost|West)\b)?"
    r"|[A-Z]{1,4}\d*[A-Z]?\b(?![a-zäöüß.])|\d ?(?:[Ss]üd|[Nn]ord|[Oo]st|[Ww]est)"
    rf"|(?P<name>Süd|Nord|Ost|West|[A-ZÄÖÜ][a-zäöü]+) \d{{1,2}}\b{_AMOUNT})"
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
_NO_WARD = frozenset({
    "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
    "Oktober", "November", "Dezember", "Tag", "Tage", "Woche", "Dosis", "Zyklus", "Zimmer", "Bett",
    "Platz", "Phase", "Stufe", "Grad", "Stadium", "Typ", "Punkt", "Punkte", "Puls", "Blutdruck",
    "Temperatur", "Gewicht", "Größe", "Haus", "Ebene", "Etage",
})  # fmt: skip
"""Words that may stand between a ward and a number that is none of its name."""


def find_wards(text: str) -> Iterator[Find]:
    """Yields wards and rooms in a normalised text; may overlap."""
    for match in _WARD.finditer(text):
        word, value = match["word"], match["value"]
        if word == "Ebene" and not value.isdigit():
            continue
        if word.lower() == "ambulanz" and not any(character.isdigit() for character in value):
            continue
        if match["name"] in _NO_WARD or match["name"] in drugs.by_name():
            continue
        yield Find(*match.span("value"), "WARD")
    for match in _ROOM.finditer(text):
        if not text[max(0, match.start() - 1) : match.start()].isalnum():
            yield Find(*match.span("value"), "ROOM")
    for match in (*_LABELLED.finditer(text), *_NAMED.finditer(text)):
        yield Find(*match.span("value"), "WARD")
