"""One patient's course, drawn from a case: the only place where clinical values are made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, timedelta
from functools import lru_cache
from itertools import count
from typing import Any

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Draws, Seeds
from mustermann.german import calendar
from mustermann.letters.attributes.admission import NoFittingCase
from mustermann.letters.attributes.clinical import CourseRequest, SampledCourse
from mustermann.letters.attributes.record import (
    Course,
    Diagnosis,
    Lab,
    Length,
    Procedure,
)
from mustermann.letters.cases import drugs as drug_lists
from mustermann.letters.cases.expressions import Expression
from mustermann.letters.cases.format import COMORBIDITY_LIMITS, EventSpec
from mustermann.letters.cases.grammar import Node, Text, Writing
from mustermann.letters.cases.house import house_rules
from mustermann.letters.cases.model import Case, Fact, LabLayer
from mustermann.letters.cases.variables import Sampler
from mustermann.letters.segments import Segment

WINTER = (11, 12, 1, 2, 3, 4)
"""Months in which influenza and RSV are about."""
_UNIT_DAYS = {"days": 1.0, "weeks": 7.0, "months": 30.4, "years": 365.25}
TIMES = ("aufnahme", "verlauf", "entlassung")


MOST_TRIES = 200


def sample_course(case: Case, *, seeds: Seeds, request: CourseRequest) -> SampledCourse:
    """Returns a course of the case within the frame of the request.

    Where the request fixes codes, courses are drawn until one has them.

    Args:
      case: From `library.load_case`.
      seeds: Node of the letter; the course draws below "course".
      request: Sex, age, dates, length of the letter.

    Raises:
      NoFittingCase: No course of the case has the codes asked for.
    """
    for number in range(MOST_TRIES):
        sampled = _simulate(case, seeds.child("course", number), request)
        if _has_codes(sampled.course, request):
            return sampled
    raise NoFittingCase(
        f"Expected a case with {request.icd} {' '.join(request.ops)}, and {case.id!r} has none in "
        f"{MOST_TRIES} courses: match admissions by the profile's codes."
    )


def _whole_months(birth: date, day: date) -> int:
    """Returns the age in whole months, for infants' weights and doses."""
    return (day.year - birth.year) * 12 + day.month - birth.month - (day.day < birth.day)


def _has_codes(course: Course, request: CourseRequest) -> bool:
    codes = {procedure.ops for procedure in course.procedures}
    return request.icd in ("", course.diagnoses[0].icd) and codes.issuperset(request.ops)


def _simulate(case: Case, seeds: Seeds, request: CourseRequest) -> SampledCourse:
    env = Facts(case.facts, seeds.draws("facts"))
    env.update(age=request.age, sex=request.sex, stay=request.stay,
               days=(request.discharge - request.admission).days,
               elective=request.elective,
               months=_whole_months(request.birth, request.admission),
               winter=request.admission.month in WINTER)  # fmt: skip
    length = request.parameters.length
    env.update(_comorbidities(case, env, seeds.draws("comorbidities"), length))
    env.settle()
    events = _events(case, env, seeds.draws("events"), request)
    env["tag"] = {name: (day - request.admission).days for name, day in events.items()}
    labs = _labs(case, env, seeds.draws("labs"))
    spell = _Speller(case, env, seeds)
    diagnoses = _diagnoses(case, env, spell)
    env["dx"] = frozenset(diagnosis.key for diagnosis in diagnoses)
    rules = [rule for part in reversed(case.parts) for rule in part.changes]
    lists = drug_lists.reconcile(case.drugs, rules, env, spell)
    facts = {name: value for name, value in env.items() if name not in {"lab", "dx"}}
    course = Course(
        case=case.id, specialty=case.file.specialty, stay=request.stay, diagnoses=diagnoses,
        procedures=_procedures(case, env, spell, events), medication_before=lists.before,
        medication=lists.now, labs=labs, facts=facts | {"changes": lists.changes},
    )  # fmt: skip
    return SampledCourse(course=course, events=events, names_said=case.names_said)


class Facts(dict[str, Any]):
    """Facts by name; one that is asked for is drawn then, with those that it needs.

    Draws are by name, so no value depends on the order in which facts are asked for.
    """

    def __init__(self, slots: tuple[tuple[Fact, ...], ...], draws: Draws) -> None:
        super().__init__()
        self._slots = {layers[0].name: layers for layers in slots}
        self._draws = draws
        self._open: list[str] = []

    def __missing__(self, name: str) -> Any:
        layers = self._slots.get(name)
        if layers is None:
            raise KeyError(name)
        if name in self._open:
            raise ConfigError(
                f"Expected facts without a cycle, got {' → '.join(self._open)} → {name}."
            )
        fact = self._holding(layers)
        if fact is None:
            raise ConfigError(
                f"Fact {name!r} is asked for without its comorbidity {layers[0].guard!r}."
            )
        self._open.append(name)
        value = fact.draw(self._draws, name, self)
        self._open.pop()
        self[name] = value
        return value

    def settle(self) -> None:
        """Draws every fact that holds."""
        for name, layers in self._slots.items():
            if name not in self and self._holding(layers) is not None:
                self[name]

    def _holding(self, layers: tuple[Fact, ...]) -> Fact | None:
        """Returns the last definition whose comorbidity is there."""
        for fact in reversed(layers):
            if not fact.guard or self[fact.guard]:
                return fact
        return None


class _Speller:
    """Writes grammars that hold no placeholders, each from its own stream."""

    def __init__(self, case: Case, env: Mapping[str, Any], seeds: Seeds) -> None:
        self._case, self._env, self._draws = case, env, seeds.draws("text")

    def __call__(self, node: Node, name: str) -> str:
        if isinstance(node, Text):
            return node.text
        # Few choices are made here: hashing them is cheaper than seeding a stream.
        numbers = count()
        draws = self._draws
        state = Writing(
            random=lambda: draws.uniform(f"{name}\0{next(numbers)}"), style="standard",
            sex=self._env["sex"], env=self._env, decimals=self._case.decimals,
            phrases=self._case.phrases, words=house_rules().lexicon.longs,
        )  # fmt: skip
        out: list[Segment] = []
        node.write(state, out)
        if not all(isinstance(segment, str) for segment in out):
            raise ConfigError(f"Expected no placeholder in {name} of case {self._case.id!r}.")
        return "".join(str(segment) for segment in out)


def _comorbidities(case: Case, env: Facts, draws: Draws, length: Length) -> dict[str, bool]:
    factor, least, most = COMORBIDITY_LIMITS[length]
    chances = {name: chance(env) * factor for name, chance in case.comorbidities.items()}
    # Ranked by how clearly each is drawn, so that a long letter takes the likeliest ones too.
    ranks = {name: draws.uniform(name) / c for name, c in chances.items() if c > 0}
    chosen: list[str] = []
    for name in sorted(ranks, key=lambda name: ranks[name]):
        rivals = case.excludes.get(name, frozenset())
        if len(chosen) < (most if ranks[name] < 1 else least) and not rivals.intersection(chosen):
            chosen.append(name)
    return {name: name in chosen for name in (*case.comorbidities, *case.absent)}


def _events(case: Case, env: Facts, draws: Draws, request: CourseRequest) -> dict[str, date]:
    days: dict[str, date] = {}
    for part in case.parts:
        for name, spec, test, offset in part.events:
            if test(env):
                if spec.after and spec.after not in days:
                    raise ConfigError(
                        f"Expected the event {spec.after!r} whenever {name!r}, which counts from "
                        f"it, happens in case {case.id!r}. Mend a condition."
                    )
                count = float(offset(draws, name, env))
                days[name] = _day(spec, count, days, request, draws.uniform(name + " blur"))
    return days


def _day(
    spec: EventSpec, count: float, days: Mapping[str, date], request: CourseRequest, blur: float
) -> date:
    """Returns the day of an event, `count` of its units from where it is counted."""
    if spec.day is not None:
        start = days[spec.after] if spec.after else request.admission
        day = max(request.birth, min(start + timedelta(days=int(count)), request.discharge))
        # What comes days after something is not moved back to the same day.
        first = min(start + timedelta(days=int(count >= 1)), day)
        return _workday_within(day, first, request.discharge) if spec.weekday else day
    width = _UNIT_DAYS[spec.unit]
    if spec.ago is not None:
        # Whole years ago to the day looks made up; a month or a year is blurred by its width.
        extra = blur * width * 0.9 if width > _UNIT_DAYS["weeks"] else 0.0
        past = request.admission - timedelta(days=max(1, round(count * width + extra)))
        while spec.weekday and not calendar.is_workday(past):
            past -= timedelta(days=1)
        return max(request.birth + timedelta(days=1), past)
    start = days[spec.after] if spec.after else request.discharge
    day = start + timedelta(days=round(count * width))
    if not spec.exact:
        day = max(day, request.letter + timedelta(days=1))
    while spec.weekday and not calendar.is_workday(day):
        day += timedelta(days=1)
    return day


def _workday_within(day: date, first: date, last: date) -> date:
    """Returns the nearest workday of the stay, later ones first; `day` where there is none."""
    span = (last - first).days
    for distance in range(span + 1):
        for near in (day + timedelta(days=distance), day - timedelta(days=distance)):
            if first <= near <= last and calendar.is_workday(near):
                return near
    return day


def _labs(case: Case, env: Facts, draws: Draws) -> dict[str, Lab]:
    env["lab"] = {}
    labs: dict[str, Lab] = {}
    for key, layers in case.labs.items():
        holding = tuple(layer for layer in layers if not layer.guard or env[layer.guard])
        lab = _lab(key, holding, env, draws) if holding else None
        if lab is not None:
            labs[key] = lab
            env["lab"][key] = lab.values
    return labs


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Analyte:
    """What the layers of an analyte come to."""

    name: str
    unit: str
    decimals: int
    test: Expression | None
    samplers: Mapping[str, Sampler]


@lru_cache(maxsize=8192)
def _merged(key: str, layers: tuple[LabLayer, ...]) -> _Analyte:
    """Returns the analyte that the layers make together, the last word winning."""

    def settled(field: str) -> Any:
        given = [getattr(layer.spec, field) for layer in layers]
        return next((value for value in reversed(given) if value not in (None, "")), None)

    tests = [layer.test for layer in layers if layer.test is not None]
    return _Analyte(
        name=settled("name") or key, unit=settled("unit") or "",
        decimals=settled("decimals") or 0, test=tests[-1] if tests else None,
        samplers={field: draw for layer in layers for field, draw in layer.fields.items()},
    )  # fmt: skip


def _lab(key: str, layers: tuple[LabLayer, ...], env: Facts, draws: Draws) -> Lab | None:
    analyte = _merged(key, layers)
    if analyte.test is not None and not analyte.test(env):
        return None
    samplers, decimals = analyte.samplers, analyte.decimals

    def bound(field: str) -> float | None:
        return float(samplers[field](draws, f"{key} {field}", env)) if field in samplers else None

    values: dict[str, float] = {}
    env["lab"][key] = values
    for time in TIMES:
        if time in samplers and (time == "aufnahme" or env["days"] > 0):
            value = float(samplers[time](draws, f"{key} {time}", env))
            values[time] = int(value + 0.5) if not decimals else round(value + 1e-9, decimals)
    known = house_rules().file.analytes.get(analyte.name)
    alias = draws.choice(f"{key} name", known) if known else ""
    return Lab(key=key, name=analyte.name, unit=analyte.unit, low=bound("low"),
               high=bound("high"), decimals=decimals, values=values, alias=alias)  # fmt: skip


def _diagnoses(case: Case, env: Facts, spell: _Speller) -> tuple[Diagnosis, ...]:
    env.setdefault("dx", frozenset())
    found = []
    for line in case.diagnoses:
        if not line.test(env):
            continue
        spec = line.spec
        side: Any = spell(line.side, f"{spec.key} Seite")
        found.append(Diagnosis(
            key=spec.key, title=spell(line.title, f"{spec.key} Titel"),
            icd=spell(line.icd, f"{spec.key} ICD"), certainty=spec.certainty, side=side,
            main=spec.main, short=spell(line.short, f"{spec.key} kurz"),
        ))  # fmt: skip
    return tuple(sorted(found, key=lambda diagnosis: not diagnosis.main))


def _procedures(
    case: Case, env: Facts, spell: _Speller, events: Mapping[str, date]
) -> tuple[Procedure, ...]:
    found = [
        Procedure(key=spec.key, title=spell(title, f"{spec.key} Titel"),
                  ops=spell(ops, f"{spec.key} OPS"), event=spec.event)
        for part in case.parts
        for spec, test, title, ops in part.procedures
        if test(env)
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: events.get(one.event, date.max)))
