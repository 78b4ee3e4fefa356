"""Tokens and tags, there and back."""

from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors import tagging
from mustermann.documents.spans import Span


def test_letters_and_digits_part():
    assert [t.text for t in tagging.tokens("49jähr. Müller-Voß")] == [
        "49",
        "jähr",
        ".",
        "Müller",
        "-",
        "Voß",
    ]


def test_breaks_before_a_token_are_counted():
    assert [t.breaks for t in tagging.tokens("a b\n\nc")] == [0, 0, 2]


def test_a_span_inside_a_word_takes_the_token():
    words = tagging.tokens("49jähr.")
    assert tagging.tags(words, [Span(0, 2, "AGE")]) == ["B-AGE", "O", "O"]


def test_neighbours_of_one_label_stay_two():
    words = tagging.tokens("Anna Otto")
    tags = tagging.tags(words, [Span(0, 4, "NAME"), Span(5, 9, "NAME")])
    assert tags == ["B-NAME", "B-NAME"]
    assert list(tagging.spans(words, tags)) == [Span(0, 4, "NAME"), Span(5, 9, "NAME")]


def test_an_inside_tag_without_a_beginning_begins():
    words = tagging.tokens("a b c")
    found = list(tagging.spans(words, ["I-NAME", "I-DATE", "O"]))
    assert found == [Span(0, 1, "NAME"), Span(2, 3, "DATE")]


@given(st.text(alphabet="aB1. \n-ß", max_size=40), st.data())
def test_spans_of_whole_tokens_round_trip(text, data):
    words = tagging.tokens(text)
    spans, at = [], 0
    while at < len(words):
        stop = data.draw(st.integers(at + 1, len(words)))
        if data.draw(st.booleans()):
            spans.append(
                Span(words[at].start, words[stop - 1].end, data.draw(st.sampled_from("AB")))
            )
        at = stop
    assert list(tagging.spans(words, tagging.tags(words, spans))) == spans
