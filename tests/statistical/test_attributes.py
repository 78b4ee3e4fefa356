"""What is drawn follows the published tables: chi-squared tests at 1 in 10,000, fixed seeds."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from datetime import date

import pytest
from scipy.stats import binomtest, chisquare, kstest

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.attributes.choice import choose_case
from mustermann.letters.attributes.clinical import CaseProfile
from mustermann.letters.attributes.dates import sample_birth, sample_past, sample_stay
from mustermann.letters.attributes.inclusion import sample_included
from mustermann.letters.attributes.parameters import LENGTHS, sample_parameters
from mustermann.letters.attributes.person import Namer
from mustermann.letters.attributes.record import Parameters
from mustermann.letters.config import MODES, LettersConfig

COUNT = 20_000
LEVEL = 1e-4
CONFIG = LettersConfig()


def seeds(number: int) -> Seeds:
    return Seeds(2026).child("letters", number)


def fits(counts: Mapping[object, int], weights: Mapping[object, float]) -> bool:
    """Tells whether counts are plausible under the weights, and nothing else occurred."""
    total, mass = sum(counts.values()), sum(weights.values())
    keys = [key for key, weight in weights.items() if weight > 0]
    expected = [total * weights[key] / mass for key in keys]
    return set(counts) <= set(keys) and (
        chisquare([counts.get(key, 0) for key in keys], expected).pvalue > LEVEL
    )


@pytest.fixture(scope="module")
def parameters() -> list[Parameters]:
    return [sample_parameters(seeds(number), config=CONFIG) for number in range(COUNT)]


def test_difficulties_and_styles(parameters: list[Parameters]) -> None:
    mix = {"easy": 0.25, "medium": 0.35, "hard": 0.25, "adversarial": 0.15}
    assert fits(Counter(p.difficulty for p in parameters), mix)
    styles = {"standard": 0.5, "akademisch": 0.25, "knapp": 0.25}
    assert fits(Counter(p.style for p in parameters), styles)


@pytest.mark.parametrize(
    ("difficulty", "lengths", "structured"),
    [
        ("easy", (0.30, 0.45, 0.20, 0.05), 0.90),
        ("medium", (0.20, 0.35, 0.30, 0.15), 0.70),
        ("hard", (0.10, 0.25, 0.35, 0.30), 0.45),
        ("adversarial", (0.05, 0.15, 0.35, 0.45), 0.30),
    ],
)
def test_lengths_and_structures(parameters, difficulty, lengths, structured) -> None:
    those = [p for p in parameters if p.difficulty == difficulty]
    assert fits(Counter(p.length for p in those), dict(zip(LENGTHS, lengths, strict=True)))
    shares = {"structured": structured, "narrative": 1 - structured}
    assert fits(Counter(p.structure for p in those), shares)


def test_a_wrong_table_is_noticed(parameters: list[Parameters]) -> None:
    wrong = {"easy": 0.27, "medium": 0.33, "hard": 0.25, "adversarial": 0.15}
    assert not fits(Counter(p.difficulty for p in parameters), wrong)


def test_density_is_a_beta_of_length_and_style(parameters: list[Parameters]) -> None:
    for length in LENGTHS:
        for style in ("standard", "akademisch"):
            those = [p.density for p in parameters if (p.length, p.style) == (length, style)]
            mean, total = CONFIG.density.mean(length, style), CONFIG.density.concentration
            assert kstest(those, "beta", args=(mean * total, (1 - mean) * total)).pvalue > LEVEL
            assert all(0 < density <= 1 for density in those)


@pytest.mark.parametrize("difficulty", ["hard", "adversarial"])
def test_modes_are_on_as_often_as_said(parameters: list[Parameters], difficulty: str) -> None:
    those = [p for p in parameters if p.difficulty == difficulty]
    for mode in MODES:
        on = sum(mode in p.modes for p in those)
        chance = getattr(CONFIG.modes, mode).at(difficulty)
        assert binomtest(on, len(those), chance).pvalue > LEVEL / len(MODES), mode


def test_easy_and_medium_letters_have_no_mode(parameters: list[Parameters]) -> None:
    assert not any(p.modes for p in parameters if p.difficulty in {"easy", "medium"})


def test_kinds_of_stay_hold_whatever_the_cases_offer() -> None:
    acute = CaseProfile(
        id="a", specialty="Chirurgie", sexes={"m": 1.0}, ages=(20, 80), stays={"akut": (2, 6)}
    )
    every = CaseProfile(
        id="b", specialty="Innere Medizin", sexes={"m": 1.0, "f": 3.0}, ages=(20, 80),
        stays={"ambulant": (0, 0), "akut": (2, 9), "lang": (14, 30)},
    )  # fmt: skip
    drawn = [
        choose_case(seeds(n), profiles=(acute, every), config=CONFIG, admission=Admission())
        for n in range(COUNT)
    ]
    assert fits(Counter(c.stay for c in drawn), {"ambulant": 0.08, "akut": 0.78, "lang": 0.14})
    sexes = Counter(c.sex for c in drawn if c.profile.id == "b")
    assert fits(sexes, {"m": 1.0, "f": 3.0})


def test_dates_of_admission_and_birth() -> None:
    # Discharges that avoid Sundays are not uniform over the length of stay.
    dates = dataclasses.replace(CONFIG.dates, no_discharge_at_rest=0.0)
    stays = [
        sample_stay(seeds(n), settings=dates, days=(2, 9), elective=False) for n in range(COUNT)
    ]
    offsets = Counter((CONFIG.dates.anchor - stay.admission).days for stay in stays)
    assert fits(offsets, dict.fromkeys(range(5, 366), 1.0))
    assert fits(Counter(stay.days for stay in stays), dict.fromkeys(range(2, 10), 1.0))
    births = [
        sample_birth(seeds(n), settings=CONFIG.dates, age=50, admission=date(2026, 3, 1))
        for n in range(COUNT)
    ]
    assert fits(Counter(birth.month for birth in births), dict.fromkeys(range(1, 13), 1.0))
    assert fits(Counter(birth.day for birth in births), dict.fromkeys(range(1, 29), 1.0))


def test_years_back_of_past_events() -> None:
    admission = date(2026, 3, 1)
    years = Counter(
        (admission - sample_past(
            seeds(n).draws("past"), "x", settings=CONFIG.dates, birth=date(1940, 1, 1),
            admission=admission,
        )).days // 365
        for n in range(COUNT)
    )  # fmt: skip
    values = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15)
    weights = (30, 12, 8, 8, 6, 6, 5, 5, 5, 4, 4)
    assert fits(years, dict(zip(values, weights, strict=True)))


def test_optional_fields_before_density() -> None:
    full = Parameters(
        difficulty="easy", style="standard", length="kurz", structure="structured", density=1.0
    )
    counts = Counter(
        slot
        for n in range(COUNT)
        for slot in sample_included(
            seeds(n), settings=CONFIG.inclusion, parameters=full, absent=frozenset()
        )
    )
    table = {
        "strasse": 0.85, "klinik_strasse": 0.85, "kvnr": 0.75, "fallnr": 0.80, "patid": 0.65,
        "lanr": 0.40, "bsnr": 0.30, "ik_nr": 0.20, "mobil": 0.35, "email": 0.30,
        "versicherer": 0.70, "klinik_url": 0.50,
    }  # fmt: skip
    for slot, chance in table.items():
        assert binomtest(counts[slot], COUNT, chance).pvalue > LEVEL, slot
    gates = vars(CONFIG.inclusion)
    for gate, chance in gates.items():
        if gate in {"angehoeriger_telefon", "angehoeriger_mobil", "adresse_angehoeriger"}:
            chance *= CONFIG.inclusion.angehoeriger  # Shown beside the relative only.
        assert binomtest(counts[gate], COUNT, chance).pvalue > LEVEL / len(gates), gate


def test_origins_of_patients() -> None:
    namer = Namer(config=CONFIG, difficulty="easy")
    origins = Counter(
        namer.patient(seeds(n).draws("patient"), sex="m", age=50, born=1975).origin
        for n in range(COUNT // 2)
    )
    assert fits(origins, vars(CONFIG.origins))
