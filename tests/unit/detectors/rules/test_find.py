"""Lines that hold a word, found without a pattern."""

from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors.rules.find import lines_with


@given(st.text("ab\nc ", max_size=40))
def test_each_line_with_a_word_comes_once_and_in_order(text):
    found = [(line.start, line.end) for line in lines_with(text, ("ab", "c"))]
    wanted, at = [], 0
    for line in text.split("\n"):
        if "ab" in line or "c" in line:
            wanted.append((at, at + len(line)))
        at += len(line) + 1
    assert found == wanted
