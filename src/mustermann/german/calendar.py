"""Workdays and holidays of Germany."""

from __future__ import annotations

import functools
from datetime import date, timedelta

WEDNESDAY, SATURDAY, SUNDAY = 2, 5, 6


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


@functools.lru_cache(maxsize=256)
def holidays_somewhere(year: int) -> frozenset[date]:
    """Returns the holidays of single states, whole or for the most part.

    Epiphany, Women's Day, Corpus Christi, the Assumption, Children's Day, Reformation Day, All
    Saints' Day, and the day of repentance, the Wednesday before 23 November.

    Source: the holiday acts of the states.
    """
    repentance = date(year, 11, 22)
    while repentance.weekday() != WEDNESDAY:
        repentance -= timedelta(days=1)
    fixed = {
        date(year, month, day)
        for month, day in ((1, 6), (3, 8), (8, 15), (9, 20), (10, 31), (11, 1))
    }
    return frozenset(fixed | {repentance, easter(year) + timedelta(days=60)})


def is_holiday(day: date) -> bool:
    """Returns whether `day` is a holiday in every state."""
    return day in holidays(day.year)


def is_workday(day: date) -> bool:
    """Returns whether `day` is a Monday to Friday on which offices everywhere are open.

    A letter's state is not asked for: a day that is a holiday in some is no workday in any.
    """
    # Christmas Eve and New Year's Eve are no holidays, but nobody is given an appointment.
    closed = (day.month, day.day) in {(12, 24), (12, 31)}
    if day.weekday() >= SATURDAY or closed or is_holiday(day):
        return False
    return day not in holidays_somewhere(day.year)
