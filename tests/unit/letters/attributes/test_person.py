import pytest

from mustermann.core.seeds import Seeds
from mustermann.german import names
from mustermann.german.names import FamilyName
from mustermann.letters.attributes.person import Namer, generation, next_of_kin
from mustermann.letters.config import LettersConfig, Names, Origins

DRAWS = [Seeds(3).draws("person", number) for number in range(400)]


def namer(difficulty: str = "adversarial", **settings: object) -> Namer:
    return Namer(config=LettersConfig(**settings), difficulty=difficulty)


def test_easy_patients_have_names_of_one_origin_and_no_doubled_ones() -> None:
    for draws in DRAWS:
        person = namer("easy").patient(draws, sex="f", age=50, born=1975)
        pool = names.pool(person.origin)
        assert person.given[0] in pool.given["f", "middle"]
        assert person.family in {n.female for n in (*pool.family, *pool.particles)}
        assert person.family != person.birth_name


def test_nobody_bears_a_name_that_the_letter_says_as_a_word() -> None:
    free = [namer().patient(draws, sex="f", age=50, born=1975) for draws in DRAWS]
    taken = frozenset(word for one in free[:40] for word in names.words_of(one.family))
    strict = Namer(config=LettersConfig(), difficulty="adversarial", taken=taken)
    kept = 0
    for draws, before in zip(DRAWS, free, strict=True):
        person = strict.patient(draws, sex="f", age=50, born=1975)
        stranger = strict.other(draws, "bekannter", year=2026)
        for one in (person, stranger):
            assert not taken.intersection(names.words_of(one.family))
            assert not any(taken.intersection(names.words_of(name)) for name in one.given)
        if not taken.intersection(names.words_of(before.family)):
            kept += person.family == before.family
    assert kept > 300  # who bears another name keeps it


def test_hard_patients_sometimes_cross_origins_and_double_names() -> None:
    people = [namer().patient(d, sex="m", age=50, born=1975) for d in DRAWS]
    doubled = sum("-" in p.family for p in people) / len(people)
    crossed = sum(p.given[0] not in names.pool(p.origin).given["m", "middle"] for p in people)
    assert 0.11 < doubled < 0.25
    assert 0.10 < crossed / len(people) < 0.25


def test_women_bear_the_female_form() -> None:
    polish = namer("easy", origins=_only("polish"))
    families = {polish.patient(d, sex="f", age=30, born=1995).family for d in DRAWS}
    assert any(family.endswith("ska") for family in families)
    assert not any(family.endswith("ski") for family in families)


def _only(origin: str) -> Origins:
    return Origins(**{name: float(name == origin) for name in names.ORIGINS})


def test_listed_means_given_and_family_name() -> None:
    for draws in DRAWS:
        person = namer("easy").patient(draws, sex="m", age=40, born=1985)
        both = names.is_listed(person.given[0]) and names.is_listed(person.family)
        assert person.listed == both


def test_parents_and_children_share_names() -> None:
    settings = Names(birth_name=1.0, child_shares_name=1.0)
    families = namer("easy", origins=_only("polish"), names=settings)
    for draws in DRAWS[:100]:
        patient = families.patient(draws, sex="f", age=60, born=1965)
        father = families.relative(draws.below("v"), "vater", patient=patient, born=1965)
        son = families.relative(draws.below("s"), "sohn", patient=patient, born=1965)
        in_form = names.pool("polish").in_form
        maiden = patient.birth_name or patient.family
        assert (father.sex, son.sex) == ("m", "m")
        assert father.family == in_form(maiden, "m")
        assert son.family == in_form(patient.family, "m")


def test_no_two_of_a_family_have_one_given_name() -> None:
    seen = set()
    for draws in DRAWS:
        patient = namer().patient(draws, sex="m", age=60, born=1965)
        slots = ("vater", "bruder", "sohn", "enkel", "ehepartner")
        given = [
            namer().relative(draws.below(slot), slot, patient=patient, born=1965).given[0]
            for slot in slots
        ]
        assert len({patient.given[0], *given}) == 1 + len(given)
        seen.add(given[1])
    assert len(seen) > 150


@pytest.mark.parametrize(
    ("slot", "sex"), [("mutter", "f"), ("tochter", "f"), ("bruder", "m"), ("schwester", "f")]
)
def test_relatives_have_the_sex_of_their_kinship(slot: str, sex: str) -> None:
    patient = namer().patient(DRAWS[0], sex="m", age=60, born=1965)
    for draws in DRAWS[:50]:
        assert namer().relative(draws, slot, patient=patient, born=1965).sex == sex


def test_old_people_have_old_names() -> None:
    assert [generation(year) for year in (1935, 1970, 2010)] == ["old", "middle", "young"]
    german = namer("easy", origins=_only("german"))
    old = {german.patient(d, sex="m", age=85, born=1940).given[0] for d in DRAWS}
    assert "Kevin" not in old and {"Helmut", "Horst", "Karl"} & old


def test_staff_titles_follow_the_function() -> None:
    chiefs = [namer().staff(d, "chefarzt", year=2026) for d in DRAWS]
    nurses = [namer().staff(d, "pflege", year=2026) for d in DRAWS]
    assert all(chief.titles and chief.titles[-1].startswith("Dr.") for chief in chiefs)
    assert sum("Prof." in " ".join(chief.titles) for chief in chiefs) > len(chiefs) / 2
    assert sum(bool(nurse.titles) for nurse in nurses) < len(nurses) / 10
    assert {c.role for c in chiefs if c.sex == "f"} <= set(names_of_chiefs())


def names_of_chiefs() -> tuple[str, ...]:
    return ("Chefärztin", "Klinikdirektorin", "Ärztliche Direktorin")


def test_a_namesake_of_the_other_sex_bears_the_other_form() -> None:
    polish = namer("easy", origins=_only("polish"))
    patient = polish.patient(
        DRAWS[0], sex="f", age=50, born=1975, family=FamilyName("Kowalski", "Kowalska")
    )
    forms = {polish.staff(d, "oberarzt", year=2026, namesake=patient).family for d in DRAWS[:40]}
    assert patient.family == "Kowalska"
    assert forms <= {"Kowalski", "Kowalska"}


def test_children_have_their_parents_as_next_of_kin() -> None:
    assert {next_of_kin(d, age=6) for d in DRAWS} == {"mutter", "vater"}
    assert {"tochter", "sohn", "ehepartner"} == {next_of_kin(d, age=80) for d in DRAWS}
