"""Normalised text and the way back."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors.rules.normalise import normalise

ODD = st.text(alphabet="aüu\u0308\u00a8 \u00a0\u200b\r\n\u00adß😊\ufeff.", max_size=30)


def test_plain_text_is_left_alone():
    normal = normalise("Müller, 3.5.")
    assert (normal.text, normal.starts) == ("Müller, 3.5.", ())


def test_marks_blanks_and_breaks():
    text = "Mu\u0308ller\u00a0A\u200b1\r\nB\u00adC\rD"
    normal = normalise(text)
    assert normal.text == "Müller A1\nBC\nD"
    start, end = normal.text.index("ü"), normal.text.index("ü") + 1
    assert text[normal.start(start) : normal.end(end)] == "u\u0308"


@given(ODD)
def test_every_character_keeps_its_own_range_in_order(text):
    normal = normalise(text)
    ranges = [(normal.start(i), normal.end(i + 1)) for i in range(len(normal.text))]
    assert all(0 <= a < b <= len(text) for a, b in ranges)
    assert all(b <= c for (_, b), (c, _) in itertools.pairwise(ranges))


@given(st.text(alphabet="aüu\u0308 \u00a0\r\nß😊.", max_size=30))
def test_normalising_twice_changes_nothing(text):
    once = normalise(text).text
    assert normalise(once).text == once
