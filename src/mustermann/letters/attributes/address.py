"""Streets, ZIP codes and towns of patient, clinic, practice and next of kin."""

from __future__ import annotations

from collections.abc import Mapping

from mustermann.german import institutions, places
from mustermann.german.places import Town
from mustermann.letters.attributes.scene import Maker, Scene, Value

_OWNERS = {"": "home", "klinik_": "clinic", "einweiser_": "practice", "angehoeriger_": "kin_town"}


def _town(scene: Scene, slot: str) -> Town:
    owner, _, _ = slot.rpartition("_")
    town: Town = getattr(scene, _OWNERS[f"{owner}_" if owner else ""])
    return town


def _street(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    number = str(draws.integer("number", 1, scene.config.address.number_highest))
    if draws.bernoulli("has suffix", scene.config.address.number_suffix):
        number += draws.choice("suffix", ("a", "b", "c", "d", " a", " b"))
    return Value(f"{draws.choice('street', places.streets())} {number}")


def _zip(scene: Scene, slot: str) -> Value:
    return Value(scene.draws(slot).choice("zip", _town(scene, slot).zips))


def _city(scene: Scene, slot: str) -> Value:
    return _named(_town(scene, slot))


def _birthplace(scene: Scene, slot: str) -> Value:
    draws = scene.draws(slot)
    return _named(scene.home if draws.bernoulli("home", 0.3) else _anywhere(scene, slot))


def _elsewhere(scene: Scene, slot: str) -> Value:
    return _named(_anywhere(scene, slot))


def _supplement(scene: Scene, slot: str) -> Value:
    return Value(scene.draws(slot).choice("supplement", institutions.named("address_supplements")))


def _state(scene: Scene, slot: str) -> Value:
    return Value(scene.home.state)


def _country(scene: Scene, slot: str) -> Value:
    return Value(institutions.countries()[scene.patient.origin])


def _anywhere(scene: Scene, slot: str) -> Town:
    draws = scene.draws(slot)
    if draws.bernoulli("tricky", scene.config.address.tricky_town.at(scene.parameters.difficulty)):
        return draws.choice("town", places.tricky_towns())
    return draws.choice("town", places.towns_by_size())


def _named(town: Town) -> Value:
    return Value(town.name, {"tricky": "yes"}) if town.tricky else Value(town.name)


MAKERS: Mapping[str, Maker] = {
    **{f"{owner}strasse": _street for owner in _OWNERS},
    **{f"{owner}plz": _zip for owner in _OWNERS},
    **{f"{owner}ort": _city for owner in _OWNERS},
    "geburtsort": _birthplace,
    "ort_ereignis": _elsewhere,
    "adresszusatz": _supplement,
    "bundesland": _state,
    "land": _country,
}
"""Makers of address parts by slot."""
