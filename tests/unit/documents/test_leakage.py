import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.documents.document import Document
from mustermann.documents.leakage import STRETCH, leakage, stretches
from mustermann.documents.spans import Span

TEXT = ("Herr Weber wurde am Montag wegen starker Schmerzen in der Brust aufgenommen und am "
        "Freitag in gutem Zustand nach Hause entlassen, KVNR Y067563353.")  # fmt: skip


def letter(name, text=TEXT, *marked, **meta):
    found = tuple(
        Span(text.index(words), text.index(words) + len(words), label) for words, label in marked
    )
    return Document(name, text, found, meta=meta)


def reference(a, b):
    import re
    import unicodedata

    sets = []
    for text in (a, b):
        words = re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold())
        sets.append({tuple(words[i : i + STRETCH]) for i in range(len(words) - STRETCH + 1)})
    either = sets[0] | sets[1]
    return len(sets[0] & sets[1]) / len(either) if either else 0.0


words = st.lists(st.sampled_from(["aa", "bb", "cc", "dd"]), max_size=40).map(" ".join)


@given(words, words)
def test_similarity_is_the_jaccard_index_of_word_stretches(a, b):
    found = leakage([Document("a", a)], [Document("b", b)], threshold=1e-9)
    assert found.nearest[2] == pytest.approx(reference(a, b))


def test_the_order_of_words_counts():
    assert not np.intersect1d(stretches("a b c d e"), stretches("e d c b a")).size


def test_all_pairs_over_the_threshold_are_found_the_most_alike_first():
    left = [letter(f"l{i}", TEXT + f" Nummer {i} von vielen.") for i in range(300)]
    right = [
        letter("same", left[280].text),
        letter("else", "Ganz anderer Text ohne jede Ähnlichkeit."),
    ]
    found = leakage(left, right)
    assert (found.twins[0].left, found.twins[0].right, found.twins[0].jaccard) == (
        "l280",
        "same",
        1.0,
    )
    assert {twin.right for twin in found.twins} == {"same"}
    assert len(found.twins) == 300
    assert found.leaks


def test_values_are_compared_without_case_and_signs():
    a = letter(
        "a", "Herr WEBER, KVNR Y 067 563 353.", ("WEBER", "PATIENT_NAME"), ("Y 067 563 353", "KVNR")
    )
    b = letter(
        "b", "Frau Weber, Nr. Y067563353.", ("Weber", "PATIENT_NAME"), ("Y067563353", "KVNR")
    )
    found = leakage([a], [b])
    assert {o.label: o.shared for o in found.overlaps} == {
        "PATIENT_NAME": ("weber",), "KVNR": ("y067563353",),
    }  # fmt: skip
    assert found.numbers == ("y067563353",)
    assert found.leaks


def test_a_shared_surname_a_ward_and_a_decoy_are_no_leak():
    text = "Herr Weber, Station 123456, Morbus Crohn, Tel. 030 23125808."
    marked = [
        ("Weber", "PATIENT_NAME"),
        ("123456", "WARD"),
        ("Crohn", "EPONYM"),
        ("030 23125808", "PHONE"),
    ]
    found = leakage(
        [letter("a", text, *marked)],
        [letter("b", "Ganz anders: " + " ".join(w for w, _ in marked), *marked)],
    )
    assert {o.label for o in found.overlaps} == {"PATIENT_NAME", "WARD", "PHONE"}
    assert not found.leaks


def test_one_patient_in_both_is_a_leak_by_attributes_or_by_the_id():
    about = {"patient": {"given": ["Anna"], "family": "Weber"}, "dates": {"geburtsdatum": "1960"}}
    a, b = letter("a_1", "eins", attributes=about), letter("a_2", "zwei", attributes=about)
    assert leakage([a], [b]).patients == ("person:Anna Weber 1960",)
    assert leakage([letter("a_1", "eins")], [letter("a_2", "zwei")]).patients == ()
    assert leakage([letter("a_1", "eins")], [letter("a_2", "zwei")], pattern="^[^_]+").leaks


def test_nothing_shares_nothing():
    found = leakage([], [letter("b")])
    assert not found.leaks
    assert found.documents == (0, 1)
