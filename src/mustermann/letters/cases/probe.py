"""Attributes of invented people around a case, for the linter and for a look at a case.

The sampler of attributes is richer; this one is the same for everybody, so that what
differs between two probes comes from the case.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import get_args

from mustermann.core.seeds import Seeds
from mustermann.german.people import roles
from mustermann.letters.attributes.clinical import CourseRequest
from mustermann.letters.attributes.inclusion import unlikely
from mustermann.letters.attributes.record import (
    Attributes,
    Length,
    Parameters,
    Person,
    Sex,
    StayType,
    Structure,
    Style,
)
from mustermann.letters.cases.course import sample_course
from mustermann.letters.cases.model import Case
from mustermann.letters.slots import OTHERS, RELATIVES, SLOTS, STAFF

LENGTHS: tuple[Length, ...] = get_args(Length)
STYLES: tuple[Style, ...] = get_args(Style)
STRUCTURES: tuple[Structure, ...] = get_args(Structure)
_FEMALE = frozenset({"mutter", "tochter", "schwester", "oberarzt", "pflege", "hausarzt"})


def probe(
    case: Case,
    *,
    seed: int,
    sex: Sex,
    stay: StayType,
    style: Style = "standard",
    length: Length = "mittel",
    structure: Structure = "structured",
    age: int | None = None,
    full: bool = True,
) -> Attributes:
    """Returns attributes of a letter of the case.

    Args:
      case: Compiled case.
      seed: Root of the streams.
      sex: Of the patient.
      stay: Kind of stay.
      style: Style of the letter.
      length: Length band.
      structure: Sections or narrative.
      age: Whole years; drawn within what the case fits if None.
      full: Whether every optional atom and person is there, or none.
    """
    seeds = Seeds(seed)
    draws = seeds.draws("probe")
    years = draws.integer("age", *case.file.fits.age) if age is None else age
    admission = date(2026, 3, 2) + timedelta(days=draws.integer("admission", 0, 90))
    discharge = admission + timedelta(days=draws.integer("days", *case.file.fits.stays[stay]))
    birth = date(admission.year - years - 1, 11, 17)
    parameters = Parameters(difficulty="medium", style=style, length=length, structure=structure,
                            density=0.7)  # fmt: skip
    request = CourseRequest(
        case=case.id, sex=sex, age=years, stay=stay, birth=birth, admission=admission,
        discharge=discharge, letter=discharge, parameters=parameters,
        elective=draws.bernoulli("elective", float(case.file.fits.elective)),
    )  # fmt: skip
    sampled = sample_course(case, seeds=seeds, request=request)
    dates = {
        "geburtsdatum": birth, "aufnahme": admission, "entlassung": discharge, "brief": discharge,
        "sterbedatum": admission - timedelta(days=400 if years > 2 else 20),
        **{f"ereignis:{name}": day for name, day in sampled.events.items()},
    }  # fmt: skip
    slots = frozenset(name for name, slot in SLOTS.items() if slot.kind in {"text", "login"})
    numbers = ("nonpii_id:pzn", "nonpii_id:charge", "nonpii_id:artikel")
    people = frozenset({*RELATIVES, *OTHERS, *STAFF}) - unlikely(sampled.course, age=years)
    gates = {"adresse", "adresse_klinik", "adresse_einweiser", "adresse_angehoeriger",
             "geburtsname", "reisepass", "sterbedatum"}  # fmt: skip
    return Attributes(
        parameters=parameters, patient=_person("Mustermann", sex),
        people=_people(full=full, age=years), dates=dates,
        values={name: f"<{name}>" for name in (*slots, *numbers)}, details={},
        included=slots | people | gates if full else frozenset(), age=years,
        course=sampled.course,
    )  # fmt: skip


def _people(*, full: bool, age: int) -> Mapping[str, Person]:
    names = (*STAFF, *RELATIVES, *OTHERS) if full else STAFF
    made = {name: _person(name.capitalize(), "f" if name in _FEMALE else "m", name)
            for name in names}  # fmt: skip
    return {**made, "angehoeriger": made["tochter" if age > 41 else "mutter"]} if full else made


def _person(family: str, sex: Sex, slot: str = "") -> Person:
    role = roles(slot, sex)[0] if slot not in {"", "angehoeriger", "arzt_einweiser"} else ""
    return Person(sex=sex, given=("Erika" if sex == "f" else "Max",), family=family, role=role)
