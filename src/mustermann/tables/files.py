"""Tables in files: .csv, .tsv (also .gz) and .parquet, read whole and written in blocks."""

from __future__ import annotations

import contextlib
import csv
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import pyarrow as pa

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import new_file
from mustermann.tables.frames import (
    Frame,
    Reading,
    check_names,
    first_line,
    from_arrow,
    from_native,
    one_array,
    to_arrow,
)
from mustermann.tables.texts import spell, typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.tables.frames import Field, Series

_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}


def load(data: Any, reading: Reading | None = None) -> Frame:
    """Returns a table as a frame: from the file at a path (see `read`), or from memory."""
    if isinstance(data, str | Path):
        return read(Path(data), reading)
    return from_native(data, reading)


def read(path: Path, reading: Reading | None = None) -> Frame:
    """Returns the table in a .csv, .tsv or .parquet file.

    Raises:
      DataError: The file is missing, empty, binary, ragged, not UTF-8, has no rows, has a
        column name twice, or a cell does not fit; the message names the line.
      ConfigError: The suffix is none of these.
    """
    reading = reading or Reading()
    suffix = suffix_of(path)
    if not path.is_file():
        raise DataError(f"Expected a table at {path}, found no such file.")
    if suffix == ".parquet":
        return from_arrow(_read_parquet(path), reading, where=str(path))
    texts = _read_delimited(path, _DELIMITERS[suffix])
    check_names(texts.column_names, str(path))
    if not texts.num_rows:
        raise DataError(f"Expected rows in {path}, found only the header line.")
    columns = {
        name: typed(
            one_array(texts[name]), name=name, where=str(path),
            wanted=reading.storages.get(name), markers=reading.markers.get(name, ()),
        )
        for name in texts.column_names
    }  # fmt: skip
    table = pa.table({name: found.column for name, found in columns.items()})
    spellings = {name: found.spelling for name, found in columns.items()}
    return from_arrow(table, Reading(), where=str(path), spellings=spellings)


def suffix_of(path: Path) -> str:
    """Returns the suffix that says how a table is stored, without a trailing ".gz".

    Raises:
      ConfigError: It is none that we know.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in (*_DELIMITERS, ".parquet"):
        raise ConfigError(
            f"Expected a .csv, .tsv or .parquet file, got {path.name!r}. Rename or convert it."
        )
    return suffix


def _read_parquet(path: Path) -> pa.Table:
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"Expected a Parquet file at {path}: {first_line(error)}.") from error


def _read_delimited(path: Path, delimiters: str) -> pa.Table:
    """Returns all cells of a text table as strings, null where a cell is empty."""
    from pyarrow import csv as reader

    header = re.sub(r'"[^"]*"', "", _head(path)).split("\n")[0]
    delimiter = max(delimiters, key=header.count)
    ragged: list[Any] = []

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    read_options = reader.ReadOptions(use_threads=False, block_size=1 << 24)
    parse = reader.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
    )
    try:
        with pa.input_stream(str(path), compression="detect") as source:
            stream = reader.open_csv(source, read_options, parse)
            names = stream.schema.names
        check_names(names, str(path))
        convert = reader.ConvertOptions(
            column_types={name: pa.string() for name in names},
            null_values=[""], strings_can_be_null=True,
        )  # fmt: skip
        with pa.input_stream(str(path), compression="detect") as source:
            return reader.read_csv(source, read_options, parse, convert)
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


class FrameWriter(Protocol):
    """Writes blocks of rows, in constant memory."""

    def write(self, frame: Frame) -> None:
        """Appends the rows of `frame`."""
        ...


@contextlib.contextmanager
def writer(path: Path) -> Iterator[FrameWriter]:
    """Yields a writer of blocks of rows to a .csv, .tsv or .parquet file, whole or not there.

    Raises:
      ConfigError: The suffix is not known, or the directory can't be written to.
    """
    suffix = suffix_of(path)
    with new_file(path) as partial:
        if suffix == ".parquet":
            with contextlib.closing(_ParquetWriter(partial)) as parquet:
                yield parquet
        else:
            with _open_text(partial) as sink:
                yield _TextWriter(sink, _DELIMITERS[suffix][0])


class _TextWriter:
    def __init__(self, sink: TextIO, delimiter: str) -> None:
        self._sink, self._delimiter = sink, delimiter
        self._begun = False

    def write(self, frame: Frame) -> None:
        if not self._begun:
            # Readers, this one too, tell the delimiter by the header.
            self._rows(quoted=_any_sign(_DELIMITERS[".csv"] + "\r", frame.names)).writerow(
                frame.names
            )
            self._begun = True
        cells = [
            _cells(series, field)
            for series, field in zip(frame.series, frame.layout.fields, strict=True)
        ]
        # A lone carriage return ends a line for many readers, but csv does not quote it.
        quoted = any(_any_sign("\r", series.texts) for series in frame.series)
        self._rows(quoted=quoted).writerows(zip(*cells, strict=True))

    def _rows(self, *, quoted: bool) -> Any:
        quoting: Any = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        return csv.writer(
            self._sink, lineterminator="\n", delimiter=self._delimiter, quoting=quoting
        )


class _ParquetWriter:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._sink: Any = None

    def write(self, frame: Frame) -> None:
        import pyarrow.parquet as pq

        table = to_arrow(frame)
        if self._sink is None:
            self._sink = pq.ParquetWriter(self._path, table.schema)
        self._sink.write_table(table)

    def close(self) -> None:
        if self._sink is not None:
            self._sink.close()


def _open_text(path: Path) -> TextIO:
    if path.suffix == ".gz":
        import gzip

        return gzip.open(path, "wt", encoding="utf-8", newline="")
    return path.open("w", encoding="utf-8", newline="")


def _any_sign(signs: str, texts: Sequence[str]) -> bool:
    return any(sign in text for text in texts for sign in signs)


def _cells(series: Series, field: Field) -> list[str]:
    """Returns the cells of a column as a text file holds them, empty where missing."""
    values: list[Any] = series.values.tolist()
    if series.storage == "string":
        texts = series.texts or ("",)
        cells = [texts[value] for value in values]
    else:
        cells = spell(values, series.storage, field.spelling)
    return ["" if gone else cell for cell, gone in zip(cells, series.missing.tolist(), strict=True)]
