"""The house style of a letter: how it writes dates, numbers and drugs when nobody says.

A house writes alike throughout a letter and differently from the next house. The style is
a pure function of the attributes, so a placeholder's surface is too. The weights follow
what was counted in real letters: stay dates in full, examinations often with two-digit
year, two or three formats a letter by context and not at random.

Source: counts over GraSCCo (Modersohn et al. 2022): D.M.YYYY to DD.MM.YYYY 81 to 157, MM/YY
or M/YY 61 to MM/YYYY or M/YYYY 9, "40mg" to "40 mg" 146 to 116, brand names 54 % of all drug
names; about every third stay is "vom 7. bis 12.3.2026".
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

MONTH_FORMS = ("my", "my2", "my1")


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
      slash: Share that write every date as "03/04/2026".
      iso: Share, of those that do not, that write it as "2026-04-03".
      month: Weights of variants for a month in digits: "04/2026", "04/26", "4/26".
      elided: Share that leave out of a stay's first date what its last one says:
        "vom 3. bis 12.4.2026".
      phone: Weights of forms for telephone and fax; all of them keep the digits.
      noisy_titles: Probability by difficulty that a house writes titles carelessly, as
        real letters do: "Dr.med.", "PD. Dr.", "Dr.Leitner".
      dose_blank: Share of houses that write "40 mg"; the others write "40mg".
      brand: Share of houses that call a drug by its brand where it has one.
      professor: Share of houses that spell Professor out in a salutation.
      short_titles: Share that write "Dr. Weber" in running text, not "Dr. med. Weber".
      zip_prefix: Share that put D- before a postal code.
    """

    unpadded: float = 0.33
    stay_short_year: float = 0.06
    event_short_year: float = 0.38
    letter_in_words: float = 0.30
    slash: float = 0.03
    iso: float = 0.04
    month: Mapping[str, float] = _weights(my=0.25, my2=0.40, my1=0.35)
    elided: float = 0.33
    phone: Mapping[str, float] = _weights(
        din=0.45, slash=0.29, dash=0.09, brackets=0.09, intl=0.04, intl_zero=0.04
    )
    noisy_titles: Mapping[str, float] = _weights(easy=0.0, medium=0.08, hard=0.20, adversarial=0.35)
    dose_blank: float = 0.45
    brand: float = 0.54
    professor: float = 0.40
    short_titles: float = 0.50
    zip_prefix: float = 0.04

    def __post_init__(self) -> None:
        """Refuses forms that nobody can write."""
        for name, given, known in (
            ("phone", self.phone, PHONE_FORMS), ("month", self.month, MONTH_FORMS)
        ):  # fmt: skip
            unknown = set(given) - set(known)
            if unknown:
                raise ConfigError(f"Expected {name} among {', '.join(known)}, "
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
      month: Date variant of a month in digits.
      elided: Whether a stay's first date leaves out what its last one says.
      short_titles: Whether running text shortens a doctor's titles.
      zip_prefix: "D-" or "".
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
    month: str = "my"
    elided: bool = False
    short_titles: bool = False
    zip_prefix: str = ""


def house_style(attributes: Attributes, weights: HouseWeights = DEFAULT) -> HouseStyle:
    """Returns the style of a letter: the same for equal attributes, in every process."""
    draws = Draws(hashlib.blake2b(_identity(attributes).encode(), digest_size=32).digest())
    padded = not draws.bernoulli("unpadded", weights.unpadded)
    full, short = ("dmy", "dmy2") if padded else ("d_m_y", "d_m_y2")
    slash = draws.bernoulli("slash", weights.slash)
    if slash:
        full = short = "slash"
    noise = weights.noisy_titles.get(attributes.parameters.difficulty, 0.0)
    return HouseStyle(
        birth=full,
        stay=short if draws.bernoulli("stay", weights.stay_short_year) else full,
        letter=_letter_date(draws, weights, full),
        event=short if draws.bernoulli("event", weights.event_short_year) else full,
        phone=draws.weighted("phone", tuple(weights.phone), tuple(weights.phone.values())),
        dose_blank=draws.bernoulli("dose_blank", weights.dose_blank),
        brand=draws.bernoulli("brand", weights.brand),
        professor=draws.bernoulli("professor", weights.professor),
        noisy_titles=draws.bernoulli("titles", noise),
        austrian=attributes.values.get("klinik_plz", "").startswith("A"),
        draws=draws,
        month=draws.weighted("month", tuple(weights.month), tuple(weights.month.values())),
        elided=not slash and draws.bernoulli("elided", weights.elided),
        short_titles=draws.bernoulli("short titles", weights.short_titles),
        zip_prefix="D-" if draws.bernoulli("zip prefix", weights.zip_prefix) else "",
    )


def _letter_date(draws: Draws, weights: HouseWeights, full: str) -> str:
    if draws.bernoulli("letter", weights.letter_in_words):
        return "d_month_y"
    return "iso" if draws.bernoulli("iso", weights.iso) else full


def _identity(attributes: Attributes) -> str:
    person = attributes.patient
    days = (attributes.dates[name] for name in ("geburtsdatum", "aufnahme", "brief")
            if name in attributes.dates)  # fmt: skip
    house = attributes.values.get("klinik", "")
    return "\0".join((house, *person.given, person.family, *(day.isoformat() for day in days)))
