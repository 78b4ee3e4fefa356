"""Pools of German facts as text files; each folder's SOURCE.toml names origin and licence."""

from __future__ import annotations

import csv
import tomllib
from importlib import resources
from typing import Any

from mustermann.core.errors import DataError


def read_toml(path: str) -> dict[str, Any]:
    """Returns the table in a pool file, such as "names/polish.toml".

    Raises:
      DataError: The file is missing or broken.
    """
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"Expected TOML in the pool {path}, but: {error}.") from error


def read_rows(path: str) -> list[dict[str, str]]:
    """Returns the rows of a pool file with semicolons and a head line."""
    return list(csv.DictReader(_text(path).splitlines(), delimiter=";"))


def entries(text: str) -> tuple[str, ...]:
    """Returns what stands between commas, line breaks counting as blanks."""
    return tuple(part for part in (" ".join(raw.split()) for raw in text.split(",")) if part)


def _text(path: str) -> str:
    try:
        return resources.files(__name__).joinpath(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DataError(f"Expected the pool {path} in the package, found none.") from error
