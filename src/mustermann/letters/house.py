"""The house style of a letter: how it writes dates, numbers and drugs when nobody says.

A house writes alike throughout a letter and differently from the next house. The style is
a pure function of the attributes, so a placeholder's surface is too. The weights follow
what was counted in real letters: stay dates in full, examinations often with two-digit
year, two or three formats a letter by context and not at random.

Source: counts over GraSCCo (Modersohn et al. 2022): D.M.YYYY to DD.MM.YYYY 81 to 157,
"40mg" to "40 mg" 146 to 116, brand names 54 % of all drug names.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Draws
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.grammar import PHONE_FORMS


def _weights(**weights: float) -> Any:
    return dataclasses.field(default_factory=lambda: dict(weights))


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class HouseWeights:
    """How often houses write a value in which way.

    Attributes:
      unpadded: Share of houses that write "3.4.2026", not "03.04.2026".
      stay_short_year: Share that shorten the year of admission and discharge to two digits.
      event_short_year: The same for examinations and history.
      letter_in_words: Share that write the letter's own date as "3. April 2026".
      phone: Weights of forms for telephone and fax; all of them keep the digits.
      noisy_titles: Probability by difficulty that a house writes titles carelessly, as
        real letters do: "Dr.med.", "PD. Dr.", "Dr.Leitner".
      dose_blank: Share of houses that write "40 mg"; the others write "40mg".
      brand: Share of houses that call a drug by its brand where it has one.
      professor: Share of houses that spell Professor out in a salutation.
    """

    unpadded: float = 0.33
    stay_short_year: float = 0.06
    event_short_year: float = 0.38
    letter_in_words: float = 0.30
    phone: Mapping[str, float] = _weights(din=0.50, slash=0.30, dash=0.10, brackets=0.10)
    noisy_titles: Mapping[str, float] = _weights(easy=0.0, medium=0.08, hard=0.20, adversarial=0.35)
    dose_blank: float = 0.45
    brand: float = 0.54
    professor: float = 0.40

    def __post_init__(self) -> None:
        """Refuses forms that nobody can write."""
        unknown = set(self.phone) - set(PHONE_FORMS)
        if unknown:
            raise ConfigError(f"Expected phone among {', '.join(PHONE_FORMS)}, "
                              f"got {', '.join(sorted(unknown))}.")  # fmt: skip


DEFAULT = HouseWeights()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HouseStyle:
    """How one letter writes values whose form is left open.

    Attributes:
      birth: Date variant of the birth date.
      stay: Date variant of admission, discharge and death.
      letter: Date variant of the letter's date.
      event: Date variant of everything else.
      phone: Form of telephone numbers.
      dose_blank: Whether a blank stands between dose and unit.
      brand: Whether a drug goes by its brand.
      professor: Whether a salutation spells Professor out.
      noisy_titles: Whether titles are written carelessly.
      austrian: Whether January is Jänner.
      draws: Named values for whatever else a surface leaves open.
    """

    birth: str
    stay: str
    letter: str
    event: str
    phone: str
    dose_blank: bool
    brand: bool
    professor: bool
    noisy_titles: bool
    austrian: bool
    draws: Draws


def house_style(attributes: Attributes, weights: HouseWeights = DEFAULT) -> HouseStyle:
    """Returns the style of a letter: the same for equal attributes, in every process."""
    draws = Draws(hashlib.blake2b(_identity(attributes).encode(), digest_size=32).digest())
    padded = not draws.bernoulli("unpadded", weights.unpadded)
    full, short = ("dmy", "dmy2") if padded else ("d_m_y", "d_m_y2")
    noise = weights.noisy_titles.get(attributes.parameters.difficulty, 0.0)
    return HouseStyle(
        birth=full,
        stay=short if draws.bernoulli("stay", weights.stay_short_year) else full,
        letter="d_month_y" if draws.bernoulli("letter", weights.letter_in_words) else full,
        event=short if draws.bernoulli("event", weights.event_short_year) else full,
        phone=draws.weighted("phone", tuple(weights.phone), tuple(weights.phone.values())),
        dose_blank=draws.bernoulli("dose_blank", weights.dose_blank),
        brand=draws.bernoulli("brand", weights.brand),
        professor=draws.bernoulli("professor", weights.professor),
        noisy_titles=draws.bernoulli("titles", noise),
        austrian=attributes.values.get("klinik_plz", "").startswith("A"),
        draws=draws,
    )


def _identity(attributes: Attributes) -> str:
    person = attributes.patient
    days = (attributes.dates[name] for name in ("geburtsdatum", "aufnahme", "brief")
            if name in attributes.dates)  # fmt: skip
    house = attributes.values.get("klinik", "")
    return "\0".join((house, *person.given, person.family, *(day.isoformat() for day in days)))
