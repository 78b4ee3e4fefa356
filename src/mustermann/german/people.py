"""Roles and academic titles."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from mustermann.german.names import Sex
from mustermann.german.pools import read_toml


@dataclasses.dataclass(frozen=True, slots=True)
class Titles:
    """Academic titles to choose from, each in the order in which its parts are written."""

    options: tuple[tuple[str, ...], ...]
    weights: tuple[float, ...]


@functools.cache
def roles(slot: str, sex: Sex) -> tuple[str, ...]:
    """Returns what somebody in a slot may be called: "Oberärztin", "Leitende Oberärztin"."""
    return tuple(pair[sex == "f"] for pair in _table()["roles"][slot])


@functools.cache
def titles(slot: str) -> Titles:
    """Returns the titles that go with a slot; "patient" for anybody without a function."""
    table = _table()
    options = table["titles"][table["title_of"].get(slot, "patient")]
    return Titles(
        options=tuple(tuple(parts) for _, parts in options),
        weights=tuple(float(weight) for weight, _ in options),
    )


@functools.cache
def _table() -> dict[str, Any]:
    return read_toml("people.toml")
