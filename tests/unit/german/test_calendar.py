from datetime import date

import pytest

from mustermann.german import calendar


@pytest.mark.parametrize(
    "sunday",
    [date(1961, 4, 2), date(1981, 4, 19), date(2000, 4, 23), date(2008, 3, 23), date(2024, 3, 31),
     date(2025, 4, 20), date(2026, 4, 5), date(2038, 4, 25)],
)  # fmt: skip
def test_easter(sunday: date) -> None:
    assert calendar.easter(sunday.year) == sunday


def test_holidays_of_a_year() -> None:
    assert calendar.holidays(2026) == {
        date(2026, 1, 1), date(2026, 4, 3), date(2026, 4, 6), date(2026, 5, 1), date(2026, 5, 14),
        date(2026, 5, 25), date(2026, 10, 3), date(2026, 12, 25), date(2026, 12, 26),
    }  # fmt: skip


def test_workdays() -> None:
    assert calendar.is_workday(date(2026, 9, 3))
    assert not calendar.is_workday(date(2026, 9, 5))
    assert not calendar.is_workday(date(2026, 5, 14))


@pytest.mark.parametrize(
    "day",
    [date(2026, 1, 6), date(2026, 6, 4), date(2027, 3, 8), date(2025, 8, 15), date(2027, 9, 20),
     date(2025, 10, 31), date(2027, 11, 1), date(2026, 11, 18), date(2028, 11, 22)],
)  # fmt: skip
def test_a_holiday_of_one_state_is_no_workday_in_any(day: date) -> None:
    assert not calendar.is_holiday(day)
    assert not calendar.is_workday(day)


def test_the_days_around_them_are_workdays() -> None:
    assert calendar.is_workday(date(2026, 6, 3))
    assert calendar.is_workday(date(2026, 11, 17))
