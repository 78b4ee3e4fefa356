import pytest

from mustermann.german.inflection import (
    CASES,
    HONORIFICS,
    article,
    genitive_suffix,
    honorific,
    patient_noun,
    takes_bare_genitive,
    without_genitive,
)


def test_herr_is_inflected_and_frau_is_not():
    assert [honorific("m", case) for case in CASES] == ["Herr", "Herrn", "Herrn", "Herrn"]
    assert {honorific("f", case) for case in CASES} == {"Frau"}
    assert [honorific("m", case, short=True) for case in CASES] == ["Hr.", "Hrn.", "Hrn.", "Hrn."]
    assert honorific("f", "gen", short=True) == "Fr."
    every = {honorific(sex, case, short=s) for sex in "mf" for case in CASES for s in (0, 1)}
    assert every == HONORIFICS


def test_the_patient_in_all_cases():
    said = [f"{article('m', case)} {patient_noun('m', case)}" for case in CASES]
    assert said == ["der Patient", "des Patienten", "dem Patienten", "den Patienten"]
    said = [f"{article('f', case)} {patient_noun('f', case)}" for case in CASES]
    assert said == ["die Patientin", "der Patientin", "der Patientin", "die Patientin"]


@pytest.mark.parametrize(
    "name",
    ["Hans", "Weiss", "Voß", "Fritz", "Lenz", "Marx", "Laurence", "Matoš", "Demirtaş", "VOSS"],
)
def test_names_that_hiss_take_an_apostrophe(name):
    assert genitive_suffix(name) == "'"


@pytest.mark.parametrize("name", ["Weber", "Çam", "Busch", "Raabe", "Bach", "Goethe", "Nguyen"])
def test_all_others_take_an_s(name):
    assert genitive_suffix(name) == "s"


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Webers", ("Webers", "Weber")), ("Voß'", ("Voß'", "Voß")),
        ("Marx\u2019", ("Marx\u2019", "Marx")),
        ("Weiss", ("Weiss",)), ("Weber", ("Weber",)), ("ÇAMS", ("ÇAMS", "ÇAM")), ("As", ("As",)),
    ],
)  # fmt: skip
def test_a_genitive_is_taken_back(written, names):
    assert without_genitive(written) == names


@pytest.mark.parametrize(
    ("before", "bare"),
    [
        ("der Befund des ", True), ("Befund der ", True), ("des genannten ", True),
        ("des o.g. Patienten ", True), ("nach Auskunft der Tochter ", True),
        ("Wunsch unseres gemeinsamen Patienten, ", True), ("der Befund ", False), ("", False),
        ("in Kenntnis ", False), ("Bruder ", False), ("des Befundes ", False),
    ],
)  # fmt: skip
def test_after_an_article_a_name_stays_bare(before, bare):
    assert takes_bare_genitive(before) == bare
