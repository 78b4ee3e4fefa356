"""Numbers keep their pattern and their check digit."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.seeds import Seeds
from mustermann.detectors.surrogates import patterns
from mustermann.german import identifiers

DRAWS = Seeds(1).draws("patterns")


def shape(text):
    return re.sub(r"\d", "0", re.sub(r"[a-zà-ÿ]", "x", re.sub(r"[A-ZÀ-Þ]", "X", text)))


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("A000500015", identifiers.is_kvnr), ("DE89 3704 0044 0532 0130 00", identifiers.is_iban),
        (identifiers.lanr("123456", "34"), identifiers.is_lanr),
        (identifiers.tax_id("1234567899"), identifiers.is_tax_id),
    ],
)  # fmt: skip
def test_a_check_digit_that_held_holds_again(text, holds):
    made = patterns.code(text, DRAWS)
    assert made != text
    assert shape(made) == shape(text)
    assert holds(made.replace(" ", ""))


@given(st.text("ABZaz019-/. äß", min_size=1, max_size=20))
def test_the_pattern_stays(text):
    made = patterns.scrambled(text, DRAWS)
    assert len(made) == len(text)
    for old, new in zip(text, made, strict=True):
        assert old.isdecimal() == new.isdecimal()
        assert old.isalpha() == new.isalpha()
        assert old.isalnum() or old == new


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0731 500-45001", r"\d{4} \d{3}-\d{5}"), ("+49 (0)731 5004500", r"\+49 \(\d\)\d{3} \d{7}"),
        ("0171 3920003", r"017[16] \d{7}"), ("-128", r"-\d{3}"),
        ("0221/4710-613", r"0221/4710-\d{3}"),
    ],
)  # fmt: skip
def test_phones_keep_their_layout(text, wanted):
    assert re.fullmatch(wanted, patterns.phone(text, DRAWS))


def test_addresses_go_to_domains_that_nobody_has():
    assert re.fullmatch(
        r"[a-z]\.[a-z]{5}@[a-z-]+\.example", patterns.address("a.wespe@x.de", DRAWS)
    )
    assert re.fullmatch(r"www\.[a-z-]+\.example", patterns.address("www.klinikum-ulm.de/x", DRAWS))
    assert patterns.address("10.4.17.2", DRAWS).startswith("192.0.2.")
