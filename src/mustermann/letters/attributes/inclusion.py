"""Which optional slots a letter shows: the density gate."""

from __future__ import annotations

from collections.abc import Mapping

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Attributes, Course, Parameters
from mustermann.letters.config import Inclusion
from mustermann.letters.slots import OTHERS, RELATIVES, STAFF

GATES: Mapping[str, tuple[str, ...]] = {
    "adresse": ("strasse", "plz", "ort"),
    "adresse_klinik": ("klinik_strasse", "klinik_plz", "klinik_ort"),
    "adresse_einweiser": ("einweiser_strasse", "einweiser_plz", "einweiser_ort"),
    "adresse_angehoeriger": ("angehoeriger_strasse", "angehoeriger_plz", "angehoeriger_ort"),
    "reisepass": ("pass",),
}
"""Slots of the gates that are no slot themselves; the texts may ask for either."""

ALWAYS: frozenset[str] = frozenset(
    {"telefon", "fax", "klinik_telefon", "klinik_fax", "klinik", "klinik_kurz"}
)
"""Slots that are in every letter."""


def sample_included(
    seeds: Seeds, *, settings: Inclusion, parameters: Parameters, absent: frozenset[str]
) -> frozenset[str]:
    """Returns the slots that the letter shows, and the gates that let them in.

    Each gate opens with its probability × density.

    Args:
      seeds: The letter's node.
      settings: Probabilities before density.
      parameters: For the density.
      absent: Slots that this patient cannot have, such as a number of private insurance.
    """
    draws = seeds.draws("included")
    opened = set(ALWAYS)
    for gate, probability in vars(settings).items():
        if draws.uniform(gate) < probability * parameters.density:
            opened.update((gate, *GATES.get(gate, ())))
    opened.difference_update(*(slots for gate, slots in _NEEDS.items() if gate not in opened))
    return frozenset(opened - absent)


def unlikely(course: Course, *, age: int) -> frozenset[str]:
    """Returns the relatives whom this patient does not have, or not alive.

    Args:
      course: Its facts say how the patient lives; a fact that the case lacks rules out nobody.
      age: Whole years at admission.
    """
    facts = course.facts
    single = facts.get("familienstand", "verheiratet") != "verheiratet" or age < 18
    childless = facts.get("kinder") == "keine Kinder" or age < 42
    absent = {"ehepartner"} if single else set()
    absent |= {"tochter", "sohn"} if childless else set()
    absent |= {"enkel"} if childless or age < 62 else set()
    absent |= {"mutter", "vater"} if age > 58 else set()
    absent |= {"schwester", "bruder"} if age < 8 else set()
    return frozenset(absent)


def present(attributes: Attributes) -> frozenset[str]:
    """Returns the people of the letter: those who sign it and those who were let in."""
    people = attributes.people
    found = {n for n in (*_EVERYWHERE, *(_GATED_PEOPLE & attributes.included)) if n in people}
    if "arzt_einweiser" in people and people["arzt_einweiser"].role.startswith("Haus"):
        # The addressee is the family doctor: nobody else is meant by that word.
        found.discard("hausarzt")
    return frozenset(found)


_EVERYWHERE = ("arzt_einweiser", "hausarzt", "stationsarzt", "oberarzt", "chefarzt")
_GATED_PEOPLE = frozenset({*RELATIVES, *STAFF, *OTHERS}.difference(_EVERYWHERE))
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "angehoeriger": (
        "angehoeriger_telefon", "angehoeriger_mobil", "adresse_angehoeriger",
        *GATES["adresse_angehoeriger"],
    ),
}  # fmt: skip
"""Slots that are let in only together with another."""
