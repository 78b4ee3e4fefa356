"""Towns with their ZIP codes, area code, state and number plate, each from one record."""

from __future__ import annotations

import dataclasses
import functools

from mustermann.german.pools import entries, read_rows, read_toml

_COPIES = {"1": 1, "2": 3, "3": 8, "4": 20, "5": 40}


@dataclasses.dataclass(frozen=True, slots=True)
class Town:
    """A German town.

    Attributes:
      name: As in an address.
      zips: Some of its ZIP codes.
      area_code: With the leading 0.
      state: Federal state, German.
      plate: Distinguishing sign on number plates.
      tricky: Whether the name is also a word, a family name, a given name or a place elsewhere.
    """

    name: str
    zips: tuple[str, ...]
    area_code: str
    state: str
    plate: str
    tricky: bool


@functools.cache
def towns() -> tuple[Town, ...]:
    """Returns all towns, each once."""
    return tuple(town for town, _ in _sized())


@functools.cache
def towns_by_size() -> tuple[Town, ...]:
    """Returns towns repeated by class of size, so that a uniform choice prefers the large ones."""
    return tuple(town for town, size in _sized() for _ in range(_COPIES[size]))


@functools.cache
def tricky_towns() -> tuple[Town, ...]:
    """Returns the towns that are easily taken for something else."""
    return tuple(town for town in towns() if town.tricky)


@functools.cache
def towns_near(town: Town, *, tricky: bool = False) -> tuple[Town, ...]:
    """Returns towns of the same ZIP region, repeated by class of size, with the town itself.

    Args:
      town: In the middle.
      tricky: Returns only those that are easily taken for something else, each once; if the
        region has none, those of the same first digit.
    """
    region = {code[:2] for code in town.zips}
    near = _within(region, tricky_towns() if tricky else towns_by_size())
    return near or _within({digits[0] for digits in region}, tricky_towns())


def _within(starts: set[str], some: tuple[Town, ...]) -> tuple[Town, ...]:
    """Returns those of the towns with a ZIP code that begins with one of the digits."""
    return tuple(town for town in some if any(code.startswith(tuple(starts)) for code in town.zips))


@functools.cache
def surname_towns() -> tuple[Town, ...]:
    """Returns the towns whose name, as it stands, is a family name too."""
    names = set(entries(read_toml("places/streets.toml")["surname_towns"]))
    return tuple(town for town in towns() if town.name in names)


@functools.cache
def streets() -> tuple[str, ...]:
    """Returns street names without number."""
    return entries(read_toml("places/streets.toml")["streets"])


@functools.cache
def _sized() -> tuple[tuple[Town, str], ...]:
    return tuple(
        (
            Town(
                name=row["name"],
                zips=tuple(row["zips"].split()),
                area_code=row["area_code"],
                state=row["state"],
                plate=row["plate"],
                tricky=bool(row["tricky"]),
            ),
            row["size"],
        )
        for row in read_rows("places/towns.csv")
    )
