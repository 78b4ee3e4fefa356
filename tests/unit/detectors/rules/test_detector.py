"""The rule detector on the inputs that de-identifiers are known to get wrong."""

import itertools
import json
import unicodedata
from pathlib import Path

import pytest

from mustermann.detectors.rules.detector import RuleDetector
from mustermann.documents.labels import PHI

DETECTOR = RuleDetector()


def found(text):
    return [(text[s.start : s.end], s.label) for s in DETECTOR.detect(text)]


def surfaces(text):
    return [surface for surface, _ in found(text)]


LETTER = """Klinikum Auental
Herrn Dr. med. Thorsten Brandt
Lindenstraße 12 a
20537 Hamburg

Hamburg, den 03.09.2026

Sehr geehrter Herr Kollege Brandt,

wir berichten über Ihren Patienten, Herrn Jaroslav Quidde, geb. am 01.02.1957, wohnhaft
Wendenstr. 414-424, 20537 Hamburg, der sich vom 21.08. bis 01.09.2026 in unserer Behandlung befand.
Fallnummer: 20260817-33, KVNR A000500015, Tel. 040 66969-112.

Der 69-jährige Patient klagt über Luftnot. Herrn Quiddes Befinden besserte sich. Quidde schläft gut.

Mit freundlichen kollegialen Grüßen

Prof. Dr. med. H. Olbrich      Dr. Selma Kühnast
Chefarzt                       Oberärztin
"""


def test_finds_everything_in_a_plain_letter():
    expected = {
        ("Dr. med. Thorsten Brandt", "STAFF_NAME"), ("Lindenstraße 12 a", "STREET"),
        ("20537", "ZIP"), ("Hamburg", "CITY"), ("03.09.2026", "DATE_LETTER"),
        ("Brandt", "STAFF_NAME"), ("Jaroslav Quidde", "PATIENT_NAME"),
        ("01.02.1957", "DATE_BIRTH"), ("Wendenstr. 414-424", "STREET"),
        ("21.08.", "DATE_ADMISSION"),
        ("01.09.2026", "DATE_DISCHARGE"), ("20260817-33", "CASE_ID"), ("A000500015", "KVNR"),
        ("040 66969-112", "PHONE"), ("69", "AGE"), ("Quiddes", "PATIENT_NAME"),
        ("Quidde", "PATIENT_NAME"), ("Prof. Dr. med. H. Olbrich", "STAFF_NAME"),
        ("Dr. Selma Kühnast", "STAFF_NAME"), ("Klinikum Auental", "HOSPITAL"),
    }  # fmt: skip
    assert set(found(LETTER)) == expected


def test_spans_are_sorted_disjoint_and_of_claimed_labels():
    spans = DETECTOR.detect(LETTER)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert {span.label for span in spans} <= DETECTOR.labels <= PHI


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda text: unicodedata.normalize("NFD", text), "decomposed"),
        (lambda text: text.replace("\n", "\r\n"), "CRLF"),
        (lambda text: text.replace(" 20537", " \u200b20537"), "zero-width space"),
        (
            lambda text: text.replace("Herr ", "Herr\u00a0").replace(
                "geb. am ", "geb.\u00a0am\u00a0"
            ),
            "no-break",
        ),
        (lambda text: text.replace("ü", "u\u00a8"), "typewriter umlaut"),
    ],
)
def test_survives_how_systems_export_text(change, name):
    del name
    text = change(LETTER)
    plain = [
        unicodedata.normalize("NFC", surface.replace("\u00a8", "\u0308"))
        for surface in surfaces(text)
    ]
    assert [surface.replace("\u00a0", " ") for surface in plain] == surfaces(LETTER)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Frau Mu\u00a8ller wurde aufgenommen.", ["Mu\u00a8ller"]),
        ("Befund: Kraft 5/5 beidseits, Schmerzen seit der 24 2/7 SSW.", []),
        ("Die Vorstellung erfolgte am 5/5 bei uns.", ["5/5"]),
        ("Torasemid 2.5 mg und INR 2.5", []),
        ("Dr. A.Th. de Visser hat vidiert.", ["Dr. A.Th. de Visser"]),
        ("ALBUMIN 35 g/l, C. difficile negativ.", []),
        ("Vorhofflimmern bei großem LA, Operation in LA geplant.", []),
        ("V.a. Creutzfeldt-Jakob-Krankheit, Grad 3 nach Hunt und Hess.", []),
        ("Beratung nach § 39 SGB V und § 1906 BGB erfolgte.", []),
        ("Wir trafen uns am Hamburger Dom.", []),
        ("Patient: some id 01.01.2019 ", ["01.01.2019"]),
        ("49jähr. Pat. in gutem AZ", ["49"]),
        ("Eine 20-jährige Raucheranamnese besteht, einjährige Therapie.", []),
        ("wohnhaft Wendenstr. 414-424 20537 Hamburg", ["Wendenstr. 414-424", "20537", "Hamburg"]),
        ("😊 Frau Voß berichtet", ["Voß"]),
        ("Patientin: THÉODORE, Amélie geb. am 1.2.1990", ["THÉODORE, Amélie", "1.2.1990"]),
        ("PZN 04877800, Diagnose C43.6, OPS 1-275.0", []),
        ("Frau Voß' Zustand ist stabil.", ["Voß'"]),
        ("Morbus Parkinson, Babinski negativ, Resektion nach Whipple.", []),
        ("Herr Parkinson leidet an Morbus Parkinson.", ["Parkinson"]),
        ("   Herr   Dr.  Leitner  kam.", ["Dr.  Leitner"]),
        ("Ramipril 5 mg 1-0-1, RR 120/80, 2000 ml Infusion", []),
        ("Nachweis am 03.11. erneut", ["03.11."]),
        ("IBAN DE89 3704 0044 0532 0130 00", ["DE89 3704 0044 0532 0130 00"]),
        ("EDSS 12/20 Punkte, VAS 03/10", []),
        ("Besuch im Roten Haus, einem Gasthof.", []),
    ],
)  # fmt: skip
def test_known_pitfalls(text, expected):
    assert surfaces(text) == expected


def test_components_of_a_titled_name_are_given():
    text = "Dr. med. Otto von Bismarck hat operiert."
    (span,) = DETECTOR.detect(text)
    parts = [(text[p.start : p.end], p.kind) for p in span.components]
    assert parts == [
        ("Dr. med.", "title"),
        ("Otto", "given"),
        ("von", "particle"),
        ("Bismarck", "family"),
    ]


def test_a_name_that_is_a_noun_is_found_in_context_only():
    text = "Frau Dr. Leber sah die Leber im Ultraschall. Leber unauffällig."
    assert surfaces(text) == ["Dr. Leber"]


def test_a_misspelt_name_is_found():
    text = (
        "Patient: Quiddemann, Otto geb. am 1.2.1950\nHerr Quiddemann kam. Quidedmann geht es gut."
    )
    assert surfaces(text)[-1] == "Quidedmann"


@pytest.mark.parametrize(
    "text", ["", "\ufeff", "\x00\x01\x02\x7f" * 50, "\u0301" * 5, "A" * 5000, "9" * 5000]
)
def test_odd_texts_do_no_harm(text):
    for span in DETECTOR.detect(text):
        assert 0 <= span.start < span.end <= len(text)


def test_a_megabyte_is_read_whole():
    text = LETTER * (1_000_000 // len(LETTER) + 1)
    assert DETECTOR.detect(text)[-1].end > len(text) - len(LETTER)


def test_signature_names_version_and_lists():
    assert DETECTOR.signature.startswith("rules|")
    assert DETECTOR.signature == RuleDetector().signature


@pytest.mark.reference
def test_reaches_the_figures_on_open_grascco_letters():
    path = (
        Path(__file__).parents[4] / ".." / "shared" / "data" / "grascco" / "grascco_phi_open.jsonl"
    )
    if not path.exists():
        pytest.skip("reference data is not beside the checkout")
    phi = other = shared = redacted = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        gold = {i for s in record["spans"] for i in range(s["start"], s["end"])}
        spans = {i for s in DETECTOR.detect(record["text"]) for i in range(s.start, s.end)}
        phi, shared = phi + len(gold), shared + len(gold & spans)
        other, redacted = other + len(record["text"]) - len(gold), redacted + len(spans - gold)
    assert shared / phi >= 0.93
    assert redacted / other <= 0.02
