"""Looks up plugins by name through entry points; nothing is imported before it is asked for."""

from __future__ import annotations

import difflib
from importlib.metadata import EntryPoint, entry_points
from typing import Literal

from mustermann.core.errors import PluginError, UnknownPluginError

Group = Literal[
    "mustermann.detectors",
    "mustermann.synthesisers",
    "mustermann.formats",
    "mustermann.checks",
    "mustermann.writers",
    "mustermann.executors",
]


def names(group: Group) -> tuple[str, ...]:
    """Returns the names on offer, sorted, without importing any of them."""
    return tuple(sorted({point.name for point in entry_points(group=group)}))


def load(group: Group, name: str) -> object:
    """Imports and returns the plugin `name`.

    Raises:
      UnknownPluginError: Nobody offers it; names the nearest one.
      PluginError: It is offered twice, or its import failed.
    """
    found: list[EntryPoint] = list(entry_points(group=group, name=name))
    if not found:
        near = difflib.get_close_matches(name, names(group), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UnknownPluginError(
            f"No plugin {name!r} in {group}.{hint} On offer: {', '.join(names(group))}."
        )
    if len({point.value for point in found}) > 1:
        owners = ", ".join(sorted(point.value for point in found))
        raise PluginError(f"Plugin {name!r} in {group} is offered twice: {owners}. Uninstall one.")
    try:
        return found[0].load()
    except ImportError as error:
        extra = f"mustermann[{found[0].extras[0] if found[0].extras else name}]"
        raise PluginError(
            f"Plugin {name!r} ({found[0].value}) did not import: {error}. "
            f"Its dependencies may be missing: pip install '{extra}'."
        ) from error
