"""Splits keep documents whole; pieces keep spans whole."""

from hypothesis import given
from hypothesis import strategies as st

from mustermann.detectors.training.example import Example, labelled_f1, pieces, split
from mustermann.documents.spans import Span


def test_a_split_loses_nothing_and_follows_the_seed():
    examples = [Example(f"Text {i}", (Span(0, 4, "NAME"),)) for i in range(10)]
    made = split(examples, share=0.2, seed=4)
    assert len(made.held_out) == 2
    assert sorted(e.text for e in made.training + made.held_out) == [e.text for e in examples]
    assert split(examples, share=0.2, seed=4) == made
    assert split(examples, share=0.2, seed=5) != made


@given(st.lists(st.sampled_from(["Herr Voß\n", "\n", "Husten und Fieber.\n", "Anna\nVoß"])),
       st.integers(1, 40))  # fmt: skip
def test_pieces_join_to_the_whole(parts, longest):
    text = "".join(parts)
    spans, at = [], 0
    for part in parts:
        if part == "Anna\nVoß":
            spans.append(Span(at, at + 8, "NAME"))
        at += len(part)
    cut = list(pieces(Example(text, tuple(spans)), longest=longest))
    assert "".join(piece.text for piece in cut) == text
    found = [piece.text[s.start : s.end] for piece in cut for s in piece.spans]
    assert found == ["Anna\nVoß"] * len(spans)


def test_f1_counts_exact_spans_with_labels():
    example = Example("Anna Voß", (Span(0, 4, "NAME"), Span(5, 8, "NAME")))
    assert labelled_f1(lambda text: list(example.spans), [example]) == 1.0
    assert labelled_f1(lambda text: [Span(0, 4, "NAME")], [example]) == 2 / 3
    assert labelled_f1(lambda text: [], [example]) == 0.0
