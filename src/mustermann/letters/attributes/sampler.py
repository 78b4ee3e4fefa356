"""All attributes of a letter, each from a named stream: adding a field changes no other value.

    parameters → case, stay, sex, age → dates → course → patient → everybody and everything else

Values, relatives and staff are made when they are asked for; see `lazy`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, timedelta

from mustermann.core.seeds import Seeds
from mustermann.german import names, places, terms
from mustermann.german.names import FamilyName
from mustermann.letters.attributes import address, contacts, houses, identifiers
from mustermann.letters.attributes.admission import Admission, NoFittingCase
from mustermann.letters.attributes.choice import Chosen, choose_case
from mustermann.letters.attributes.clinical import CourseRequest, CourseSampler, SampledCourse
from mustermann.letters.attributes.dates import StayDates, sample_birth, sample_stay
from mustermann.letters.attributes.inclusion import sample_included, unlikely
from mustermann.letters.attributes.lazy import Lazy
from mustermann.letters.attributes.parameters import sample_parameters
from mustermann.letters.attributes.person import Namer, next_of_kin
from mustermann.letters.attributes.record import Attributes, Difficulty, Parameters, Person
from mustermann.letters.attributes.scene import Maker, Scene
from mustermann.letters.config import Dates, LettersConfig
from mustermann.letters.slots import OTHERS, RELATIVES, STAFF

MAKERS: Mapping[str, Maker] = {
    **address.MAKERS, **contacts.MAKERS, **houses.MAKERS, **identifiers.MAKERS,
}  # fmt: skip
"""Who makes the value of each slot."""

PEOPLE: tuple[str, ...] = (*RELATIVES, *STAFF, *OTHERS)
"""Everybody but the patient."""

_ANYTHING = Admission()


def sample(
    seeds: Seeds,
    *,
    config: LettersConfig,
    cases: CourseSampler,
    admission: Admission | None = None,
    difficulty: Difficulty | None = None,
    parameters: Parameters | None = None,
) -> Attributes:
    """Returns the attributes of one letter, a pure function of its arguments.

    Args:
      seeds: The letter's node, such as `Seeds(2026).child("letters", 17)`.
      config: Probabilities.
      cases: Offers cases and simulates their courses.
      admission: Fixes age, sex, specialty, codes and length of stay.
      difficulty: Fixes the difficulty; other draws stay the same.
      parameters: Fixes all parameters, as for another draft of a letter whose difficulty,
        style, length and structure must not depend on how many drafts were dropped.

    Raises:
      ConfigError: The config leaves no case.
      DataError: No case fits the admission.
    """
    admission = admission or _ANYTHING
    if parameters is None:
        parameters = sample_parameters(seeds, config=config, difficulty=difficulty)
    chosen = choose_case(seeds, profiles=cases.profiles, config=config, admission=admission)
    frame, sampled = _course(seeds, config, cases, admission, parameters, chosen)
    return _fill(seeds, config, frame, sampled)


def _course(
    seeds: Seeds, config: LettersConfig, cases: CourseSampler, admission: Admission,
    parameters: Parameters, chosen: Chosen,
) -> tuple[_Frame, SampledCourse]:  # fmt: skip
    """Returns the frame of a course and the course.

    Given codes may be those of an emergency only, or of a planned operation: where a case has
    both, the other way of admission is tried before none fits.
    """
    share = chosen.profile.elective
    planned = seeds.draws("dates").bernoulli("planned", share)
    frame = _frame(seeds, config, parameters, chosen, elective=planned)
    try:
        return frame, cases.sample(seeds.child("course"), frame.request(admission))
    except NoFittingCase:
        if share in (0, 1):
            raise
    frame = _frame(seeds, config, parameters, chosen, elective=not planned)
    return frame, cases.sample(seeds.child("course"), frame.request(admission))


def _frame(
    seeds: Seeds, config: LettersConfig, parameters: Parameters, chosen: Chosen, *, elective: bool
) -> _Frame:
    stay = sample_stay(
        seeds, settings=config.dates, days=chosen.days, elective=elective,
        months=chosen.profile.months,
    )  # fmt: skip
    birth = sample_birth(seeds, settings=config.dates, age=chosen.age, admission=stay.admission)
    return _Frame(parameters=parameters, chosen=chosen, stay=stay, birth=birth, elective=elective)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What is known before the course."""

    parameters: Parameters
    chosen: Chosen
    stay: StayDates
    birth: date
    elective: bool

    def request(self, admission: Admission) -> CourseRequest:
        return CourseRequest(
            case=self.chosen.profile.id,
            sex=self.chosen.sex,
            age=self.chosen.age,
            stay=self.chosen.stay,
            birth=self.birth,
            admission=self.stay.admission,
            discharge=self.stay.discharge,
            letter=self.stay.letter,
            elective=self.elective,
            parameters=self.parameters,
            icd=admission.icd,
            ops=admission.ops,
        )


def _fill(seeds: Seeds, config: LettersConfig, frame: _Frame, sampled: SampledCourse) -> Attributes:
    """Puts people, values and dates around a course."""
    family = _family_by_mode(seeds, frame.parameters.modes, sampled)
    parameters = dataclasses.replace(frame.parameters, modes=family.modes)
    namer = Namer(config=config, difficulty=parameters.difficulty, taken=sampled.names_said)
    patient = namer.patient(
        seeds.draws("patient"), sex=frame.chosen.sex, age=frame.chosen.age, born=frame.birth.year,
        family=family.name,
    )  # fmt: skip
    absent = unlikely(sampled.course, age=frame.chosen.age)
    people = _people(seeds, namer, frame, patient, parameters, absent)
    scene = Scene(
        seeds=seeds, config=config, parameters=parameters, specialty=sampled.course.specialty,
        sex=frame.chosen.sex, age=frame.chosen.age, birth=frame.birth, stay=frame.stay,
        patient=patient, people=people,
    )  # fmt: skip
    made = Lazy(MAKERS, lambda slot: MAKERS[slot](scene, slot))
    return Attributes(
        parameters=parameters,
        patient=patient,
        people=people,
        dates=_dates(seeds, config, frame, sampled, parameters),
        values=Lazy(MAKERS, lambda slot: made[slot].text),
        details=Lazy(MAKERS, lambda slot: made[slot].details),
        included=_included(seeds, config, scene, absent),
        age=frame.chosen.age,
        course=sampled.course,
    )


def _people(
    seeds: Seeds, namer: Namer, frame: _Frame, patient: Person, parameters: Parameters,
    absent: frozenset[str],
) -> Mapping[str, Person]:  # fmt: skip
    kin = next_of_kin(seeds.draws("kin"), age=frame.chosen.age, absent=absent)
    year = frame.stay.admission.year
    streams = seeds.draws("people")
    shared = ""
    if "shared_surname" in parameters.modes:
        shared = seeds.draws("shared").choice("slot", ("oberarzt", "stationsarzt", "chefarzt"))

    def make(slot: str) -> Person:
        if slot == "angehoeriger":
            return people[kin]
        if slot == "hausarzt" and people["arzt_einweiser"].role.startswith("Haus"):
            return people["arzt_einweiser"]
        draws = streams.below(slot)
        if slot in RELATIVES:
            return namer.relative(draws, slot, patient=patient, born=frame.birth.year)
        if slot in OTHERS:
            return namer.other(draws, slot, year=year)
        return namer.staff(draws, slot, year=year, namesake=patient if slot == shared else None)

    people: Mapping[str, Person] = Lazy(PEOPLE, make)
    return people


def _dates(
    seeds: Seeds, config: LettersConfig, frame: _Frame, sampled: SampledCourse,
    parameters: Parameters,
) -> Mapping[str, date]:  # fmt: skip
    dates = {
        "geburtsdatum": frame.birth,
        "aufnahme": frame.stay.admission,
        "entlassung": frame.stay.discharge,
        "brief": frame.stay.letter,
    }
    dates |= {f"ereignis:{name}": day for name, day in sampled.events.items()}
    dates["sterbedatum"] = _death(seeds, config.dates, frame)
    if "second_identity" in parameters.modes:
        days = seeds.draws("donor").integer("days", 365 * 19, 365 * 70)
        dates["ereignis:spender_geburt"] = frame.stay.admission - timedelta(days=days)
    return dates


def _included(
    seeds: Seeds, config: LettersConfig, scene: Scene, relatives: frozenset[str]
) -> frozenset[str]:
    absent = set(relatives) | (set() if scene.private else {"pkv_nr"})
    if scene.age < 18:
        absent |= {"kennzeichen", "steuer_id", "rvnr", "iban", "betreuer", "ausweis"}
    if scene.age < 1:
        absent.add("sterbedatum")
    if scene.age < 3:
        absent.add("beruf")
    if not houses.employed(scene):
        absent.add("arbeitgeber")
    if not scene.patient.birth_name:
        absent.add("geburtsname")
    included = sample_included(
        seeds, settings=config.inclusion, parameters=scene.parameters, absent=frozenset(absent)
    )
    asked = {"email"} if scene.has("email_lower") else set()
    asked |= {"fallnr", "patid"} if scene.has("date_like_ids") else set()
    asked |= {"fallnr"} if scene.has("pzn_beside_case_id") else set()
    asked |= {"kvnr"} if scene.has("broken_checksums") else set()
    asked |= {"spender", "spendernr"} if scene.has("second_identity") else set()
    return included | asked


def _death(seeds: Seeds, settings: Dates, frame: _Frame) -> date:
    """Returns the day on which a relative died, in the patient's lifetime."""
    draws = seeds.draws("death")
    years = draws.weighted("years", settings.years_back, settings.years_back_weights)
    day = frame.stay.admission - timedelta(days=365 * years + draws.integer("days", 40, 364))
    return max(day, frame.birth)


@dataclasses.dataclass(frozen=True, slots=True)
class _FamilyByMode:
    """The family name that a mode asks for, and the modes that are left."""

    name: FamilyName | None
    modes: frozenset[str]


def _family_by_mode(seeds: Seeds, modes: frozenset[str], sampled: SampledCourse) -> _FamilyByMode:
    """Settles which of the modes that name the patient wins; the others are dropped."""
    draws = seeds.draws("modes names")
    wanted = [mode for mode in ("eponym_patient", "town_name", "noun_name") if mode in modes]
    for mode in wanted:
        if mode == "eponym_patient":
            eponyms = terms.eponym_names_in(sampled.course.diagnoses)
            options = [FamilyName(name, name) for name in eponyms]
        elif mode == "town_name":
            options = [FamilyName(town.name, town.name) for town in places.surname_towns()]
        else:
            nouns = names.pool("german").nouns
            options = [name for name in nouns if name.male not in sampled.names_said]
        if options:
            return _FamilyByMode(draws.choice(mode, options), modes - set(wanted) | {mode})
    return _FamilyByMode(None, modes - set(wanted))
