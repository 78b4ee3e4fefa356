"""Reads a German date as written, whatever its form."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("jänner januar jan", "feber februar feb", "märz mär mrz", "april apr", "mai", "juni jun",
         "juli jul", "august aug", "september sept sep", "oktober okt", "november nov",
         "dezember dez"), start=1)
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<name>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_QUARTERS = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_FORMS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
        r"(?P<d>\d{1,2})\.\s*(?P<m>\d{1,2})\.\s*(?P<y>\d{4}|\d{2})",
        r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<y>\d{4}|\d{2})",
        r"(?P<d>\d{1,2})-(?P<m>\d{1,2})-(?P<y>\d{4}|\d{2})",
        r"(?P<d>\d{1,2})\.\s*(?P<m>\d{1,2})\.?",
        r"(?P<d>\d{1,2})\.",
        r"(?P<d>\d{1,2})\.\s*" + _MONTH + r"(?:\s+(?P<y>\d{4}|\d{2}))?",
        _MONTH + r"\s+'?(?P<y>\d{4}|\d{2})",
        r"(?P<m>\d{1,2})[/.](?P<y>\d{4}|\d{2})",
        r"(?:q(?P<q1>[1-4])|(?P<q2>i{1,3}|iv|[1-4])\.?\s*(?:quartal)?)[\s/.]*(?P<y>\d{4}|\d{2})",
        r"(?P<y>\d{4})",
    )
)


@dataclasses.dataclass(frozen=True, slots=True)
class Partial:
    """What a written date says; None for what it leaves out. `century` if the year is full."""

    year: int | None
    month: int | None
    day: int | None
    quarter: int | None
    century: bool

    def agrees(self, other: date) -> bool:
        """Returns whether everything that it says is so of `other`."""
        year = other.year if self.century else other.year % 100
        return (
            self.year in (None, year)
            and self.month in (None, other.month)
            and self.day in (None, other.day)
            and self.quarter in (None, (other.month + 2) // 3)
        )


def read(text: str) -> Partial | None:
    """Returns what `text` says as a date, None if it is none."""
    words = " ".join(text.casefold().split())
    for form in _FORMS:
        match = form.fullmatch(words)
        if match:
            return _partial(match.groupdict())
    return None


def _partial(found: dict[str, str | None]) -> Partial:
    name, year = found.get("name"), found.get("y")
    quarter = found.get("q1") or found.get("q2")
    return Partial(
        year=int(year) if year else None,
        month=_MONTHS[name] if name else int(found["m"]) if found.get("m") else None,  # type: ignore[arg-type]
        day=int(found["d"]) if found.get("d") else None,  # type: ignore[arg-type]
        quarter=_QUARTERS[quarter] if quarter else None,
        century=bool(year and len(year) == 4),
    )
