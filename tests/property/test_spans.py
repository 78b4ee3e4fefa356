import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mustermann.documents.document import Document
from mustermann.documents.spans import Piece, SpanWriter

text = st.text(min_size=1, max_size=6).filter(lambda t: not unicodedata.combining(t[0]))
pieces = st.lists(st.tuples(text, st.sampled_from(["", "PATIENT_NAME", "AGE"])), max_size=12)


@given(pieces)
def test_every_label_covers_exactly_what_was_written(pieces):
    writer = SpanWriter()
    for piece, label in pieces:
        if label:
            writer.entity([Piece(piece)], label)
        else:
            writer.write(piece)
    document = Document("1", writer.text(), writer.spans())
    assert document.text == "".join(piece for piece, _ in pieces)
    assert [(document.surface(s), s.label) for s in document.spans] == [p for p in pieces if p[1]]


@given(pieces)
def test_a_document_survives_json(pieces):
    writer = SpanWriter()
    for piece, label in pieces:
        writer.write(piece)
        writer.entity([Piece(piece, "family")], label or "CITY", slot="s", details={"a": piece})
    document = Document("x", writer.text(), writer.spans(), meta={"difficulty": "easy"})
    again = Document.from_record(document.to_record())
    assert again == document
    assert [s.details for s in again.spans] == [s.details for s in document.spans]
