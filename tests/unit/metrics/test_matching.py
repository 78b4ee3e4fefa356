"""One-to-one matching by maximum overlap."""

import pytest

from mustermann.documents.spans import Span
from mustermann.metrics.matching import match


def spans(*triples):
    return [Span(*triple) for triple in triples]


def pairs(gold, predicted, **rule):
    return [(p.gold.start, p.predicted.start) for p in match(gold, predicted, **rule)]


def test_the_same_name_twice_and_only_the_second_predicted_misses_the_first():
    gold = spans((0, 5, "NAME"), (20, 25, "NAME"))
    assert pairs(gold, spans((20, 25, "NAME")), rule="exact") == [(20, 20)]


@pytest.mark.parametrize("rule", ["overlap", "partial"])
def test_one_prediction_over_two_golds_counts_once(rule):
    gold = spans((0, 5, "NAME"), (5, 10, "NAME"))
    assert len(match(gold, spans((0, 10, "NAME")), rule=rule)) == 1


def test_one_gold_under_two_predictions_counts_once_and_takes_the_larger_overlap():
    gold = spans((0, 10, "NAME"))
    predicted = spans((0, 3, "NAME"), (3, 10, "NAME"))
    assert pairs(gold, predicted, rule="overlap") == [(0, 3)]


def test_order_plays_no_part():
    gold = spans((0, 5, "A"), (6, 9, "B"), (12, 20, "C"))
    predicted = spans((1, 7, "A"), (6, 9, "B"), (15, 30, "C"))
    expected = match(gold, predicted, rule="overlap")
    assert match(gold[::-1], predicted[::-1], rule="overlap") == expected
    assert match(gold[1:] + gold[:1], predicted[2:] + predicted[:2], rule="overlap") == expected


def test_the_total_overlap_is_the_greatest_not_the_first_found():
    # Greedy by position would pair 0–4 with 0–6 and leave 4–10 with nothing better than 6–7.
    gold = spans((0, 4, "A"), (3, 10, "A"))
    predicted = spans((0, 9, "A"), (3, 4, "A"))
    total = sum(pair.overlap for pair in match(gold, predicted, rule="overlap"))
    assert total == 6 + 1


def test_partial_needs_half_of_the_union():
    gold = spans((0, 10, "A"))
    assert match(gold, spans((0, 5, "A")), rule="partial")
    assert not match(gold, spans((0, 4, "A")), rule="partial")
    assert not match(gold, spans((5, 25, "A")), rule="partial")


def test_labels_count_only_when_asked():
    gold, predicted = spans((0, 5, "A")), spans((0, 5, "B"))
    assert match(gold, predicted, rule="exact")
    assert not match(gold, predicted, rule="exact", labelled=True)


def test_equal_extents_with_two_labels_are_two_pairs():
    gold = spans((0, 5, "A"), (0, 5, "B"))
    predicted = spans((0, 5, "B"), (0, 5, "A"))
    found = match(gold, predicted, rule="exact", labelled=True)
    assert [(p.gold.label, p.predicted.label) for p in found] == [("A", "A"), ("B", "B")]


def test_a_duplicated_prediction_counts_once():
    assert len(match(spans((0, 5, "A")), spans((0, 5, "A"), (0, 5, "A")), rule="exact")) == 1


def test_touching_spans_do_not_overlap():
    assert not match(spans((0, 5, "A")), spans((5, 9, "A")), rule="overlap")


def test_iou_is_shared_over_either():
    (pair,) = match(spans((0, 10, "A")), spans((5, 20, "A")), rule="overlap")
    assert pair.iou == pytest.approx(5 / 20)


@pytest.mark.parametrize("side", [0, 1])
def test_nothing_matches_nothing(side):
    arguments = [spans((0, 5, "A")), spans((0, 5, "A"))]
    arguments[side] = []
    assert match(*arguments, rule="exact") == []
