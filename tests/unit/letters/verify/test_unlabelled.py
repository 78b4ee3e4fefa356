"""A date of the letter in plain words, and a laboratory value of the same digits."""

from __future__ import annotations

from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.letters.verify.evidence import Evidence
from mustermann.letters.verify.unlabelled import Unlabelled


def found(text: str, value: str = "") -> list[str]:
    start = text.find(value)
    lab = (Span(start=start, end=start + len(value), label="LAB"),) if value else ()
    attributes = {
        "patient": {"given": ["Hedwig"], "family": "Baumgartner"},
        "dates": {"geburtsdatum": "1950-11-24"},
    }
    document = Document(id="1", text=text, spans=(), clinical=lab, meta={"attributes": attributes})
    return [fault.message for fault in Unlabelled().faults(Evidence(document))]


def test_a_year_of_birth_in_plain_words_is_found() -> None:
    assert found("Geboren 1950 in Kassel.") == ["'1950' stands in the text without a label."]


def test_a_laboratory_value_is_no_year() -> None:
    assert found("NT-proBNP\t4650\t1950\nKreatinin", "1950") == []
    assert found("NT-proBNP\t4650\t1950, seit 1950 bekannt", "1950") != []
