"""Results that a benchmark has, in a file of JSON lines: an interrupted run goes on from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Store:
    """Finished cells in a file of JSON lines; without a file, nothing is kept."""

    def __init__(self, path: Path | None) -> None:
        """Takes the file; what is in it already is known.

        Raises:
          ConfigError: There is no directory to write into.
          DataError: A line of the file is not a finished cell.
        """
        self._path = path
        self._known: dict[str, dict[str, Any]] = {}
        if path is None:
            return
        if not path.parent.is_dir():
            raise ConfigError(f"Expected a directory at {path.parent} to write {path.name} into.")
        if path.exists():
            _cut_off_partial_line(path)
            self._known = dict(_read_lines(path))

    def find(self, key: str) -> dict[str, Any] | None:
        """Returns the record of a cell, None if it has yet to be run."""
        return self._known.get(key)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Keeps the record of a cell, on disk at once."""
        self._known[key] = record
        if self._path is None:
            return
        line = json.dumps({"key": key, "record": record}, ensure_ascii=False, allow_nan=False)
        with self._path.open("a", encoding="utf-8") as sink:
            sink.write(line + "\n")


def _cut_off_partial_line(path: Path) -> None:
    """Takes off what a crash has left after the last end of a line."""
    with path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def _read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the cells in a results file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            entry = json.loads(line)
            yield str(entry["key"]), dict(entry["record"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"Expected a finished cell at line {number} of {path}. Mend or remove the file."
            ) from error
