"""Settings: TOML and `key=value` at the border, frozen dataclasses inside.

A settings type is a frozen dataclass whose fields have defaults. It is checked by
pydantic where it comes in: unknown keys are refused with the nearest known one, and
values with their place and what was expected.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import tomllib
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

T = TypeVar("T")

strict = with_config(ConfigDict(extra="forbid"))
"""Decorates a settings dataclass, so that `resolve` refuses keys that it does not know."""


def read_toml(path: Path) -> dict[str, Any]:
    """Returns the table in a TOML file.

    Raises:
      ConfigError: The file is missing, not text or not TOML; the message has the line.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"Expected a TOML file at {path}, found none.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise ConfigError(f"Expected TOML in {path}, but: {error}.") from error


def resolve(settings: type[T], *, file: Path | None = None, overrides: Iterable[str] = ()) -> T:
    """Returns settings: the defaults, then the file, then each `key=value`.

    Args:
      settings: A dataclass decorated with `strict`.
      file: A TOML file with some of its fields.
      overrides: Strings like `letters.density=0.4`; the value is read as TOML, and as
        plain text where it is none.

    Raises:
      ConfigError: A key is unknown (with the nearest known one) or a value does not fit.
    """
    values = read_toml(file) if file else {}
    for override in overrides:
        _override(values, override)
    return validate(settings, values, where=str(file) if file else "the settings")


def validate(settings: type[T], values: Mapping[str, Any], *, where: str) -> T:
    """Returns `values` as settings, or raises ConfigError naming the first fault.

    A group of settings that is given in part keeps the rest of its default in `settings`.
    """
    try:
        return TypeAdapter(settings).validate_python(_completed(settings, values))
    except ValidationError as error:
        raise ConfigError(_explain(settings, error, where)) from error


def plain(settings: Any) -> dict[str, Any]:
    """Returns settings as JSON values, for the manifest."""
    return json.loads(json.dumps(dataclasses.asdict(settings), default=str))  # type: ignore[no-any-return]


def digest(settings: Any) -> str:
    """Returns 16 hex digits that name these settings."""
    text = json.dumps(plain(settings), sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _override(values: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"Expected --set KEY=VALUE, got {override!r}.")
    *path, last = key.strip().split(".")
    for name in path:
        values = values.setdefault(name, {})
        if not isinstance(values, dict):
            raise ConfigError(f"Expected a group of settings at {name!r} in {override!r}.")
    try:
        values[last] = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        values[last] = text


def _completed(settings: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns `values` with each group filled up from the default that stands in `settings`.

    The defaults of the group's own class may be others: two groups can share a class.
    """
    completed = dict(values)
    for name, given in values.items():
        default = getattr(settings, name, None)
        if isinstance(given, dict) and dataclasses.is_dataclass(default):
            rest = {f.name: getattr(default, f.name) for f in dataclasses.fields(default)}
            completed[name] = rest | _completed(default, given)
    return completed


def _explain(settings: type, error: ValidationError, where: str) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] in {"extra_forbidden", "unexpected_keyword_argument"}:
        known = _fields(settings, first["loc"][:-1])
        near = difflib.get_close_matches(str(first["loc"][-1]), known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
        return f"Unknown setting {place!r} in {where}.{hint}"
    if first["type"] == "value_error":
        return f"Expected a fitting {place!r} in {where}: {first['ctx']['error']}."
    return f"Expected a fitting {place!r} in {where}: {first['msg']}, got {first['input']!r}."


def _fields(settings: Any, path: tuple[Any, ...]) -> list[str]:
    """Returns the field names of the settings at `path`."""
    from typing import get_args, get_origin, get_type_hints

    for name in path:
        if get_origin(settings) is dict:
            settings = get_args(settings)[1]
            continue
        if not dataclasses.is_dataclass(settings):
            return []
        settings = get_type_hints(settings).get(str(name))
    if not dataclasses.is_dataclass(settings):
        return []
    return [field.name for field in dataclasses.fields(settings)]
