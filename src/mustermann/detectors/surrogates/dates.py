"""Dates moved by whole weeks, in the form that they were written in.

Every date of a patient moves by the same number of days, so that intervals and ages stay;
whole weeks keep "Montag, den 3.5." true.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
    "Oktober", "November", "Dezember",
)  # fmt: skip
_OTHER_NAMES = {"jänner": 1, "feber": 2, "mrz": 3, "maerz": 3, "sept": 9}
_NAME = r"(?:Jan|Jän|Feb|Mär|Mrz|Maerz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*"
_GAP = r"\s?[./-]\s?"
_DATE = re.compile(
    r"(?<!\d)(?:"
    r"(?P<y1>\d{4})-(?P<m1>\d{2})-(?P<d1>\d{2})"
    rf"|(?P<d2>\d{{1,2}})(?P<g2>{_GAP})(?P<m2>\d{{1,2}})(?P<h2>{_GAP})(?P<y2>\d{{4}}|\d{{2}})"
    rf"|(?P<d3>\d{{1,2}})(?P<g3>\.?\s?)(?P<m3>{_NAME})(?:(?P<h3>\.?\s?)(?P<y3>\d{{4}}|\d{{2}}))?"
    r"|(?P<d4>\d{1,2})(?P<g4>\.\s?)(?P<m4>\d{1,2})(?P<h4>\.)"
    r"|(?P<m5>\d{1,2})(?P<h5>\s?[/.]\s?)(?P<y5>\d{4}|\d{2})"
    rf"|(?P<m6>{_NAME})(?P<h6>\.?\s?)(?P<y6>\d{{4}}|\d{{2}})?"
    r"|(?P<y7>(?:19|20)\d{2})"
    r")(?!\d)",
    re.IGNORECASE,
)
_DAY_OF_RANGE = re.compile(r"(?<!\d)(?P<day>\d{1,2})(?P<gap>\.?\s?(?:[-–/]|bis|und)\s?)\Z")
_TIME = re.compile(r"\d{1,2}[:.]\d{2}(?:\s?Uhr)?|\d{1,2}\s?(?:Uhr|h)\b")
_PIVOT = 30


def shifted(text: str, *, days: int, year: int) -> str | None:
    """Returns the dates in a span moved by `days`, None if some number is no date.

    Args:
      text: What was found.
      days: How far, in days.
      year: Stands in where a date has none.
    """
    parts: list[str] = []
    last = 0
    for match in _DATE.finditer(text):
        moved = _moved(match, days, year)
        if moved is None:
            return None
        before = text[last : match.start()]
        between = _first_day(before, match, days, year)
        if between == before and any(map(str.isdigit, _TIME.sub("", before))):
            return None
        parts += [between, moved]
        last = match.end()
    rest = text[last:]
    kept = _TIME.sub("", rest)
    if not parts or any(map(str.isdigit, kept)):
        return None
    return "".join([*parts, rest])


def year_in(text: str) -> int | None:
    """Returns the year of the first whole date in a text, None if there is none."""
    for match in _DATE.finditer(text):
        for name in ("y1", "y2", "y3"):
            if match[name]:
                return _year(match[name])
    return None


def _moved(match: re.Match[str], days: int, year: int) -> str | None:
    kind = str(match.lastgroup)[-1]
    if match["m6"]:
        kind = "6"
    elif match["m3"]:
        kind = "3"
    part = {name[0]: value for name, value in match.groupdict().items() if name[1] == kind}
    written = part.get("y") or ""
    old = _date(part.get("d") or "", part.get("m") or "", _year(written) if written else year)
    if old is None:
        return None
    new = old + timedelta(days=days)
    shown = f"{new.year}" if len(written) == 4 else f"{new.year % 100:02d}" if written else ""
    if kind == "1":
        return new.isoformat()
    written_day, written_month = part.get("d") or "", part.get("m") or ""
    numeric = written_month if written_month.isdecimal() else "-"
    day = _padded(new.day, written_day, numeric)
    month = _month(new.month, written_month, written_day)
    between, behind = part.get("g") or "", part.get("h") or ""
    return f"{day}{between}{month}{behind}{shown}"


def _date(day: str, month: str, year: int) -> date | None:
    """Returns a date; a missing day is the middle of its month, a missing month of its year."""
    number = _number(month) if month else 7
    if number is None:
        return None
    days = int(day) if day else 15 if month else 1
    if number > 12 >= days >= 1 and day:
        days, number = number, days
    if not (1 <= number <= 12 and 1 <= days <= 31):
        return None
    return date(year, number, 1) + timedelta(days=days - 1)


def _number(month: str) -> int | None:
    if month.isdecimal():
        return int(month)
    lower = month.lower()
    for name, number in _OTHER_NAMES.items():
        if lower.startswith(name):
            return number
    found = (i for i, name in enumerate(MONTHS, start=1) if name.lower().startswith(lower[:3]))
    return next(found, None)


def _month(number: int, written: str, day: str) -> str:
    if not written:
        return ""
    if written.isdecimal():
        return _padded(number, written, day or "00")
    name = MONTHS[number - 1]
    shown = name if len(written) > 4 or written.lower() in {"mai", "juni", "juli"} else name[:3]
    return shown.upper() if written.isupper() else shown


def _padded(number: int, written: str, beside: str = "0") -> str:
    """Returns a day or month with a leading 0 where `written`, or all of the date, has two digits.

    A day of two digits says nothing by itself: "14.4." becomes "2.2.", "14.04." "02.02.".
    """
    if not written:
        return ""
    two = written.startswith("0") or (len(written) == 2 and len(beside) == 2 and number < 10)
    return f"{number:02d}" if two else str(number)


def _year(written: str) -> int:
    number = int(written)
    if len(written) == 4:
        return number
    return number + (2000 if number <= _PIVOT else 1900)


def _first_day(before: str, match: re.Match[str], days: int, year: int) -> str:
    """Returns what stands before a date, with the first day of a range such as "3.-7.5." moved."""

    def moved(found: re.Match[str]) -> str:
        month = match["m2"] or match["m3"] or match["m4"] or ""
        written = match["y2"] or match["y3"] or ""
        old = _date(found["day"], month, _year(written) if written else year)
        if old is None:
            return found[0]
        new = old + timedelta(days=days)
        return f"{_padded(new.day, found['day'], '00')}.{new.month:02d}.{found['gap'].lstrip('.')}"

    return _DAY_OF_RANGE.sub(moved, before)
