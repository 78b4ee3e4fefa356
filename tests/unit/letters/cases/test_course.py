from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.german import calendar
from mustermann.letters.attributes.admission import NoFittingCase
from mustermann.letters.attributes.clinical import CourseRequest
from mustermann.letters.cases.course import Facts, sample_course
from mustermann.letters.cases.format import EventSpec, Variable
from mustermann.letters.cases.library import compile_case, load_case
from mustermann.letters.cases.model import Fact
from mustermann.letters.cases.probe import probe


def courses(count: int = 25, case: str = "nstemi", **options):
    options = {"sex": "f", "stay": "akut", "length": "sehr_lang"} | options
    return [probe(load_case(case), seed=seed, **options) for seed in range(count)]


def test_equal_seeds_give_equal_courses() -> None:
    assert courses(3)[2].course == courses(3)[2].course


def test_events_lie_where_they_were_asked_for() -> None:
    for a in courses():
        admitted, left = a.dates["aufnahme"], a.dates["entlassung"]
        assert admitted <= a.dates["ereignis:koro"] <= left
        assert a.dates["ereignis:kontrolle_ha"] > a.dates["brief"]
        assert a.dates["ereignis:kontrolle_ha"].weekday() < 5
        assert a.dates["ereignis:dapt_ende"] - left > timedelta(days=355)


def test_comorbidities_that_exclude_each_other_never_meet() -> None:
    for a in courses(60, case="pneumonie", age=60):
        assert not (a.course.facts["asthma"] and a.course.facts["copd"])


def test_a_comorbidity_of_the_case_s_own_illness_is_left_out() -> None:
    assert "khk" in load_case("nstemi").absent
    assert all(not a.course.facts["khk"] for a in courses(5))


def test_laboratory_values_follow_the_facts_that_they_share() -> None:
    for a in courses():
        labs, facts = a.course.labs, a.course.facts
        assert labs["kreatinin"].values["aufnahme"] == pytest.approx(facts["krea"], abs=0.006)
        assert labs["tnt"].values["verlauf"] == facts["tnt1"]
        assert labs["tnt"].values["aufnahme"] < labs["tnt"].values["verlauf"]


def test_every_drug_treats_a_diagnosis_of_the_patient() -> None:
    for a in courses():
        treats = {d.spec.key: set(d.spec.treats) for d in load_case("nstemi").drugs}
        keys = {d.key for d in a.course.diagnoses}
        assert all(treats[drug.key] & keys for drug in a.course.medication)


def test_codes_that_are_asked_for_are_found_or_refused() -> None:
    probed = courses(1)[0]
    request = CourseRequest(
        case="nstemi", sex="f", age=70, stay="akut", birth=probed.dates["geburtsdatum"],
        admission=probed.dates["aufnahme"], discharge=probed.dates["entlassung"],
        letter=probed.dates["brief"], elective=False, parameters=probed.parameters,
        ops=("8-837.m1",),
    )  # fmt: skip
    course = sample_course(load_case("nstemi"), seeds=Seeds(5), request=request).course
    assert "8-837.m1" in {procedure.ops for procedure in course.procedures}
    with pytest.raises(NoFittingCase, match=r"Z99\.9"):
        sample_course(
            load_case("nstemi"), seeds=Seeds(5),
            request=CourseRequest(**{f: getattr(request, f) for f in request.__slots__}
                                  | {"icd": "Z99.9"}),
        )  # fmt: skip


def facts(**draws) -> Facts:
    slots = tuple(
        (Fact(name=name, draw=draw, guard="", decimals=None),) for name, draw in draws.items()
    )
    return Facts(slots, Seeds(1).draws("facts"))


def test_facts_are_drawn_when_asked_for_and_cycles_are_named() -> None:
    found = facts(a=lambda draws, name, env: env["b"] + 1, b=lambda draws, name, env: 2)
    assert (found["a"], dict(found)) == (3, {"b": 2, "a": 3})
    loop = facts(a=lambda draws, name, env: env["b"], b=lambda draws, name, env: env["a"])
    with pytest.raises(ConfigError, match="a → b → a"):
        loop["a"]


def test_a_fact_without_its_comorbidity_says_so() -> None:
    slot = (Fact(name="copd_fev1", draw=lambda draws, name, env: 40, guard="copd", decimals=None),)
    found = Facts((slot,), Seeds(1).draws("facts"))
    found["copd"] = False
    with pytest.raises(ConfigError, match=r"copd_fev1.*copd"):
        found["copd_fev1"]
    found.settle()
    assert "copd_fev1" not in found


def test_appointments_before_and_during_the_stay_are_on_workdays() -> None:
    file = load_case("nstemi").file
    events = file.events | {
        "vorstellung": EventSpec(ago=(3, 30), weekday=True),
        "board": EventSpec(day=1, weekday=True),
    }
    case = compile_case(dataclasses.replace(file, events=events))
    for seed in range(40):
        a = probe(case, seed=seed, sex="f", stay="akut", length="mittel")
        assert calendar.is_workday(a.dates["ereignis:vorstellung"])
        assert a.dates["ereignis:vorstellung"] < a.dates["aufnahme"]
        assert calendar.is_workday(a.dates["ereignis:board"])
        assert a.dates["aufnahme"] <= a.dates["ereignis:board"] <= a.dates["entlassung"]


@pytest.mark.parametrize("name", ["vor", "age", "person"])
def test_a_fact_may_not_hide_a_word_of_the_language(name) -> None:
    file = load_case("nstemi").file
    hidden = dataclasses.replace(file, let=file.let | {name: Variable(range=(1, 2))})
    with pytest.raises(ConfigError, match=rf"name is free in nstemi.toml, let.{name}"):
        compile_case(hidden)


def test_influenza_comes_in_winter() -> None:
    found = set()
    for seed in range(60):
        a = probe(load_case("ards_intensiv"), seed=seed, sex="m", stay="lang", length="mittel")
        if a.course.facts["flu"]:
            found.add(a.dates["aufnahme"].month)
    assert found
    assert found <= {11, 12, 1, 2, 3, 4}
