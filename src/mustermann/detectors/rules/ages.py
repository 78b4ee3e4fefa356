"""Ages: the number only, where it is a person's and not a duration.

Source: guideline of GraSCCo_PHI (AGE is the number only).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_TENS = r"(?:zwanzig|drei(?:ß|ss)ig|vierzig|fünf(?:z)?ig|sechzig|siebzig|achtzig|neunzig)"
_TEENS = (
    r"(?:zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn|achtzehn|neunzehn|hundert)"
)
_WORD = rf"(?:(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)(?:und{_TENS})?|{_TENS}|{_TEENS})"
_NUMBER = rf"(?P<age>\d{{1,3}}|(?i:{_WORD}))"

_TRIGGER = re.compile(
    r"[Jj](?:ähr|ähir|ärig|ahr|\.|\b|J)|LJ\b|Alter\b|alt\b|Anfang |Mitte |Ende | mit \d|\da[,)]|\dy"
)
"""What every age has nearby; the patterns below run only around it."""
_YEARS_OLD = re.compile(
    rf"(?<![\w.,/]){_NUMBER}\s?[-–‑]?\s?(?:jähr|jähir|järig|jahr(?:e|ig)|[Jj]ähr(?:ig|\.))"
    r"(?P<rest>\w*\.?)"
)
_SHORT = re.compile(
    r"(?<![\w.,/+-])(?P<age>\d{1,3})\s?[-–]?\s?(?:[jJ]\.|LJ\b|-j\b|a\b(?=[,)])|y/?o\b)"
)
_OLD = re.compile(rf"(?<![\w.,/]){_NUMBER} (?:(?:Lebens)?[Jj]ahren?|Monaten?|Wochen|J\.) alt")
_AT_AGE = re.compile(
    rf"(?:\bAlter von (?:(?:etwa|ca\.|rund|knapp) )?|\bAlter(?: \(Jahre\))?\s?:\s?)"
    rf"(?P<age>\d{{1,3}}|{_WORD})(?!\w)|\bim (?P<year>\d{{1,3}})\. ?(?:Lebensjahr|LJ)"
)
_DECADE = re.compile(rf"\b(?:Anfang|Mitte|Ende) (?P<age>\d0|(?i:{_TENS}))(?!\d|er Jahre|\.|\w)")
_DIED = re.compile(
    r"\b(?:Vater|Mutter|Bruder|Schwester|Gro(?:ß|ss)(?:vater|mutter)|Onkel|Tante|Sohn|Tochter)"
    r"[^.;\n,]{0,20}? (?:mit|im Alter von)(?: (?:etwa|ca\.|rund|knapp))? (?P<age>\d{1,3})"
    r"(?! ?[\w%/.,]\d)(?! (?:mg|Kindern))"
)
_BESIDE = re.compile(
    r"\b(?:Frau|Herrn?|Pat\.|Patient(?:in|en)?|Junge|Mädchen|Säugling)(?:\s[^\W\d_a-zäöüß][\w-]+){0,2}"
    r"(?: \(|, )(?P<age>\d{1,3}) (?:Jahre|Monate|Wochen)(?=[),])"
)
_DIED_NEXT = re.compile(r" mit (?P<age>\d{1,3})(?= (?:an|Jahren|J\.|verst))")

_PERSON = re.compile(
    r"(?:Pat|Mann|Männ|Frau|Junge|Jugendl|Mädchen|Sohn|Tochter|Töchter|Söhn|Kind|Bruder|Brüder"
    r"|Schwester|Rentner|Dame|Herr|Mutter|Vater|Säugling|Knabe|Schüler|Student|Enkel|Zwilling"
    r"|Bewohner|Ehe(?:frau|mann)|Senior|Person|Versicherte|Gro(?:ß|ss)(?:mutter|vater)|Partner"
    r"|Primi|Erst|Zweit|Mehr|Sekundi|\w+gravida|Raucher(?:in)?\b|Nichtraucher|Spender|Empfänger"
    r"|Verstorben|Cousin|Neffe|Nichte|Onkel|Tante)"
)
_NEXT_NOUN = re.compile(r"[^.;\n]{0,60}?\b(?P<noun>[A-ZÄÖÜ]\w+)")
_DURATION = re.compile(r"\b(?:seit|vor|über|ca\.|nach|für|alle|in) $")


def find_ages(text: str) -> Iterator[Find]:
    """Yields the ages of persons in a normalised text; may overlap."""
    reach = 0
    for hit in _TRIGGER.finditer(text):
        start, end = max(reach, hit.start() - 40), min(len(text), hit.end() + 40)
        if end > reach:
            yield from _between(text, start, end)
            reach = max(reach, hit.start())


def _between(text: str, start: int, end: int) -> Iterator[Find]:
    for match in _YEARS_OLD.finditer(text, start, end):
        if _of_a_person(text, match) and _plausible(match["age"]):
            yield Find(*match.span("age"), "AGE")
    for match in _SHORT.finditer(text, start, end):
        before = text[max(0, match.start() - 8) : match.start()]
        if _plausible(match["age"]) and not _DURATION.search(before):
            yield Find(*match.span("age"), "AGE")
    for match in _AT_AGE.finditer(text, start, end):
        yield Find(*match.span("age" if match["age"] else "year"), "AGE")
    for pattern in (_OLD, _DECADE, _DIED, _DIED_NEXT, _BESIDE):
        for match in pattern.finditer(text, start, end):
            yield Find(*match.span("age"), "AGE")


def _of_a_person(text: str, match: re.Match[str]) -> bool:
    """Returns whether the next noun is a person, or there is none: not a 20-jährige Ehe."""
    if "Jährig" in match[0] and match["rest"]:
        return True
    noun = _NEXT_NOUN.match(text, match.end())
    return noun is None or _PERSON.match(noun["noun"]) is not None


def _plausible(number: str) -> bool:
    return not number.isdigit() or 0 < int(number) <= 120
