"""A patient's letters are told one story, and none of the old one is left."""

import re

import pytest

from mustermann.detectors.surrogates.surrogate import Surrogates
from mustermann.documents.spans import Component, Span
from mustermann.german.names import pool

LETTER = (
    "Frau Petra Schütz, geb. am 03.05.1960, 89073 Ulm, Tel. 0731 500-45001, kam am 12.04.2024.\n"
    "Frau Schütz klagte. Die Tochter P. SCHÜTZ rief an. Schütz' Befund vom 13.04.2024."
)
FOUND = (
    ("Petra Schütz", "PATIENT_NAME"), ("03.05.1960", "DATE_BIRTH"), ("89073", "ZIP"),
    ("Ulm", "CITY"), ("0731 500-45001", "PHONE"), ("12.04.2024", "DATE_ADMISSION"),
    ("Schütz", "PATIENT_NAME"), ("P. SCHÜTZ", "RELATIVE_NAME"), ("Schütz'", "PATIENT_NAME"),
    ("13.04.2024", "DATE_EVENT"),
)  # fmt: skip


def spans(text, found):
    at, made = 0, []
    for value, label in found:
        start = text.index(value, at)
        at = start + len(value)
        made.append(Span(start, at, label))
    return made


def replaced(text, found, *, seed=1, patient="p"):
    redacted = Surrogates(seed).redact(text, spans(text, found), patient=patient)
    return [redacted.text[p.new_start : p.new_end] for p in redacted.replacements]


@pytest.mark.parametrize("seed", range(20))
def test_one_person_stays_one_person(seed):
    full, birth, code, town, _, first, short, initial, genitive, second = replaced(
        LETTER, FOUND, seed=seed
    )
    given, family = full.split()
    women = {n for (sex, _), names in pool("german").given.items() if sex == "f" for n in names}
    assert given in women
    assert short == family
    assert initial == f"{given[0]}. {family.upper()}"
    assert genitive in {f"{family}s", f"{family}'"}
    day = re.compile(r"(\d\d)\.(\d\d)\.(\d{4})")
    assert all(day.fullmatch(value) for value in (birth, first, second))
    assert town != "Ulm"
    assert code != "89073"
    for old in ("Petra", "Schütz", "Ulm", "89073"):
        assert old not in " ".join([full, short, initial, genitive, town, code])


def test_another_letter_of_the_patient_tells_the_same():
    surrogates = Surrogates(4)
    text = "Herr Dr. Weber grüßt Frau Kowalska aus Ulm."
    found = spans(text, [("Weber", "STAFF_NAME"), ("Kowalska", "PATIENT_NAME"), ("Ulm", "CITY")])
    first = surrogates.redact(text, found, patient="a").text
    assert surrogates.redact(text, found, patient="a").text == first
    assert surrogates.redact(text, found, patient="b").text != first
    other = "Herr Kowalski rief an."
    again = surrogates.redact(other, spans(other, [("Kowalski", "RELATIVE_NAME")]), patient="a")
    assert again.text.split()[1] in first


def test_parts_that_a_detector_names_are_used():
    text = "Dr. von der Heide, Anna-Lena"
    span = Span(0, len(text), "STAFF_NAME", components=(
        Component(0, 3, "title"), Component(4, 11, "particle"), Component(12, 17, "family"),
        Component(19, 28, "given"),
    ))  # fmt: skip
    made = Surrogates(2).redact(text, [span], patient="p").text
    assert re.fullmatch(r"Dr\. von der \w+, \w+-\w+", made)
    assert "Heide" not in made
    assert "Anna" not in made


def test_dates_keep_their_distance_and_ages_above_ninety_are_one():
    text = "Aufnahme 12.04.2024, Entlassung 19.04.2024, 97 Jahre"
    admitted, left, age = replaced(
        text, [("12.04.2024", "DATE"), ("19.04.2024", "DATE"), ("97", "AGE")]
    )
    from datetime import datetime

    dates = [datetime.strptime(value, "%d.%m.%Y") for value in (admitted, left)]
    assert (dates[1] - dates[0]).days == 7
    assert dates[0].weekday() == datetime(2024, 4, 12).weekday()
    assert age == "90"


@pytest.mark.parametrize(
    ("value", "label", "wanted"),
    [
        ("Station 3B", "WARD", r"Station \dB"), ("Ostern", "DATE", r"\[DATE\]"),
        ("Zwilling des Pfarrers", "OTHER_PHI", r"\[OTHER_PHI\]"), ("Dr.", "TITLE", r"Dr\."),
        ("Gemeinschaftspraxis Ulm", "HOSPITAL", r".+"), ("Wendenstr. 414", "STREET", r".+ \d{3}"),
        ("Schmied_P", "USERNAME", r"[A-Z][a-z]{6}_[A-Z]"),
        ("Lehrerin", "PROFESSION", r"\w+in|\w+frau"),
        ("89073", "LOCATION", r"\d{5}"), ("ULM", "LOCATION", r"[A-ZÄÖÜ -]+"), ("AOK", "ORG", r".+"),
    ],
)  # fmt: skip
def test_each_kind(value, label, wanted):
    for seed in range(5):
        (made,) = replaced(value, [(value, label)], seed=seed)
        assert re.fullmatch(wanted, made)
        assert made != value or label == "TITLE"


def test_characters_without_width_part_nothing():
    (made,) = replaced("Lüden\u200bscheid", [("Lüden\u200bscheid", "PATIENT_NAME")])
    assert made.isalpha()
