"""What detectors may do wrong, and what becomes of it."""

import itertools

import pytest

from mustermann.detectors.prediction import Prediction, clean, disjoint, predict
from mustermann.documents.spans import Component, Span


class Fake:
    name = "fake"
    labels = frozenset({"CITY"})
    signature = "fake|1"

    def __init__(self, found):
        self._found = found

    def detect(self, text):
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


def test_an_exception_becomes_a_failure_in_words():
    prediction = predict(Fake(ValueError("no\nmodel")), "text")
    assert prediction == Prediction(failure="ValueError: no model")


def test_an_interrupt_is_not_swallowed():
    class Stopped(Fake):
        def detect(self, text):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        predict(Stopped([]), "text")


@pytest.mark.parametrize(
    ("found", "spans", "faults"),
    [
        ([Span(0, 2, "CITY")], [(0, 2)], {}),
        ([Span(2, 9, "CITY")], [(2, 4)], {"outside": 1}),
        ([Span(4, 9, "CITY")], [], {"outside": 1}),
        ([Span(2, 3, "CITY"), Span(0, 1, "CITY")], [(0, 1), (2, 3)], {"unsorted": 1}),
        ([Span(0, 1, "CITY")] * 2, [(0, 1)], {"duplicate": 1}),
        ([Span(0, 3, "CITY"), Span(1, 4, "ZIP")], [(0, 3), (1, 4)], {"overlapping": 1}),
        (["CITY", (0, 1), None], [], {"unreadable": 3}),
        ([Span(0, 1, "GPE")], [(0, 1)], {"unknown_label": 1}),
    ],
)
def test_broken_contracts_are_counted_and_mended(found, spans, faults):
    cleaned = clean(found, length=4)
    assert [(s.start, s.end) for s in cleaned.spans] == spans
    assert cleaned.faults == faults


def test_a_rewriter_gives_its_text_too():
    class Rewriting(Fake):
        def rewrite(self, text):
            return text.replace("Ulm", "***")

    assert predict(Rewriting([Span(0, 3, "CITY")]), "Ulm.").rewritten == "***."


def test_disjoint_keeps_the_longer_span_and_every_covered_character():
    spans = [Span(0, 6, "CITY"), Span(4, 14, "STREET"), Span(5, 7, "ZIP"), Span(12, 20, "NAME")]
    apart = disjoint(spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(apart))
    assert {i for s in apart for i in range(s.start, s.end)} == set(range(20))
    assert Span(4, 14, "STREET") in apart


def test_records_round_trip():
    part = Component(0, 1, "title")
    prediction = Prediction((Span(0, 3, "STAFF_NAME", components=(part,)),), {"outside": 2})
    again = Prediction.from_record(prediction.to_record())
    assert again == prediction
    assert again.spans[0].components == (part,)
