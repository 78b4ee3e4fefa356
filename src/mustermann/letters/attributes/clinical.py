"""What the sampler of attributes and the authored cases say to each other.

The sampler draws a case by its profile, then age, sex and dates inside it, and asks for the
course. Cases know nothing of names and addresses, attributes nothing of medicine.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Course, Parameters, Sex, StayType


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CaseProfile:
    """Whom a case fits.

    Attributes:
      id: Name of the case.
      specialty: As German hospitals call it.
      sexes: Weight of each sex that it fits.
      ages: Lowest and highest age in years.
      stays: Days of stay, lowest and highest, by kind; ambulant is (0, 0).
      weight: How often it is drawn, against 1 of an ordinary case.
      elective: Share of patients whose admission is planned, on workdays.
      months: Months in which it comes; () for all.
      icd: Codes that its main diagnosis can have; a given admission is matched by them.
      ops: Codes that its procedures can have.
    """

    id: str
    specialty: str
    sexes: Mapping[Sex, float]
    ages: tuple[int, int]
    stays: Mapping[StayType, tuple[int, int]]
    weight: float = 1.0
    elective: float = 0.0
    months: tuple[int, ...] = ()
    icd: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CourseRequest:
    """The frame that a course has to fit.

    Attributes:
      case: Id of the case.
      sex: Of the patient.
      age: Whole years at admission.
      stay: Kind of stay.
      birth: Day of birth.
      admission: First day.
      discharge: Last day; the first one for an ambulant stay.
      letter: Day of the letter.
      elective: Whether the admission was planned.
      parameters: How the letter is to be written.
      icd: Code that the main diagnosis must have, "" where the case is free.
      ops: Codes that must be among the procedures.
    """

    case: str
    sex: Sex
    age: int
    stay: StayType
    birth: date
    admission: date
    discharge: date
    letter: date
    elective: bool
    parameters: Parameters
    icd: str = ""
    ops: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SampledCourse:
    """What a case makes of a frame.

    Attributes:
      course: The course.
      events: Days of its named events ("koro", "sturz"), without the "ereignis:".
      names_said: Words of names that its texts say as ordinary words ("Wahl", "Kern"): nobody
        in the letter is called so, or readers could not tell which is which.
    """

    course: Course
    events: Mapping[str, date]
    names_said: frozenset[str] = frozenset()


class CourseSampler(Protocol):
    """Simulates courses of the cases that it knows."""

    @property
    def profiles(self) -> Sequence[CaseProfile]:
        """The cases on offer, in a fixed order; the same object on each call."""

    def sample(self, seeds: Seeds, request: CourseRequest) -> SampledCourse:
        """Returns the course; a pure function of both arguments."""
