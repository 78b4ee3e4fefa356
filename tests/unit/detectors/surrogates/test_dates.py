"""Dates move together and keep their form."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors.surrogates.dates import shifted, year_in

DAYS = 70


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("03.05.2024", "12.07.2024"), ("3.5.2024", "12.7.2024"), ("14.4.2026", "23.6.2026"),
        ("2024-05-03", "2024-07-12"), ("03.05.24", "12.07.24"), ("3/5/2024", "12/7/2024"),
        ("3. Mai 2024", "12. Juli 2024"), ("03. MAI 2024", "12. JULI 2024"),
        ("3.Jan.2024", "13.Mär.2024"), ("Mai 2024", "Juli 2024"), ("05/2024", "07/2024"),
        ("03.05.", "12.07."), ("3.5.", "12.7."),
        ("Freitag, den 3.5.2024", "Freitag, den 12.7.2024"),
        ("03.05.2024, 14:30 Uhr", "12.07.2024, 14:30 Uhr"), ("2023", "2023"),
        ("03.-07.05.2024", "12.07.-16.07.2024"), ("3. bis 7.5.2024", "12.07. bis 16.7.2024"),
        ("25.12.2024", "05.03.2025"), ("29.02.2024", "09.05.2024"), ("März", "Mai"),
    ],
)  # fmt: skip
def test_forms(before, after):
    assert shifted(before, days=DAYS, year=2023) == after


@pytest.mark.parametrize(
    "text", ["KW 12/99999", "31.31.2024", "Ostern", "", "17 Tage nach 3.5.2024"]
)
def test_what_is_no_date_is_not_guessed(text):
    assert shifted(text, days=DAYS, year=2024) is None


@given(st.dates(date(1931, 1, 1), date(2029, 12, 31)), st.integers(-52, 52))
def test_intervals_and_weekdays_stay(day, weeks):
    new = day + timedelta(weeks=weeks)
    for form in ("%d.%m.%Y", "%Y-%m-%d"):
        assert shifted(day.strftime(form), days=7 * weeks, year=2024) == new.strftime(form)


def test_the_first_whole_date_gives_the_year():
    assert year_in("am 3.5., dann am 4.6.2019") == 2019
    assert year_in("am 3.5.") is None
