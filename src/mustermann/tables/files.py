"""Tables in files: .csv, .tsv (also .gz) and .parquet.

They are read block by block (text) or column by column (Parquet) into plain arrays of
numbers, so that the texts of a large table never stand in memory all at once, and written
in blocks.
"""

from __future__ import annotations

import contextlib
import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import pyarrow as pa

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import new_file, refuse_unwritable
from mustermann.tables.delimited import read_delimited
from mustermann.tables.frames import (
    Collected,
    Frame,
    Reading,
    check_names,
    first_line,
    fitted,
    from_native,
    one_array,
    to_arrow,
)
from mustermann.tables.texts import spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.tables.frames import Field, Series

_DELIMITERS = {".csv": ",;\t|", ".tsv": "\t"}
BATCH_ROWS = 1 << 16
"""Rows of a Parquet column that are read at once."""


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
        return _read_parquet(path, reading)
    return read_delimited(path, reading, delimiters=_DELIMITERS[suffix])


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


def _read_parquet(path: Path, reading: Reading) -> Frame:
    """Returns the table in a Parquet file, read column by column in batches of rows."""
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as source:
            schema = source.schema_arrow
            check_names(schema.names, str(path))
            if not source.metadata.num_rows:
                raise DataError(f"Expected rows in {path}, found none.")
            columns = [_parquet_column(source, field, str(path)) for field in schema]
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"Expected a Parquet file at {path}: {first_line(error)}.") from error
    return fitted(columns, reading, where=str(path))


def _parquet_column(source: Any, field: Any, where: str) -> tuple[Series, Field]:
    collected = Collected(field.name, where=where)
    if pa.types.is_dictionary(field.type):
        # The order of categories is known only from all batches together.
        table = source.read(columns=[field.name], use_threads=False)
        collected.add(one_array(table[field.name]))
    else:
        for batch in source.iter_batches(
            batch_size=BATCH_ROWS, columns=[field.name], use_threads=False
        ):
            collected.add(batch[field.name])
    return collected.finish()


def refuse_replacing(path: Path, *, force: bool) -> None:
    """Refuses a place where no table can be written, or something is that must not be lost.

    Raises:
      ConfigError: The suffix is not known, the directory can't be written to, or a file is
        there and nobody has said that it may go.
    """
    suffix_of(path)
    if path.is_file() and not force:
        raise ConfigError(replaced(path))
    refuse_unwritable(path)


def replaced(path: Path) -> str:
    """Returns why a file that is there is not replaced, and the ways on."""
    return (
        f"Expected a new output path, found that {path} exists. Choose another one, or replace "
        f"it with --force (force=True)."
    )


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
