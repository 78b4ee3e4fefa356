"""Workdays and holidays of the whole of Germany."""

from __future__ import annotations

import functools
from datetime import date, timedelta

SUNDAY = 6


def easter(year: int) -> date:
    """Returns Easter Sunday.

    Source: the Gregorian computus of Meeus, Jones and Butcher.
    """
    golden = year % 19
    century, rest = divmod(year, 100)
    moon = (
        century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 19 * golden + 15
    ) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - moon - rest % 4) % 7
    correction = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * correction + 114, 31)
    return date(year, month, day + 1)


@functools.lru_cache(maxsize=256)
def holidays(year: int) -> frozenset[date]:
    """Returns the holidays that all states have in common.

    Source: the holiday acts of the states; 3 October by Art. 2 (2) of the Unification Treaty.
    """
    sunday = easter(year)
    moving = {sunday + timedelta(days=days) for days in (-2, 1, 39, 50)}
    fixed = {date(year, 1, 1), date(year, 5, 1), date(year, 12, 25), date(year, 12, 26)}
    unity = {date(year, 10, 3)} if year >= 1990 else set()
    return frozenset(moving | fixed | unity)


def is_holiday(day: date) -> bool:
    """Returns whether `day` is a holiday in every state."""
    return day in holidays(day.year)


def is_workday(day: date) -> bool:
    """Returns whether `day` is a Monday to Friday on which offices and practices are open."""
    # Christmas Eve and New Year's Eve are no holidays, but nobody is given an appointment.
    closed = (day.month, day.day) in {(12, 24), (12, 31)}
    return day.weekday() < 5 and not closed and not is_holiday(day)
