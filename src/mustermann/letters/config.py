"""Every probability and number behind a letter's attributes, in one object.

Defaults are the published tables where they exist, and ours elsewhere; any of them can be
overridden from TOML:

    [inclusion]
    email = 0.6
    [modes.nfd]
    adversarial = 1.0

Weights need not sum to one. The resolved object goes into the run's manifest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from typing import Annotated

from pydantic import Field

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError
from mustermann.letters.attributes.record import Difficulty, Length, StayType, Style
from mustermann.letters.house import HouseWeights

Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Weight = Annotated[float, Field(ge=0.0)]


def _require_weight(owner: object) -> None:
    if sum(dataclasses.asdict(owner).values()) <= 0:  # type: ignore[call-overload]
        raise ConfigError(f"Expected a weight above 0 in {type(owner).__name__}, found none.")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class DifficultyMix:
    """Weights of the difficulties over a corpus."""

    easy: Weight = 0.25
    medium: Weight = 0.35
    hard: Weight = 0.25
    adversarial: Weight = 0.15

    def __post_init__(self) -> None:
        """Refuses a mix without any weight."""
        _require_weight(self)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class StyleMix:
    """Weights of the house styles."""

    standard: Weight = 0.50
    akademisch: Weight = 0.25
    knapp: Weight = 0.25

    def __post_init__(self) -> None:
        """Refuses a mix without any weight."""
        _require_weight(self)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LengthMix:
    """Weights of the length bands."""

    kurz: Weight
    mittel: Weight
    ausfuehrlich: Weight
    sehr_lang: Weight

    def __post_init__(self) -> None:
        """Refuses a mix without any weight."""
        _require_weight(self)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LengthMixes:
    """Length bands by difficulty: the harder, the longer."""

    easy: LengthMix = LengthMix(kurz=0.30, mittel=0.45, ausfuehrlich=0.20, sehr_lang=0.05)
    medium: LengthMix = LengthMix(kurz=0.20, mittel=0.35, ausfuehrlich=0.30, sehr_lang=0.15)
    hard: LengthMix = LengthMix(kurz=0.10, mittel=0.25, ausfuehrlich=0.35, sehr_lang=0.30)
    adversarial: LengthMix = LengthMix(kurz=0.05, mittel=0.15, ausfuehrlich=0.35, sehr_lang=0.45)

    def at(self, difficulty: Difficulty) -> LengthMix:
        """Returns the mix at one difficulty."""
        mix: LengthMix = getattr(self, difficulty)
        return mix


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LengthBands:
    """Lowest and highest number of characters of a letter, by band."""

    kurz: tuple[int, int] = (1_500, 3_500)
    mittel: tuple[int, int] = (3_500, 7_000)
    ausfuehrlich: tuple[int, int] = (7_000, 11_000)
    sehr_lang: tuple[int, int] = (11_000, 20_000)

    def __post_init__(self) -> None:
        """Refuses a band that is empty."""
        for name, (low, high) in dataclasses.asdict(self).items():
            if not 0 < low < high:
                raise ConfigError(f"Expected 0 < low < high in the band {name}, got {low}, {high}.")

    def at(self, length: Length) -> tuple[int, int]:
        """Returns the band's ends, in characters."""
        band: tuple[int, int] = getattr(self, length)
        return band


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Levels:
    """A probability by difficulty."""

    easy: Probability = 0.0
    medium: Probability = 0.0
    hard: Probability = 0.0
    adversarial: Probability = 0.0

    def at(self, difficulty: Difficulty) -> float:
        """Returns the probability at one difficulty."""
        return float(getattr(self, difficulty))


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Density:
    """The share of optional atoms: Beta with these means, by length and style.

    Attributes:
      kurz: Mean in a short letter.
      mittel: Mean in a letter of middle length.
      ausfuehrlich: Mean in a long letter.
      sehr_lang: Mean in a very long letter.
      akademisch: What the academic style adds to the mean.
      concentration: a + b of the Beta distribution; the higher, the narrower.
    """

    kurz: Probability = 0.55
    mittel: Probability = 0.65
    ausfuehrlich: Probability = 0.75
    sehr_lang: Probability = 0.82
    akademisch: Probability = 0.08
    concentration: Annotated[float, Field(gt=0.0)] = 12.0

    def mean(self, length: Length, style: Style) -> float:
        """Returns the mean, kept off 0 and 1 where Beta has no density."""
        bonus = self.akademisch if style == "akademisch" else 0.0
        return min(0.99, max(0.01, float(getattr(self, length)) + bonus))


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Dates:
    """When things happen.

    Attributes:
      anchor: The day that admissions are counted back from.
      admission_days: Days between admission and anchor, uniform, both ends included.
      birth_day: Day of the month of birth, uniform.
      years_back: Whole years between a past event and the admission.
      years_back_weights: One weight a value of `years_back`.
      elective_weekday: Probability that an elective admission falls on a workday.
      no_discharge_at_rest: Probability that a discharge on a Sunday or a holiday is put off or
        brought forward, where the length of stay allows it.
      letter_delay_weights: Weights of 0, 1, 2, … days between discharge and letter, before
        Sundays and holidays are skipped.
    """

    anchor: date = date(2026, 9, 3)
    admission_days: tuple[int, int] = (5, 365)
    birth_day: tuple[int, int] = (1, 28)
    years_back: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15)
    years_back_weights: tuple[Weight, ...] = (30, 12, 8, 8, 6, 6, 5, 5, 5, 4, 4)
    elective_weekday: Probability = 1.0
    no_discharge_at_rest: Probability = 0.85
    letter_delay_weights: tuple[Weight, ...] = (68, 16, 8, 4, 2, 1, 1)

    def __post_init__(self) -> None:
        """Refuses ranges that are empty and weights that do not fit."""
        if len(self.years_back) != len(self.years_back_weights):
            raise ConfigError(
                f"Expected one weight for each of {len(self.years_back)} years_back, "
                f"got {len(self.years_back_weights)}."
            )
        for name in ("admission_days", "birth_day"):
            low, high = getattr(self, name)
            if not 1 <= low <= high:
                raise ConfigError(f"Expected 1 <= low <= high for {name}, got {low}, {high}.")
        if self.birth_day[1] > 28:
            raise ConfigError(f"Expected birth_day up to 28, got {self.birth_day[1]}.")


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class StayMix:
    """Weights of the kinds of stay."""

    ambulant: Weight = 0.08
    akut: Weight = 0.78
    lang: Weight = 0.14

    def __post_init__(self) -> None:
        """Refuses a mix without any weight."""
        _require_weight(self)

    def at(self, stay: StayType) -> float:
        """Returns the weight of one kind of stay."""
        return float(getattr(self, stay))


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class SpecialtyGate:
    """What a specialty asks of its patients, on top of what the case asks.

    Attributes:
      weight: Factor on the weights of the specialty's cases.
      youngest: Lowest age in years.
      oldest: Highest age in years.
      male: Factor on the weight of men.
      female: Factor on the weight of women.
    """

    weight: Weight = 1.0
    youngest: int = 0
    oldest: int = 105
    male: Weight = 1.0
    female: Weight = 1.0


def _gates() -> Mapping[str, SpecialtyGate]:
    return {
        "Geriatrie": SpecialtyGate(youngest=65, male=0.42, female=0.58),
        "Gynäkologie": SpecialtyGate(male=0.0, youngest=14),
        "Geburtshilfe": SpecialtyGate(male=0.0, youngest=14, oldest=50),
        "Gynäkologie und Geburtshilfe": SpecialtyGate(male=0.0, youngest=14),
        "Urologie": SpecialtyGate(male=0.82, female=0.18),
        "Pädiatrie": SpecialtyGate(oldest=17),
        "Neonatologie": SpecialtyGate(oldest=0),
    }


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Origins:
    """Weights of the name pools; about the make-up of a German city."""

    german: Weight = 0.54
    turkish: Weight = 0.09
    polish: Weight = 0.06
    russian: Weight = 0.06
    arabic: Weight = 0.06
    balkan: Weight = 0.04
    italian: Weight = 0.025
    romanian: Weight = 0.02
    greek: Weight = 0.02
    ukrainian: Weight = 0.02
    persian: Weight = 0.015
    kurdish: Weight = 0.01
    iberian: Weight = 0.015
    vietnamese: Weight = 0.01
    albanian: Weight = 0.01
    indian: Weight = 0.01

    def __post_init__(self) -> None:
        """Refuses a mix without any weight."""
        _require_weight(self)


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Names:
    """How names are put together.

    Attributes:
      cross_origin: Given name from another origin than the family name.
      doubled_family: Hyphenated family name of two.
      second_given: A second given name.
      third_given: A third one, where there is a second.
      birth_name: A woman of 25 or more carries another family name since marriage.
      birth_name_man: The same for a man.
      patient_title: A patient of 28 or more has a doctorate.
      particle: A family name with particle, where the pool has one.
      staff_german: A member of staff comes from the German pool whatever the origin mix says.
      spouse_shares_name: Husband and wife have one family name.
      child_shares_name: A grown child has the patient's family name.
      same_sex_spouse: Both partners have the same sex.
    """

    cross_origin: Levels = Levels(medium=0.04, hard=0.12, adversarial=0.20)
    doubled_family: Levels = Levels(medium=0.04, hard=0.10, adversarial=0.18)
    second_given: Probability = 0.22
    third_given: Probability = 0.06
    birth_name: Probability = 0.45
    birth_name_man: Probability = 0.06
    patient_title: Probability = 0.03
    particle: Probability = 0.03
    staff_german: Probability = 0.40
    spouse_shares_name: Probability = 0.85
    child_shares_name: Probability = 0.70
    same_sex_spouse: Probability = 0.02


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Address:
    """Where people and houses are.

    Attributes:
      tricky_town: A town whose name is also a word, a name or a part of either.
      same_town: Patient and clinic are in the same town.
      near_town: A patient of another town lives near the clinic: in the same ZIP region.
      drama_town: The clinic is in a town that has telephone numbers reserved for fiction.
      number_suffix: A letter behind the house number.
      number_highest: Highest house number.
      realistic_phones: Telephone numbers that somebody could have; off, they ring nobody.
      private_insurance: The patient is privately insured.
    """

    tricky_town: Levels = Levels(hard=0.35, adversarial=0.50)
    same_town: Probability = 0.45
    near_town: Probability = 0.85
    drama_town: Probability = 0.30
    number_suffix: Probability = 0.12
    number_highest: Annotated[int, Field(ge=1)] = 180
    realistic_phones: bool = False
    private_insurance: Probability = 0.11


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Inclusion:
    """Probability of each optional atom before density; the density multiplies it.

    A gate lets one slot in, or all parts of one address: `attributes.inclusion` has the list.
    """

    adresse: Probability = 0.85
    adresse_klinik: Probability = 0.85
    kvnr: Probability = 0.75
    fallnr: Probability = 0.80
    patid: Probability = 0.65
    lanr: Probability = 0.40
    bsnr: Probability = 0.30
    ik_nr: Probability = 0.20
    mobil: Probability = 0.35
    email: Probability = 0.30
    versicherer: Probability = 0.70
    klinik_url: Probability = 0.50
    adresse_einweiser: Probability = 0.50
    adresse_angehoeriger: Probability = 0.10
    adresszusatz: Probability = 0.08
    angehoeriger_telefon: Probability = 0.35
    angehoeriger_mobil: Probability = 0.30
    station_telefon: Probability = 0.50
    einweiser_telefon: Probability = 0.30
    einweiser_fax: Probability = 0.30
    einweiser_email: Probability = 0.10
    klinik_email: Probability = 0.40
    aufnahmenr: Probability = 0.20
    auftragsnr: Probability = 0.25
    studiennr: Probability = 0.06
    spendernr: Probability = 0.03
    pkv_nr: Probability = 0.60
    efn: Probability = 0.08
    iban: Probability = 0.06
    steuer_id: Probability = 0.05
    rvnr: Probability = 0.08
    ausweis: Probability = 0.06
    reisepass: Probability = 0.05
    kennzeichen: Probability = 0.05
    geraetenr: Probability = 0.15
    ip: Probability = 0.05
    beruf: Probability = 0.55
    geburtsort: Probability = 0.15
    geburtsname: Probability = 0.50
    bundesland: Probability = 0.05
    land: Probability = 0.10
    ort_ereignis: Probability = 0.20
    vorklinik: Probability = 0.30
    rehaklinik: Probability = 0.40
    station: Probability = 0.75
    zimmer: Probability = 0.30
    organisation: Probability = 0.15
    pflegedienst: Probability = 0.25
    arbeitgeber: Probability = 0.20
    praxis: Probability = 0.50
    sonstiges: Probability = 0.06
    diktat: Probability = 0.50
    angehoeriger: Probability = 0.60
    ehepartner: Probability = 0.45
    mutter: Probability = 0.25
    vater: Probability = 0.20
    tochter: Probability = 0.35
    sohn: Probability = 0.30
    schwester: Probability = 0.15
    bruder: Probability = 0.15
    enkel: Probability = 0.15
    facharzt: Probability = 0.55
    konsiliararzt: Probability = 0.55
    operateur: Probability = 0.65
    pflege: Probability = 0.20
    therapeut: Probability = 0.20
    sozialdienst: Probability = 0.25
    betreuer: Probability = 0.10
    bekannter: Probability = 0.10
    sterbedatum: Probability = 0.10


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Rate:
    """Probability of an adversarial mode; easy and medium letters never have one."""

    hard: Probability = 0.0
    adversarial: Probability = 0.0

    def at(self, difficulty: Difficulty) -> float:
        """Returns the probability at one difficulty."""
        if difficulty == "hard":
            return self.hard
        return self.adversarial if difficulty == "adversarial" else 0.0


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Modes:
    """How often each adversarial mode is on: a few in hard letters, several in adversarial ones.

    The first block changes attributes, the second how values are written, the third the bytes.

    Attributes:
      eponym_patient: The patient is named like an eponym of the own disease.
      noun_name: The patient's name is a common noun or verb.
      town_name: Patient, town and clinic share one name.
      shared_surname: A member of staff has the patient's family name.
      date_like_ids: Numbers of case and patient look like dates.
      broken_checksums: Every identifier with a check digit fails it.
      second_identity: The data of a donor stand in the letter.
      email_lower: Mail addresses hold the name, in lower case.
      upper_names: Names in capitals.
      typo_names: Names with a slip of the keyboard.
      initials_only: Names shrink to initials.
      split_names: A line break inside a name.
      id_like_dates: Dates that look like numbers.
      pzn_beside_case_id: A product number stands beside the case number.
      missing_blanks: Blanks lost between words.
      table_blocks: Blocks that look like tables.
      ocr_noise: Misread characters.
      quoted_letters: Quotations of earlier letters.
      law_citations: Laws and grades that look like dates or ages.
      nfd: Umlauts in two code points.
      crlf: Line ends of Windows.
      nbsp: Blanks that do not break.
      zwsp: Blanks of no width.
    """

    eponym_patient: Rate = Rate(hard=0.05, adversarial=0.15)
    noun_name: Rate = Rate(hard=0.10, adversarial=0.20)
    town_name: Rate = Rate(hard=0.05, adversarial=0.12)
    shared_surname: Rate = Rate(hard=0.06, adversarial=0.15)
    date_like_ids: Rate = Rate(hard=0.06, adversarial=0.18)
    broken_checksums: Rate = Rate(hard=0.05, adversarial=0.15)
    second_identity: Rate = Rate(hard=0.04, adversarial=0.12)
    email_lower: Rate = Rate(hard=0.06, adversarial=0.18)

    upper_names: Rate = Rate(hard=0.06, adversarial=0.18)
    typo_names: Rate = Rate(hard=0.06, adversarial=0.18)
    initials_only: Rate = Rate(hard=0.05, adversarial=0.15)
    split_names: Rate = Rate(hard=0.06, adversarial=0.18)
    id_like_dates: Rate = Rate(hard=0.05, adversarial=0.15)
    pzn_beside_case_id: Rate = Rate(hard=0.06, adversarial=0.18)
    missing_blanks: Rate = Rate(hard=0.06, adversarial=0.18)
    table_blocks: Rate = Rate(hard=0.08, adversarial=0.20)
    ocr_noise: Rate = Rate(hard=0.03, adversarial=0.12)
    quoted_letters: Rate = Rate(hard=0.06, adversarial=0.18)
    law_citations: Rate = Rate(hard=0.08, adversarial=0.20)

    nfd: Rate = Rate(hard=0.02, adversarial=0.06)
    crlf: Rate = Rate(hard=0.02, adversarial=0.06)
    nbsp: Rate = Rate(hard=0.03, adversarial=0.10)
    zwsp: Rate = Rate(hard=0.02, adversarial=0.06)


MODES: tuple[str, ...] = tuple(field.name for field in dataclasses.fields(Modes))
"""Names of all adversarial modes."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LettersConfig:
    """Everything that shapes the attributes of letters.

    Attributes:
      difficulty: Mix over the corpus.
      style: Mix of house styles.
      lengths: Mix of length bands by difficulty.
      bands: Characters of each band.
      structured: Probability of sections with headings, by difficulty.
      density: Share of optional atoms.
      has_meds: Probability that the letter lists drugs; else it refers to the plan of medication.
      dates: When things happen.
      stay: Kinds of stay.
      specialties: Gates of age and sex; a table here replaces all of them.
      origins: Where names come from.
      names: How names are put together.
      address: Towns, streets, telephone numbers.
      inclusion: Probability of optional atoms.
      house: How often houses write dates, numbers and drugs in which way.
      modes: Adversarial modes.
    """

    difficulty: DifficultyMix = DifficultyMix()
    style: StyleMix = StyleMix()
    lengths: LengthMixes = LengthMixes()
    bands: LengthBands = LengthBands()
    structured: Levels = Levels(easy=0.90, medium=0.70, hard=0.45, adversarial=0.30)
    density: Density = Density()
    has_meds: Probability = 1.0
    dates: Dates = Dates()
    stay: StayMix = StayMix()
    specialties: Mapping[str, SpecialtyGate] = dataclasses.field(default_factory=_gates)
    origins: Origins = Origins()
    names: Names = Names()
    address: Address = Address()
    inclusion: Inclusion = Inclusion()
    house: HouseWeights = dataclasses.field(default_factory=HouseWeights)
    modes: Modes = Modes()
