"""The corpus-level attack finds what was planted and nothing else."""

import random

import pytest

from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.letters.redteam.balance import Balance
from mustermann.letters.redteam.identities import Identities
from mustermann.letters.redteam.near_duplicates import NearDuplicates

WORDS = [f"wort{number}" for number in range(400)]


def text(seed, words=300):
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def letter(name, body, *spans, **attributes):
    meta = {"attributes": attributes} if attributes else {}
    return Document(name, body, tuple(spans), meta=meta)


def spliced(share, seed=1):
    """A text whose first part is another's; the rest is its own."""
    ours, other = text(seed).split(), text(99).split()
    cut = int(share * len(ours))
    return " ".join(other[:cut] + ours[cut:])


def test_letters_that_share_most_of_their_text_are_a_pair():
    found = NearDuplicates()
    for document in (letter("a", text(99)), letter("b", spliced(0.9)), letter("c", text(5))):
        found.add(document)
    (pair,) = found.pairs()
    assert (pair.first, pair.second) == ("a", "b")
    # 0.9 of the shingles of both are equal: Jaccard 0.9 / 1.1.
    assert pair.similarity == pytest.approx(0.9 / 1.1, abs=0.12)


def test_letters_that_share_a_fifth_are_no_pair():
    found = NearDuplicates()
    found.add(letter("a", text(99)))
    found.add(letter("b", spliced(0.2)))
    assert found.pairs() == []


def test_other_names_do_not_hide_a_copy():
    found = NearDuplicates()
    for name, patient in (("a", "Erika Beispiel"), ("b", "Özlem von der Aa")):
        body = f"Frau {patient} {text(3)}"
        found.add(letter(name, body, Span(5, 5 + len(patient), "PATIENT_NAME")))
    (pair,) = found.pairs()
    assert pair.similarity == 1.0


def test_empty_and_short_letters_are_taken():
    found = NearDuplicates()
    for number in range(2):
        found.add(letter(str(number), "kurz" * number))
    assert NearDuplicates().pairs() == []
    assert all(pair.similarity == 1.0 for pair in found.pairs())


def person(given, family, birth):
    return {"patient": {"given": [given], "family": family}, "dates": {"geburtsdatum": birth}}


def test_a_person_and_a_number_in_two_letters_are_found():
    number = Span(0, 10, "KVNR")
    house = Span(0, 9, "LANR")
    found = Identities()
    found.add(letter("a", "A123456780", number, **person("Erika", "Beispiel", "1960-01-02")))
    found.add(letter("b", "A123456780", number, **person("Erika", "Beispiel", "1960-01-02")))
    found.add(letter("c", "123456789", house, **person("Erika", "Beispiel", "1971-01-02")))
    found.add(letter("d", "123456789", house, **person("Max", "Beispiel", "1960-01-02")))
    assert {(one.kind, one.letters) for one in found.repeated()} == {
        ("KVNR", ("a", "b")),
        ("name", ("a", "b", "c")),
        ("patient", ("a", "b")),
    }
    assert found.counts() == {"KVNR": 1, "name": 1, "patient": 1}


def test_check_digits_are_counted_as_valid_and_declared():
    balance = Balance()
    balance.add(letter("a", "A123456780", Span(0, 10, "KVNR")))
    broken = Span(0, 10, "KVNR", details={"checksum": "broken"})
    balance.add(letter("b", "A123456789", broken))
    (found,) = balance.validity()
    assert (found.label, found.spans, found.valid, found.declared_broken) == ("KVNR", 2, 1, 1)
    counts = {count.label: count for count in balance.labels()}
    assert counts["KVNR"].letters == 2
    assert counts["KVNR"].share == 1.0
    assert counts["PATIENT_NAME"].spans == 0
