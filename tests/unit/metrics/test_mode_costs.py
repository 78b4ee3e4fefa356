"""What modes cost: on letters whose leaks are laid out so that the answer is known."""

import json

import pytest

from mustermann.metrics.detection import LabelCounts
from mustermann.metrics.mode_costs import LetterCounts, mode_costs


def letter(*modes, leaked=0, spans=10, names=None):
    by_label = {"PATIENT_NAME": LabelCounts(gold=names[0], covered=names[1])} if names else {}
    return LetterCounts(tuple(modes), spans, leaked, by_label)


def test_modes_that_meet_are_held_apart():
    letters = [letter(leaked=1)] * 20
    letters += [letter("ocr", leaked=3)] * 5 + [letter("ocr", "quote", leaked=3)] * 15
    letters += [letter("quote", leaked=1)] * 5
    costs = mode_costs(letters)
    assert costs.clean == pytest.approx(0.9)
    assert costs.adversarial == pytest.approx(1 - 65 / 250)
    assert costs.by_mode["ocr"].apart == pytest.approx(-0.2)
    assert costs.by_mode["quote"].apart == pytest.approx(0.0)
    assert costs.by_mode["quote"].difference == pytest.approx(1 - 50 / 200 - 0.9)
    assert list(costs.by_mode) == ["ocr", "quote"]


def test_letters_count_by_their_spans():
    letters = [letter(leaked=0)] * 10
    letters += [letter("ocr", leaked=0, spans=1)] * 5 + [letter("ocr", leaked=20, spans=39)] * 5
    assert mode_costs(letters).by_mode["ocr"].apart == pytest.approx(-0.5)


def test_what_can_not_be_told_apart_is_not():
    letters = [letter()] * 10 + [letter("ocr", "quote", leaked=2)] * 10
    assert mode_costs(letters).by_mode["ocr"].apart is None
    few = [letter()] * 10 + [letter("ocr", leaked=2)] * 4
    assert mode_costs(few).by_mode["ocr"].apart is None
    assert mode_costs(few).by_mode["ocr"].difference == pytest.approx(-0.2)


def test_a_label_shows_its_leaks_beyond_the_clean_share():
    letters = [letter(names=(10, 9))] * 2 + [letter("ocr", leaked=4, names=(20, 14))]
    cost = mode_costs(letters).by_label["PATIENT_NAME"]
    assert (cost.clean, cost.adversarial) == pytest.approx((0.9, 0.7))
    assert cost.extra == pytest.approx(4)


@pytest.mark.parametrize("letters", [[], [letter()], [letter("ocr")], [letter("ocr", spans=0)]])
def test_without_both_kinds_of_letters_there_is_nothing_to_say(letters):
    assert mode_costs(letters) is None


def test_the_sentence_is_made_of_the_figures():
    letters = [letter(leaked=1, names=(10, 9))] * 10
    letters += [letter("ocr", leaked=3, names=(10, 7))] * 10
    costs = mode_costs(letters)
    assert costs.sentence("rules") == (
        "rules covers 70.0% of the PHI spans of the 10 letters with a mode, 90.0% of the 10 "
        "without (-20.0 points). Held apart, the dearest modes are ocr (-20.0 points). Most spans "
        "that leak beyond what clean letters lead to expect: PATIENT_NAME (20)."
    )
    assert json.loads(json.dumps(costs.record()))["difference"] == pytest.approx(-0.2)
    harmless = mode_costs([letter()] * 9 + [letter("nfd")] * 9).sentence("rules")
    assert harmless.endswith("Held apart, no mode takes more than 1 point.")
