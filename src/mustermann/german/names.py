"""Names by origin: given names with their sex, family names with both forms, particles.

Every pool has a listed and an unlisted part. Gazetteers see only what is listed
(`listed_given`, `listed_family`); the generator draws from both. Otherwise a gazetteer
would look perfect on our letters, and a tagger trained on them would trust it.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Mapping
from typing import Any, Literal

from mustermann.core.errors import ConfigError
from mustermann.german.pools import entries, read_toml

Sex = Literal["m", "f"]
Generation = Literal["old", "middle", "young"]

ORIGINS: tuple[str, ...] = (
    "german", "turkish", "polish", "russian", "arabic", "balkan", "italian", "romanian", "greek",
    "ukrainian", "persian", "kurdish", "iberian", "vietnamese", "albanian", "indian",
)  # fmt: skip
"""Every name pool, the most common first."""


@dataclasses.dataclass(frozen=True, slots=True)
class FamilyName:
    """A family name in the forms that men and women bear, with its particle apart.

    Attributes:
      male: "Kowalski".
      female: "Kowalska"; the same as `male` for most names.
      particle: "von der", "al-", "".
    """

    male: str
    female: str
    particle: str = ""

    def of(self, sex: Sex) -> str:
        """Returns the form without particle."""
        return self.male if sex == "m" else self.female


@dataclasses.dataclass(frozen=True, slots=True)
class NamePool:
    """The names of one origin.

    Attributes:
      origin: One of ORIGINS.
      given: Given names by sex and generation.
      family: Family names without particle.
      particles: Family names with particle.
      nouns: Family names that are also common words.
    """

    origin: str
    given: Mapping[tuple[Sex, Generation], tuple[str, ...]]
    family: tuple[FamilyName, ...]
    particles: tuple[FamilyName, ...]
    nouns: tuple[FamilyName, ...]
    _forms: Mapping[str, FamilyName]

    def in_form(self, family: str, sex: Sex) -> str:
        """Returns a family name as somebody of the other sex in the family bears it."""
        parts = (self._forms.get(part) for part in family.split("-"))
        return "-".join(
            known.of(sex) if known else part
            for known, part in zip(parts, family.split("-"), strict=True)
        )


@functools.cache
def pool(origin: str) -> NamePool:
    """Returns the names of an origin.

    Raises:
      ConfigError: There is no such pool.
    """
    if origin not in ORIGINS:
        raise ConfigError(f"Expected an origin among {', '.join(ORIGINS)}, got {origin!r}.")
    table = read_toml(f"names/{origin}.toml")
    family = table["family"]
    plain = tuple(_family(text) for text in entries(family["names"]))
    return NamePool(
        origin=origin,
        given=_given(table),
        family=plain,
        particles=tuple(_family(text) for text in entries(family.get("particles", ""))),
        nouns=tuple(_family(text) for text in entries(family.get("nouns", ""))),
        _forms={form: name for name in plain for form in (name.male, name.female)},
    )


@functools.lru_cache(maxsize=65536)
def is_listed(name: str) -> bool:
    """Returns whether gazetteers may know a name: two thirds of all, by a hash of its text.

    A gendered family name counts by its male form, so that Kowalska and Kowalski go together.
    """
    digest = hashlib.blake2b(name.encode(), digest_size=8, person=b"listed names").digest()
    return int.from_bytes(digest, "big") % 3 != 0


@functools.cache
def listed_given() -> frozenset[str]:
    """Returns the given names that detectors may know, of all origins."""
    names = (name for origin in ORIGINS for group in pool(origin).given.values() for name in group)
    return frozenset(name for name in names if is_listed(name))


@functools.cache
def listed_family() -> frozenset[str]:
    """Returns the family names that detectors may know, both forms, without particles."""
    names = (
        name
        for origin in ORIGINS
        for group in (pool(origin).family, pool(origin).particles, pool(origin).nouns)
        for name in group
    )
    return frozenset(
        form for name in names if is_listed(name.male) for form in (name.male, name.female)
    )


@functools.cache
def words() -> frozenset[str]:
    """Returns every word of every name there is: "Hans-Peter" has two."""
    pools = [pool(origin) for origin in ORIGINS]
    given = {name for one in pools for group in one.given.values() for name in group}
    family = {name for one in pools for name in (*one.family, *one.particles, *one.nouns)}
    spelt = given | {form for name in family for form in (name.male, name.female)}
    return frozenset(word for name in spelt for word in words_of(name))


def words_of(name: str) -> list[str]:
    """Returns the words of a name."""
    return name.replace("-", " ").split()


@functools.cache
def diminutives() -> Mapping[str, str]:
    """Returns pet forms by given name: Alexander → Alex."""
    return dict(
        pair.split(" ", 1) for pair in entries(read_toml("names/diminutives.toml")["pairs"])
    )


def _given(table: Mapping[str, Any]) -> dict[tuple[Sex, Generation], tuple[str, ...]]:
    given: dict[tuple[Sex, Generation], tuple[str, ...]] = {}
    sexes: tuple[Sex, ...] = ("m", "f")
    generations: tuple[Generation, ...] = ("old", "middle", "young")
    for sex in sexes:
        group = table[f"given_{sex}"]
        for generation in generations:
            given[sex, generation] = entries(group.get(generation) or group["names"])
    return given


def _family(text: str) -> FamilyName:
    head, _, name = text.rpartition(" ")
    if not head and text[:3] in {"al-", "el-"}:
        return FamilyName(text[3:], text[3:], text[:3])
    if head.islower():
        return FamilyName(name, name, head)
    male, _, female = text.partition("/")
    return FamilyName(male, female or male)
