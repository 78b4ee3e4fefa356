from __future__ import annotations

import csv
import dataclasses
from itertools import product
from pathlib import Path

import pytest

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.cases import library
from mustermann.letters.cases.format import EventSpec, Variable
from mustermann.letters.cases.library import SingleCase, load_case
from mustermann.letters.cases.lint import _indications, _places, _plans
from mustermann.letters.cases.probe import LENGTHS, STRUCTURES, STYLES, probe
from mustermann.letters.config import LettersConfig
from mustermann.letters.render import render
from mustermann.letters.writers import CaseWriter

REFERENCE = Path(__file__).parents[5] / "shared" / "data" / "reference" / "icd10gm_2017.csv"


@pytest.mark.parametrize("name", library.case_ids())
def test_case_has_plan_and_indication_for_everything(name: str) -> None:
    case = library.load_case(name)
    findings = [*_plans(case), *_indications(case), *_places(case)]
    assert [finding for finding in findings if finding.level == "error"] == []


@pytest.mark.parametrize("name", library.case_ids())
def test_case_renders_for_whom_it_fits(name: str) -> None:
    case = library.load_case(name)
    kinds = product(case.file.fits.sex, case.file.fits.stays, STYLES, LENGTHS, STRUCTURES)
    for number, (sex, stay, style, length, structure) in enumerate(kinds):
        attributes = probe(case, seed=number, sex=sex, stay=stay, style=style, length=length,
                           structure=structure, full=number % 2 == 0)  # fmt: skip
        skeleton = CaseWriter().write(attributes, seeds=Seeds(number))
        text = render(skeleton, attributes, id=name).text
        assert "{" not in text and "$" not in text and ".." not in text


@pytest.mark.reference
@pytest.mark.parametrize("name", library.case_ids())
def test_codes_are_terminal_codes_of_icd_10_gm(name: str) -> None:
    if not REFERENCE.exists():
        pytest.skip("reference data not there")
    with REFERENCE.open(encoding="utf-8") as file:
        known = {row["code"].rstrip("!*+†") for row in csv.DictReader(file)}
    case = library.load_case(name)
    for seed in range(60):
        for sex in case.file.fits.sex:
            stay = next(iter(case.file.fits.stays))
            course = probe(case, seed=seed, sex=sex, stay=stay, length="sehr_lang").course
            assert {d.icd for d in course.diagnoses} - known == set()


def test_unknown_case_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="nstemi"):
        library.load_case("nstemmi")


def test_a_record_without_the_code_is_refused_in_one_line() -> None:
    file = library.load_case("pneumonie").file
    broken = dataclasses.replace(
        file, let=file.let | {"r": Variable(pick=[{"icd": "A"}, {"x": 1}])}
    )
    with pytest.raises(ConfigError, match=r"Expected 'icd' in each option of let.r of case 'pneu"):
        library.possible_codes(broken, "$r.icd")


def test_possible_codes_of_a_picked_record() -> None:
    profile = {one.id: one for one in library.CaseLibrary().profiles}["pneumonie"]
    assert set(profile.icd) == {"J18.1", "J13", "J14"}


def test_an_event_that_counts_from_a_later_one_is_refused_in_one_line() -> None:
    file = library.load_case("nstemi").file
    events = file.events | {"first": EventSpec(day=1, after="then"), "then": EventSpec(day=0)}
    with pytest.raises(ConfigError, match=r"before it in nstemi, events\.first\.after.*'then'"):
        library.compile_case(dataclasses.replace(file, events=events))


def test_an_event_that_counts_from_one_that_does_not_happen_is_one_line() -> None:
    file = library.load_case("nstemi").file
    events = file.events | {"never": EventSpec(day=1, when="age < 0")}
    events |= {"then": EventSpec(follow=3, after="never")}
    case = library.compile_case(dataclasses.replace(file, events=events))
    with pytest.raises(ConfigError, match=r"Expected the event 'never' whenever 'then'"):
        probe(case, seed=0, sex="m", stay="akut")


def test_some_patients_of_a_case_are_planned_and_others_come_on_any_day() -> None:
    cases = SingleCase(load_case("sectio"))
    days = {True: set(), False: set()}
    for number in range(150):
        seeds = Seeds(4).child("letters", number)
        attributes = sample(seeds, config=LettersConfig(), cases=cases)
        planned = attributes.course.facts["elective"]
        assert planned == attributes.course.facts["primaer"]
        days[planned].add(attributes.dates["aufnahme"].weekday())
    # A planned stay begins on a workday before another workday.
    assert days[True] <= {0, 1, 2, 3}
    assert days[False] == set(range(7))


@pytest.mark.parametrize(("ops", "planned"), [("5-749.10", True), ("5-749.11", False)])
def test_a_given_code_decides_how_the_patient_came(ops: str, planned: bool) -> None:
    cases = SingleCase(load_case("sectio"))
    for number in range(20):
        attributes = sample(
            Seeds(5).child("letters", number), config=LettersConfig(), cases=cases,
            admission=Admission(ops=(ops,)),
        )  # fmt: skip
        assert ops in {procedure.ops for procedure in attributes.course.procedures}
        assert attributes.course.facts["elective"] == planned


def test_a_case_knows_the_names_that_it_says_as_words() -> None:
    said = load_case("katarakt").names_said
    assert {"Kern", "Wahl"} <= said
    assert not said & {"Müller", "Schmidt", "Yılmaz"}
