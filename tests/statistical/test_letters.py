"""What the whole library of cases draws: shares of stays, and every label somewhere."""

from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
from scipy.stats import chisquare

from mustermann.core.seeds import Seeds
from mustermann.documents.labels import LABELS
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.attributes.choice import choose_case
from mustermann.letters.attributes.sampler import sample
from mustermann.letters.cases.library import CaseLibrary
from mustermann.letters.config import LettersConfig
from mustermann.letters.grammar import PARTIAL_DATES
from mustermann.letters.modes import apply_modes
from mustermann.letters.segments import Placeholder
from mustermann.letters.slots import SLOTS
from mustermann.letters.writers import CaseWriter

COUNT = 20_000
LETTERS = 2_500
CONFIG = LettersConfig()
CASES = CaseLibrary()


def seeds(number: int) -> Seeds:
    return Seeds(2026, ("letters", number))


def test_kinds_of_stay_follow_the_mix_whatever_the_library_holds() -> None:
    offered = {stay for profile in CASES.profiles for stay in profile.stays}
    drawn = Counter(
        choose_case(
            seeds(number), profiles=CASES.profiles, config=CONFIG, admission=Admission()
        ).stay
        for number in range(COUNT)
    )
    weights = {stay: CONFIG.stay.at(stay) for stay in offered}
    expected = [COUNT * weight / sum(weights.values()) for weight in weights.values()]
    assert set(drawn) == offered
    assert chisquare([drawn[stay] for stay in weights], expected).pvalue > 1e-4


def test_cases_are_drawn_alike_whatever_their_specialty() -> None:
    acute = [
        dataclasses.replace(profile, stays={"akut": profile.stays["akut"]})
        for profile in CASES.profiles
        if "akut" in profile.stays
    ]
    drawn = Counter(
        choose_case(seeds(n), profiles=acute, config=CONFIG, admission=Admission()).profile.id
        for n in range(COUNT)
    )
    total = sum(profile.weight for profile in acute)
    expected = [COUNT * profile.weight / total for profile in acute]
    assert chisquare([drawn[profile.id] for profile in acute], expected).pvalue > 1e-4


@pytest.fixture(scope="module")
def shown() -> Counter[str]:
    """Returns in how many letters each slot stands, and each label."""
    writer, found = CaseWriter(), Counter[str]()
    for number in range(LETTERS):
        attributes = sample(seeds(number), config=CONFIG, cases=CASES)
        written = writer.write(attributes, seeds=seeds(number))
        skeleton = apply_modes(written, attributes, seeds(number).draws("modes")).skeleton
        holders = [s for s in skeleton.segments if isinstance(s, Placeholder)]
        found.update({holder.slot for holder in holders})
        found.update({
            "DATE_PARTIAL" if holder.variant in PARTIAL_DATES else SLOTS[holder.slot].label
            for holder in holders
        })  # fmt: skip
    return found


@pytest.mark.parametrize("label", LABELS)
def test_every_label_stands_in_some_letter(shown: Counter[str], label: str) -> None:
    assert shown[label] > 0


@pytest.mark.parametrize("slot", sorted(n for n, s in SLOTS.items() if s.kind != "clinical"))
def test_every_slot_stands_in_some_letter(shown: Counter[str], slot: str) -> None:
    assert shown[slot] > 0


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("RELATIVE_NAME", 0.2, 0.5), ("EPONYM", 0.4, 0.8), ("LOOKALIKE", 0.1, 0.5),
        ("DATE_DEATH", 0.01, 0.1), ("IBAN", 0.003, 0.06), ("PASSPORT", 0.0005, 0.04),
        ("konsiliararzt", 0.05, 0.4), ("KVNR", 0.4, 0.75), ("PROFESSION", 0.1, 0.6),
    ],
)  # fmt: skip
def test_rates_are_those_of_real_letters(
    shown: Counter[str], name: str, low: float, high: float
) -> None:
    assert low < shown[name] / LETTERS < high
