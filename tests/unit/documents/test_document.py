import pytest

from mustermann.core.errors import DataError, SpanError
from mustermann.documents.document import Document
from mustermann.documents.spans import Component, Span


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        ((Span(0, 99, "AGE"),), "inside"),
        ((Span(3, 5, "AGE"), Span(0, 2, "AGE")), "sorted"),
        ((Span(0, 3, "AGE"), Span(2, 5, "AGE")), "disjoint"),
        ((Span(2, 5, "AGE", components=(Component(0, 3, "family"),)),), "family"),
        ((Span(2, 5, "AGE", components=(Component(6, 7, "honorific"),)),), "honorific"),
    ],
)
def test_spans_that_break_the_rules_are_refused(spans, words):
    with pytest.raises(SpanError, match=words):
        Document("7", "abcdefghij", spans)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"id": "1"},
        {"id": 1, "text": "a"},
        {"id": "1", "text": "abc", "spans": [{"start": "0", "end": 1, "label": "X"}]},
        {"id": "1", "text": "abc", "spans": [{"start": 0, "label": "X"}]},
        {"id": "1", "text": "abc", "spans": ["X"]},
        {"id": "1", "text": "abc", "spans": 4},
    ],
)
def test_a_record_that_is_no_document_is_refused(record):
    with pytest.raises(DataError):
        Document.from_record(record)


def test_a_missing_label_is_kept_as_unknown():
    record = {"id": "1", "text": "abc", "spans": [{"start": 0, "end": 1, "label": None}]}
    assert Document.from_record(record).spans[0].label == "UNKNOWN"
