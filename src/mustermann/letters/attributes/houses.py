"""Clinics, wards, insurers, services and other institutions, professions, log-in names."""

from __future__ import annotations

from collections.abc import Mapping

from mustermann.german import institutions, professions
from mustermann.german.employers import employers_of
from mustermann.german.transliteration import fold
from mustermann.letters.attributes.scene import Maker, Scene, Value

_POOLS = {
    "rehaklinik": "rehab", "praxis": "practices", "pflegedienst": "care_services",
}  # fmt: skip
_WARDS: Mapping[str, frozenset[str]] = {
    "wards_internal": frozenset({
        "Angiologie", "Diabetologie und Endokrinologie", "Endokrinologie", "Gastroenterologie",
        "Hämatologie und Onkologie", "Infektiologie", "Innere Medizin", "Kardiologie",
        "Nephrologie", "Pneumologie", "Rheumatologie",
    }),
    "wards_surgical": frozenset({
        "Allgemein- und Viszeralchirurgie", "Gefäßchirurgie", "Handchirurgie", "Orthopädie",
        "Unfallchirurgie",
    }),
    "wards_intensive": frozenset({"Intensivmedizin"}),
    "wards_child": frozenset({"Pädiatrie"}),
}  # fmt: skip
"""Pools of wards named after what they treat, with the departments that have them."""


def _listed(scene: Scene, slot: str) -> Value:
    return Value(scene.draws(slot).choice("name", institutions.named(_POOLS[slot])))


def _ward(scene: Scene, slot: str) -> Value:
    """Returns a ward by letter, number or nickname, or one that its department is named in."""
    own = next((pool for pool, those in _WARDS.items() if scene.specialty in those), None)
    names = institutions.named("wards") + (institutions.named(own) if own else ())
    return Value(scene.draws(slot).choice("name", names))


def _organisation(scene: Scene, slot: str) -> Value:
    """Returns a school, a club or a day centre, whatever the age makes likely."""
    kind = "organisations_child" if scene.age < 18 else "organisations"
    kind = "organisations_old" if scene.age > 74 else kind
    return Value(scene.draws(slot).choice("name", institutions.named(kind)))


def _remark(scene: Scene, slot: str) -> Value:
    """Returns what everybody in town knows the patient by."""
    kind = "child" if scene.age < 18 else f"old_{scene.sex}" if scene.age > 65 else scene.sex
    return Value(scene.draws(slot).choice("name", institutions.named(f"other_phi_{kind}")))


def _clinic(scene: Scene, slot: str) -> Value:
    return Value(scene.house.name)


def _clinic_short(scene: Scene, slot: str) -> Value:
    return Value(scene.house.short)


def _earlier_clinic(scene: Scene, slot: str) -> Value:
    houses = institutions.clinics()
    drawn = scene.draws(slot).choice("name", houses[:-1])
    return Value((houses[-1] if drawn is scene.house else drawn).name)


def _insurer(scene: Scene, slot: str) -> Value:
    kind = "insurers_private" if scene.private else "insurers_statutory"
    return Value(scene.draws(slot).choice(kind, institutions.named(kind)), {"kind": kind[9:]})


def _room(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    number = draws.integer("number", 1, 48)
    floor = draws.integer("floor", 0, 6)
    forms = (f"Zimmer {number}", f"Zimmer {floor}{number:02d}", f"Zi. {floor}.{number:02d}")
    return Value(draws.choice("form", forms))


def _profession(scene: Scene, slot: str) -> Value:
    return Value(professions.choose(scene.draws(slot), "name", sex=scene.sex, age=scene.age))


def employed(scene: Scene) -> bool:
    """Returns whether the patient, of an age to work, has a profession with an employer."""
    return 17 < scene.age < 67 and bool(employers_of(_profession(scene, "beruf").text))


def _employer(scene: Scene, slot: str) -> Value:
    """Returns an employer of the patient's profession; "" where it has none."""
    known = employers_of(_profession(scene, "beruf").text)
    return Value(scene.draws(slot).choice("name", known) if known else "")


def _dictation(scene: Scene, slot: str) -> Value:
    """Returns a dictation mark: the doctor's letters, then the typist's."""
    draws = scene.draws(slot)
    doctor = scene.people[draws.choice("doctor", ("stationsarzt", "oberarzt"))]
    family = fold(doctor.family).replace(" ", "")
    typist = draws.choice("typist", _TYPISTS)
    forms = (
        f"{family[:3].lower()}/{typist}", f"{family[:2]}/{typist.upper()}",
        f"{fold(doctor.given[0])[0]}{family[0]}/{typist}", f"{family.lower()[:6]}_{typist[0]}",
        f"{family[:4].upper()}-{typist.upper()}",
        f"{fold(doctor.given[0])[0].lower()}{family.lower()}",
    )  # fmt: skip
    return Value(draws.choice("form", forms))


_TYPISTS = (
    "ab",
    "ks",
    "mh",
    "sr",
    "bl",
    "du",
    "fw",
    "go",
    "hk",
    "jn",
    "lz",
    "me",
    "nt",
    "pw",
    "tv",
)

MAKERS: Mapping[str, Maker] = {
    **dict.fromkeys(_POOLS, _listed),
    "station": _ward,
    "organisation": _organisation,
    "sonstiges": _remark,
    "klinik": _clinic,
    "klinik_kurz": _clinic_short,
    "vorklinik": _earlier_clinic,
    "versicherer": _insurer,
    "zimmer": _room,
    "beruf": _profession,
    "arbeitgeber": _employer,
    "diktat": _dictation,
}
"""Makers of institutions and the like by slot."""
