"""A name in the text is that of the record, one slip of the keys away at most."""

from __future__ import annotations

import pytest

from mustermann.documents.document import Document
from mustermann.documents.spans import Component, Span
from mustermann.letters.verify.evidence import Evidence
from mustermann.letters.verify.values import Values

PERSON = {"given": ["Jörg"], "family": "Voß", "sex": "m"}


def faults(word: str, *, typo: bool) -> list[str]:
    text = f"Herr {word} kam."
    part = Component(5, 5 + len(word), "family")
    span = Span(
        5, 5 + len(word), "PATIENT_NAME", slot="patient", components=(part,),
        details={"typo": "yes"} if typo else {},
    )  # fmt: skip
    document = Document(id="1", text=text, spans=(span,), meta={"attributes": {"patient": PERSON}})
    check = Values()
    return [fault.message for fault in check.faults(Evidence(document))]


@pytest.mark.parametrize("word", ["Voß", "VOSS", "Vßo", "oVß", "Vo", "Vooß", "Vaß", "Vosss"])
def test_a_slip_is_no_fault_where_one_is_marked(word: str) -> None:
    assert faults(word, typo=True) == []


@pytest.mark.parametrize("word", ["Vßo", "Vaß", "Vo"])
def test_an_unmarked_slip_is_one(word: str) -> None:
    assert faults(word, typo=False) == [f"{word!r} is no family name of patient."]


@pytest.mark.parametrize("word", ["ßoV", "Weber", "V"])
def test_more_than_a_slip_is_one_anyway(word: str) -> None:
    assert faults(word, typo=True) == [f"{word!r} is no family name of patient."]
