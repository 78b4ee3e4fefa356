import dataclasses
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.seeds import Seeds
from mustermann.german import calendar
from mustermann.letters.attributes.dates import (
    sample_birth,
    sample_past,
    sample_stay,
    years_between,
)
from mustermann.letters.config import Dates

SETTINGS = Dates()
SEEDS = [Seeds(11).child("letters", number) for number in range(500)]


@pytest.mark.parametrize("elective", [False, True])
def test_a_stay_lies_within_its_ranges(elective: bool) -> None:
    for seeds in SEEDS:
        stay = sample_stay(seeds, settings=SETTINGS, days=(3, 9), elective=elective)
        assert 5 <= (SETTINGS.anchor - stay.admission).days <= 365
        assert 3 <= stay.days <= 9
        assert 0 <= (stay.letter - stay.discharge).days <= 14
        assert stay.letter.weekday() != calendar.SUNDAY
        assert not calendar.is_holiday(stay.letter)
        if elective:
            assert calendar.is_workday(stay.admission)
            assert calendar.is_workday(stay.admission + timedelta(days=1))


def test_a_planned_visit_may_fall_on_a_friday() -> None:
    fridays = sum(
        sample_stay(seeds, settings=SETTINGS, days=(0, 0), elective=True).admission.weekday() == 4
        for seeds in SEEDS
    )
    assert fridays > 50


def test_an_illness_with_a_season_comes_in_its_months() -> None:
    months = {
        sample_stay(
            seeds, settings=SETTINGS, days=(3, 9), elective=False, months=(11, 12, 1)
        ).admission.month
        for seeds in SEEDS
    }
    assert months == {11, 12, 1}
    short = dataclasses.replace(SETTINGS, admission_days=(5, 40))  # July and August only.
    stay = sample_stay(SEEDS[0], settings=short, days=(3, 9), elective=False, months=(1,))
    assert 5 <= (short.anchor - stay.admission).days <= 40


@pytest.mark.parametrize(("chance", "expected"), [(1.0, 0), (0.0, 1 / 7)])
def test_few_go_home_on_a_sunday(chance: float, expected: float) -> None:
    settings = dataclasses.replace(SETTINGS, no_discharge_at_rest=chance)
    sundays = sum(
        sample_stay(seeds, settings=settings, days=(3, 9), elective=False).discharge.weekday()
        == calendar.SUNDAY
        for seeds in SEEDS
    )
    # A standard deviation is .016.
    assert abs(sundays / len(SEEDS) - expected) < 0.08 * (expected > 0) + 1e-9


def test_nobody_is_given_an_appointment_on_christmas_eve() -> None:
    assert not calendar.is_workday(date(2026, 12, 24))
    assert not calendar.is_workday(date(2026, 12, 31))
    assert calendar.is_workday(date(2026, 12, 23))


def test_an_ambulant_stay_ends_on_its_day() -> None:
    stay = sample_stay(SEEDS[0], settings=SETTINGS, days=(0, 0), elective=False)
    assert stay.admission == stay.discharge


def test_emergencies_come_on_any_day() -> None:
    days = {
        sample_stay(seeds, settings=SETTINGS, days=(1, 1), elective=False).admission.weekday()
        for seeds in SEEDS
    }
    assert days == set(range(7))


@given(st.integers(0, 105), st.dates(date(2020, 1, 1), date(2030, 12, 31)), st.integers(0, 2**32))
def test_the_age_is_exact_at_admission(age: int, admission: date, root: int) -> None:
    birth = sample_birth(Seeds(root), settings=SETTINGS, age=age, admission=admission)
    assert years_between(birth, admission) == age
    assert birth <= admission
    assert birth.day <= 28


def test_infants_are_no_newborns() -> None:
    ages = [
        (day - sample_birth(seeds, settings=SETTINGS, age=0, admission=day)).days
        for number, seeds in enumerate(SEEDS)
        for day in [date(2026, 1, 1) + timedelta(days=number % 365)]
    ]
    assert min(ages) >= 28
    assert max(ages) <= 365
    assert len(set(ages)) > 200


@given(st.integers(0, 100), st.integers(0, 2**32))
def test_past_events_lie_between_birth_and_admission(age: int, root: int) -> None:
    admission = date(2026, 3, 1)
    birth = sample_birth(Seeds(root), settings=SETTINGS, age=age, admission=admission)
    draws = Seeds(root).draws("past")
    day = sample_past(draws, "infarkt", settings=SETTINGS, birth=birth, admission=admission)
    assert birth <= day <= max(birth, admission - timedelta(days=1))
    assert (admission - day).days < 365 * 17


def test_another_anchor_moves_all_days_alike() -> None:
    moved = dataclasses.replace(SETTINGS, anchor=date(2020, 9, 3))
    old = sample_stay(SEEDS[1], settings=SETTINGS, days=(2, 5), elective=False)
    new = sample_stay(SEEDS[1], settings=moved, days=(2, 5), elective=False)
    assert old.admission - new.admission == SETTINGS.anchor - moved.anchor
    assert old.days == new.days
