"""Counts of one document, checked by hand, and ratios of their sums."""

import numpy as np
import pytest

from mustermann.documents.spans import Span
from mustermann.metrics.detection import (
    FIELDS,
    RATIOS,
    Counts,
    LabelCounts,
    Reading,
    count,
    count_labels,
    faithfulness,
)

TEXT = "Frau Anna Müller kam am 3.5.2024 mit Morbus Parkinson, PZN 123."


def span(surface, label, **details):
    start = TEXT.index(surface)
    return Span(start, start + len(surface), label, details=details)


NAME = span("Anna Müller", "PATIENT_NAME", listed="yes")
DATE = span("3.5.2024", "DATE_EVENT")
EPONYM = span("Parkinson", "EPONYM")
NUMBER = span("123", "NONPII_ID")
GOLD = (NAME, DATE, EPONYM, NUMBER)


def reading(*predicted, gold=GOLD, **changes):
    phi = tuple(s for s in gold if s.label not in {"EPONYM", "NONPII_ID"})
    fields = {
        "text": TEXT, "gold": gold, "predicted": predicted, "gold_policy": phi,
        "predicted_policy": predicted,
    }  # fmt: skip
    return Reading(**fields | changes)


def score(name, counts):
    return RATIOS[name].of(counts)


def test_a_perfect_detector():
    counts = count(reading(NAME, DATE))
    for name in ("span_f1", "partial_f1", "labelled_f1", "char_f1", "token_f1", "faithfulness"):
        assert score(name, counts) == 1.0, name
    for name in ("leak_rate", "over_redaction", "over_anonymisation", "eponym_destruction"):
        assert score(name, counts) == 0.0, name


def test_a_detector_that_finds_nothing_leaks_everything():
    counts = count(reading())
    assert score("leak_rate", counts) == 1.0
    assert score("span_recall", counts) == score("char_recall", counts) == 0.0
    assert score("span_precision", counts) is None
    assert score("faithfulness", counts) == 1.0


def test_a_cut_name_leaks_though_it_matches_in_part():
    counts = count(reading(span("Müller", "PATIENT_NAME"), DATE))
    assert (counts.exact, counts.partial, counts.phi_leaked) == (1, 2, 1)
    assert score("boundary_iou", counts) == pytest.approx((6 / 11 + 1) / 2)
    assert counts.listed_covered == 0


def test_two_predictions_may_cover_one_span_together():
    counts = count(reading(span("Anna ", "PATIENT_NAME"), span("Müller", "STAFF_NAME"), DATE))
    assert counts.phi_leaked == 0
    assert counts.exact == 1


def test_characters_are_sets():
    wide = span("Anna Müller kam", "PATIENT_NAME")
    counts = count(reading(wide, wide, DATE))
    assert counts.predicted_chars == len(wide) + len(DATE)
    assert counts.redacted_chars == len(" kam")
    assert score("over_redaction", counts) == pytest.approx(4 / (len(TEXT) - 11 - 8))
    assert counts.kept_chars == counts.other_chars - 4


def test_labels_count_apart():
    counts = count(reading(span("Anna Müller", "STAFF_NAME"), DATE))
    assert (counts.exact, counts.labelled_exact) == (2, 1)
    assert (counts.shared_chars, counts.labelled_chars) == (19, 8)


def test_only_claimed_labels_enter_labelled_scores():
    counts = count(reading(DATE), claimed=lambda label: label == "DATE_EVENT")
    assert score("labelled_f1", counts) == 1.0
    assert score("span_recall", counts) == 0.5


def test_a_decoy_is_hit_by_one_character():
    touch = Span(EPONYM.start, EPONYM.start + 1, "PATIENT_NAME")
    counts = count(reading(touch))
    assert score("eponym_destruction", counts) == 1.0
    assert score("nonpii_redaction", counts) == 0.0
    assert score("over_anonymisation", counts) == 0.5
    assert score("lookalike_redaction", counts) is None


def test_tokens_are_words_with_hyphens():
    text = "Herr Weber-Voß kam."
    name = Span(5, 14, "PATIENT_NAME")
    part = Span(5, 10, "PATIENT_NAME")
    counts = count(
        Reading(
            text=text,
            gold=(name,),
            predicted=(part,),
            gold_policy=(name,),
            predicted_policy=(part,),
        )
    )
    assert (counts.phi_tokens, counts.predicted_tokens, counts.shared_tokens) == (1, 1, 1)


def test_listed_and_unlisted_names_apart():
    gold = (span("Anna", "PATIENT_NAME", listed="yes"), span("Müller", "PATIENT_NAME", listed="no"))
    counts = count(reading(gold[1], gold=gold))
    assert score("listed_recall", counts) == 0.0
    assert score("unlisted_recall", counts) == 1.0


def test_counts_add_up_and_ratios_come_last():
    one, two = count(reading(NAME)), count(reading(NAME, DATE))
    both = one + two
    assert both.documents == 2
    assert score("span_recall", both) == pytest.approx(3 / 4)
    rows = np.array([one.values(), two.values()])
    assert RATIOS["span_recall"](rows).tolist() == [0.5, 1.0]
    assert RATIOS["span_recall"](rows.sum(axis=0, keepdims=True)).tolist() == [0.75]


def test_an_empty_document_counts_and_scores_nothing():
    counts = count(Reading(text="", gold=(), predicted=(), gold_policy=(), predicted_policy=()))
    assert counts == Counts(documents=1)
    assert all(ratio.of(counts) is None for ratio in RATIOS.values())
    assert np.isnan(RATIOS["span_f1"](np.zeros((1, len(FIELDS))))).all()


def test_counts_by_label():
    found = count_labels(reading(span("Anna Müller", "STAFF_NAME"), DATE))
    assert found == {
        "DATE_EVENT": LabelCounts(exact=1, gold=1, predicted=1, covered=1),
        "PATIENT_NAME": LabelCounts(gold=1, covered=1),
        "STAFF_NAME": LabelCounts(predicted=1),
    }
    record = found["PATIENT_NAME"].record()
    assert (record["precision"], record["recall"], record["covered"]) == (None, 0.0, 1.0)


def test_faithfulness_of_a_rewriting_tool():
    masked = TEXT.replace("Anna Müller", "[NAME]").replace("3.5.2024", "[DATUM]")
    outside = len(TEXT) - len(NAME) - len(DATE)
    assert faithfulness(TEXT, masked, (NAME, DATE)) == outside
    changed = masked.replace("Parkinson", "Alzheimer")
    assert faithfulness(TEXT, changed, (NAME, DATE)) == outside - len("Parkinson")
    assert faithfulness(TEXT, "", (NAME, DATE)) == 0
    counts = count(reading(NAME, DATE, rewritten=changed))
    assert score("faithfulness", counts) == pytest.approx((outside - 9) / outside)
