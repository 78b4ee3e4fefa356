"""The attributes of one letter, written out by hand, for the tests of what writes them."""

from __future__ import annotations

from datetime import date

import pytest

from mustermann.letters.attributes.record import (
    Attributes,
    Course,
    Diagnosis,
    Lab,
    Medication,
    Parameters,
    Person,
    Procedure,
)


@pytest.fixture(scope="session")
def attributes() -> Attributes:
    """Returns the attributes of a cardiology letter about Cem Çam."""
    return Attributes(
        parameters=Parameters(
            difficulty="easy",
            style="standard",
            length="kurz",
            structure="structured",
            density=0.5,
        ),
        patient=Person(sex="m", given=("Cem",), family="Çam", diminutive="Cemi"),
        people={
            "arzt_einweiser": Person(
                sex="m", given=("Otto",), particle="von", family="Bismarck", titles=("Dr. med.",)
            ),
            "oberarzt": Person(
                sex="f", given=("Anna", "Thea"), family="Voß", titles=("PD", "Dr. med."),
                listed=False,
            ),
            "konsiliararzt": Person(sex="m", given=("Moritz",), family="Fehling"),
            "tochter": Person(sex="f", given=("Eda",), family="Yıldız-Çam", birth_name="Çam"),
        },
        dates={
            "geburtsdatum": date(1962, 3, 1),
            "aufnahme": date(2026, 3, 30),
            "entlassung": date(2026, 4, 8),
            "brief": date(2026, 4, 9),
            "ereignis:koro": date(2026, 4, 1),
            "ereignis:infarkt": date(2019, 11, 3),
        },
        values={
            "klinik": "Klinikum Musterstadt", "strasse": "Lange Straße 131a", "plz": "50667",
            "ort": "Köln", "telefon": "0221 4710-123", "klinik_telefon": "0221 4710-0",
            "station_telefon": "0221 4710-234", "mobil": "0172 9980752", "fallnr": "26003412",
            "email": "Cem.Cam@example.de", "kvnr": "A000500015", "iban": "DE89370400440532013000",
            "station": "4A", "versicherer": "Musterkasse", "beruf": "Schlosser",
            "nonpii_id:pzn": "04877800", "diktat": "vo/kr",
        },
        details={"kvnr": {"checksum": "valid"}},
        included=frozenset({"fallnr", "email"}),
        age=64,
        course=Course(
            case="nstemi",
            specialty="Kardiologie",
            stay="akut",
            diagnoses=(
                Diagnosis(key="nstemi", title="NSTEMI", icd="I21.4", main=True, short="Infarkt"),
                Diagnosis(key="lae", title="Lungenarterienembolie", icd="I26.9", certainty="V"),
                Diagnosis(key="arm", title="Radiusfraktur", icd="S52.50", certainty="Z", side="R"),
            ),
            procedures=(Procedure(key="koro", title="Koronarangiographie", ops="1-275.0",
                                  event="koro"),),
            medication_before=(
                Medication(key="rami", substance="Ramipril", strength="2,5 mg", scheme="1-0-0"),
            ),
            medication=(
                Medication(key="biso", substance="Bisoprolol", brand="Concor", atc="C07AB07",
                           strength="5 mg", form="Tbl.", scheme="1-0-0", status="neu",
                           until="bis einschl. 12.05.", reason="KHK"),
                Medication(key="rami", substance="Ramipril", strength="5 mg", scheme="1-0-0",
                           status="geändert"),
            ),
            labs={
                "crp": Lab(key="crp", name="CRP", unit="mg/l", low=None, high=5.0, decimals=1,
                           values={"aufnahme": 124.25, "entlassung": 8.0}),
                "inr": Lab(key="inr", name="INR", unit="", low=0.9, high=1.2, decimals=2,
                           values={"aufnahme": 1.05}),
            },
            facts={"rr_aufnahme": "165/95", "puls": 92, "temperatur": 37.4},
        ),
    )  # fmt: skip
