"""Admissions: a table of stays, and letters that each agree with a row of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from mustermann.core.progress import track
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.cases.library import CaseLibrary
from mustermann.letters.config import LettersConfig

if TYPE_CHECKING:
    from mustermann.letters.attributes.clinical import CaseProfile, CourseRequest, SampledCourse
    from mustermann.letters.attributes.record import Attributes


DEPARTMENTS = frozenset({
    "Augenheilkunde", "Dermatologie", "Geriatrie", "HNO", "Orthopädie", "Psychiatrie",
    "Rheumatologie", "Unfallchirurgie",
})  # fmt: skip
"""Of the fictitious hospital: a few thousand stays teach a private model some tens of codes."""


class _Hospital:
    """The cases of a hospital that does not have every department."""

    def __init__(self) -> None:
        self._cases = CaseLibrary()
        self._profiles = tuple(p for p in self._cases.profiles if p.specialty in DEPARTMENTS)

    @property
    def profiles(self) -> tuple[CaseProfile, ...]:
        return self._profiles

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        return self._cases.sample(seeds, request)


def fictitious_admissions(count: int, *, seed: int = 0) -> pa.Table:
    """Returns a table of stays that the attribute sampler makes up, one row a stay.

    Columns: age (years), sex (m, f), specialty, icd (main diagnosis), ops (the first
    procedure, "" for none), length_of_stay (nights). It is nobody's data; it serves to show
    how a hospital's own table of admissions would drive letters.
    """
    cases, config = _Hospital(), LettersConfig()
    seeds = Seeds(seed).child("admissions")
    rows = [
        _row(sample(seeds.child(number), config=config, cases=cases))
        for number in track(range(count), "admissions", total=count)
    ]
    return pa.Table.from_pylist(rows)


def _row(attributes: Attributes) -> dict[str, object]:
    course = attributes.course
    stay = attributes.dates["entlassung"] - attributes.dates["aufnahme"]
    return {
        "age": attributes.age,
        "sex": attributes.patient.sex,
        "specialty": course.specialty,
        "icd": course.diagnoses[0].icd,
        "ops": course.procedures[0].ops if course.procedures else "",
        "length_of_stay": stay.days,
    }
