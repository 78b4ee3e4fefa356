"""What people do for a living, by sex and age."""

from __future__ import annotations

import dataclasses
import functools

from mustermann.core.seeds import Draws
from mustermann.german.names import Sex
from mustermann.german.pools import entries, read_toml


@dataclasses.dataclass(frozen=True, slots=True)
class Profession:
    """A profession in both forms, with the lowest age at which somebody has it."""

    male: str
    female: str
    youngest: int = 0

    def of(self, sex: Sex) -> str:
        """Returns the form for a man or a woman."""
        return self.male if sex == "m" else self.female


@functools.cache
def professions(kind: str) -> tuple[Profession, ...]:
    """Returns a list of the pool: "working", "training", "school" or "small"."""
    return tuple(_profession(text) for text in entries(read_toml("professions.toml")[kind]))


def choose(draws: Draws, name: str, *, sex: Sex, age: int) -> str:
    """Returns a profession that somebody of this age has or had, "" for the smallest.

    Whether an old person still works is for the text to say.
    """
    if age < 18:
        pool = _by_age("school" if age >= 6 else "small", age)
        return draws.choice(name, pool).of(sex) if pool else ""
    if age < 28 and draws.bernoulli(f"{name} training", 0.3):
        return draws.choice(f"{name} trained", _by_age("training", age)).of(sex)
    return draws.choice(name, _by_age("working", age)).of(sex)


@functools.lru_cache(maxsize=256)
def _by_age(kind: str, age: int) -> tuple[Profession, ...]:
    return tuple(known for known in professions(kind) if known.youngest <= age)


def _profession(text: str) -> Profession:
    forms, _, youngest = text.partition(":")
    male, _, female = forms.partition("/")
    return Profession(male, female, int(youngest or 0))
