"""The attributes of one letter: the person, the stay, the course, the house.

Everything that a letter says comes from here; the text can't contradict itself because
it holds no value of its own. Sampled by `mustermann.letters.attributes.sampler`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

Sex = Literal["m", "f"]
Difficulty = Literal["easy", "medium", "hard", "adversarial"]
Style = Literal["standard", "akademisch", "knapp"]
Length = Literal["kurz", "mittel", "ausfuehrlich", "sehr_lang"]
Structure = Literal["structured", "narrative"]
StayType = Literal["ambulant", "akut", "lang"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """How the letter is to be written; LETTERS §2.

    Attributes:
      difficulty: Of the de-identification.
      style: House style of the wording.
      length: Band of characters.
      structure: Sections with headings, or a narrative.
      density: Share of optional PHI atoms that go in, in (0, 1].
      modes: Names of the adversarial modes that are on.
      has_meds: Whether the letter lists drugs; their effects are told all the same.
    """

    difficulty: Difficulty
    style: Style
    length: Length
    structure: Structure
    density: float
    modes: frozenset[str] = frozenset()
    has_meds: bool = True


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who does not exist.

    Attributes:
      sex: Steers honorifics, inflection and pronouns.
      given: Given names in order, the call name first.
      family: Family name, hyphenated where doubled, without particle.
      particle: "von", "van der", "al-" …; "al-" joins the name without a blank.
      titles: Academic titles in the order in which they are written.
      birth_name: Family name at birth where it differs, else "".
      origin: Pool that the name comes from.
      listed: Whether gazetteers may know both given and family name (LETTERS §3b).
      diminutive: Pet form of the call name, "" if there is none.
      role: Function or kinship: "Oberarzt", "Tochter"; "" for the patient.
    """

    sex: Sex
    given: tuple[str, ...]
    family: str
    particle: str = ""
    titles: tuple[str, ...] = ()
    birth_name: str = ""
    origin: str = ""
    listed: bool = True
    diminutive: str = ""
    role: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A diagnosis of the stay.

    Attributes:
      key: Unique within the letter.
      title: As in the list of diagnoses, German.
      icd: ICD-10-GM code, terminal.
      certainty: G assured, V suspected, Z state after, A excluded.
      side: R, L, B or "".
      main: Whether it is the main diagnosis of the stay.
      short: As the course text calls it.
    """

    key: str
    title: str
    icd: str
    certainty: Literal["G", "V", "Z", "A"] = "G"
    side: Literal["", "R", "L", "B"] = ""
    main: bool = False
    short: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Procedure:
    """A procedure done during the stay, with its OPS code; `event` names its date."""

    key: str
    title: str
    ops: str
    event: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Medication:
    """A drug on the list at admission or discharge.

    Attributes:
      key: Unique within the letter.
      substance: International name, German spelling.
      brand: German brand name, "" where the substance is written.
      atc: ATC code, "" where not known.
      strength: With unit: "5 mg".
      form: "Tbl.", "Kps.", "Inj.", "Spray" …
      scheme: "1-0-1-0", or words ("alle 14 Tage", "bei Bedarf, max. 4x/d").
      status: What the stay did to it.
      reason: Why it was changed or what it is for, German, "" if it goes without saying.
      until: End of a limited course, German ("bis einschl. 12.03."), "" for none.
    """

    key: str
    substance: str
    strength: str
    scheme: str
    brand: str = ""
    atc: str = ""
    form: str = ""
    status: Literal["neu", "unverändert", "geändert", "pausiert", "abgesetzt"] = "unverändert"
    reason: str = ""
    until: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    """One analyte over the stay.

    Attributes:
      key: Name in cases: "crp", "hb".
      name: "CRP", "Hb".
      unit: "mg/l".
      low: Lower end of the reference range, None where there is none.
      high: Upper end of the reference range, None where there is none.
      decimals: Digits after the decimal comma.
      values: Value by point in time: "aufnahme", "verlauf", "entlassung", or an event.
      alias: The laboratory's own name for it, "" where it has none.
    """

    key: str
    name: str
    unit: str
    low: float | None
    high: float | None
    decimals: int
    values: Mapping[str, float]
    alias: str = ""

    @property
    def written(self) -> str:
        """Returns the name that stands in the letter's lists."""
        return self.alias or self.name


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The simulated clinical course: one source for every fact in the letter.

    Attributes:
      case: Id of the authored case.
      specialty: "Kardiologie" …
      stay: Kind of stay.
      diagnoses: Main one first.
      procedures: In order of their date.
      medication_before: On admission.
      medication: At discharge, with what changed and why.
      labs: By key.
      facts: The case's variables by name: numbers as they are written, words, records.
    """

    case: str
    specialty: str
    stay: StayType
    diagnoses: tuple[Diagnosis, ...]
    procedures: tuple[Procedure, ...] = ()
    medication_before: tuple[Medication, ...] = ()
    medication: tuple[Medication, ...] = ()
    labs: Mapping[str, Lab] = dataclasses.field(default_factory=dict)
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Attributes:
    """Everything about one letter.

    Attributes:
      parameters: How it is to be written.
      patient: The patient.
      people: Relatives and staff by slot ("oberarzt", "tochter").
      dates: By slot: "geburtsdatum", "aufnahme", "entlassung", "brief", "ereignis:<name>".
      values: Text by slot: address parts, contacts, ids, hospital, profession …
      details: What is known of a value by slot, such as {"checksum": "broken"}.
      included: Optional slots that the density gate lets into this letter.
      age: Whole years at admission.
      course: The clinical course.
    """

    parameters: Parameters
    patient: Person
    people: Mapping[str, Person]
    dates: Mapping[str, date]
    values: Mapping[str, str]
    details: Mapping[str, Mapping[str, str]]
    included: frozenset[str]
    age: int
    course: Course
