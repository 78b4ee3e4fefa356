"""Forms in which a date, an age or a ward of the letter may hide in plain words.

Each is searched for with the letter's own values only: "03/15" is no date by itself, but it
is one where something happened in March 2015.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.letters.verify.age import says
from mustermann.letters.verify.german_dates import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

_MONTH = (
    r"(?:Jan(?:uar|\.)?|Jänner|Feb(?:ruar|er|\.)?|März|Mär\.|Mrz\.?|Apr(?:il|\.)?|Mai|Jun[i.]?|"
    r"Jul[i.]?|Aug(?:ust|\.)?|Sept?(?:ember|\.)?|Okt(?:ober|\.)?|Nov(?:ember|\.)?|"
    r"Dez(?:ember|\.)?)"
)
_STEMS = (
    "Jan Jän", "Feb", "Mär Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
)  # fmt: skip
_NAMED_MONTH = re.compile(
    rf"(?:(?<!\d)\d{{1,2}}\. ?)?\b{_MONTH} '?(?:19|20)?\d\d(?!\d)"
    rf"|(?<!\d)\d{{1,2}}\. ?{_MONTH}(?!\w)"
)
_DAY_AND_MONTH = re.compile(r"(?<![\d.,/])\d{1,2}\. ?\d{1,2}\.(?! ?\d)")
# "8/10" is a step of a scale, whatever happened in August 2010.
_SHORT_YEAR = re.compile(r"(?<![\d.,/])\d{1,2}/(?!10)\d\d(?![\d/.,]\d|/)")
_QUARTER = re.compile(r"\b(?:Q[1-4]|(?:IV|I{1,3}|[1-4]\.) Quartal)[ /.]*(?:19|20)?\d\d(?!\d)")
# A classification bears its year ("AJCC 2017"), and a volume is counted in ml.
_YEAR = re.compile(
    r"(?<![\d.,/A-Z-])(?<![A-Z]{3} )(?<!Leitlinie )(?<!Version )(?<!Stand )(?<!Kriterien )"
    r"(?<!Klassifikation )(?:19|20)\d\d(?!\d|[/.,]\d|-[A-Za-z]| ?(?:ml|mg|kg|g|ng|pg|µg|U|IE|"
    r"kcal|kJ|Gy|cm|mm|/)(?!\w))|(?<![\d.,/])\d{1,2}[/.](?:19|20)\d\d(?![\d/])"
)

_YEARS_OLD = re.compile(r" ?-? ?(?:jähr(?!lich)|J\.(?! ?\d)|Jahren?\b)", re.IGNORECASE)
_AGE_WORD = re.compile(r"([^\W\d_]{4,})[ -]?$")
_VAGUE_AGE = re.compile(
    r"\b(?:Anfang|Mitte|Ende) (?:zwan|drei|vier|fünf|sech|sieb|acht|neun)\w+g\b"
)
_SPAN_OF_TIME = re.compile(
    r"\b(?:vor|seit|in|alle|nach|über|für|um|etwa|ca\.|binnen|innerhalb(?: von)?|bis zu|bis|"
    r"während|nächsten|letzten|weitere[nr]?|insgesamt)\s(?:(?!mit\b|Alter\b)\w+\s)?$",
    re.IGNORECASE,
)


def dates_in(text: str, days: Iterable[date]) -> Iterator[str]:
    """Yields each string that can be read as one of the days, with or without day and year."""
    known = tuple(days)
    for form in _forms_of(text, known):
        for match in form.finditer(text):
            said = read(match.group())
            if said is not None and any(said.agrees(day) for day in known):
                yield match.group()


def _forms_of(text: str, days: tuple[date, ...]) -> Iterator[re.Pattern[str]]:
    """Yields the expressions that can match; a look for a part of each is much faster."""
    years = {f"{day.year}" for day in days}
    if any(year in text for year in years):
        yield _YEAR
    if any(f"/{year[2:]}" in text for year in years):
        yield _SHORT_YEAR
    if any(stem in text for day in days for stem in _STEMS[day.month - 1].split()):
        yield _NAMED_MONTH
    if "Quartal" in text or any(f"Q{number}" in text for number in range(1, 5)):
        yield _QUARTER
    if any(
        f"{day.day}.{gap}{month}." in text
        for day in days
        for month in {f"{day.month}", f"{day.month:02}"}
        for gap in ("", " ")
    ):
        yield _DAY_AND_MONTH


def ages_in(text: str, age: int) -> Iterator[str]:
    """Yields each string that gives the age in years; spans of time as long do not."""
    number = f"{age}"
    for at in _places(text, number):
        match = _YEARS_OLD.match(text, at + len(number))
        apart = text[at - 1 : at] not in {",", "."} and not text[at - 1 : at].isdigit()
        if match and apart and not _SPAN_OF_TIME.search(text[max(0, at - 30) : at]):
            yield number + match.group()
    for at in _places(text, "jährig"):
        word = _AGE_WORD.search(text[max(0, at - 30) : at])
        if word and says(word[1], age):
            yield f"{word.group()}jährig"
    for match in _VAGUE_AGE.finditer(text):
        if says(match.group(), age):
            yield match.group()


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def ward_in(text: str, ward: str) -> str:
    """Returns how a ward's number stands in the text behind its word, "" where it does not."""
    match = re.search(rf"\bStat(?:ion|\.):? {re.escape(ward)}(?!\w)", text)
    return match.group() if match else ""
