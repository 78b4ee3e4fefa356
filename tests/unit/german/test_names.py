import unicodedata

import pytest

from mustermann.core.errors import ConfigError
from mustermann.german import names

COMMON = ("german", "turkish", "polish", "russian", "arabic")


def given_names(origin: str, sex: str) -> set[str]:
    groups = names.pool(origin).given.items()
    return {name for (bearer, _), group in groups if bearer == sex for name in group}


@pytest.mark.parametrize("origin", names.ORIGINS)
def test_pools_are_large_enough_and_clean(origin: str) -> None:
    pool = names.pool(origin)
    least = 300 if origin in COMMON else 80
    given = given_names(origin, "m") | given_names(origin, "f")
    assert len(given) >= least
    assert min(len(given_names(origin, sex)) for sex in "mf") >= least / 2.5
    assert len({name.male for name in pool.family}) == len(pool.family) >= least
    for text in (*given, *(form for name in pool.family for form in (name.male, name.female))):
        assert unicodedata.is_normalized("NFC", text)
        assert all(c.isalpha() or c in " -’'" for c in text), text
        assert text[0].isupper(), text


@pytest.mark.parametrize("origin", names.ORIGINS)
def test_every_generation_and_sex_has_names_without_repetition(origin: str) -> None:
    for group in names.pool(origin).given.values():
        assert len(group) >= 30
        assert len(set(group)) == len(group)


def test_there_are_at_least_twelve_origins() -> None:
    assert len(set(names.ORIGINS)) >= 12


def test_an_unknown_origin_is_refused() -> None:
    with pytest.raises(ConfigError, match="klingon"):
        names.pool("klingon")


@pytest.mark.parametrize(
    ("origin", "family", "sex", "form"),
    [
        ("polish", "Kowalski", "f", "Kowalska"),
        ("polish", "Kowalska", "m", "Kowalski"),
        ("polish", "Kowalska-Nowak", "m", "Kowalski-Nowak"),
        ("russian", "Iwanow", "f", "Iwanowa"),
        ("greek", "Papadopoulou", "m", "Papadopoulos"),
        ("german", "Müller", "f", "Müller"),
        ("german", "Kowalski", "f", "Kowalski"),
    ],
)
def test_family_names_take_the_form_of_their_bearer(origin, family, sex, form) -> None:
    assert names.pool(origin).in_form(family, sex) == form


def test_particles_stand_apart() -> None:
    german = {name.particle for name in names.pool("german").particles}
    assert {"von", "von der", "zu", "van der"} <= german
    assert {name.particle for name in names.pool("arabic").particles} >= {"al-", "ben"}
    assert all(name.male[0].isupper() for o in names.ORIGINS for name in names.pool(o).particles)


def test_gazetteers_see_two_thirds() -> None:
    family = {name.male for o in names.ORIGINS for name in names.pool(o).family}
    share = sum(map(names.is_listed, family)) / len(family)
    assert 0.63 < share < 0.70
    given = {n for o in names.ORIGINS for sex in "mf" for n in given_names(o, sex)}
    assert 0.63 < len(names.listed_given()) / len(given) < 0.70


def test_listed_names_do_not_hold_an_unlisted_one() -> None:
    assert all(map(names.is_listed, names.listed_given()))
    unlisted = {
        name.male for o in names.ORIGINS for name in names.pool(o).family
        if not names.is_listed(name.male)
    }  # fmt: skip
    both_forms = {n.male: n.female for o in names.ORIGINS for n in names.pool(o).family}
    assert not unlisted & names.listed_family()
    assert both_forms["Kowalski"] in names.listed_family() or "Kowalski" in unlisted


def test_whether_a_name_is_listed_never_changes() -> None:
    # A benchmark compares runs of different releases.
    found = {name: names.is_listed(name) for name in ("Müller", "Yılmaz", "Anna", "Büttner")}
    assert found == {"Müller": True, "Yılmaz": True, "Anna": True, "Büttner": False}


def test_pet_forms_belong_to_names_of_the_pools() -> None:
    given = {n for o in names.ORIGINS for sex in "mf" for n in given_names(o, sex)}
    assert len(names.diminutives()) >= 200
    assert set(names.diminutives()) <= given
