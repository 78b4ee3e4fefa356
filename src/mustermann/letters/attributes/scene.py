"""Everything that the values of one letter are made from."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from datetime import date
from typing import TypeAlias

from mustermann.core.seeds import Draws, Seeds
from mustermann.german import institutions
from mustermann.german.institutions import House
from mustermann.german.phones import DRAMA_BLOCKS
from mustermann.german.places import Town, surname_towns, towns_by_size, towns_near, tricky_towns
from mustermann.letters.attributes.dates import StayDates
from mustermann.letters.attributes.record import Parameters, Person, Sex
from mustermann.letters.config import LettersConfig

NO_DETAILS: Mapping[str, str] = {}


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """The text of a slot and what is known of it."""

    text: str
    details: Mapping[str, str] = dataclasses.field(default_factory=lambda: NO_DETAILS)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Scene:
    """One letter's people, places and days.

    Attributes:
      seeds: The letter's node.
      config: Probabilities.
      parameters: How the letter is written, with the modes that found something to do.
      specialty: Of the department.
      sex: Of the patient.
      age: Whole years at admission.
      birth: Day of birth.
      stay: Days of the stay.
      patient: The patient.
      people: Everybody else, by slot.
    """

    seeds: Seeds
    config: LettersConfig
    parameters: Parameters
    specialty: str
    sex: Sex
    age: int
    birth: date
    stay: StayDates
    patient: Person
    people: Mapping[str, Person]

    def draws(self, slot: str) -> Draws:
        """Returns the stream of one slot's value."""
        return self._values.below(slot)

    @functools.cached_property
    def _values(self) -> Draws:
        return self.seeds.draws("values")

    def has(self, mode: str) -> bool:
        """Returns whether an adversarial mode is on."""
        return mode in self.parameters.modes

    @functools.cached_property
    def home(self) -> Town:
        """Where the patient lives."""
        draws = self.seeds.draws("home")
        if self.has("town_name"):
            return next(town for town in surname_towns() if town.name == self.patient.family)
        settings = self.config.address
        near = draws.bernoulli("near", settings.near_town)
        if draws.bernoulli("tricky", settings.tricky_town.at(self.parameters.difficulty)):
            known = near and towns_near(self.clinic, tricky=True)
            return draws.choice("town", known or tricky_towns())
        if draws.bernoulli("same", settings.same_town):
            return self.clinic
        return draws.choice("town", towns_near(self.clinic) if near else towns_by_size())

    @functools.cached_property
    def clinic(self) -> Town:
        """Where the clinic is."""
        draws = self.seeds.draws("clinic")
        if self.has("town_name"):
            return self.home
        if draws.bernoulli("drama", self.config.address.drama_town):
            return draws.choice("town", _drama_towns())
        return draws.choice("town", towns_by_size())

    @functools.cached_property
    def house(self) -> House:
        """The clinic that writes the letter."""
        draws = self.seeds.draws("house")
        if self.has("town_name"):
            return draws.choice("town house", institutions.town_clinics(self.clinic.name))
        return draws.choice("house", institutions.clinics())

    @functools.cached_property
    def private(self) -> bool:
        """Whether the patient is privately insured."""
        chance = self.config.address.private_insurance
        return self.seeds.draws("insurance").bernoulli("private", chance)

    @functools.cached_property
    def practice(self) -> Town:
        """Where the referring practice is: the patient's town."""
        return self.home

    @functools.cached_property
    def kin_town(self) -> Town:
        """Where the next of kin lives: often the patient's town."""
        draws = self.seeds.draws("kin town")
        if draws.bernoulli("same", 0.6):
            return self.home
        near = draws.bernoulli("near", self.config.address.near_town)
        return draws.choice("town", towns_near(self.home) if near else towns_by_size())


Maker: TypeAlias = Callable[[Scene, str], Value]
"""Makes the value of the slot that is named second."""


@functools.cache
def _drama_towns() -> tuple[Town, ...]:
    return tuple(town for town in towns_by_size() if town.area_code in DRAMA_BLOCKS)
