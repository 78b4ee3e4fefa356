from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.letters.verify.german_dates import read

DAY = date(1962, 3, 11)


@pytest.mark.parametrize(
    "text",
    ["11.03.1962", "11.3.1962", "11.3.62", "11. 3. 1962", "11. März 1962", "11. MÄRZ 1962",
     "11. Mär. 62", "1962-03-11", "11/3/1962", "11.03.", "März 1962", "03/1962", "03/62", "3/62",
     "1962", "I/1962", "Q1/1962", "1. Quartal 1962", "11.\n03.1962"],
)  # fmt: skip
def test_every_form_of_the_day_is_read(text):
    assert read(text).agrees(DAY)


@pytest.mark.parametrize(
    "text",
    ["12.03.1962", "11.04.1962", "11.03.1963", "11. Mai 1962", "II/1962", "1963", "11.03.63"],
)
def test_another_day_does_not_agree(text):
    assert not read(text).agrees(DAY)


@pytest.mark.parametrize("text", ["", "1.03.196", "am 11.03.1962", "11.03.1962.", "März", "x"])
def test_what_is_no_date_is_none(text):
    assert read(text) is None


@given(st.dates(date(1900, 1, 1)), st.dates(date(1900, 1, 1)))
def test_full_dates_agree_only_with_themselves(left, right):
    assert read(f"{left:%d.%m.}{left.year:04}").agrees(right) == (left == right)
