"""What may stand in a case file: frozen dataclasses, checked when the file is read.

A case and a module hold the same things; a case adds whom it fits and what it draws on.
Text is grammar (`grammar.py`), conditions and numbers are expressions (`expressions.py`).
"""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, Literal

from pydantic import Field

from mustermann.core.config import strict
from mustermann.letters.attributes.record import Length, StayType

Certainty = Literal["G", "V", "Z", "A"]
Side = Literal["", "R", "L", "B"]
Status = Literal["neu", "unverändert", "geändert", "pausiert", "abgesetzt"]


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Variable:
    """A fact: exactly one of the ways to draw it.

    Attributes:
      range: Low and high, each value equally likely.
      triangular: Low, mode, high.
      normal: Mean and standard deviation, cut at `min` and `max`.
      calc: Expression over earlier facts.
      pick: Words, numbers or records; a record may hold `weight` and `when`.
      chance: Probability of true, a number or an expression.
      decimals: Digits after the comma; a fact is a whole number if nothing is said.
      min: Lower cut.
      max: Upper cut.
      step: Rounds to multiples, such as 5 for blood pressures.
    """

    range: tuple[float, float] | None = None
    triangular: tuple[float, float, float] | None = None
    normal: tuple[float, float] | None = None
    calc: str | None = None
    pick: list[Any] | None = None
    chance: float | str | None = None
    decimals: int | None = None
    min: float | None = None
    max: float | None = None
    step: float | None = None


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class EventSpec:
    """A named date, in the text `[[ereignis:name]]`.

    Attributes:
      day: Days after admission, cut at discharge: one number, two, or an expression.
      ago: How long before admission.
      follow: How long after discharge; never on or before the letter's date.
      unit: Of `ago` and `follow`.
      after: Event from which `day` counts instead of admission.
      weekday: Moves to the next workday; before admission to the one before, during the stay
        to the nearest, if it has one.
      exact: Whether `follow` keeps its day even if the letter is written later, as the end of a
        treatment does.
      when: Condition.
    """

    day: str | int | tuple[int, int] | None = None
    ago: str | int | tuple[int, int] | None = None
    follow: str | int | tuple[int, int] | None = None
    unit: Literal["days", "weeks", "months", "years"] = "days"
    after: str = ""
    weekday: bool = False
    exact: bool = False
    when: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class DiagnosisSpec:
    """A line of the diagnosis list; `title`, `icd` and `short` are grammar without placeholders.

    Attributes:
      key: Name in the text, `[[diagnosis:key]]`.
      title: As listed, without "Z.n." or "V.a.": the certainty brings them.
      icd: ICD-10-GM code, terminal.
      short: As the course calls it.
      certainty: G assured, V suspected, Z state after, A excluded.
      side: R, L or B.
      main: Main diagnosis of the stay.
      when: Condition.
      details: Lines below it, with placeholders: what was found, when, what was done.
      plan: False where no plan item is owed ("Z.n. Appendektomie").
    """

    key: str
    title: str
    icd: str
    short: str = ""
    certainty: Certainty = "G"
    side: str = ""
    main: bool = False
    when: str = ""
    details: list[str] = dataclasses.field(default_factory=list)
    plan: bool = True


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class ProcedureSpec:
    """A procedure of the stay with its OPS code; `event` names its date."""

    key: str
    title: str
    ops: str
    event: str = ""
    when: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LabSpec:
    """An analyte; what a case leaves out is taken from the shared panel.

    Attributes:
      name: As written.
      unit: As written.
      low: Lower end of the reference range, a number or an expression.
      high: Upper end.
      decimals: Digits after the comma.
      aufnahme: Value on admission.
      verlauf: Worst or middle value of the stay.
      entlassung: Last value.
      when: Condition.
      panel: Rank in the list: small numbers stand first, pathological ones before all.
    """

    name: str = ""
    unit: str | None = None
    low: float | str | None = None
    high: float | str | None = None
    decimals: int | None = None
    aufnahme: Variable | float | str | None = None
    verlauf: Variable | float | str | None = None
    entlassung: Variable | float | str | None = None
    when: str | None = None
    panel: int | None = None


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class DrugSpec:
    """A drug; `strength`, `scheme`, `reason` and `until` are grammar.

    Attributes:
      key: Name in the text, `[[med:key]]`; on admission the key is `key_vor`.
      substance: International name, German spelling.
      treats: Keys of the diagnoses that it is for.
      status: What the stay did to it; neu: only at discharge; pausiert, abgesetzt: only before.
      strength: With unit.
      scheme: "1-0-0", or words.
      before: Strength and scheme on admission, where status is geändert.
      brand: German brand name.
      atc: ATC code.
      form: "Tbl." …
      group: Drugs of one group exclude one another; the case's wins over a module's.
      reason: Why it is given or was changed; with placeholders.
      until: End of a limited course, with placeholders.
      when: Condition.
      rank: Place in the list.
    """

    key: str
    substance: str
    treats: list[str]
    status: Status = "unverändert"
    strength: str
    scheme: str
    before: tuple[str, str] | None = None
    brand: str = ""
    atc: str = ""
    form: str = "Tbl."
    group: str = ""
    reason: str = ""
    until: str = ""
    when: str = ""
    rank: int = 50


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Change:
    """What this case does to other modules' drugs of a group: pausing metformin after contrast.

    Attributes:
      group: Group (or key) of the drug.
      status: pausiert, abgesetzt or geändert.
      reason: Why, grammar with placeholders.
      until: Until when, grammar with placeholders.
      strength: New strength, where geändert.
      scheme: New scheme, where geändert.
      when: Condition.
    """

    group: str
    status: Literal["pausiert", "abgesetzt", "geändert"]
    reason: str
    until: str = ""
    strength: str = ""
    scheme: str = ""
    when: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Unit:
    """A sentence, or two that belong together.

    Attributes:
      say: Grammar, or independently written versions of it.
      p: 1 in every letter, 2 from mittel, 3 from ausführlich, 4 in the longest.
      when: Condition.
      at: Order within the section; units of the same number are shuffled.
      para: Starts a new paragraph.
      variant: Units of one section with letters a, b, …: a letter uses one of them.
    """

    say: str | list[str]
    p: int = 2
    when: str = ""
    at: int | None = None
    para: bool = False
    variant: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class SectionSpec:
    """A section of its own, such as a catheter report.

    Attributes:
      heading: Headings to choose from, with placeholders for the date.
      place: Section of the house order after which it comes ("befunde").
      lead: Opening in a narrative letter, instead of the heading.
      layout: prose, or lines: one unit a line.
      when: Condition.
    """

    heading: list[str]
    place: str = "befunde"
    lead: list[str] = dataclasses.field(default_factory=list)
    layout: Literal["prose", "lines"] = "prose"
    when: str = ""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class PlanItem:
    """What is to be done after discharge: who, what, when, which target.

    Attributes:
      about: Keys of the diagnoses that it takes care of.
      say: Grammar, or independently written versions.
      p: As in a unit.
      when: Condition.
      at: Order within the plan.
    """

    about: list[str]
    say: str | list[str]
    p: int = 1
    when: str = ""
    at: int = 50


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Content:
    """What cases and modules have in common.

    Attributes:
      let: Facts in the order in which they are drawn.
      events: Named dates.
      diagnoses: Lines of the diagnosis list.
      procedures: Procedures of the stay.
      labs: Analytes by key.
      medication: Drugs.
      changes: What happens to drugs of others.
      sections: Further sections by name.
      text: Units by section.
      plan: Plan items.
      phrases: Grammar by name, for `{>name}`.
    """

    let: dict[str, Variable] = dataclasses.field(default_factory=dict)
    events: dict[str, EventSpec] = dataclasses.field(default_factory=dict)
    diagnoses: list[DiagnosisSpec] = dataclasses.field(default_factory=list)
    procedures: list[ProcedureSpec] = dataclasses.field(default_factory=list)
    labs: dict[str, LabSpec] = dataclasses.field(default_factory=dict)
    medication: list[DrugSpec] = dataclasses.field(default_factory=list)
    changes: list[Change] = dataclasses.field(default_factory=list)
    sections: dict[str, SectionSpec] = dataclasses.field(default_factory=dict)
    text: dict[str, list[Unit]] = dataclasses.field(default_factory=dict)
    plan: list[PlanItem] = dataclasses.field(default_factory=list)
    phrases: dict[str, str] = dataclasses.field(default_factory=dict)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class ModuleFile(Content):
    """A shared module or a comorbidity.

    Attributes:
      id: File name without suffix; for a comorbidity also a fact that is true or false.
      kind: shared: part of each case that does not leave it out; optional: of cases that
        use it; comorbidity: drawn by prevalence.
      prevalence: Probability, an expression over age and sex.
      excludes: Comorbidities that do not go with it.
      clashes: Beginnings of ICD codes: a case with a diagnosis of its own among them leaves
        the comorbidity out, unless it names it in [comorbidities].
      override: Facts of other modules that it replaces where it is active.
    """

    id: str
    kind: Literal["shared", "optional", "comorbidity"]
    prevalence: str = "0"
    excludes: list[str] = dataclasses.field(default_factory=list)
    clashes: list[str] = dataclasses.field(default_factory=list)
    override: dict[str, Variable] = dataclasses.field(default_factory=dict)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Fits:
    """Whom a case fits.

    Attributes:
      sex: Weight of each sex that it fits.
      age: Lowest and highest age in years.
      stays: Days of stay by kind; ambulant is (0, 0).
      elective: Planned admission: a workday, with a stay one before another workday. A number
        is the share of patients whose admission was; facts read which it is as `elective`.
      months: Months of admission (1 to 12) of an illness that has its season; all where none is
        named.
    """

    sex: dict[Literal["m", "f"], float]
    age: tuple[int, int]
    stays: dict[StayType, tuple[int, int]]
    elective: bool | Annotated[float, Field(ge=0, le=1)] = False
    months: tuple[Annotated[int, Field(ge=1, le=12)], ...] = ()


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class CaseFile(Content):
    """A case.

    Attributes:
      id: File name without suffix.
      specialty: As German hospitals call it.
      title: For lists of cases.
      fits: Whom it fits.
      weight: How often it is drawn, against 1 of an ordinary case.
      uses: Optional modules.
      without: Shared modules, comorbidities or sections (`text.status`) that it leaves out.
      comorbidities: Prevalence by module where it differs from the module's own.
      override: Facts of modules that it replaces.
      order: Name of the section order, "" for the specialty's usual ones.
    """

    id: str
    specialty: str
    title: str
    fits: Fits
    weight: float = 1.0
    uses: list[str] = dataclasses.field(default_factory=list)
    without: list[str] = dataclasses.field(default_factory=list)
    comorbidities: dict[str, float | str] = dataclasses.field(default_factory=dict)
    override: dict[str, Variable] = dataclasses.field(default_factory=dict)
    order: str = ""


COMORBIDITY_LIMITS: dict[Length, tuple[float, int, int]] = {
    "kurz": (0.5, 0, 1), "mittel": (0.9, 0, 4), "ausfuehrlich": (1.1, 1, 6),
    "sehr_lang": (1.5, 5, 8),
}  # fmt: skip
"""By length: factor on prevalence, and fewest and most comorbidities of a letter."""
