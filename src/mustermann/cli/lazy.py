"""Journeys that are imported when a command runs, because they need an extra."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from mustermann.core.errors import PluginError

if TYPE_CHECKING:
    from types import ModuleType


def table_journeys(name: str = "tables") -> ModuleType:
    """Returns the module of a table journey.

    Raises:
      PluginError: A package that it needs is not installed; names the extra.
    """
    try:
        return import_module(f"mustermann.journeys.{name}")
    except ImportError as error:
        raise PluginError(
            f"Tables need packages that are not installed ({error}): "
            f"pip install 'mustermann[tables,report]'."
        ) from error
