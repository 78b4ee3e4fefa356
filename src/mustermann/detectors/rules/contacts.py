"""Contacts: telephone, fax, mobile, e-mail, web and IP addresses.

Source: DIN 5008 and the ways in which people write numbers; BNetzA's mobile prefixes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_AT = re.compile(r"@|\((?i:at)\)|\[(?i:at)\]| at ")
_EMAIL = re.compile(
    r"(?<![\w.@])[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b"
    r"|\b[\w.-]+ ?(?:\(at\)|\[at\]| at ) ?[\w-]+(?: ?\. ?|\(dot\))(?:de|at|ch|com|org|net|eu)\b"
)
_URL = re.compile(
    r"https?://[^\s<>\"'(),;]+[^\s<>\"'(),;.:!?]|www\.[^\s<>\"'(),;]+[^\s<>\"'(),;.:!?]"
)
_DOMAIN = re.compile(
    r"(?<![\w@./-])(?:[a-zäöü0-9-]+\.)+(?:de|at|ch|com|org|net|eu|info|example)(?:/[\w./-]*\w)?"
    r"(?![\w@.]\w|\w)"
)
_TOP_LEVEL = re.compile(r"\.(?:de|at|ch|com|org|net|eu|info|example)\b")
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IP = re.compile(rf"\d(?<![\d.]\d)\d{{0,2}}\.(?:{_OCTET}\.){{2}}{_OCTET}(?![\d.]\d|\d)")
_IP6 = re.compile(
    r"[0-9a-fA-F](?<![\w:].)[0-9a-fA-F]{0,3}(?::[0-9a-fA-F]{1,4}){2,6}(?::?:[0-9a-fA-F]{1,4})+"
    r"(?![\w:])"
)
_DIGITS = r"(?:\+|\(?\d)[\d()]*(?:[ ]?[./–-]{0,2}[ ]?\(?\d[\d)]*)*"
_KEYWORD = re.compile(
    r"(?P<word>(?:Telefax|Fax|FAX|fax)(?:nummer|[-. ]?[Nn]r\.?)?|F:|Mobil(?:telefon|funk|nummer"
    r"|nr\.?)?"
    r"|MOBIL|Handy(?:nummer|nr\.?)?|Tele[fp](?:on|hon)?(?:nummer|[-. ]?[Nn]r\.?|isch)?|TELEFON|TEL"
    r"|Tel|tel(?=\.)|Nummer(?=:? \(?[0+])|Fon|T:|Rufnummer|Durchwahl|DW|Notruf|Piepser"
    r"|Funk(?:er|nummer)?|Sekretariat"
    r"|Ambulanz(?:en)?[^:\n\d]{0,24}|Hotline|erreichbar|Rückruf\w*"
    r"|[Uu]nter(?: der (?:Nummer|Nr\.))?)(?![a-zäöü])"
    r"[.:]?(?: ?\((?:privat|dienstl(?:ich|\.)|p\.?|d\.?|Büro)\))?[.:]?[ \t]*"
    rf"(?P<number>{_DIGITS})"
)
_BARE = re.compile(
    r"[+(0](?<![\w.,/+(-].)(?:"
    r"(?:(?<=\+)|0)(?:49|43|41)[ ]?(?:\(0\))?[ ]?[-/]?[ ]?\d[\d ()/–-]{4,}\d"
    r"|(?<=\()0\d{2,5}\)[ ]?\d[\d /–-]{2,}\d|(?<=0)\d{2,5}[ ]?[/–-][ ]?\d[\d /–-]{2,}\d"
    r"|(?<=0)1[567]\d{1,2}[ ]\d[\d ]{5,}\d)(?![\w/])"
)
_EXTENSION = re.compile(r"\s?(?:/|oder|bzw\.|und|u\.|,)\s?(?P<number>[-–]\s?\d{1,5})(?!\d|\w)")
_MOBILE = re.compile(
    r"(?:(?:\+|00)49 ?(?:\(0\))?|0)[ -]?\(?1[567]|(?:\+|00)43 ?(?:\(0\))?[ -]?\(?6[5-9]\d"
)


def find_contacts(text: str) -> Iterator[Find]:
    """Yields the contacts in a normalised text; may overlap."""
    if _AT.search(text):
        yield from (Find(*match.span(), "EMAIL") for match in _EMAIL.finditer(text))
    yield from (Find(*match.span(), "URL") for match in _URL.finditer(text))
    if _TOP_LEVEL.search(text):
        yield from (Find(*match.span(), "URL") for match in _DOMAIN.finditer(text))
    for pattern in (_IP, _IP6):
        yield from (Find(*match.span(), "IP") for match in pattern.finditer(text))
    for match in _KEYWORD.finditer(text):
        if not text[max(0, match.start() - 1) : match.start()].isalnum():
            yield from _numbers(text, *match.span("number"), match["word"])
    for match in _BARE.finditer(text):
        before = text[max(0, match.start() - 12) : match.start()]
        yield from _numbers(text, *match.span(), before)


def _numbers(text: str, start: int, end: int, keyword: str) -> Iterator[Find]:
    """Yields the number and the extensions after it: 040 1234-10 / -12."""
    number = text[start:end]
    if number.endswith(")") and number.count(")") > number.count("("):
        end -= 1
    digits = sum(character.isdigit() for character in number)
    internal = re.match(r"Durchwahl|DW|Piepser|Funk", keyword) is not None
    if not (2 if internal else 5) <= digits <= 20 or (keyword[:1] in {"u", "U"} and digits < 6):
        return
    label = "FAX" if re.search(r"(?i)fax|F:", keyword) else "PHONE"
    if label == "PHONE" and (_MOBILE.match(number) or re.match(r"(?i)mobil|handy", keyword)):
        label = "MOBILE"
    yield Find(start, end, label)
    while match := _EXTENSION.match(text, end):
        yield Find(*match.span("number"), label)
        end = match.end()
