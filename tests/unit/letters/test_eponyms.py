import pytest

from mustermann.letters.eponyms import EPONYM, pieces_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Morbus Parkinson", ["Morbus Parkinson"]),
        ("Idiopathisches Parkinson-Syndrom, Stadium 2", ["Parkinson-Syndrom"]),
        ("Z.n. Non-Hodgkin-Lymphom, M. Crohn", ["Non-Hodgkin-Lymphom", "M. Crohn"]),
        ("Guillain-Barré-Syndrom nach Infekt", ["Guillain-Barré-Syndrom"]),
        ("Chorea Huntington", ["Chorea Huntington"]),
        ("Hartmann-Operation (5-455.7)", ["Hartmann-Operation"]),
        ("Still- und Wochenbett", []), ("Koronare Herzkrankheit", []), ("Bell", []),
        ("Westernblot, Picknick", []), ("Appendizitis", []),
    ],
)  # fmt: skip
def test_terms_that_bear_a_name_are_pieces_of_their_own(text, found):
    pieces = pieces_of(text)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.text for piece in pieces if piece.kind == EPONYM] == found
    assert all(piece.text for piece in pieces)
