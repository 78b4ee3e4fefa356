from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mustermann.documents.document import Document
from mustermann.documents.labels import LABELS
from mustermann.documents.mapping import load_mapping, map_document, map_spans, mapping_names
from mustermann.documents.spans import Piece, Span, SpanWriter

NAMES = ["PATIENT_NAME", "RELATIVE_NAME", "STAFF_NAME", "OTHER_PERSON_NAME"]
HERRN = (Piece("Herrn", "honorific", inside=False), Piece(" ", inside=False))
names = st.builds(
    lambda honorific, title, given_name, suffix: (
        *(HERRN if honorific else ()),
        *((Piece(title, "title"), Piece(" ")) if title else ()),
        *((Piece("Max", "given"), Piece(" ")) if given_name else ()),
        Piece("Leitner", "family"),
        *((Piece("s", "suffix"),) if suffix else ()),
    ),
    st.booleans(), st.sampled_from(["", "Dr.", "PD Dr. med."]), st.booleans(), st.booleans(),
)  # fmt: skip
items = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(NAMES), names),
        st.tuples(
            st.sampled_from(sorted(LABELS)),
            st.sampled_from(["4A", "3 Süd", "91", "17", "Köln", "2019"]).map(lambda t: (Piece(t),)),
        ),
    ),
    max_size=8,
)
mappings = st.sampled_from(mapping_names()).map(load_mapping)


@given(items, mappings, st.sampled_from(["", " ", ", "]))
def test_a_mapped_document_is_a_document_and_no_span_leaves_its_source(written, mapping, between):
    writer = SpanWriter()
    for label, pieces in written:
        writer.entity(pieces, label)
        writer.write(between)
    document = Document(id="x", text=writer.text(), spans=writer.spans())
    made = map_document(document, mapping)
    assert made.text == document.text
    for span in made.spans:
        assert span.label in mapping.targets
        assert any(old.start <= span.start and span.end <= old.end for old in document.spans)


@given(
    st.text("Dr. medPof-HerwaußX\n", max_size=40), st.integers(0, 40), st.integers(1, 40), mappings
)
def test_any_predicted_name_can_be_mapped(text, start, length, mapping):
    span = Span(start, min(start + length, len(text)), "STAFF_NAME") if start < len(text) else None
    if span is None:
        return
    made = map_spans(text, [span], mapping)
    assert all(span.start <= part.start < part.end <= span.end for part in made)
    assert all(a.end <= b.start for a, b in pairwise(made))
