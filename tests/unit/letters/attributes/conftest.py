"""A handful of cases without medicine, to test the sampler of attributes alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.clinical import CaseProfile, CourseRequest, SampledCourse
from mustermann.letters.attributes.record import Attributes, Course, Diagnosis
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.config import LettersConfig

STAYS = {"ambulant": (0, 0), "akut": (2, 12), "lang": (14, 40)}

PROFILES = (
    CaseProfile(
        id="nstemi", specialty="Kardiologie", sexes={"m": 0.65, "f": 0.35}, ages=(40, 90),
        stays=STAYS, icd=("I21.4",), ops=("1-275.0", "8-837.00"),
    ),
    CaseProfile(
        id="parkinson", specialty="Neurologie", sexes={"m": 0.6, "f": 0.4}, ages=(55, 88),
        stays=STAYS, icd=("G20.10",), elective=1.0,
    ),
    CaseProfile(
        id="delir", specialty="Geriatrie", sexes={"m": 1.0, "f": 1.0}, ages=(50, 99), stays=STAYS,
        icd=("F05.0",),
    ),
    CaseProfile(
        id="myom", specialty="Gynäkologie", sexes={"m": 1.0, "f": 1.0}, ages=(30, 55), stays=STAYS,
        icd=("D25.9",),
    ),
    CaseProfile(
        id="bronchiolitis", specialty="Pädiatrie", sexes={"m": 1.0, "f": 1.0}, ages=(0, 30),
        stays=STAYS, icd=("J21.0",),
    ),
    CaseProfile(
        id="urosepsis", specialty="Urologie", sexes={"m": 1.0, "f": 1.0}, ages=(20, 95),
        stays=STAYS, icd=("N10",),
    ),
)  # fmt: skip

_TITLES = {"parkinson": "Morbus Parkinson, akinetisch-rigider Typ", "nstemi": "NSTEMI"}


class FakeCases:
    """Courses of one diagnosis and one event."""

    profiles = PROFILES

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        profile = next(profile for profile in PROFILES if profile.id == request.case)
        diagnosis = Diagnosis(
            key="main", title=_TITLES.get(profile.id, profile.id), icd=profile.icd[0], main=True
        )
        days = seeds.draws("event").integer("day", 0, (request.discharge - request.admission).days)
        course = Course(
            case=profile.id, specialty=profile.specialty, stay=request.stay, diagnoses=(diagnosis,)
        )
        day = request.admission + timedelta(days=days)
        return SampledCourse(course=course, events={"befund": day})


@pytest.fixture(scope="session")
def cases() -> FakeCases:
    return FakeCases()


@pytest.fixture(scope="session")
def draw(cases: FakeCases) -> Callable[..., Attributes]:
    """Draws the attributes of letter `number`; other arguments go to the sampler."""

    def run(number: int, config: LettersConfig | None = None, **given: object) -> Attributes:
        seeds = Seeds(2026).child("letters", number)
        return sample(seeds, config=config or LettersConfig(), cases=cases, **given)

    return run
