import dataclasses
import pickle

import pytest

from mustermann.core.config import resolve
from mustermann.core.errors import ConfigError, DataError
from mustermann.letters.attributes import sampler
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.attributes.dates import years_between
from mustermann.letters.attributes.inclusion import GATES
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.attributes.sampler import MAKERS, PEOPLE
from mustermann.letters.attributes.scene import Scene, Value
from mustermann.letters.config import MODES, LettersConfig, SpecialtyGate
from mustermann.letters.slots import SLOTS

LETTERS = range(300)


def everything(attributes: Attributes) -> dict[str, object]:
    fields = {f.name: getattr(attributes, f.name) for f in dataclasses.fields(attributes)}
    return fields | {name: dict(fields[name]) for name in ("people", "dates", "values", "details")}


def only(mode: str) -> LettersConfig:
    """Returns a config of adversarial letters with one mode on and no other."""
    off = [f"modes.{name}.adversarial={float(name == mode)}" for name in MODES]
    mix = "difficulty={easy=0, medium=0, hard=0, adversarial=1}"
    return resolve(LettersConfig, overrides=[*off, mix])


def test_every_slot_has_a_maker() -> None:
    text = {name for name, slot in SLOTS.items() if slot.kind in {"text", "login"}}
    people = {name for name, slot in SLOTS.items() if slot.kind == "person"}
    assert text <= set(MAKERS)
    assert people == {*PEOPLE, "patient"}


def test_a_letter_depends_on_its_seed_alone(draw) -> None:
    forward = [everything(draw(number)) for number in range(20)]
    backward = [everything(draw(number)) for number in reversed(range(20))]
    assert forward == backward[::-1]


def test_values_do_not_depend_on_the_order_of_asking(draw) -> None:
    one, other = draw(3), draw(3)
    first = [one.values[slot] for slot in MAKERS], [one.people[slot] for slot in PEOPLE]
    names = [other.people[slot] for slot in reversed(PEOPLE)]
    assert first == ([other.values[s] for s in reversed(MAKERS)][::-1], names[::-1])


def test_another_field_changes_no_other_value(draw, monkeypatch) -> None:
    """Puts a field before all others, as a later version would."""
    before = [everything(draw(number)) for number in range(20)]

    def make(scene: Scene, slot: str) -> Value:
        return Value(str(scene.draws(slot).integer("number", 0, 10**6)))

    monkeypatch.setattr(sampler, "MAKERS", {"schuhgroesse": make, **MAKERS})
    for number, old in enumerate(before):
        new = everything(draw(number))
        assert new["values"].pop("schuhgroesse").isdigit()
        assert new["details"].pop("schuhgroesse") == {}
        assert new == old


def test_a_fixed_difficulty_moves_nothing_else(draw) -> None:
    free, easy = draw(5), draw(5, difficulty="easy")
    assert easy.parameters.difficulty == "easy"
    assert easy.dates == free.dates
    assert easy.course == free.course
    assert easy.values["kvnr"] == free.values["kvnr"]


def test_attributes_are_sent_between_processes(draw) -> None:
    attributes = draw(7)
    assert everything(pickle.loads(pickle.dumps(attributes))) == everything(attributes)


@pytest.mark.parametrize("number", LETTERS)
def test_the_parts_of_a_letter_agree(draw, number: int) -> None:
    a = draw(number)
    dates = a.dates
    assert years_between(dates["geburtsdatum"], dates["aufnahme"]) == a.age
    assert dates["geburtsdatum"] <= dates["aufnahme"] <= dates["entlassung"] <= dates["brief"]
    assert a.included <= {*MAKERS, *PEOPLE, *GATES, "geburtsname", "sterbedatum"}
    assert a.people["angehoeriger"].role
    if a.course.specialty == "Geriatrie":
        assert a.age >= 65
    if a.course.specialty == "Pädiatrie":
        assert a.age < 18
        assert a.people["angehoeriger"].role in {"Mutter", "Vater"}
    if a.course.specialty == "Gynäkologie":
        assert a.patient.sex == "f"
    if a.course.case == "parkinson":
        assert dates["aufnahme"].weekday() < 5
    if a.parameters.difficulty in {"easy", "medium"}:
        assert not a.parameters.modes
    if a.parameters.difficulty == "easy":
        assert "-" not in a.patient.family


def test_a_given_admission_is_kept(draw) -> None:
    row = Admission(age=71, sex="f", specialty="Kardiologie", icd="I21.4", length_of_stay=6)
    for number in range(30):
        a = draw(number, admission=row)
        assert (a.age, a.patient.sex, a.course.specialty) == (71, "f", "Kardiologie")
        assert a.course.diagnoses[0].icd == "I21.4"
        assert (a.dates["entlassung"] - a.dates["aufnahme"]).days == 6


def test_an_admission_that_no_case_fits_is_refused_in_words(draw) -> None:
    with pytest.raises(DataError, match=r"icd=Z99\.9"):
        draw(1, admission=Admission(icd="Z99.9"))


def test_a_config_without_cases_is_refused(draw, cases) -> None:
    closed = {profile.specialty: SpecialtyGate(weight=0.0) for profile in cases.profiles}
    with pytest.raises(ConfigError, match="weight above 0"):
        draw(1, LettersConfig(specialties=closed))


def test_shared_surname_gives_staff_the_patients_name(draw) -> None:
    for number in range(40):
        a = draw(number, only("shared_surname"))
        staff = [a.people[slot].family for slot in ("oberarzt", "stationsarzt", "chefarzt")]
        assert a.patient.family[:3] in {family[:3] for family in staff}
        assert a.parameters.modes == {"shared_surname"}


def test_a_patient_is_named_like_an_eponym_of_the_own_disease(draw) -> None:
    letters = [draw(number, only("eponym_patient")) for number in range(150)]
    with_disease = [a for a in letters if a.course.case == "parkinson"]
    assert with_disease
    for a in letters:
        named = a.course.case == "parkinson"
        assert (a.patient.family == "Parkinson") == named
        assert a.parameters.modes == ({"eponym_patient"} if named else set())


def test_patient_town_and_clinic_share_a_name(draw) -> None:
    for number in range(40):
        a = draw(number, only("town_name"))
        assert a.patient.family == a.values["ort"] == a.values["klinik_ort"]
        assert a.patient.family in a.values["klinik"]


def test_a_name_can_be_a_common_noun(draw) -> None:
    families = {draw(number, only("noun_name")).patient.family for number in range(60)}
    assert {"Essig", "Sommer", "Wagner", "Stein", "Freitag", "Honig", "Wald"} & families
    assert len(families) > 25


def test_date_like_ids_look_like_dates(draw) -> None:
    for number in range(30):
        a = draw(number, only("date_like_ids"))
        assert sum(c.isdigit() for c in a.values["fallnr"]) >= 7
        assert {"fallnr", "patid"} <= a.included


def test_a_donor_brings_a_second_identity(draw) -> None:
    a = draw(1, only("second_identity"))
    assert {"spender", "spendernr"} <= a.included
    assert a.dates["ereignis:spender_geburt"] < a.dates["aufnahme"]
    assert "ereignis:spender_geburt" not in draw(1, difficulty="easy").dates


def test_mail_addresses_hold_the_name_in_lower_case(draw) -> None:
    for number in range(30):
        a = draw(number, only("email_lower"))
        assert a.values["email"] == a.values["email"].lower()
        assert "email" in a.included


def test_modes_of_the_text_are_passed_on(draw) -> None:
    for mode in ("nfd", "ocr_noise", "typo_names", "law_citations", "split_names"):
        assert draw(2, only(mode)).parameters.modes == {mode}
