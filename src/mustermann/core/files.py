"""Writes that are whole or not there: a temporary name first, then a rename."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """Yields a temporary directory that becomes `path` when the block ends well.

    Raises:
      ConfigError: `path` exists and is not an empty directory, or can't be made.
    """
    refuse_existing(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    # A killed process may have had this number too; its remains are nobody's.
    shutil.rmtree(partial, ignore_errors=True)
    make_directory(partial)
    try:
        yield partial
        if path.exists():
            path.rmdir()
        partial.rename(path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def refuse_existing(path: Path) -> None:
    """Raises ConfigError if `path` is there already and is not an empty directory."""
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise ConfigError(
            f"Expected a new output path, found that {path} exists. "
            f"Choose another one or remove it."
        )


def make_directory(path: Path) -> None:
    """Makes `path` and its parents.

    Raises:
      ConfigError: The place can't be written to, or a part of the path is a file.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise ConfigError(
            f"Expected a directory at {path}, found a file. Choose another output path."
        ) from error
    except OSError as error:
        raise ConfigError(
            f"Expected to be able to write to {path.parent}, but: {error.strerror}. "
            f"Choose another output path."
        ) from error


def refuse_unwritable(path: Path) -> None:
    """Raises ConfigError if no file can be written at `path`; leaves nothing there.

    Long work asks before it begins, as `new_file` is first heard of when all is computed.
    """
    if path.is_dir():
        raise ConfigError(
            f"Expected the path of a file to write, found the directory {path}. "
            f"Choose another output path."
        )
    probe = path.with_name(f".{path.name}.{os.getpid()}.partial") if path.name else path
    try:
        probe.touch()
    except OSError as error:
        raise ConfigError(
            f"Expected a directory that can be written to at {path.parent}, but: "
            f"{error.strerror}. Make it or choose another output path."
        ) from error
    probe.unlink()


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """Yields a temporary path that replaces `path` when the block ends well.

    Raises:
      ConfigError: The directory is missing or can't be written to, or `path` is a directory.
    """
    refuse_unwritable(path)
    # The suffix stays last: writers choose their format by it.
    partial = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, value: Any) -> None:
    """Writes `value` as indented JSON, whole or not at all."""
    with new_file(path) as partial:
        text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
        partial.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """Returns the JSON value in `path`.

    Raises:
      DataError: The file is missing or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DataError(f"Expected a JSON file at {path}, found none.") from error
    except (ValueError, OSError, RecursionError) as error:
        raise DataError(f"Expected a JSON file at {path}, but: {error}.") from error
