"""Which date a date is: of birth, of death, of the letter, of admission, of discharge."""

from __future__ import annotations

import re

_BIRTH = re.compile(
    r"(?:\*|(?i:\bgeb(?:oren)?(?:en)?)\.?(?: ?am)?|Geburts(?:datum|tag)"
    r"|(?i:geb)\.?[- ]?[Dd]at(?:um)?\.?)\s*[:,|]?\s*(?:den |am )?\s*$"
)
_DEATH = re.compile(
    r"(?:†|verst(?:arb|orben|\.)|Sterbedatum|Todes(?:tag|zeitpunkt)|Exitus)[^.;\n]{0,24}$"
)
_LETTER = re.compile(
    r"(?:^[^\n,.:;]{2,40},\s*(?:den|am|d\.)?|(?:Datum|Briefdatum|Druckdatum|Diktat(?:datum)?)\s*:?"
    r"|(?:[Bb]rief|[Bb]ericht|BERICHT|gedruckt|erstellt|geschrieben) (?:vom|am))\s*$"
)
_ADMISSION = re.compile(
    r"(?:Aufnahme(?:datum|tag)?|[Aa]ufgenommen|Stationär(?:er Aufenthalt)?|Aufenthalt|Behandlung)"
    r"(?: am| vom| seit)?\s*[:|]?\s*$"
)
_FROM = re.compile(r"\b(?:vom|von)\s+$")
_DISCHARGE = re.compile(
    r"(?:Entlass(?:ung|datum|tag)\w*|entlassen)(?: am)?\s*[:|]?\s*$|entl(?:a"
    r"|ie)ßen? [^.\n]{2,50} am $"
    r"|entlassen [^.\n]{2,50} am $"
)
_UNTIL = re.compile(r"(?:\bbis(?: zum)?|[-–])\s+$")
_ALONE = re.compile(r"[ \t]*(?=\n|$)")
_HEAD = 2000
"""A date on a line of its own within so many characters is the letter's."""
_DISCHARGED = re.compile(r"[^.\n]{0,90}(?:entlassen|entließen)")
_STAY = re.compile(r"Behandlung|Aufenthalt|stationär|aufh(?:ie|ä)lt|betreut|behandelt")


def date_label(text: str, start: int, end: int, *, partial: bool) -> str:
    """Returns the label of the date at `[start, end)` by what stands around it.

    Args:
      text: Normalised.
      start: Index of its first character.
      end: Index one past its last character.
      partial: Whether day, month or year is missing.
    """
    before = text[max(0, start - 60) : start]
    if _BIRTH.search(before):
        return "DATE_BIRTH"
    if _DEATH.search(before):
        return "DATE_DEATH"
    line = text.rfind("\n", max(0, start - 60), start) + 1
    if (line or start <= 60) and _LETTER.search(text[line:start]):
        return "DATE_LETTER"
    if start < _HEAD and not text[line:start].strip() and _ALONE.match(text, end):
        return "DATE_LETTER"
    stay = _STAY.search(text, max(0, start - 60), min(len(text), end + 90))
    if _ADMISSION.search(before) or (stay and _FROM.search(before)):
        return "DATE_ADMISSION"
    if _DISCHARGE.search(before) or (stay and _UNTIL.search(before)):
        return "DATE_DISCHARGE"
    if partial:
        return "DATE_PARTIAL"
    return "DATE_DISCHARGE" if _DISCHARGED.match(text, end) else "DATE_EVENT"
