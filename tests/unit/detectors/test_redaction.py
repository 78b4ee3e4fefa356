"""Replaced text and the way back to the old offsets."""

from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors.redaction import MODES, redact
from mustermann.documents.spans import Span

TEXT = "Frau Anna\nMüller aus Ulm"
SPANS = [Span(21, 24, "CITY"), Span(5, 16, "PATIENT_NAME")]


def test_labels_stand_in_for_what_was_found():
    redacted = redact(TEXT, SPANS, MODES["label"])
    assert redacted.text == "Frau [PATIENT_NAME] aus [CITY]"
    assert [redacted.text[p.new_start : p.new_end] for p in redacted.replacements] == [
        "[PATIENT_NAME]", "[CITY]",
    ]  # fmt: skip


def test_a_mask_keeps_length_and_lines():
    redacted = redact(TEXT, SPANS, MODES["mask"])
    assert redacted.text == "Frau ████\n██████ aus ███"
    assert redacted.offset(len(TEXT)) == len(TEXT)


def test_overlapping_spans_leave_nothing_behind():
    redacted = redact("Anna Müller", [Span(0, 8, "NAME"), Span(5, 11, "NAME")], MODES["label"])
    assert redacted.text == "[NAME][NAME]"


@given(st.text(min_size=1, max_size=30), st.data())
def test_every_kept_character_is_where_the_map_says(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    redacted = redact(text, [Span(start, end, "ID")], MODES["label"])
    for old in [*range(start), *range(end, len(text))]:
        assert redacted.text[redacted.offset(old)] == text[old]
