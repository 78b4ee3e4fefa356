"""Dates: numeric, written out, partial, and the halves of ranges.

Each form is tried only where a number or a month begins; what a context may turn into a
value (05/20 Punkte, 2.1. Befund, 2000 ml) is a date only where nothing says so.

Source: the date forms that German letters use by frequency (dd.mm.yyyy, yyyy, mm/yy,
dd.mm.yy, dd.mm.); guideline of GraSCCo_PHI (no weekday, no clock time in the span).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.date_kinds import date_label
from mustermann.detectors.rules.find import Find

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTH = (
    r"(?:J[aä]n(?:uar|ner|\.)?|Feb(?:ruar|er|\.)?|M(?:ärz|rz\.?|aerz)|Apr(?:il|\.)?|Mai|Jun(?:i"
    r"|\.)?"
    r"|Jul(?:i|\.)?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Okt(?:ober|\.)?|Nov(?:ember|\.)?"
    r"|Dez(?:ember|\.)?|J[AÄ]N(?:UAR|NER)|FEBRUAR|MÄRZ|APRIL|MAI|JUNI|JULI|AUGUST|SEPTEMBER"
    r"|OKTOBER|NOVEMBER|DEZEMBER)"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MM = r"(?:0?[1-9]|1[0-2])"
_YEAR = r"(?:18[5-9]\d|19\d\d|20\d\d)"

_NUMBER = re.compile(r"\d+")
_FULL = re.compile(
    rf"(?:{_DAY}\.[ ]?\d{{1,2}}(?:\.[ ]?|[ ]){_YEAR}"  # the month may be mistyped
    rf"|{_DAY}\.[ ]?{_MM}\.[ ]?\d\d|{_DAY}/{_MM}/(?:{_YEAR}|\d\d)|{_DAY}-{_MM}-{_YEAR}"
    r"|(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d|[./-]\d)"
)
_WRITTEN = re.compile(rf"{_MONTH}(?!\w)(?P<year>,?\s'?(?:{_YEAR}|\d\d)(?![\w%,.]\d|\d|\s?%))?")
_DAY_BEFORE = re.compile(rf"(?<!\d)(?<!\d[.,/])(?P<day>{_DAY})\.\s?$")
_MONTH_YEAR = re.compile(rf"{_MM}[/.]{_YEAR}(?![\d/])")
_RANGE = re.compile(
    rf"(?P<first>{_MM}(?:/(?:{_YEAR}|\d\d))?)[ ]?[-–][ ]?(?P<last>{_MM}/(?:{_YEAR}|\d\d))"
    r"(?![\d/]|[.,]\d)"
)
_SHORT = re.compile(rf"{_MM}/\d\d(?![\d/%.,]\d|\d|/|\s?%)")
_QUARTER = re.compile(rf"(?:[1-4]\.? ?Quartal(?: (?:{_YEAR}|\d\d\b))?)(?!\w)")
_QUARTER_WORD = re.compile(
    rf"(?:I{{1,3}}|IV)\.? Quartal(?: (?:{_YEAR}|\d\d\b))?(?!\w)"
    rf"|Quartal (?:[1-4]|I{{1,3}}|IV)(?:[/ ](?:{_YEAR}|\d\d\b))?(?!\w)"
    rf"|Q[1-4][ /-]?(?:{_YEAR}|\d\d)(?!\w)|(?:I{{1,3}}|IV)/(?:{_YEAR}|\d\d)(?!\w)"
)
_DAY_MONTH = re.compile(rf"{_DAY}\.[ ]?{_MM}\.(?![ ]?\d)")
_DAY_SLASH = re.compile(rf"{_DAY}/{_MM}(?![\d/.])")
_YEAR_ALONE = re.compile(r"(?:19[2-9]\d|20\d\d)(?![\w/%°]|[.,:]\d|-\d)")

_BEFORE_DAY = re.compile(r"\b(?:am|vom|v\.|seit|ab|bis|zum|den|dem|und|vor|nach|von) $")
_BEFORE_SLASH = re.compile(r"\b(?:am|vom|seit|bis|ab) $")
_AFTER_DAY = re.compile(r" ?[:(]")
_BEFORE_YEAR = re.compile(r"(?:[\w.,/+:*'-]|[-–] )\Z")
_SCORE_BEFORE = re.compile(
    r"(?:Kraft|KG|Kraftgrad\w*|Janda|GCS|Glasgow\w*|NIHSS|MMS[TE]|MoCA|DemTect|Barthel\w*|VAS|NRS"
    r"|Apgar|APGAR|\w*[Ss]core|\w*[Ss]kala|Index|Punkte?n?|Grad|Visus|Systolikum|Pulse?|SSW"
    r"|Tinetti|GDS|[Tt]hermometer|Suchtdruck|Craving|[Ss]chmerz\w*|Stadium|Level|RR|BZ|Blutdruck|Parese|ASPECTS|Schmerzstärke|HWK|BWK|LWK|LWS|Zahn|GdB"
    r"|Ratio|Verhältnis)"
    r"[^.;\n]{0,18}\Z"
)
_UNIT_AFTER = re.compile(
    r"\s?(?:mg|µg|μg|mcg|ug|ml|mL|g\b|kg|[mµnp]mol|mval|Punkt|Pkt|cm|mm\b|m\b|h\b|Std|[Mm]in|l\b|dl"
    r"|c?Gy|Wochen?\b|Tagen?\b|Jahren?\b|SSW|IE|I\.E|E\b|U\b|U/|kcal|kJ|k?Hz|Ω|Ohm|W\b|Watt|Schritt"
    r"|Euro|€|pg|ng|fl\b|/[µnu]l|Mio|Tsd|mal\b|Tbl|Tabl|Hub|Stück|Zellen|Einheiten|Personen|mSv"
    r"|mGy)"
)
_VALUE_BEFORE = re.compile(
    r"(?:BNP|CK|LDH|CRP|GGT|AST|ALT|TSH|Leuko\w*|Thrombo\w*|Ferritin|D-Dimere?|Troponin\w*|Lipase"
    r"|Kreatinin|Nr\.?|Nummer|ID|§|Art\.|Abs\.|Ziffer|EBM|GOÄ|PZN|Gewicht|Uhr|um)[ :=]*\Z"
    r"|(?:ESC|ACC|AHA|DGK|AWMF|AJCC|S[123]k?|WHO|RECIST|ICD-10-GM)[- ](?:\w+ )?$"
)
_UNIT_IN_ROW = re.compile(r"(?:/[lL]|/dl|/ml|mg|ng|µ|%|mmol)[^\n]*\Z")
_MONTH_BEFORE = re.compile(
    r"(?:\b(?:im|in|seit|ab|bis|Anfang|Mitte|Ende|des|vom|letzten|vergangenen|Monat|zum|und)"
    r"|[-–/(])"
    r"\s*$"
)
_HALF = re.compile(
    rf"(?<![\d.,])(?P<half>{_DAY}\.(?:[ ]?{_MM}\.)?|{_MONTH})"
    r"\s*(?:[-–]|bis|und|u\.|\+|/)\s*(?:(?:zum|den|am|dem)\s+)?$"
)

_Span = tuple[int, int, bool]


def find_dates(text: str) -> Iterator[Find]:
    """Yields the dates in a normalised text, with the kind that the context says."""
    for start, end, partial in sorted(_spans(text)):
        yield Find(start, end, date_label(text, start, end, partial=partial))


def _spans(text: str) -> Iterator[_Span]:
    """Yields start, end and whether day, month or year is missing; may overlap."""
    for number in _NUMBER.finditer(text):
        start = number.start()
        before = text[max(0, start - 2) : start]
        if before[-1:] in {".", ",", "/"} and before[:1].isdigit() and len(before) == 2:
            continue  # within a longer number
        yield from _at_number(text, start, before[-1:])
    for match in _WRITTEN.finditer(text):
        shift = max(0, match.start() - 14)
        before = text[shift : match.start()]
        if before[-1:].isalnum() or re.search(r"[^\W\d]-\Z", before):
            continue  # Ernst-August
        day, year = _DAY_BEFORE.search(before), match["year"]
        if day or year or _MONTH_BEFORE.search(before):
            start = shift + day.start() if day else match.start()
            yield start, match.end(), not (day and year)
            yield from _half(text, start)
    for match in _QUARTER_WORD.finditer(text):
        if not text[max(0, match.start() - 1) : match.start()].isalnum():
            yield (*match.span(), True)


def _at_number(text: str, start: int, before: str) -> Iterator[_Span]:
    """Yields the dates that begin at a number."""
    if match := _FULL.match(text, start):
        yield (*match.span(), False)
        yield from _half(text, start)
        return
    if before.isalnum() or before in {"_", "."}:
        if before != "." and (match := _DAY_MONTH.match(text, start)):
            return
    elif match := _MONTH_YEAR.match(text, start) or _QUARTER.match(text, start):
        yield (*match.span(), True)
        return
    yield from _doubtful(text, start, before)


def _doubtful(text: str, start: int, before: str) -> Iterator[_Span]:
    """Yields forms that are dates only where nothing says that they are values."""
    left = text[max(0, start - 40) : start]
    if before not in {"-", "+"} and not (before.isalnum() or before == "_"):
        if match := _RANGE.match(text, start):
            if not _UNIT_AFTER.match(text, match.end()) and not _SCORE_BEFORE.search(left):
                yield (*match.span("first"), True)
                yield (*match.span("last"), True)
            return
        match = _SHORT.match(text, start)
        if match and not _UNIT_AFTER.match(text, match.end()) and not _SCORE_BEFORE.search(left):
            yield (*match.span(), True)
            return
    match = _day_and_month(text, start, left)
    if match and not _UNIT_AFTER.match(text, match.end()) and not _SCORE_BEFORE.search(left):
        yield (*match.span(), True)
        yield from _half(text, start)
    if before == "\t" and _UNIT_IN_ROW.search(left):
        return  # a laboratory value in a table
    match = _YEAR_ALONE.match(text, start)
    if match is None or _BEFORE_YEAR.search(left) or _VALUE_BEFORE.search(left):
        return
    if not _UNIT_AFTER.match(text, match.end()):
        yield (*match.span(), True)


def _day_and_month(text: str, start: int, left: str) -> re.Match[str] | None:
    """Returns 8.5. after a preposition or before a colon, and am 5/5."""
    if match := _DAY_MONTH.match(text, start):
        announced = _AFTER_DAY.match(text, match.end()) and (
            left[-1:] in {"", "\n"} or re.search(r"\w $", left)
        )
        return match if announced or _BEFORE_DAY.search(left) else None
    match = _DAY_SLASH.match(text, start)
    return match if match and _BEFORE_SLASH.search(left) else None


def _half(text: str, start: int) -> Iterator[_Span]:
    """Yields the first half of a range whose second half begins at `start`: 4.9. bis 18.9.2019."""
    shift = max(0, start - 26)
    match = _HALF.search(text[shift:start])
    if match:
        yield shift + match.start("half"), shift + match.end("half"), True
