"""Invented employers, by the professions that work there."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from mustermann.german.pools import entries, read_toml
from mustermann.german.professions import professions


@functools.cache
def employers() -> tuple[str, ...]:
    """Returns all employers, each once."""
    return tuple(name for names, _ in _fields() for name in names)


def employers_of(profession: str) -> tuple[str, ...]:
    """Returns who employs people of a profession, named in either form.

    None employs those who work on their own account or for the state, go to school or study.
    """
    return _by_profession().get(profession, ())


@functools.cache
def _by_profession() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    forms = {p.male: p.female for kind in ("working", "training") for p in professions(kind)}
    for names, trades in _fields():
        for male in trades:
            for form in (male, forms[male]):
                found[form] = found.get(form, ()) + names
    return found


@functools.cache
def _fields() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Returns the names and the professions of each field."""
    fields = read_toml("employers.toml")["field"]
    return tuple((entries(field["names"]), entries(field["professions"])) for field in fields)
