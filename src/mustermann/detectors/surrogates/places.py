"""Streets, towns, houses and what else has a name, in place of those that were found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.surrogates import patterns
from mustermann.german import institutions, professions
from mustermann.german.employers import employers
from mustermann.german.places import Town, streets, towns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.core.seeds import Draws

_NUMBER = re.compile(r"\s*\d+\s?[a-z]?(?:\s?[-–/]\s?\d+\s?[a-z]?)?\s*\Z")
_ABBREVIATED = re.compile(r"str\.|Str\.")
_PRACTICE = re.compile(r"[Pp]raxis|PRAXIS|MVZ|Hausarzt|Ärztehaus")
_LISTS = {
    "INSURER": "insurers_statutory", "ADDRESS_OTHER": "address_supplements",
}  # fmt: skip


def town(draws: Draws, *, other_than: str) -> Town:
    """Returns a town whose name is nothing else, and not the one that it stands for."""
    plain = [place for place in towns() if not place.tricky and place.name != other_than]
    return draws.choice("town", plain)


def street(text: str, draws: Draws) -> str:
    """Returns a street with a number of as many digits, shortened where `text` is."""
    number = _NUMBER.search(text)
    name = draws.choice("street", streets())
    if _ABBREVIATED.search(text):
        name = name.replace("straße", "str.").replace("Straße", "Str.")
    return name + (patterns.digits(number[0], draws) if number else "")


def named(text: str, label: str, draws: Draws) -> str | None:
    """Returns another name of the kind, None where there is no list of it."""
    if label in {"WARD", "ROOM"} and any(map(str.isdigit, text)):
        return patterns.digits(text, draws)
    if label == "PROFESSION":
        known = draws.choice("profession", professions.professions("working"))
        return known.of("f" if text.endswith(("in", "frau", "schwester")) else "m")
    others = [name for name in _options(text, label) if name.lower() != text.lower()]
    return draws.choice("name", others) if others else None


def _options(text: str, label: str) -> Sequence[str]:
    if label in {"HOSPITAL", "LOCATION_HOSPITAL"}:
        if _PRACTICE.search(text):
            return institutions.named("practices")
        return [house.name for house in institutions.clinics()]
    if label in {"WARD", "ROOM"}:
        return [ward for ward in institutions.named("wards") if ward.isalpha()]
    if label in {"ORGANIZATION", "ORG"}:
        return employers()
    if label == "STATE":
        return sorted({place.state for place in towns()})
    if label == "COUNTRY":
        return sorted({*institutions.countries().values()})
    return institutions.named(_LISTS[label]) if label in _LISTS else ()
