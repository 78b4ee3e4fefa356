import pytest

from mustermann.core.errors import SpanError
from mustermann.documents.spans import Component, Piece, Span, SpanWriter


def test_an_honorific_stands_outside_the_span_and_parts_inside():
    writer = SpanWriter()
    writer.write("Wir berichten über ")
    pieces = [Piece("Herrn", "honorific", inside=False), Piece(" ", inside=False),
              Piece("Cem", "given"), Piece(" "), Piece("Çam", "family")]  # fmt: skip
    writer.entity(pieces, "PATIENT_NAME", slot="patient", form="hon_first_last akk")
    (span,) = writer.spans()
    text = writer.text()
    assert text[span.start : span.end] == "Cem Çam"
    assert [(text[c.start : c.end], c.kind) for c in span.components] == [
        ("Herrn", "honorific"), ("Cem", "given"), ("Çam", "family")]  # fmt: skip


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [Piece("")],
        [Piece("Herr", inside=False)],
        [Piece("A"), Piece("b", inside=False), Piece("C")],
        [Piece("\u0301a")],
    ],
)
def test_a_value_that_can_not_be_one_span_is_refused(pieces):
    with pytest.raises(SpanError):
        SpanWriter().entity(pieces, "PATIENT_NAME")


def test_a_filter_that_grows_text_moves_no_label():
    class Upper:
        def __call__(self, text, *, label, kind):
            return text.upper()

    writer = SpanWriter(filters=[Upper()])
    writer.write("für ")
    writer.entity([Piece("Voß", "family")], "PATIENT_NAME")
    writer.write(".")
    (span,) = writer.spans()
    assert writer.text() == "FÜR VOSS."
    assert (span.start, span.end) == (4, 8)
    assert span.components == (Component(4, 8, "family"),)


def test_a_clinical_mention_covers_what_was_written_in_between():
    writer = SpanWriter()
    writer.write("Es lag ein ")
    mark = writer.open_clinical()
    writer.write("Morbus ")
    writer.entity([Piece("Parkinson")], "EPONYM")
    writer.close_clinical(mark, "DIAGNOSIS", {"icd": "G20.9"})
    (mention,) = writer.clinical()
    assert writer.text()[mention.start : mention.end] == "Morbus Parkinson"
    assert mention.details["icd"] == "G20.9"


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 3), (4, 2)])
def test_an_empty_or_negative_span_is_refused(start, end):
    with pytest.raises(SpanError):
        Span(start, end, "AGE")


def test_overlap_counts_characters():
    assert Span(0, 5, "A").overlap(Span(3, 9, "B")) == 2
    assert Span(0, 5, "A").overlap(Span(5, 9, "B")) == 0
