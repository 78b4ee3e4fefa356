"""Telephone, fax, mail, web and network addresses; none of them reaches anybody."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mustermann.core.seeds import Draws
from mustermann.german import institutions, phones
from mustermann.german.phones import Phone
from mustermann.german.places import Town
from mustermann.german.transliteration import fold
from mustermann.letters.attributes.record import Person
from mustermann.letters.attributes.scene import Maker, Scene, Value

_TOWNS = {
    "telefon": "home", "fax": "home", "klinik_telefon": "clinic", "klinik_fax": "clinic",
    "station_telefon": "clinic", "einweiser_telefon": "practice", "einweiser_fax": "practice",
    "angehoeriger_telefon": "kin_town",
}  # fmt: skip
_HOUSES = frozenset({"klinik_telefon", "klinik_fax", "station_telefon"})


def _fixed(scene: Scene, slot: str) -> Value:
    town: Town = getattr(scene, _TOWNS[slot])
    return _phone(
        phones.fixed_line(
            scene.draws(slot), "number", area_code=town.area_code,
            realistic=scene.config.address.realistic_phones, extension=slot in _HOUSES,
        )
    )  # fmt: skip


def _mobile(scene: Scene, slot: str) -> Value:
    realistic = scene.config.address.realistic_phones
    return _phone(phones.mobile(scene.draws(slot), "number", realistic=realistic))


def _phone(phone: Phone) -> Value:
    return Value(phone.text, {"number": phone.kind})


def _personal_mail(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    host = draws.choice("host", institutions.named("mail_hosts"))
    address = f"{_local_part(draws, scene.patient, scene.birth.year)}@{host}"
    return Value(address.lower() if scene.has("email_lower") else address)


def _local_part(draws: Draws, person: Person, year: int) -> str:
    given = _word(person.given[0])
    family = _word(f"{person.particle}{person.family}")
    forms = (
        f"{given}.{family}", f"{given.lower()}.{family.lower()}",
        f"{given[0].lower()}.{family.lower()}", f"{family.lower()}{year % 100:02d}",
        f"{given.lower()}_{family.lower()}",
        f"{given.lower()}{family.lower()}{draws.integer('number', 1, 99)}",
    )  # fmt: skip
    return draws.choice("form", forms)


def _practice_mail(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    box = draws.choice("box", ("praxis", "info", "kontakt", "empfang", "anmeldung"))
    doctor = _word(scene.people["arzt_einweiser"].family).lower()
    return Value(f"{box}@praxis-{doctor}.{draws.choice('host', _domains())}")


def _clinic_mail(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    department = re.sub(r"[^a-z]+", "-", fold(scene.specialty).lower()).strip("-")
    box = draws.choice("box", (department, f"sekretariat.{department}", "info", "aufnahme"))
    return Value(f"{box}@{_clinic_host(scene)}")


def _clinic_url(scene: Scene, slot: str) -> Value:
    start = scene.draws(slot).choice("start", ("www.", "www.", "https://www.", "https://"))
    return Value(f"{start}{_clinic_host(scene)}")


def _clinic_host(scene: Scene) -> str:
    """Returns one host for mail and web, named like the clinic."""
    name = re.sub(r"[^a-z0-9]+", "-", fold(scene.house.short).lower()).strip("-")
    return f"{name}.{scene.seeds.draws('clinic').choice('host', _domains())}"


def _network(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    # RFC 5737 keeps these three nets for documentation.
    net = draws.choice("net", ("192.0.2", "198.51.100", "203.0.113"))
    return Value(f"{net}.{draws.integer('host', 1, 254)}")


def _domains() -> tuple[str, ...]:
    return institutions.named("house_domains")


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z-]", "", fold(text))


MAKERS: Mapping[str, Maker] = {
    **dict.fromkeys(_TOWNS, _fixed),
    "mobil": _mobile,
    "angehoeriger_mobil": _mobile,
    "email": _personal_mail,
    "einweiser_email": _practice_mail,
    "klinik_email": _clinic_mail,
    "klinik_url": _clinic_url,
    "ip": _network,
}
"""Makers of contacts by slot."""
