"""Postal codes and towns, by form, neighbourhood and gazetteer.

Source: DIN 5008; Austrian and Swiss codes have four digits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.addresses import NUMBER
from mustermann.detectors.rules.find import Find
from mustermann.detectors.rules.words import COMPOUND, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.detectors.rules.gazetteer import Gazetteer

_TOWN = (
    r"(?:(?:Bad|Sankt|St\.|Klein|Gro(?:ß|ss)|Neu|Alt|Markt|Stadt|Ober|Unter|Hohen|Nieder"
    rf"|Schwäbisch|Ribnitz|Burg)[ ])?{COMPOUND}"
    r"(?:[ ](?:(?:an|in|am|im|bei|ob|vor|auf|unter|a\.|i\.|b\.|v\.|o\.)[ ]?(?:der|den|dem|d\.)?[ ]?"
    rf"{COMPOUND}|\((?:[{UPPER}]\w*[ .]?)+\)|/ ?{COMPOUND}|{COMPOUND}(?=[ ]*(?:[,;\n)]|$))))*"
)
_ZIP_TOWN = re.compile(
    r"(?P<zip>(?:[A-Z]{1,3}[- ]{1,2})?\d{5}|(?:A|AT|CH|L|B|NL)[- ]{1,2}\d{4})"
    rf"(?P<gap>[ ]{{1,3}}|[-–][ ]?|,[ ]?|[ ]?\n[ ]?)(?P<town>{_TOWN})",
    re.MULTILINE,
)
_CODE_START = re.compile(r"[A-Z0-9](?<![\w.,/-].)(?:[A-Z]{0,2}[- ]{0,2}\d{4})")
_FOUR = re.compile(
    rf"(?:(?:\b[Ww]ohnhaft(?: in)?|[,;\n]|^)[ ]*)(?P<zip>\d{{4}})[ ](?P<town>{_TOWN})", re.MULTILINE
)
_DATELINE = re.compile(
    rf"^[ \t]*(?P<town>{COMPOUND}(?:[ ](?:{COMPOUND}|am|an der|im|ob|bei))*),[ ]{{0,2}}"
    r"(?:den|am|d\.|dem)?[ ]{0,2}"
    r"(?=\d{1,2}\. ?(?:\d{1,2}\.|[A-ZÄÖÜ]\w{2,})|\d{4}-\d|\d{1,2}/\d{1,2}/\d)",
    re.MULTILINE,
)
_RESIDENT = re.compile(
    r"(?:[Ww]ohn(?:haft|t|hafte[rn]?|e)(?: (?:derzeit|jetzt|noch|allein))? in|[Aa]ns(?:ä|ae)ssig in"
    r"|geboren in|stamm(?:t|e) aus|Nähe von|gebürtig aus|(?:Wohn|Geburts)ort:?|Großraum) "
    rf"(?P<town>{COMPOUND}(?:[ ]an[ ]der[ ]{COMPOUND}|[ ]am[ ]{COMPOUND})?)"
)
_NEAR = re.compile(
    r"(?:in|aus|nach|bei|Nähe|von|zwischen|Raum|Stadt|Kreis|Landkreis|Gemeinde) "
    rf"(?P<town>{COMPOUND}(?:[ ](?:an der|am|im|ob der)[ ]{COMPOUND})?)"
)
_STREET_BEFORE = re.compile(
    r"(?:^|[,;\n]|wohnhaft(?: in)?|\t|[ ]{2})[ ]*"
    rf"(?P<street>(?:(?:{COMPOUND}|am|an|der|den|im|zum"
    rf"|von)[ ]){{1,4}}{NUMBER})[ ]*[,;·|]?[ ]*\n?[ ]*$"
)
_STREET_AFTER = re.compile(
    rf",?[ ]*\n?[ ]*(?P<street>(?:{COMPOUND}[ ]){{1,3}}{NUMBER})(?=[ ]*(?:[,;\n]|$))"
)
_STREET_LINE = re.compile(
    r"(?:^|\n)[ ]*(?P<street>(?:Am|An der|An den|Auf der|Auf dem|Im|In der|Zum|Zur|Unter den)"
    rf"(?:[ ]{COMPOUND}){{1,2}})[ ]*\n[ ]*$"
)
_HOUSE = re.compile(r"[ ]\d{1,3} ?[a-z]?$")
_NO_TOWN = frozenset(
    [
        "Patient",
        "Patientin",
        "Pat",
        "Tel",
        "Telefon",
        "Fax",
        "Herr",
        "Frau",
        "Dr",
        "Prof",
        "Datum",
        "Station",
        "Klinik",
        "Abteilung",
    ]
)


def find_towns(text: str, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields postal codes with their towns, date lines, and places of residence; may overlap."""
    for code in _CODE_START.finditer(text):
        if match := _ZIP_TOWN.match(text, code.start()):
            yield from _coded(text, match)
    for match in _FOUR.finditer(text):
        after_street = _HOUSE.search(text[max(0, match.start() - 8) : match.start()])
        if after_street or "ohnhaft" in match[0] or _trimmed(match["town"]) in gazetteer.towns:
            yield from _coded(text, match)
    for match in _DATELINE.finditer(text):
        town = match["town"]
        if town in gazetteer.towns or not gazetteer.common_noun(town.split(" ")[0]):
            yield Find(*match.span("town"), "CITY")
    for match in _RESIDENT.finditer(text):
        if not gazetteer.common_noun(match["town"]):
            yield Find(*match.span("town"), "CITY")
    for match in _NEAR.finditer(text):
        start, town = match.start("town"), match["town"]
        for shown in (town, town.split(" ")[0]):
            if shown in gazetteer.towns and not text[match.start() - 1 : match.start()].isalpha():
                yield Find(start, start + len(shown), "CITY")
                break


def _coded(text: str, match: re.Match[str]) -> Iterator[Find]:
    """Yields a postal code, its town, and a street beside them that no suffix gives away."""
    town = _trimmed(match["town"])
    if not town:
        return
    start, end = match.start("town"), match.start("town") + len(town)
    yield Find(*match.span("zip"), "ZIP")
    yield Find(start, end, "CITY")
    shift = max(0, match.start("zip") - 60)
    before = text[shift : match.start("zip")]
    street = _STREET_BEFORE.search(before) or _STREET_LINE.search(before)
    if street:
        yield Find(shift + street.start("street"), shift + street.end("street"), "STREET")
    after = _STREET_AFTER.match(text, end)
    if after:
        yield Find(*after.span("street"), "STREET")


def _trimmed(town: str) -> str:
    """Returns the town without words after it that are none of it."""
    words = town.split(" ")
    for index, word in enumerate(words):
        if word.strip(".,") in _NO_TOWN:
            return " ".join(words[:index])
    return town
