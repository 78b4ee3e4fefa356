"""Each clinical check finds its planted fault and leaves the sound letter alone."""

import copy

import pytest

from mustermann.documents.document import Document
from mustermann.letters.verify.clinical_table import Codes, daily_dose, indications
from mustermann.letters.verify.doses import DrugDose, milligrams
from mustermann.letters.verify.drug_contraindication import DrugContraindication
from mustermann.letters.verify.drug_indication import DrugIndication
from mustermann.letters.verify.evidence import Evidence
from mustermann.letters.verify.lab_trend import LabTrend
from mustermann.letters.verify.laboratory import LabValues, ckd_epi
from mustermann.letters.verify.plan import Plan
from mustermann.letters.verify.possible_diagnosis import PossibleDiagnosis
from mustermann.letters.verify.procedures import ProcedureIndication

CHECKS = (
    DrugIndication(), DrugContraindication(), DrugDose(), LabValues(), LabTrend(), Plan(),
    PossibleDiagnosis(), ProcedureIndication(),
)  # fmt: skip
TEXT = (
    "Das CRP fiel von 120,0 auf 30,5 mg/l.\n"
    "Metformin 500 mg 1-0-1\n"
    "Amoxicillin 1.000 mg 1-1-1, bis Tag 7\n"
    "Kontrolle in zwei Wochen."
)


def drug(key, substance, atc, strength, scheme, status="unverändert"):
    return {
        "key": key, "substance": substance, "atc": atc, "strength": strength, "scheme": scheme,
        "status": status, "reason": "", "until": "",
    }  # fmt: skip


def lab(name, unit, decimals, **values):
    return {"key": name, "name": name, "unit": unit, "decimals": decimals, "values": values}


def record():
    start = TEXT.index("120,0")
    value = {"label": "LAB", "start": start, "end": start + 5,
             "details": {"analyte": "CRP", "unit": "mg/l", "value": "120,0"}}  # fmt: skip
    mentions = [
        {"label": "MEDICATION", "start": TEXT.index(name), "end": TEXT.index(name) + len(name),
         "details": {"substance": name}} for name in ("Metformin", "Amoxicillin")
    ]  # fmt: skip
    return {
        "id": "1", "text": TEXT, "spans": [], "clinical": [value, *mentions],
        "attributes": {
            "patient": {"sex": "f", "given": ["Erika"], "family": "Beispiel"}, "age": 70,
            "dates": {"geburtsdatum": "1955-01-01", "aufnahme": "2026-02-01",
                      "entlassung": "2026-02-08", "brief": "2026-02-08"},
            "course": {
                "diagnoses": [{"icd": "J18.1"}, {"icd": "E11.90"}],
                "procedures": [{"ops": "1-710"}],
                "medication": [
                    drug("met", "Metformin", "A10BA02", "500 mg", "1-0-1"),
                    drug("amox", "Amoxicillin", "J01CA04", "1.000 mg", "1-1-1", "neu"),
                ],
                "labs": {
                    "crp": lab("CRP", "mg/l", 1, aufnahme=120.0, entlassung=30.5),
                    "hb": lab("Hb", "g/dl", 1, aufnahme=12.0),
                    "hkt": lab("Hämatokrit", "%", 0, aufnahme=36),
                    "kreatinin": lab("Kreatinin", "mg/dl", 2, aufnahme=0.9),
                    "egfr": lab("eGFR", "ml/min", 0, aufnahme=65),
                },
                "facts": {"allergie": "keine"},
            },
        },
    }  # fmt: skip


def found(of):
    evidence = Evidence(Document.from_record(of))
    return {fault.check for check in CHECKS for fault in check.faults(evidence)}


def course(of):
    return of["attributes"]["course"]


def no_diabetes(r):
    course(r)["diagnoses"].pop()


def nsaid_in_bleeding(r):
    course(r)["diagnoses"].append({"icd": "K25.4"})
    course(r)["medication"].append(drug("ibu", "Ibuprofen", "M01AE01", "400 mg", "1-1-1"))


def two_anticoagulants(r):
    course(r)["diagnoses"].append({"icd": "I48.0"})
    course(r)["medication"] += [
        drug("a", "Apixaban", "B01AF02", "5 mg", "1-0-1"),
        drug("b", "Edoxaban", "B01AF03", "60 mg", "1-0-0"),
    ]


def metformin_without_kidney(r):
    course(r)["labs"]["kreatinin"]["values"]["aufnahme"] = 3.4
    course(r)["labs"]["egfr"]["values"]["aufnahme"] = 13


def penicillin_allergy(r):
    course(r)["facts"]["allergie"] = "penicillin"


def ten_times_the_dose(r):
    course(r)["medication"][0]["strength"] = "5.000 mg"


def daily_methotrexate(r):
    course(r)["diagnoses"].append({"icd": "M05.99"})
    course(r)["medication"].append(
        drug("mtx", "Methotrexat", "L04AX03", "15 mg", "1-0-0"),
    )


def impossible_potassium(r):
    course(r)["labs"]["kalium"] = lab("Kalium", "mmol/l", 1, aufnahme=45.0)


def wrong_unit(r):
    course(r)["labs"]["hb"]["unit"] = "mmol/l"


def haematocrit_of_another(r):
    course(r)["labs"]["hkt"]["values"]["aufnahme"] = 60


def gfr_of_another(r):
    course(r)["labs"]["egfr"]["values"]["aufnahme"] = 25


def value_of_nobody(r):
    r["clinical"][0]["details"]["value"] = "99,9"


def value_not_shown(r):
    r["text"] = r["text"].replace("120,0", "210,0")


def rises_where_it_says_falls(r):
    course(r)["labs"]["crp"]["values"] = {"aufnahme": 120.0, "entlassung": 130.5}


def no_next_step(r):
    r["text"] = r["text"].replace("in zwei Wochen", "empfohlen    ").replace("Tag 7", "Sonn.")


def endless_antibiotic(r):
    r["text"] = r["text"].replace("bis Tag 7", "danach ok")


def unexplained_stop(r):
    course(r)["medication"][0]["status"] = "abgesetzt"


def man_with_pregnancy(r):
    r["attributes"]["patient"]["sex"] = "m"
    course(r)["diagnoses"].append({"icd": "O14.1"})


def old_woman_with_pregnancy(r):
    course(r)["diagnoses"].append({"icd": "O14.1"})


def bronchiolitis_at_70(r):
    course(r)["diagnoses"].append({"icd": "J21.0"})


def cataract_surgery(r):
    course(r)["procedures"].append({"ops": "5-144.5a"})


PLANTED = {
    no_diabetes: "drug_indication",
    nsaid_in_bleeding: "drug_contraindication",
    two_anticoagulants: "drug_contraindication",
    metformin_without_kidney: "drug_contraindication",
    penicillin_allergy: "drug_contraindication",
    ten_times_the_dose: "drug_dose",
    daily_methotrexate: "drug_dose",
    impossible_potassium: "lab_values",
    wrong_unit: "lab_values",
    haematocrit_of_another: "lab_values",
    gfr_of_another: "lab_values",
    value_of_nobody: "lab_values",
    value_not_shown: "lab_values",
    rises_where_it_says_falls: "lab_trend",
    no_next_step: "plan",
    endless_antibiotic: "plan",
    unexplained_stop: "plan",
    man_with_pregnancy: "possible_diagnosis",
    old_woman_with_pregnancy: "possible_diagnosis",
    bronchiolitis_at_70: "possible_diagnosis",
    cataract_surgery: "procedure_indication",
}


def test_the_sound_letter_has_no_fault():
    assert found(record()) == set()


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(plant):
    spoilt = copy.deepcopy(record())
    plant(spoilt)
    assert PLANTED[plant] in found(spoilt)


def test_a_letter_without_a_course_makes_no_claim():
    assert found({"id": "1", "text": "Kein Kurs.", "spans": []}) == set()


@pytest.mark.parametrize(
    ("written", "code", "inside"),
    [
        ("I20-I25", "I21.4", True), ("I20-I25", "I26.0", False), ("E89.1", "E89.0", False),
        ("O", "O14.1", True), ("5-820", "5-820.41", True), ("5-820", "5-822.g1", False),
        ("K25.0-K25.6", "K25.4", True), ("K25.0-K25.6", "K25.7", False), ("", "A00", False),
    ],
)  # fmt: skip
def test_codes_are_beginnings_and_ranges(written, code, inside):
    assert Codes(written).match(code) == inside


def test_the_closest_entry_speaks_for_a_drug():
    assert indications("A10BK03").match("I50.12")
    assert not indications("A10BA02").match("I50.12")
    assert indications("X99") is None


@pytest.mark.parametrize(
    ("strength", "scheme", "mg"),
    [
        ("1.000 mg", "1-1-1", 3000), ("2,5 mg", "1-0-½", 3.75), ("75 µg", "1-0-0", 0.075),
        ("1 g", "1-0-1-0", 2000), ("500 mg", "bei Bedarf", None), ("15 mg", "1x wöchentlich", None),
        ("875/125 mg", "1-0-1", None), ("5 mg", "1-0-0 jeden zweiten Tag", None),
    ],
)  # fmt: skip
def test_the_daily_dose_is_strength_times_scheme(strength, scheme, mg):
    assert milligrams({"strength": strength, "scheme": scheme}) == mg


def test_dose_of_an_unknown_drug_is_not_judged():
    assert daily_dose("Z00") is None


# Levey et al. 2009, table 2, worked by hand: 141 · (1.0/0.9)^-1.209 · 0.993^50 = 87.4.
def test_the_glomerular_filtration_rate_is_ckd_epi():
    assert ckd_epi(1.0, age=50, female=False) == pytest.approx(87.4, abs=0.1)
    assert ckd_epi(0.7, age=40, female=True) == pytest.approx(108.4, abs=0.1)
