"""Text tables, read block by block into typed columns.

The type of a column is that of all its texts, which only the last block tells. Blocks are
parsed at once by what the texts so far look like; a column that turns out otherwise is
read a second time, when its type is known.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mustermann.core.errors import DataError
from mustermann.tables.frames import Collected, Reading, check_names, first_line, fitted
from mustermann.tables.texts import Typing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mustermann.tables.frames import Field, Frame, Series
    from mustermann.tables.texts import Shape

BLOCK_BYTES = 1 << 20
"""What is parsed at once; a row is at most so long. Arrow reads up to 32 blocks ahead."""


def read_delimited(path: Path, reading: Reading, *, delimiters: str) -> Frame:
    """Returns the table in a text file, whose header tells which of the delimiters it has.

    Raises:
      DataError: The file is empty, binary, ragged, not UTF-8, has no rows, has a column name
        twice, or a cell does not fit `reading`; the message names the line.
    """
    header = re.sub(r'"[^"]*"', "", _head(path)).split("\n")[0]
    delimiter = max(delimiters, key=header.count)
    names = _names(path, delimiter)
    check_names(names, str(path))
    columns = [_Column(name, reading, str(path)) for name in names]
    rows = 0
    for block in _blocks(path, delimiter, names):
        rows += block.num_rows
        for column in columns:
            column.take(block[column.name])
    if not rows:
        raise DataError(f"Expected rows in {path}, found only the header line.")
    again = [column for column in columns if column.mistaken]
    if again:
        for block in _blocks(path, delimiter, [column.name for column in again]):
            for column in again:
                column.take_again(block[column.name])
    found = [column.finish() for column in columns]
    if any(len(series) != rows for series, _ in found):
        raise DataError(f"Expected {path} to stay as it is while it is read, found other rows.")
    return fitted(found, Reading(), where=str(path))


class _Column:
    """One column on its way from texts to values.

    Attributes:
      name: Its name.
      mistaken: Whether later texts have shown that earlier ones were parsed wrongly.
    """

    def __init__(self, name: str, reading: Reading, where: str) -> None:
        self.name, self.mistaken = name, False
        self._where = where
        self._typing = Typing(
            name=name, where=where, wanted=reading.storages.get(name),
            markers=reading.markers.get(name, ()),
        )  # fmt: skip
        self._begun: tuple[Shape, Collected] | None = None

    def take(self, texts: Any) -> None:
        """Looks at the next texts, and keeps their values while the type stays what it was."""
        self._typing.look(texts)
        shape = self._typing.shape()
        if self._begun and self._begun[0] != shape:
            self.mistaken, self._begun = True, None
        if not self.mistaken:
            self._parse(texts, shape)

    def take_again(self, texts: Any) -> None:
        """Keeps the values of the next texts, now that all have been looked at."""
        self._parse(texts, self._typing.shape())

    def finish(self) -> tuple[Series, Field]:
        """Returns the values and what they were."""
        if self._begun is None:
            raise DataError(f"Expected rows in column {self.name!r} of {self._where}, found none.")
        return self._begun[1].finish()

    def _parse(self, texts: Any, shape: Shape) -> None:
        found = self._typing.parse(texts, shape)
        if self._begun is None:
            collected = Collected(self.name, where=self._where, spelling=found.spelling)
            self._begun = shape, collected
        self._begun[1].add(found.column)


def _names(path: Path, delimiter: str) -> list[str]:
    from pyarrow import csv as reader

    with _refusing(path) as refuse, pa.input_stream(str(path), compression="detect") as source:
        stream = reader.open_csv(source, _read_options(), _parse_options(delimiter, refuse))
        names: list[str] = stream.schema.names
    return names


def _blocks(path: Path, delimiter: str, names: Sequence[str]) -> Iterator[Any]:
    """Yields record batches of these columns: strings, null where a cell is empty."""
    from pyarrow import csv as reader

    convert = reader.ConvertOptions(
        include_columns=list(names), column_types={name: pa.string() for name in names},
        null_values=[""], strings_can_be_null=True,
    )  # fmt: skip
    with _refusing(path) as refuse, pa.input_stream(str(path), compression="detect") as source:
        options = _parse_options(delimiter, refuse)
        for block in reader.open_csv(source, _read_options(), options, convert):
            if block.num_rows:
                yield block


def _read_options() -> Any:
    from pyarrow import csv as reader

    return reader.ReadOptions(use_threads=False, block_size=BLOCK_BYTES)


def _parse_options(delimiter: str, refuse: Any) -> Any:
    from pyarrow import csv as reader

    return reader.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
    )


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[Any]:
    """Yields a handler of ragged rows; what the reader refuses becomes one line."""
    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    try:
        yield refuse
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if ragged:
            row = ragged[0]
            raise DataError(
                f"Expected {row.expected_columns} columns as in the header, found "
                f"{row.actual_columns} at line {row.number} of {path}. Mend or remove that line."
            ) from error
        raise DataError(f"Expected a text table in {path}: {first_line(error)}.") from error


def _head(path: Path) -> str:
    """Returns the beginning of a text file; refuses what is empty, binary or not UTF-8."""
    with pa.input_stream(str(path), compression="detect") as source:
        head = source.read(1 << 16)
    if not head.strip():
        raise DataError(f"Expected a table in {path}, found an empty file.")
    if b"\0" in head or head[:4] == b"PAR1":
        line = head[: head.find(b"\0")].count(b"\n") + 1
        raise DataError(f"Expected text in {path}, found binary data at line {line}.")
    try:
        return str(head, "utf-8-sig").lstrip("\r\n")
    except UnicodeDecodeError as error:
        if len(head) == 1 << 16 and error.start >= len(head) - 4:
            return str(head[: error.start], "utf-8-sig")  # The cut fell inside a character.
        line = head[: error.start].count(b"\n") + 1
        raise DataError(
            f"Expected UTF-8 text, found another encoding at line {line} of {path}. Convert it."
        ) from error
