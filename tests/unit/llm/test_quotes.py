import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.llm.quotes import Place, Quote, locate

TEXT = "Herr Voß kam mit Frau Voß.\nVoß ist 64-jährig, geb. 03.11.1961, Tel. 030 23125 000."


def surfaces(text, quotes):
    return [
        place and (place.start, text[place.start : place.end]) for place in locate(text, quotes)
    ]


def test_a_quote_that_occurs_once_is_found():
    assert surfaces(TEXT, [Quote("03.11.1961")]) == [(TEXT.index("03.11"), "03.11.1961")]


def test_context_tells_repeated_quotes_apart():
    found = locate(
        TEXT, [Quote("Voß", "mit Frau"), Quote("Voß", "", "ist 64"), Quote("Voß", "Herr")]
    )
    starts = [place.start for place in found]
    assert starts == [TEXT.index("Frau Voß") + 5, TEXT.index("Voß ist"), TEXT.index("Voß kam")]


def test_without_context_repeated_quotes_take_their_places_in_order():
    starts = [place.start for place in locate(TEXT, [Quote("Voß")] * 3)]
    assert starts == sorted(set(starts)) and len(starts) == 3


def test_more_quotes_than_places_share_one():
    assert locate("Voß", [Quote("Voß")] * 2) == [Place(0, 3)] * 2


@pytest.mark.parametrize(
    ("piece", "found"),
    [("Meier", None), ("", None), ("  ", None), ("64", "64"), ("Frau\nVoß", "Frau Voß"),],
)  # fmt: skip
def test_blanks_agree_and_what_is_not_there_is_none(piece, found):
    (place,) = locate(TEXT, [Quote(piece)])
    assert (place and TEXT[place.start : place.end]) == found


def test_whole_words_come_before_parts_of_words():
    text = "Bergmann traf Berg."
    assert surfaces(text, [Quote("Berg")]) == [(14, "Berg")]


@given(st.text(alphabet="ab \nÄ😊.", max_size=60), st.text(alphabet="ab \nÄ😊.", max_size=5))
def test_every_place_holds_the_quote(text, piece):
    for place in locate(text, [Quote(piece, "a", "b")]):
        if place:
            assert text[place.start : place.end].split() == piece.split()
