"""Streets and boxes, by the German street suffixes and by what stands around them.

Source: DIN 5008; the suffixes that German and Austrian streets carry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find
from mustermann.detectors.rules.words import CAPITALISED, COMPOUND, LOWER, UPPER

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER = r"\d{1,4}(?: ?[a-zA-Z](?![\w.]))?(?: ?[-–/+] ?\d{1,4}(?: ?[a-zA-Z](?!\w))?)?(?!\d|[.,]\d)"
"""A house number: 21 a, 414-424."""
_SUFFIX = (
    r"(?:[Ss]tra(?:ß|ss)e|[Ss]tr\.?|STRA(?:SS|ß|ẞ)E|STR\.?|[Gg]asse|[Ww]eg|[Aa]llee|[Pp]latz"
    r"|[Rr]ing"
    r"|[Dd]amm|[Uu]fer|[Cc]haussee|[Pp]fad|[Ss]tieg|[Ss]teig|[Mm]arkt|[Gg]raben|[Pp]romenade"
    r"|[Kk]amp|[Tt]wiete|[Zz]eile|[Bb]rücke|[Ww]all|[Tt]or|[Hh]of|[Bb]erg|[Ww]inkel|[Rr]edder"
    r"|[Ss]tiege|[Ll]eite|[Rr]ain|[Kk]ehre|[Hh]öhe|[Ww]iesen?|[Ff]elde?|[Gg]arten|[Gg]ärten"
    r"|[Aa]nger"
    r"|[Kk]ai)"
)
_APART = (
    r"(?:Stra(?:ß|ss)e|Str\.|STRA(?:SS|ß|ẞ)E|STR\.|Gasse|Weg|Allee|Platz|Ring|Damm|Ufer|Chaussee"
    r"|Markt|Graben|Pfad|Promenade)"
)
_LEAD = (
    rf"(?:(?:[{UPPER}][{LOWER}]+er|Alte[rn]?|Neue[rn]?|Gro(?:ß|ss)e[rn]?|Kleine[rn]?|Obere[rn]?"
    r"|Untere[rn]?|Hohe[rn]?|Lange[rn]?|Am|An der|St\.)[ ])"
)
_HOUSE_NUMBER = re.compile(NUMBER)
_ENDINGS = (
    "straße", "strasse", "str", "gasse", "weg", "allee", "platz", "ring", "damm", "ufer",
    "chaussee", "pfad", "stieg", "steig", "markt", "graben", "promenade", "kamp", "twiete",
    "zeile", "brücke", "wall", "tor", "hof", "berg", "winkel", "redder", "stiege", "leite",
    "rain", "kehre", "höhe", "wiese", "wiesen", "feld", "felde", "garten", "gärten", "anger",
    "kai",
)  # fmt: skip
"""How streets end; only before a number after one of these the text is read as a street."""
_STREET = re.compile(
    rf"(?<![\w-])(?:{_LEAD}?(?:{CAPITALISED}-(?:(?:von|der|und|van|de)-)?){{1,4}}{_SUFFIX}"
    rf"|{_LEAD}?[{UPPER}][{UPPER}{LOWER}'’ß]+?{_SUFFIX}"
    rf"|(?:{_LEAD}|(?:{COMPOUND}|von|der|van)[ ](?:{COMPOUND}[ ])?){_APART})"
    rf"\.?[ ]{{1,2}}{NUMBER}"
)
_WEAK = re.compile(
    r"(?:[Hh]of|[Bb]erg|[Tt]or|[Ww]inkel|[Rr]ing|[Ww]all|[Hh]öhe|[Ff]elde?|[Ww]iesen?|[Rr]ain"
    r"|[Kk]ai"
    r"|[Gg]arten|[Bb]rücke|[Mm]arkt|[Zz]eile|[Ll]eite|[Gg]raben|[Kk]amp|[Pp]latz|[Aa]nger) \d"
)
_SEPARATOR = re.compile(r"[ ]{0,2}(?:[,;\n)·|]|$|[ ](?:[A-Z]{1,2}-)?\d{4,5}\b)")
_ADJECTIVE = re.compile(rf"(?P<before>\S+ )(?P<lead>[{UPPER}]\w+er )(?={_APART})")
_PREPOSED = re.compile(
    r"(?:A(?:m|n de[rn]|uf de[rm]|uf'm|lte[rn]?)|I(?:m|n de[rn])|Zu[mr]|Unter den|Hinter de[rmn]"
    r"|Vor de[rm]|Bei(?:m| de[rn])|Neue[rn]?|Gro(?:ß|ss)e[rn]?|Kleine[rn]?)(?<![\w-]Am)(?<![\w-]Im)"
    rf" {COMPOUND}(?: {COMPOUND})? {NUMBER}(?= ?[,;\n)·|]|$| \w*-?\d{{4,5}} |  )",
    re.MULTILINE,
)
_OF = re.compile(
    rf"(?:Stra(?:ß|ss)e|Platz|Allee|Ring) (?:des|der|zum|zur"
    rf"|am) {COMPOUND}(?: {COMPOUND})? {NUMBER}"
)
_BOX = re.compile(r"(?:Postfach[ :]{1,2}\d{1,3}(?:[ ]?\d{2,3}){0,3}|c/o [^\n,;]{3,40})")
_REACH = 60


def find_streets(text: str) -> Iterator[Find]:
    """Yields streets with their number, and boxes; may overlap."""
    for number in _HOUSE_NUMBER.finditer(text):
        line = max(text.rfind("\n", 0, number.start()) + 1, number.start() - _REACH)
        if not text[line : number.start()].rstrip(" .,").lower().endswith(_ENDINGS):
            continue
        for match in _STREET.finditer(text, line, number.end()):
            if match.end() < number.end():
                continue
            if _WEAK.search(match[0]) and not _SEPARATOR.match(text, match.end()):
                continue  # Vorhof 13
            apart = _ADJECTIVE.search(match[0])
            lead = apart.start("lead") if apart else 0
            yield Find(match.start() + lead, match.end(), "STREET")
    for pattern in (_PREPOSED, _OF):
        for match in pattern.finditer(text):
            yield Find(*match.span(), "STREET")
    for match in _BOX.finditer(text):
        yield Find(*match.span(), "ADDRESS_OTHER")
