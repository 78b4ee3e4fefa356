"""Invented clinics, practices, insurers, services and what else letters name."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping

from mustermann.german.pools import entries, read_toml


@dataclasses.dataclass(frozen=True, slots=True)
class House:
    """A clinic with the short name that its own people use."""

    name: str
    short: str


@functools.cache
def named(kind: str) -> tuple[str, ...]:
    """Returns a list of the pool, such as "rehab" or "wards"."""
    return entries(_table()[kind])


@functools.cache
def clinics() -> tuple[House, ...]:
    """Returns the clinics whose name says nothing of their town."""
    return tuple(House(*text.split("|")) for text in named("clinics"))


@functools.cache
def town_clinics(town: str) -> tuple[House, ...]:
    """Returns clinics named after their town."""
    return tuple(House(*text.replace("{town}", town).split("|")) for text in named("town_clinics"))


@functools.cache
def countries() -> Mapping[str, str]:
    """Returns the German name of a country by origin of the names."""
    return dict(text.split(" ", 1) for text in named("countries"))


@functools.cache
def _table() -> Mapping[str, str]:
    return read_toml("institutions.toml")
