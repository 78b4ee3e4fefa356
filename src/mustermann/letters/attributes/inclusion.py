"""Which optional slots a letter shows: the density gate."""

from __future__ import annotations

from collections.abc import Mapping

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Parameters
from mustermann.letters.config import Inclusion

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
    return frozenset(opened - absent)
