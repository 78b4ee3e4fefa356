from __future__ import annotations

from typing import Any

import pytest

from mustermann.core.config import validate
from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.letters.cases.format import CaseFile
from mustermann.letters.cases.house import LIBRARY
from mustermann.letters.cases.library import compile_case, modules, read_case
from mustermann.letters.cases.probe import probe
from mustermann.letters.render import render
from mustermann.letters.writers import CaseWriter

GROWN_UP = ["status", "soziales", "station", "versorgung"]


def case(**given: Any):
    plain = {
        "id": "probe", "specialty": "Innere Medizin", "title": "Probe",
        "fits": {"sex": {"f": 1.0}, "age": [30, 60], "stays": {"akut": [2, 4]}},
        "diagnoses": [{"key": "d", "title": "Akute Bronchitis", "icd": "J20.9", "main": True}],
        "text": {"verlauf": [{"say": "Der Verlauf war gut.", "p": 1}]},
    }  # fmt: skip
    return compile_case(validate(CaseFile, plain | given, where="probe.toml"))


def letter(made, *, seed: int = 0, **options: Any) -> str:
    attributes = probe(made, seed=seed, sex="f", stay="akut", **options)
    skeleton = CaseWriter(cases=lambda name: made).write(attributes, seeds=Seeds(seed))
    return render(skeleton, attributes, id="x").text


@pytest.mark.parametrize(
    ("module", "without", "age", "word"),
    [
        ("status_kind", GROWN_UP, 4, "Sorgerecht"), ("status_psych", [], 40, "uizid"),
        ("status_gyn", [], 40, "Uterus"), ("status_auge", [], 55, "RA "),
    ],
)  # fmt: skip
def test_examinations_of_the_specialties(module, without, age, word) -> None:
    made = case(uses=[module], without=without,
                fits={"sex": {"f": 1.0}, "age": [1, 90], "stays": {"akut": [2, 4]}})  # fmt: skip
    for seed in range(8):
        text = letter(made, seed=seed, age=age, length="ausfuehrlich")
        assert word.lower() in text.lower() or "sorgeberechtigt" in text


def test_a_child_s_letter_without_the_modules_of_grown_ups_has_none_of_their_words() -> None:
    made = case(uses=["status_kind"], without=GROWN_UP,
                fits={"sex": {"f": 1.0}, "age": [1, 9], "stays": {"akut": [2, 4]}})  # fmt: skip
    for seed in range(12):
        text = letter(made, seed=seed, length="sehr_lang")
        for word in ("Arbeitgeber", "Beschäftigt", "Ehemann", "Enkel", "Barthel", "Nikotin"):
            assert word not in text


def test_sections_can_be_left_out_of_all_modules_or_of_one() -> None:
    everywhere = case(without=["text.vegetativ"])
    assert "vegetativ" not in everywhere.said
    places = [unit.where for unit in case(without=["station.text.verlauf"]).said["verlauf"]]
    assert not any("station" in place for place in places)
    assert any("versorgung" in place for place in places)


@pytest.mark.parametrize("name", ["text.gibtsnicht", "stattion", "station.text.familie"])
def test_leaving_out_what_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="without"):
        case(without=[name])


def test_a_comorbidity_of_the_case_s_own_kind_stays_out_unless_it_is_named() -> None:
    own = [{"key": "d", "title": "COPD-Exazerbation", "icd": "J44.19", "main": True}]
    assert "copd" in case(diagnoses=own).absent
    assert "copd" in case(diagnoses=own, comorbidities={"copd": 0.2}).comorbidities


@pytest.mark.parametrize("module", [m for m, _ in modules() if m.kind == "comorbidity"],
                         ids=lambda m: m.id)  # fmt: skip
def test_each_comorbidity_has_history_plan_and_code(module) -> None:
    part = next(p for m, p in modules() if m.id == module.id)
    said = [unit for unit in part.said if unit.section == "vorgeschichte"]
    planned = {key for unit in part.said if unit.priority == 1 for key in unit.about}
    assert said
    assert module.clashes
    assert {line.spec.key for line in part.diagnoses if line.spec.plan} <= planned
    assert all(drug.spec.atc and drug.spec.reason for drug in part.drugs)


def test_contrast_allergy_is_answered_where_contrast_is_given() -> None:
    made = compile_case(read_case(LIBRARY / "nstemi.toml"))
    found = 0
    for seed in range(150):
        attributes = probe(made, seed=seed, sex="f", stay="akut", length="kurz")
        if attributes.course.facts["allergie"] == "kontrastmittel":
            skeleton = CaseWriter(cases=lambda name: made).write(attributes, seeds=Seeds(seed))
            text = render(skeleton, attributes, id="x").text
            assert "Prämedikation" in text or "prämediziert" in text or "vorbehandelt" in text
            found += 1
    assert found


def test_discharge_pressure_is_near_its_target() -> None:
    made = compile_case(read_case(LIBRARY / "nstemi.toml"))
    for seed in range(60):
        facts = probe(made, seed=seed, sex="m", stay="akut").course.facts
        assert 105 <= facts["rr_sys_e"] <= 140
        assert 60 <= facts["rr_dia_e"] <= 80
