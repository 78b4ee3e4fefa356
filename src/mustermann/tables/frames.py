"""Tables in memory: the only module that knows pandas, polars and Arrow tables.

A `Frame` holds plain numpy columns and the `Layout` by which it goes back to where it came
from: the same library, dtypes, category order and, in text files, the same spelling of
dates and booleans. `files` reads and writes it, `texts` knows how files spell values.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from mustermann.core.errors import DataError
from mustermann.tables.texts import Storage, article, typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Library = Literal["pandas", "polars", "arrow"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Field:
    """What is needed to give one column back as it was.

    Attributes:
      name: The column's name.
      storage: How `Series.values` holds it.
      arrow: The Arrow type in words, as "int64" or "timestamp[us, tz=UTC]".
      native: The caller's dtype in words where Arrow's type alone would lose it.
      categories: The category order, None for columns that have none.
      ordered: Whether the categories are ordered.
      spelling: How a text file writes it: a strftime format, or "true|false".
    """

    name: str
    storage: Storage
    arrow: str
    native: str | None = None
    categories: tuple[Any, ...] | None = None
    ordered: bool = False
    spelling: str | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layout:
    """Where a frame came from and goes back to."""

    library: Library
    fields: tuple[Field, ...]

    def to_record(self) -> dict[str, Any]:
        """Returns the layout as JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Layout:
        """Returns the layout that `to_record` described."""
        fields = [dict(field) for field in record["fields"]]
        for field in fields:
            if field["categories"] is not None:
                field["categories"] = tuple(field["categories"])
        return cls(library=record["library"], fields=tuple(Field(**field) for field in fields))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Series:
    """One column in memory.

    Attributes:
      values: Shape (N,). Texts as indices into `texts` (int64), integers as int64, floats
        as float64, booleans as bool, dates as days and timestamps as microseconds since
        1970 (int64). What stands where `missing` is true means nothing.
      missing: Shape (N,), bool.
      texts: The different texts of a column of strings, () for the other storages.
    """

    name: str
    storage: Storage
    values: npt.NDArray[Any]
    missing: npt.NDArray[np.bool_]
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.values)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """A table in memory: series of equal length, and the way back."""

    series: tuple[Series, ...]
    layout: Layout

    def __len__(self) -> int:
        return len(self.series[0]) if self.series else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Returns the column names in order."""
        return tuple(series.name for series in self.series)

    def __getitem__(self, name: str) -> Series:
        return self.series[self.names.index(name)]

    def take(self, places: npt.NDArray[np.int64]) -> Frame:
        """Returns the rows at these places, in their order."""
        series = tuple(
            dataclasses.replace(own, values=own.values[places], missing=own.missing[places])
            for own in self.series
        )
        return dataclasses.replace(self, series=series)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Reading:
    """What is known about columns before they are read.

    Attributes:
      storages: By column; a column that does not fit is refused. Others are inferred.
      markers: By column, texts that mean "missing".
    """

    storages: Mapping[str, Storage] = dataclasses.field(default_factory=dict)
    markers: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)


def from_native(native: Any, reading: Reading | None = None) -> Frame:
    """Returns the caller's pandas, polars or Arrow table as a frame.

    Raises:
      DataError: It is none of these, has no rows or columns, a name twice, or a column of a
        type that is not supported.
    """
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(native, eager_only=True)
    except TypeError as error:
        raise DataError(
            f"Expected a pandas, polars or Arrow table, got {type(native).__name__}."
        ) from error
    except Exception as error:  # narwhals has its own tree of errors for names.
        raise DataError("Expected each column name once in the table, found one twice.") from error
    library: Library = "arrow"
    if frame.implementation.is_pandas_like():
        library = "pandas"
    elif frame.implementation.is_polars():
        library = "polars"
    for name in frame.columns:
        if not isinstance(name, str):
            raise DataError(f"Expected column names to be text, found {name!r}. Rename it.")
    check_names(frame.columns, "the table")
    try:
        table = frame.to_arrow().select(frame.columns)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"Expected each column to hold one type: {first_line(error)}.") from error
    natives = {name: str(native[name].dtype) for name in frame.columns if library != "arrow"}
    return from_arrow(
        table, reading or Reading(), library=library, where="the table", natives=natives
    )


def one_array(column: Any) -> Any:
    """Returns an Arrow column of several chunks as one array."""
    whole = column.combine_chunks()
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def check_names(names: Sequence[str], where: str) -> None:
    """Raises DataError if a column name is empty, stands twice, or there is none."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"Expected each column name once, found {twice[0]!r} twice in {where}.")
    if not names:
        raise DataError(f"Expected at least one column in {where}, found none.")
    if "" in names:
        place = list(names).index("") + 1
        raise DataError(f"Expected a name for column {place} of {where}, found none.")


def from_arrow(
    table: pa.Table,
    reading: Reading,
    *,
    where: str,
    library: Library = "arrow",
    natives: Mapping[str, str] | None = None,
) -> Frame:
    """Returns an Arrow table as a frame.

    Args:
      table: The columns.
      reading: What is known about them.
      where: The table's name, for messages.
      library: Where the frame goes back to.
      natives: By column, the dtype in that library.

    Raises:
      DataError: As `from_native`.
    """
    check_names(table.column_names, where)
    if not table.num_rows:
        raise DataError(f"Expected rows in {where}, found none.")
    columns = []
    for name in table.column_names:
        column = one_array(table[name])
        field = _field(name, column, (natives or {}).get(name), None, where)
        columns.append((_to_series(field, column, where), field))
    return fitted(columns, reading, where=where, library=library)


def fitted(
    columns: Sequence[tuple[Series, Field]],
    reading: Reading,
    *,
    where: str,
    library: Library = "arrow",
) -> Frame:
    """Returns columns as a frame, in the storages that `reading` asks for.

    Raises:
      DataError: A column does not fit.
    """
    found = [_fit_storage(series, field, reading, where) for series, field in columns]
    return Frame(
        series=tuple(series for series, _ in found),
        layout=Layout(library=library, fields=tuple(field for _, field in found)),
    )


def _field(
    name: str, column: pa.Array, native: str | None, spelling: str | None, where: str
) -> Field:
    arrow, categories, ordered = column.type, None, False
    if pa.types.is_dictionary(arrow):
        categories, ordered = tuple(column.dictionary.to_pylist()), bool(arrow.ordered)
        arrow = arrow.value_type
    return Field(
        name=name, storage=_storage(arrow, name, where), arrow=str(arrow), native=native,
        categories=categories, ordered=ordered, spelling=spelling,
    )  # fmt: skip


def _storage(arrow: pa.DataType, name: str, where: str) -> Storage:
    kinds = pa.types
    if kinds.is_string(arrow) or kinds.is_large_string(arrow) or kinds.is_null(arrow):
        return "string"
    if str(arrow) == "string_view":
        return "string"
    if kinds.is_boolean(arrow):
        return "boolean"
    if kinds.is_integer(arrow):
        return "integer"
    if kinds.is_floating(arrow) or kinds.is_decimal(arrow):
        return "float"
    if kinds.is_date(arrow):
        return "date"
    if kinds.is_timestamp(arrow):
        return "timestamp"
    raise DataError(
        f"Expected text, numbers, booleans, dates or timestamps in column {name!r} of {where}, "
        f"found {arrow}. Convert or drop it."
    )


class Collected:
    """A column that arrives in blocks of one Arrow type, kept as plain numpy arrays."""

    def __init__(self, name: str, *, where: str, spelling: str | None = None) -> None:
        """Has no rows yet; `where` is the table's name, for messages."""
        self._name, self._where, self._spelling = name, where, spelling
        self._field: Field | None = None
        self._parts: list[Series] = []
        self._places: dict[str, int] = {}
        self._rows = 0

    def add(self, column: pa.Array) -> None:
        """Appends the values of `column`.

        Raises:
          DataError: A value is not supported.
        """
        if self._field is None:
            self._field = _field(self._name, column, None, self._spelling, self._where)
        part = _to_series(self._field, column, self._where, before=self._rows)
        if part.storage == "string":
            # One dictionary for all blocks, in the order of first appearance.
            places = [self._places.setdefault(text, len(self._places)) for text in part.texts]
            values = np.array(places or [0], np.int64)[part.values]
            part = dataclasses.replace(part, values=values, texts=())
        self._parts.append(part)
        self._rows += len(part)

    def finish(self) -> tuple[Series, Field]:
        """Returns the whole column, which has at least one block, and what it was."""
        if self._field is None:
            raise DataError(f"Expected rows in column {self._name!r} of {self._where}, found none.")
        parts, self._parts = self._parts, []
        whole = dataclasses.replace(
            parts[0],
            values=np.concatenate([part.values for part in parts]),
            missing=np.concatenate([part.missing for part in parts]),
            texts=tuple(self._places),
        )
        return whole, self._field


def _to_series(field: Field, column: pa.Array, where: str, *, before: int = 0) -> Series:
    """Returns a column, or a part of one that begins after `before` rows."""
    missing = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False).astype(bool)
    texts: tuple[str, ...] = ()
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if field.storage == "string":
        coded = column.cast(pa.string()).dictionary_encode()
        values = coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        return Series(
            name=field.name, storage="string", values=values, missing=missing,
            texts=tuple(coded.dictionary.to_pylist()),
        )  # fmt: skip
    try:
        plain = _plain(column, field.storage)
    except pa.ArrowException as error:
        raise DataError(
            f"Column {field.name!r} of {where} does not fit: {first_line(error)}."
        ) from error
    values = plain.to_numpy(zero_copy_only=False)
    if field.storage == "float" and np.isinf(values[~missing]).any():
        row = before + int(np.flatnonzero(np.isinf(values) & ~missing)[0]) + 1
        raise DataError(
            f"Expected finite numbers in column {field.name!r} of {where}, "
            f"found an infinite one in row {row}. Remove it or make it missing."
        )
    return Series(
        name=field.name, storage=field.storage, values=values, missing=missing, texts=texts
    )


def _plain(column: pa.Array, storage: Storage) -> pa.Array:
    if storage == "boolean":
        return column.fill_null(False)
    if storage == "float":
        return column.cast(pa.float64()).fill_null(0.0)
    if storage == "date":
        column = column.cast(pa.date32()).cast(pa.int32())
    if storage == "timestamp":
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    return column.cast(pa.int64()).fill_null(0)


def _fit_storage(
    series: Series, field: Field, reading: Reading, where: str
) -> tuple[Series, Field]:
    """Returns the series in the storage that is asked for; markers become missing."""
    name = series.name
    markers = set(reading.markers.get(name, ()))
    if markers and series.storage == "string":
        marked = np.array([text in markers for text in series.texts] or [False])
        series = dataclasses.replace(series, missing=series.missing | marked[series.values])
    wanted = reading.storages.get(name, series.storage)
    if wanted == series.storage:
        return series, field
    if series.missing.all():
        empty = np.zeros(len(series), _NUMPY[wanted])
        return (
            dataclasses.replace(series, storage=wanted, values=empty, texts=()),
            dataclasses.replace(field, storage=wanted, arrow=_ARROW[wanted], native=None),
        )
    if series.storage == "string":
        texts = pa.array(series.texts, pa.string()).take(
            pa.array(series.values, mask=series.missing)
        )
        found = typed(texts, name=name, where=where, wanted=wanted)
        field = dataclasses.replace(
            field,
            storage=wanted,
            arrow=str(found.column.type),
            native=None,
            spelling=found.spelling,
        )
        return _to_series(field, found.column, where), field
    whole = series.storage == "float" and not np.any(series.values[~series.missing] % 1)
    if (series.storage, wanted) == ("integer", "float") or (wanted == "integer" and whole):
        values = series.values.astype(_NUMPY[wanted])
        field = dataclasses.replace(field, storage=wanted, arrow=_ARROW[wanted], native=None)
        return dataclasses.replace(series, storage=wanted, values=values), field
    raise DataError(
        f"Expected {article(wanted)} column {name!r} in {where}, found {series.storage}. "
        f"Convert it, or declare another kind."
    )


_NUMPY: dict[Storage, Any] = {
    "string": np.int64, "integer": np.int64, "float": np.float64,
    "boolean": np.bool_, "date": np.int64, "timestamp": np.int64,
}  # fmt: skip
_ARROW: dict[Storage, str] = {
    "string": "string", "integer": "int64", "float": "double",
    "boolean": "bool", "date": "date32[day]", "timestamp": "timestamp[us]",
}  # fmt: skip


def to_native(frame: Frame) -> Any:
    """Returns the frame as the library that it came from holds it, dtypes kept."""
    table = to_arrow(frame)
    library = frame.layout.library
    if library == "pandas":
        return _to_pandas(table, frame.layout)
    if library == "polars":
        import polars as pl

        native = cast("pl.DataFrame", pl.from_arrow(table))
        for field in frame.layout.fields:
            if field.categories is not None and (field.native or "").startswith("Enum"):
                native = native.with_columns(pl.col(field.name).cast(pl.Enum(field.categories)))
            elif field.categories is not None:
                native = native.with_columns(pl.col(field.name).cast(pl.Categorical))
        return native
    return table


def concatenate(frames: Sequence[Frame]) -> Frame:
    """Returns the rows of all frames, which share one layout and, for texts, one dictionary."""
    first = frames[0]
    series = []
    for place, column in enumerate(first.series):
        parts = [frame.series[place] for frame in frames]
        series.append(
            dataclasses.replace(
                column,
                values=np.concatenate([part.values for part in parts]),
                missing=np.concatenate([part.missing for part in parts]),
            )
        )
    return Frame(series=tuple(series), layout=first.layout)


def to_arrow(frame: Frame) -> pa.Table:
    """Returns the frame as an Arrow table, dictionaries for columns with categories."""
    columns = [
        _to_arrow_column(series, field)
        for series, field in zip(frame.series, frame.layout.fields, strict=True)
    ]
    return pa.table(columns, names=frame.names)


def _to_arrow_column(series: Series, field: Field) -> pa.Array:
    target = arrow_type(field.arrow)
    if field.storage == "string":
        texts = pa.array(series.texts or ("",), pa.string())
        column = texts.take(pa.array(series.values, mask=series.missing))
    elif field.storage == "date":
        column = pa.array(series.values.astype(np.int32), mask=series.missing).cast(pa.date32())
    elif field.storage == "timestamp":
        micros = pa.array(series.values, mask=series.missing)
        column = micros.cast(pa.timestamp("us", getattr(target, "tz", None)))
    else:
        column = pa.array(series.values, mask=series.missing)
    if pa.types.is_null(target):
        return pa.nulls(len(series))
    column = column.cast(target, safe=not pa.types.is_floating(target))
    if field.categories is None:
        return column
    known = list(field.categories)
    found = [value for value in pc.unique(column).to_pylist() if value is not None]
    categories = known + [value for value in found if value not in known]
    indices = pc.index_in(column, pa.array(categories, target))
    return pa.DictionaryArray.from_arrays(
        indices, pa.array(categories, target), ordered=field.ordered
    )


def arrow_type(text: str) -> pa.DataType:
    """Returns the Arrow type that `str` wrote as `text`."""
    zoned = re.fullmatch(r"timestamp\[(\w+), tz=(.+)\]", text)
    if zoned:
        return pa.timestamp(zoned[1], zoned[2])
    decimal = re.fullmatch(r"decimal(\d+)\((\d+), (-?\d+)\)", text)
    if decimal:
        return getattr(pa, f"decimal{decimal[1]}")(int(decimal[2]), int(decimal[3]))
    plain = {"string_view": pa.string(), "halffloat": pa.float16(), "float": pa.float32()}
    return plain.get(text) or pa.type_for_alias(text)


def _to_pandas(table: pa.Table, layout: Layout) -> Any:
    import pandas as pd

    native = table.to_pandas()
    for field in layout.fields:
        if field.categories is not None:
            categories = list(table[field.name].chunk(0).dictionary.to_pylist())
            dtype: Any = pd.CategoricalDtype(categories, ordered=field.ordered)
        else:
            dtype = field.native
        lossy = str(native[field.name].dtype).startswith("float") and "int" in str(dtype).lower()
        # A column of plain integers can't hold a missing value; pandas' Int64 can.
        if lossy and str(dtype)[0] == "i" and native[field.name].isna().any():
            dtype = "Int64"
        if dtype is not None and str(native[field.name].dtype) != str(dtype):
            native[field.name] = native[field.name].astype(dtype)
    return native


def first_line(error: Exception) -> str:
    """Returns the first line of a foreign error, without its full stop."""
    return next(itertools.chain(str(error).splitlines(), [type(error).__name__])).rstrip(". ")
