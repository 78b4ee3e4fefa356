"""Drawing the case, and in it kind of stay, sex and age."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.admission import Admission, NoFittingCase
from mustermann.letters.attributes.clinical import CaseProfile
from mustermann.letters.attributes.record import Sex, StayType
from mustermann.letters.config import LettersConfig, SpecialtyGate

_NO_GATE = SpecialtyGate()
_STAYS: tuple[StayType, ...] = ("ambulant", "akut", "lang")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A case with the frame of its patient.

    Attributes:
      profile: The case.
      stay: Kind of stay.
      days: Shortest and longest stay in nights.
      sex: Of the patient.
      age: Whole years at admission.
    """

    profile: CaseProfile
    stay: StayType
    days: tuple[int, int]
    sex: Sex
    age: int


@dataclasses.dataclass(frozen=True, slots=True)
class _Fit:
    """A case with what config and given admission leave of it."""

    profile: CaseProfile
    weight: float
    sexes: tuple[tuple[Sex, float], ...]
    ages: tuple[int, int]
    stays: tuple[StayType, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Offer:
    """The cases to draw from, by kind of stay, with their weights."""

    stays: tuple[StayType, ...]
    stay_weights: tuple[float, ...]
    fits: Mapping[StayType, tuple[_Fit, ...]]
    weights: Mapping[StayType, tuple[float, ...]]


class _LastOffer:
    """Remembers the last offer: all letters of a run draw from the same cases."""

    def __init__(self) -> None:
        self._last: tuple[Sequence[CaseProfile], LettersConfig, _Offer] | None = None

    def get(self, profiles: Sequence[CaseProfile], config: LettersConfig) -> _Offer:
        """Returns what the config leaves of the cases, for the same two objects at once."""
        last = self._last
        if last is None or last[0] is not profiles or last[1] is not config:
            self._last = last = (profiles, config, _offer(profiles, config, _FREE))
        return last[2]


_FREE = Admission()
_last_offer = _LastOffer()


def choose_case(
    seeds: Seeds, *, profiles: Sequence[CaseProfile], config: LettersConfig, admission: Admission
) -> Chosen:
    """Returns the case of a letter, each of its parts from a named draw.

    The kind of stay comes first, so that its shares hold whatever the cases offer; then the
    case by its weight and its specialty's, then sex and age inside it.

    Raises:
      ConfigError: No case is left by the config.
      NoFittingCase: No case fits the given admission.
    """
    free = admission == _FREE
    offer = _last_offer.get(profiles, config) if free else _offer(profiles, config, admission)
    if not offer.stays:
        if free:
            raise ConfigError("Expected a case whose specialty has a weight above 0, found none.")
        raise NoFittingCase(f"Expected a case that fits {_words(admission)}, found none.")
    draws = seeds.draws("case")
    stay = draws.weighted("stay", offer.stays, offer.stay_weights)
    fit = draws.weighted("case", offer.fits[stay], offer.weights[stay])
    sexes, weights = zip(*fit.sexes, strict=True)
    sex: Sex = draws.weighted("sex", sexes, weights)
    low, high = fit.ages
    # The mean of two uniforms: ages gather in the middle of the case's range.
    age = low + round((high - low) * (draws.uniform("age") + draws.uniform("age too")) / 2)
    days = fit.profile.stays[stay]
    if admission.length_of_stay is not None:
        days = (admission.length_of_stay, admission.length_of_stay)
    return Chosen(profile=fit.profile, stay=stay, days=days, sex=sex, age=age)


def _offer(profiles: Sequence[CaseProfile], config: LettersConfig, admission: Admission) -> _Offer:
    fits = [fit for profile in profiles if (fit := _fit(profile, config, admission))]
    stays = tuple(stay for stay in _STAYS if any(stay in fit.stays for fit in fits))
    by_stay = {stay: tuple(fit for fit in fits if stay in fit.stays) for stay in stays}
    return _Offer(
        stays=stays,
        stay_weights=_stay_weights(config, stays),
        fits=by_stay,
        weights={stay: tuple(fit.weight for fit in those) for stay, those in by_stay.items()},
    )


def _fit(profile: CaseProfile, config: LettersConfig, admission: Admission) -> _Fit | None:
    gate = config.specialties.get(profile.specialty, _NO_GATE)
    factors = {"m": gate.male, "f": gate.female}
    sexes = tuple(
        (sex, weight * factors[sex])
        for sex, weight in profile.sexes.items()
        if weight * factors[sex] > 0 and admission.sex in (None, sex)
    )
    ages = (max(profile.ages[0], gate.youngest), min(profile.ages[1], gate.oldest))
    if admission.age is not None:
        ages = (max(ages[0], admission.age), min(ages[1], admission.age))
    stays = tuple(
        stay for stay, days in profile.stays.items() if _allows(days, admission.length_of_stay)
    )
    weight = profile.weight * gate.weight
    if not sexes or ages[0] > ages[1] or not stays or weight <= 0:
        return None
    if admission.specialty not in ("", profile.specialty):
        return None
    if (admission.icd and admission.icd not in profile.icd) or not set(admission.ops) <= set(
        profile.ops
    ):
        return None
    return _Fit(profile, weight, sexes, ages, stays)


def _allows(days: tuple[int, int], nights: int | None) -> bool:
    return nights is None or days[0] <= nights <= days[1]


def _stay_weights(config: LettersConfig, stays: Sequence[StayType]) -> tuple[float, ...]:
    weights = tuple(config.stay.at(stay) for stay in stays)
    # A given stay may be of a kind that the mix leaves out.
    return weights if sum(weights) > 0 else (1.0,) * len(stays)


def _words(admission: Admission) -> str:
    given = {name: value for name, value in dataclasses.asdict(admission).items() if value}
    return ", ".join(f"{name}={value}" for name, value in given.items())
