"""The values of a letter keep their rules."""

from __future__ import annotations

import re

import phonenumbers
import pytest

from mustermann.core.config import resolve
from mustermann.german import identifiers, institutions, places
from mustermann.letters.config import LettersConfig

LETTERS = range(120)
CHECKED = ("kvnr", "lanr", "ik_nr", "iban", "steuer_id", "rvnr", "ausweis", "pass")
BROKEN = resolve(
    LettersConfig,
    overrides=["difficulty={easy=0, medium=0, hard=0, adversarial=1}",
               "modes.broken_checksums.adversarial=1"],
)  # fmt: skip


@pytest.mark.parametrize("slot", CHECKED)
def test_check_digits_hold_and_break_as_the_details_say(draw, slot: str) -> None:
    for number in LETTERS:
        good = draw(number, difficulty="easy")
        assert identifiers.VALIDATORS[slot](good.values[slot])
        assert good.details[slot] == {"checksum": "valid"}
        bad = draw(number, BROKEN)
        assert not identifiers.VALIDATORS[slot](bad.values[slot])
        assert bad.details[slot] == {"checksum": "broken"}
        assert len(bad.values[slot]) == len(good.values[slot])


def test_identifiers_tell_of_their_bearer(draw) -> None:
    for number in LETTERS:
        a = draw(number, difficulty="easy")
        assert a.values["rvnr"][2:8] == f"{a.dates['geburtsdatum']:%d%m%y}"
        assert (int(a.values["rvnr"][9:11]) < 50) == (a.patient.sex == "m")
        assert identifiers.is_bsnr(a.values["bsnr"])
        assert identifiers.is_efn(a.values["efn"])
        assert identifiers.is_pzn(a.values["nonpii_id:pzn"])
        assert a.values["ik_nr"].startswith("26")
        assert a.values["iban"][4] == "9"


def test_address_and_phones_come_from_one_town(draw) -> None:
    towns = {town.name: town for town in places.towns()}
    for number in LETTERS:
        a = draw(number)
        for owner, phones in {
            "": ("telefon", "fax"),
            "klinik_": ("klinik_telefon", "klinik_fax", "station_telefon"),
            "einweiser_": ("einweiser_telefon", "einweiser_fax"),
            "angehoeriger_": ("angehoeriger_telefon",),
        }.items():
            town = towns[a.values[f"{owner}ort"]]
            assert a.values[f"{owner}plz"] in town.zips
            for slot in phones:
                assert a.values[slot].split(" ")[0] == town.area_code
                assert a.details[slot]["number"] in {"fictional", "unassignable"}
        assert a.values["bundesland"] == towns[a.values["ort"]].state
        assert a.values["kennzeichen"].startswith(f"{towns[a.values['ort']].plate}-")


def test_realistic_phones_are_an_option(draw) -> None:
    config = resolve(LettersConfig, overrides=["address.realistic_phones=true"])
    for number in range(40):
        a = draw(number, config)
        assert a.details["telefon"] == {"number": "realistic"}
        assert phonenumbers.is_valid_number(phonenumbers.parse(a.values["klinik_telefon"], "DE"))


def test_no_host_is_real(draw) -> None:
    reserved = r"(example|example\.(com|org|net|de))$"
    for number in LETTERS:
        values = draw(number).values
        for slot in ("email", "klinik_email", "einweiser_email"):
            assert re.fullmatch(r"[A-Za-z0-9._-]+@[a-z0-9.-]+", values[slot])
            assert re.search(reserved, values[slot])
        assert re.search(reserved, values["klinik_url"])
        assert values["klinik_email"].split("@")[1] in values["klinik_url"]


def test_the_mail_address_comes_from_the_name(draw) -> None:
    for number in LETTERS:
        a = draw(number)
        if a.patient.family.isascii() and a.patient.family.isalpha():
            assert a.patient.family.lower() in a.values["email"].lower()


def test_an_earlier_clinic_is_another_one(draw) -> None:
    for number in range(300):
        values = draw(number).values
        assert values["vorklinik"] != values["klinik"]


def test_only_the_privately_insured_have_a_private_number(draw) -> None:
    private = 0
    for number in range(400):
        a = draw(number)
        kind = a.details["versicherer"]["kind"]
        private += kind == "private"
        assert "pkv_nr" not in a.included or kind == "private"
    assert 0 < private < 120


def test_values_are_clean_text(draw) -> None:
    for number in LETTERS:
        for slot, text in draw(number).values.items():
            assert text == text.strip(), slot
            assert "  " not in text and "{" not in text
            assert text or slot in {"beruf", "arbeitgeber"}


def test_wards_named_after_what_they_treat_are_their_departments(draw) -> None:
    named = {
        kind: set(institutions.named(f"wards_{kind}"))
        for kind in ("internal", "surgical", "intensive", "child")
    }
    seen = {kind: set() for kind in named}
    for number in range(400):
        a = draw(number)
        for kind, names in named.items():
            if a.values["station"] in names:
                seen[kind].add(a.course.specialty)
    # None of the departments here operates or is an intensive care unit.
    assert seen == {
        "internal": {"Kardiologie"}, "surgical": set(), "intensive": set(), "child": {"Pädiatrie"},
    }  # fmt: skip
