"""Matching against brute force, and exact scores against nervaluate and seqeval."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mustermann.documents.spans import Span
from mustermann.metrics.matching import match

LABELS = ("NAME", "DATE")
ANY = st.builds(
    lambda start, length, label: Span(start, start + length, label),
    st.integers(0, 14), st.integers(1, 6), st.sampled_from(LABELS),
)  # fmt: skip


@st.composite
def disjoint(draw):
    """Spans of whole tokens 0 … 19, sorted and disjoint."""
    cuts = sorted(draw(st.sets(st.integers(0, 20), max_size=12)))
    pairs = [(a, b) for a, b in itertools.pairwise(cuts) if draw(st.booleans())]
    return [Span(a, b, draw(st.sampled_from(LABELS))) for a, b in pairs]


def brute_force(gold, predicted, admits):
    """The greatest total overlap over all one-to-one assignments."""
    if not gold:
        return 0
    first, rest = gold[0], gold[1:]
    best = brute_force(rest, predicted, admits)
    for index, candidate in enumerate(predicted):
        if admits(first, candidate):
            others = predicted[:index] + predicted[index + 1 :]
            best = max(best, first.overlap(candidate) + brute_force(rest, others, admits))
    return best


@settings(max_examples=150, deadline=None)
@given(st.lists(ANY, max_size=5), st.lists(ANY, max_size=5), st.booleans())
def test_total_overlap_is_that_of_brute_force(gold, predicted, labelled):
    def admits(a, b):
        return a.overlap(b) > 0 and (not labelled or a.label == b.label)

    found = match(gold, predicted, rule="overlap", labelled=labelled)
    assert sum(pair.overlap for pair in found) == brute_force(gold, predicted, admits)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(ANY, max_size=8), st.lists(ANY, max_size=8),
    st.sampled_from(["exact", "partial", "overlap"]), st.randoms(use_true_random=False),
)  # fmt: skip
def test_each_span_is_used_once_and_order_is_irrelevant(gold, predicted, rule, random):
    found = match(gold, predicted, rule=rule)
    for side, spans in (("gold", gold), ("predicted", predicted)):
        used = [getattr(pair, side) for pair in found]
        assert all(used.count(span) <= spans.count(span) for span in used)
    shuffled = [random.sample(spans, len(spans)) for spans in (gold, predicted)]
    again = match(*shuffled, rule=rule)
    assert sum(p.overlap for p in again) == sum(p.overlap for p in found)


@settings(max_examples=60, deadline=None)
@given(disjoint(), disjoint())
def test_exact_counts_agree_with_nervaluate(gold, predicted):
    nervaluate = pytest.importorskip("nervaluate")
    if not gold and not predicted:
        return

    def theirs(spans):
        # nervaluate counts the last token in.
        return [[{"label": s.label, "start": s.start, "end": s.end - 1} for s in spans]]

    evaluator = nervaluate.Evaluator(
        theirs(gold), theirs(predicted), tags=list(LABELS), loader="dict"
    )
    strict = evaluator.evaluate()["overall"]["strict"]
    assert strict.correct == len(match(gold, predicted, rule="exact", labelled=True))
    exact = evaluator.evaluate()["overall"]["exact"]
    assert exact.correct == len(match(gold, predicted, rule="exact"))


@settings(max_examples=60, deadline=None)
@given(disjoint(), disjoint())
def test_exact_f1_agrees_with_seqeval(gold, predicted):
    seqeval = pytest.importorskip("seqeval.metrics")

    def tags(spans):
        sequence = ["O"] * 20
        for span in spans:
            sequence[span.start] = f"B-{span.label}"
            for index in range(span.start + 1, span.end):
                sequence[index] = f"I-{span.label}"
        return [sequence]

    hits = len(match(gold, predicted, rule="exact", labelled=True))
    total = len(gold) + len(predicted)
    ours = 2 * hits / total if total else 0.0
    assert ours == pytest.approx(seqeval.f1_score(tags(gold), tags(predicted), zero_division=0))
