from datetime import date

import pytest

from mustermann.letters.verify.loose_forms import ages_in, dates_in, ward_in

DAYS = (date(2015, 3, 21), date(2024, 10, 7))


@pytest.mark.parametrize(
    "found",
    [
        "21.03.", "21.3.", "7. 10.", "03/15", "3/15", "10/2024", "10.2024", "März 2015",
        "Okt. 24", "Oktober '24", "21. März", "7. Oktober 2024", "Q1/2015",
        "4. Quartal 2024", "2015",
    ],
)  # fmt: skip
def test_own_dates_are_found_in_part(found: str) -> None:
    assert found in list(dates_in(f"Zustand nach Eingriff ({found}), seither gut.", DAYS))


@pytest.mark.parametrize(
    "text",
    [
        "Stadium IB (AJCC 2015)", "Einfuhr 2015 ml", "VAS 8/10", "am 22.03. unauffällig",
        "04/15", "RR 120/80", "2015/26", "Hb 10.2 g/dl", "Leitlinie 2015", "Quartal",
        "3. Tag", "in 10 Tagen", "März", "2014",
    ],
)  # fmt: skip
def test_what_is_no_date_of_the_letter_is_not_found(text: str) -> None:
    assert list(dates_in(text, DAYS)) == []


def test_without_days_nothing_is_found() -> None:
    assert list(dates_in("am 21.03. und 2015", ())) == []


@pytest.mark.parametrize(
    "text",
    ["ein 64-jähriger Mann", "64jähr. Pat.", "Pat. (64 J.)", "ist 64 Jahre alt", "mit 64 Jahren",
     "vierundsechzigjährig", "im Alter von 64 Jahren", "Mitte sechzig"],
)  # fmt: skip
def test_the_age_is_found_in_all_its_forms(text: str) -> None:
    assert list(ages_in(text, 64))


@pytest.mark.parametrize(
    "text",
    ["vor 64 Jahren", "Seit 64 Jahren", "seit etwa 64 Jahren", "164 Jahre",
     "64 Jahrgänge", "3,64 Jahre",
     "64 jährlich",
     "64 mg", "sechzehnjährig", "Ende siebzig"],
)  # fmt: skip
def test_other_numbers_are_no_age(text: str) -> None:
    assert list(ages_in(text, 64)) == []


def test_a_wards_number_is_found_behind_its_word_only() -> None:
    assert ward_in("lag auf Station 4B und", "4B") == "Station 4B"
    assert ward_in("Stat.: 12, Zimmer", "12") == "Stat.: 12"
    assert ward_in("Wert 4B; Station 4B2", "4B") == ""
