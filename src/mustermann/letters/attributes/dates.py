"""The dates of a stay: birth, admission, discharge, letter, and things long past."""

from __future__ import annotations

import dataclasses
from datetime import date, timedelta

from mustermann.core.seeds import Draws, Seeds
from mustermann.german import calendar
from mustermann.letters.config import Dates

NEWBORN_DAYS = 28
"""Age in days up to which a child is a newborn (WHO)."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StayDates:
    """The days of one stay."""

    admission: date
    discharge: date
    letter: date

    @property
    def days(self) -> int:
        """Nights in hospital; 0 for an ambulant stay."""
        return (self.discharge - self.admission).days


def sample_stay(
    seeds: Seeds, *, settings: Dates, days: tuple[int, int], elective: bool,
    months: tuple[int, ...] = (),
) -> StayDates:  # fmt: skip
    """Returns admission, discharge and letter, in this order.

    The anchor is where admissions are counted from, not today: a long stay may end after it.

    Args:
      seeds: The letter's node.
      settings: Ranges and weights.
      days: Shortest and longest stay.
      elective: Whether the admission was planned: it falls on a workday, and that of a patient
        who stays on one before another, since most of what was planned is done the day after.
      months: Those in which the illness comes; () for all, and any where the range of
        admissions has none of them.
    """
    draws = seeds.draws("dates")
    low, high = settings.admission_days
    offset = draws.integer("admission", low, high)
    if months and (settings.anchor - timedelta(days=offset)).month not in months:
        offset = _offset_in_season(draws, settings, months) or offset
    if elective and draws.bernoulli("elective", settings.elective_weekday):
        offset = _workday_offset(settings, offset, stays=days[0] > 0)
    admission = settings.anchor - timedelta(days=offset)
    discharge = admission + timedelta(days=draws.integer("days", *days))
    if _is_day_of_rest(discharge) and draws.bernoulli("home", settings.no_discharge_at_rest):
        discharge = _before_or_after_rest(admission, discharge, days)
    return StayDates(
        admission=admission, discharge=discharge, letter=_letter(draws, settings, discharge)
    )


def sample_birth(seeds: Seeds, *, settings: Dates, age: int, admission: date) -> date:
    """Returns a day of birth that makes the patient exactly `age` years old at admission.

    Infants are `NEWBORN_DAYS` old at least: newborns have illnesses and letters of their own.
    """
    draws = seeds.draws("birth")
    month = draws.integer("month", 1, 12)
    day = draws.integer("day", *settings.birth_day)
    before_birthday = (admission.month, admission.day) < (month, day)
    birth = date(admission.year - age - before_birthday, month, day)
    if (admission - birth).days < NEWBORN_DAYS:
        born = admission - timedelta(days=draws.integer("days", NEWBORN_DAYS + 31, 330))
        birth = born.replace(day=min(born.day, settings.birth_day[1]))
    return birth


def years_between(birth: date, day: date) -> int:
    """Returns the whole years of age on `day`."""
    return day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))


def sample_past(draws: Draws, name: str, *, settings: Dates, birth: date, admission: date) -> date:
    """Returns the date of an earlier event, between birth and the day before admission.

    Args:
      draws: The caller's stream.
      name: Name of the event.
      settings: Years back and their weights.
      birth: Nothing happens before it.
      admission: Nothing happens on it or after.
    """
    lived = max(0, years_between(birth, admission))
    allowed = [
        (years, weight)
        for years, weight in zip(settings.years_back, settings.years_back_weights, strict=True)
        if years <= lived
    ] or [(0, 1.0)]
    years = draws.weighted(f"{name} years", *zip(*allowed, strict=True))
    days = 365 * years + draws.integer(f"{name} days", 14, 364)
    return max(birth, min(admission - timedelta(days=1), admission - timedelta(days=days)))


def _offset_in_season(draws: Draws, settings: Dates, months: tuple[int, ...]) -> int | None:
    """Returns an offset whose day is in one of the months; None where the range has none."""
    low, high = settings.admission_days
    fitting = [
        offset
        for offset in range(low, high + 1)
        if (settings.anchor - timedelta(days=offset)).month in months
    ]
    return draws.choice("season", fitting) if fitting else None


def _is_day_of_rest(day: date) -> bool:
    return day.weekday() == calendar.SUNDAY or calendar.is_holiday(day)


def _before_or_after_rest(admission: date, discharge: date, days: tuple[int, int]) -> date:
    """Returns the nearest day of discharge that is none of rest and keeps the length of stay."""
    for distance in (-1, 1, -2, 2, -3, 3):
        moved = discharge + timedelta(days=distance)
        if days[0] <= (moved - admission).days <= days[1] and not _is_day_of_rest(moved):
            return moved
    return discharge


def _workday_offset(settings: Dates, offset: int, *, stays: bool) -> int:
    """Returns the nearest offset in range whose day, and with a stay the next, is a workday."""
    low, high = settings.admission_days
    for distance in range(high - low + 1):
        for near in (offset + distance, offset - distance):
            day = settings.anchor - timedelta(days=near)
            if not (low <= near <= high and calendar.is_workday(day)):
                continue
            if not stays or calendar.is_workday(day + timedelta(days=1)):
                return near
    return offset


def _letter(draws: Draws, settings: Dates, discharge: date) -> date:
    weights = settings.letter_delay_weights
    letter = discharge + timedelta(days=draws.weighted("letter", range(len(weights)), weights))
    while _is_day_of_rest(letter):
        letter += timedelta(days=1)
    return letter
