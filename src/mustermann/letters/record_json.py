"""Attributes as plain JSON values, fast: they go into every document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from typing import Any

from mustermann.core.errors import DataError


def plain(value: Any) -> Any:
    """Returns a value as JSON has it: records as objects, dates as ISO text, sets sorted.

    Raises:
      DataError: Something in it has no JSON form.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is dict or isinstance(value, Mapping):
        return {
            str(key): item if type(item) in _ATOMS else plain(item) for key, item in value.items()
        }
    if kind is tuple or kind is list:
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (set, frozenset)):
        return sorted(plain(item) for item in value)
    names = _fields(kind)
    if not names:
        raise DataError(f"Expected a value that JSON can hold, got {kind.__name__}: {value!r}.")
    record: dict[str, Any] = {}
    for name in names:
        item = getattr(value, name)
        record[name] = item if type(item) in _ATOMS else plain(item)
    return record


_ATOMS = frozenset({str, int, float, bool, type(None)})
"""Types that JSON has; asked for before each call, as most values are of them."""


def _fields(kind: type[Any]) -> tuple[str, ...]:
    """Returns the names of a dataclass's fields, none for another type."""
    if kind not in _FIELDS:
        is_record = dataclasses.is_dataclass(kind)
        _FIELDS[kind] = tuple(f.name for f in dataclasses.fields(kind)) if is_record else ()
    return _FIELDS[kind]


_FIELDS: dict[type[Any], tuple[str, ...]] = {}
