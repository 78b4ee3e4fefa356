"""Each finder by itself."""

import pytest

from mustermann.detectors.rules.ages import find_ages
from mustermann.detectors.rules.contacts import find_contacts
from mustermann.detectors.rules.dates import find_dates
from mustermann.detectors.rules.find import Canvas
from mustermann.detectors.rules.identifiers import find_bare_identifiers, find_identifiers
from mustermann.detectors.rules.number_decoys import find_number_decoys
from mustermann.detectors.rules.propagation import one_slip
from mustermann.detectors.rules.usernames import find_usernames
from mustermann.detectors.rules.wards import find_wards


def claimed(finder, text):
    """What a finder gets on an empty canvas, in order."""
    canvas = Canvas(text)
    canvas.claim_all(finder(text))
    return canvas.finds


def surfaces(finder, text):
    return [text[f.start : f.end] for f in claimed(finder, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("am 3.5.2024.", ["3.5.2024"]),
        ("vom 4.9. bis 18.9.2019", ["4.9.", "18.9.2019"]),
        ("am 21. und 12.05.2019", ["21.", "12.05.2019"]),
        ("(6-9/19)", ["6", "9/19"]),
        ("01/18-06/19,", ["01/18", "06/19"]),
        ("ED 03/33, seit 2017", ["03/33", "2017"]),
        ("2021-11-29", ["2021-11-29"]),
        ("im März 2024 und Ende Januar", ["März 2024", "Januar"]),
        ("Ernst-August kam im August", ["August"]),
        ("3. Quartal 2024, Q1/2025", ["3. Quartal 2024", "Q1/2025"]),
        ("1-0-1 und 12-8-14 IE", []),
        ("Apgar 9/10, VAS 03/10, GCS 12/15", []),
        ("IP 10.1.2.2020.4", []),
        ("2.1. Befund", []),
        ("Leukozyten 2000/µl, 1950 ml, CK 1980", []),
        ("ESC 2020, AJCC 2017", []),
        ("GDS 5/15, Suchtdruck 7/10, Schmerzen am Bein 3/10", []),
    ],
)
def test_dates(text, expected):
    assert surfaces(find_dates, text) == expected


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("geb. am 3.5.1950", "DATE_BIRTH"), ("* 3.5.1950", "DATE_BIRTH"),
        ("verstorben am 3.5.2020", "DATE_DEATH"), ("Ulm, den 3.5.2020", "DATE_LETTER"),
        ("Aufnahmedatum: 3.5.2020", "DATE_ADMISSION"), ("Entlassung am 3.5.2020", "DATE_DISCHARGE"),
        ("OP am 3.5.2020", "DATE_EVENT"), ("seit 2017", "DATE_PARTIAL"),
    ],
)  # fmt: skip
def test_kinds_of_dates(text, label):
    assert [f.label for f in claimed(find_dates, text)] == [label]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die 64-jährige Patientin", ["64"]), ("fünfjähriger Sohn", ["fünf"]),
        ("45 J., männlich", ["45"]), ("im Alter von 15 Jahren", ["15"]),
        ("Mitte sechzig", ["sechzig"]),
        ("die 78-Jährige", ["78"]), ("Vater mit 57 an Infarkt verstorben", ["57"]),
        ("Der Vater erreichte ein Alter von 83 Jahren", ["83"]),
        ("Mutter mit etwa 91 Jahren verstorben", ["91"]),
        ("Frau Quidde (36 Jahre, 2. Gravida)", ["36"]), ("Der Junge, 4 Jahre, hustet", ["4"]),
        ("Ceftriaxon (5 Tage)", []), ("Raucher (30 Jahre)", []),
        ("eine 20-jährige Ehe", []), ("seit 12 Jahren", []), ("2 Jahre Therapie", []),
    ],
)  # fmt: skip
def test_ages(text, expected):
    assert surfaces(find_ages, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Tel.: 04721/668-2040, Fax: 04721/668-2041",
         [("04721/668-2040", "PHONE"), ("04721/668-2041", "FAX")]),
        ("Mobil 0172 9980752", [("0172 9980752", "MOBILE")]),
        ("Tel. 040 66969-112 / -113", [("040 66969-112", "PHONE"), ("-113", "PHONE")]),
        ("+43(0)512 204-6391", [("+43(0)512 204-6391", "PHONE")]),
        ("tel. 0551 66969 112", [("0551 66969 112", "PHONE")]),
        ("gilt die Nummer 0221 4710-433", [("0221 4710-433", "PHONE")]),
        ("Mail an p.schuetz@example.de.", [("p.schuetz@example.de", "EMAIL")]),
        ("www.klinik.example/ambulanz.", [("www.klinik.example/ambulanz", "URL")]),
        ("Server 192.168.0.17", [("192.168.0.17", "IP")]),
        ("RR 120/80, Puls 72", []),
    ],
)  # fmt: skip
def test_contacts(text, expected):
    assert [(text[f.start : f.end], f.label) for f in claimed(find_contacts, text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fallnummer: 51830724", [("51830724", "CASE_ID")]),
        ("KVNR: A000500015", [("A000500015", "KVNR")]),
        ("LANR 123456601", [("123456601", "LANR")]),
        ("IK: 260326822", [("260326822", "IK_NR")]),
        ("Pat.-ID: PID-161588", [("PID-161588", "PATIENT_ID")]),
        ("E-Nr.: 40918362", [("40918362", "ORDER_ID")]),
        ("Steuer-ID 86 095 742 719", [("86 095 742 719", "TAX_ID")]),
        ("im Fall einer Besserung", []),
        ("FN keine", []),
    ],
)
def test_identifiers(text, expected):
    assert [(text[f.start : f.end], f.label) for f in claimed(find_identifiers, text)] == expected


def test_identifiers_by_form():
    text = "Histologie (H25440/51), 15 070649 C 103, A000500015, DE89 3704 0044 0532 0130 00"
    found = {f.label for f in find_bare_identifiers(text)}
    assert found >= {"ORDER_ID", "RVNR", "KVNR", "IBAN"}


@pytest.mark.parametrize(
    "text",
    [
        "PZN 04877800",
        "§ 39 SGB V",
        "C43.6",
        "1-275.0",
        "NCT01234567",
        "Version 09.10.2018",
        "EMPA-REG-Studie",
    ],
)
def test_numbers_without_a_person(text):
    assert surfaces(find_number_decoys, text)


def test_wards_and_rooms():
    assert surfaces(find_wards, "auf Station A31, Zi: 119, Station: 4A") == ["A31", "119", "4A"]
    assert surfaces(find_wards, "auf unserer Station gebessert") == []


@pytest.mark.parametrize(
    "text",
    [
        "auf der Überwachungsstation Enoxaparin 40 mg s.c.", "auf Station Ramipril 5 1-0-0",
        "auf Station 40 mg Enoxaparin", "auf Station 2 Tage", "in der Ambulanz: Dosis 80 %",
        "auf Station Temperatur 38 °C", "die Erstmanifestation 2014", "Workstation 203.0.113.249",
        "in der Leberambulanz 29.12.25", "auf der Station 7,5 l Infusion", "auf Station 3 Wochen",
        "auf Station Tag 3", "auf Station 10 ml KCl", "der Ambulanz 2 Monate", "Station 08:30 Uhr",
    ],
)  # fmt: skip
def test_a_dose_a_time_or_a_count_after_a_ward_is_none(text):
    assert surfaces(find_wards, text) == []


@pytest.mark.parametrize(
    ("text", "ward"),
    [
        ("auf unserer Intensivstation I07 betreut", "I07"),
        ("Station 12, Tag 3", "12"),
        ("auf Station Rosenhof 2 verlegt", "Rosenhof 2"),
        ("Station: 5 Nord", "5 Nord"),
        ("von Station 14 am 3.5. verlegt", "14"),
        ("auf Station 4 mit Enoxaparin 40 mg", "4"),
    ],
)
def test_a_wards_number_stands_before_anything_else(text, ward):
    assert surfaces(find_wards, text) == [ward]


def test_usernames():
    text = "Mit freundlichen Grüßen\n\nDr. A\n\nDZ: sander_n\n\nWi/DU\n\nAnlagen: Labor"
    assert surfaces(find_usernames, text) == ["sander_n", "Wi/DU"]


@pytest.mark.parametrize(
    ("left", "right", "near"),
    [
        ("Birkenauer", "Birkneauer", True), ("Marija", "Maria", True), ("Maier", "Meier", True),
        ("Maria", "Marta", True), ("Weber", "Leber", False), ("Weber", "Weber", False),
        ("Schmidt", "Schulz", False), ("Anna", "Annabell", False),
    ],
)  # fmt: skip
def test_one_slip(left, right, near):
    assert one_slip(left, right) is near
    assert one_slip(right, left) is near
