"""Fills the gaps of a schema from the data, and says which gaps these were."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.frames import Reading
from mustermann.tables.schema import NUMERIC, ColumnSchema, Kind, Schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.tables.discretise import BinsMode, DiscretiseSettings
    from mustermann.tables.frames import Field, Frame, Series
    from mustermann.tables.texts import Storage

_KINDS: dict[Storage, Kind] = {
    "string": "categorical", "integer": "integer", "float": "float",
    "boolean": "boolean", "date": "date", "timestamp": "timestamp",
}  # fmt: skip
_STORAGES: dict[Kind, Storage] = {
    "integer": "integer", "float": "float", "boolean": "boolean",
    "date": "date", "timestamp": "timestamp",
}  # fmt: skip
_WORDS = {
    "kind": "kinds", "bounds": "bounds", "bins": "bins", "frequent": "frequent values",
    "step": "steps", "levels": "levels", "missing": "missingness",
    "declarations": "unsigned declarations",
}  # fmt: skip
_NAMED = 3
_WIDEST = 1e300
_SECONDS = (86_400.0, 3_600.0, 60.0, 1.0, 1e-3, 1e-6)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Completed:
    """A schema without gaps.

    Attributes:
      schema: Every column of the table, in its order.
      reads: By column, what was read from the data: "kind", "levels", "bounds", "step",
        "missing", "bins" (cut or folded by the data), "frequent" (values of most rows of a
        bin), "declarations" (not signed as public).
      given: The columns that the schema said something about.
    """

    schema: Schema
    reads: Mapping[str, tuple[str, ...]]
    given: frozenset[str]

    def read(self) -> str:
        """Returns what was read from the data, as a noun phrase; "" if nothing was."""
        found = {what for reads in self.reads.values() for what in reads}
        names = [name for name, reads in self.reads.items() if reads]
        words = [word for what, word in _WORDS.items() if what in found]
        return f"the {_listed(words)} of {_counted(names)}" if names else ""

    def declared(self) -> str:
        """Returns what the schema declares as public, as a noun phrase; "" if nothing."""
        names = [
            name
            for name, reads in self.reads.items()
            if self.schema.is_public(name) and name in self.given
        ]
        return f"what the schema declares of {_counted(names)}" if names else ""


def reading_of(schema: Schema) -> Reading:
    """Returns what the schema says about how a table must be read."""
    storages: dict[str, Storage] = {}
    for name, column in schema.columns.items():
        if column.kind in _STORAGES:
            storages[name] = _STORAGES[column.kind]
        elif column.levels:
            storages[name] = _storage_of(name, column.levels)
    markers = {name: column.missing_values for name, column in schema.columns.items()}
    return Reading(storages=storages, markers=markers)


def complete(
    schema: Schema, frame: Frame, settings: DiscretiseSettings, *, mode: BinsMode
) -> Completed:
    """Returns the schema with every gap filled.

    Args:
      schema: What is declared.
      frame: The table, read by `reading_of(schema)`.
      settings: What applies where the schema is silent.
      mode: "nonprivate" fills gaps from the data; "public" refuses them.

    Raises:
      DataError: A column of the schema is not in the table.
      ConfigError: A declaration does not fit its column, or `mode` refuses a gap.
    """
    schema.check_names(frame.names)
    columns, reads = {}, {}
    for series, field in zip(frame.series, frame.layout.fields, strict=True):
        declared = schema.column(series.name)
        if declared.drop:
            columns[series.name] = declared
            continue
        gaps = _gaps(declared, series, settings, public=mode == "public")
        if not schema.is_public(series.name):
            gaps = _unsigned(declared, gaps, settings)
        if gaps and mode == "public":
            raise ConfigError(_refusal(series.name, gaps))
        reads[series.name] = gaps
        columns[series.name] = _fill(declared, series, field, settings, public=mode == "public")
    return Completed(
        schema=Schema(public=schema.public, columns=columns),
        reads=reads,
        given=frozenset(schema.columns) - schema.dropped(),
    )


def _gaps(
    column: ColumnSchema, series: Series, settings: DiscretiseSettings, *, public: bool
) -> tuple[str, ...]:
    """Returns what the data has to tell about a column."""
    gaps = [] if column.kind else ["kind"]
    kind = column.kind or _KINDS[series.storage]
    if kind in NUMERIC:
        edges = isinstance(column.bins, tuple)
        if column.bounds is None and not edges:
            gaps.append("bounds")
        quantile = (column.strategy or settings.strategy) == "quantile" and not edges
        if quantile or "bounds" in gaps:
            gaps.append("bins")
            if settings.frequent and not public:
                gaps.append("frequent")
        if column.step is None and kind in ("float", "timestamp") and not public:
            gaps.append("step")
    elif kind != "boolean" and column.levels is None:
        gaps.append("levels")
    if column.missing is None and not public:
        gaps.append("missing")
    return tuple(gaps)


def _unsigned(
    column: ColumnSchema, gaps: tuple[str, ...], settings: DiscretiseSettings
) -> tuple[str, ...]:
    """Returns the gaps of a column whose declarations were read from the data before."""
    if column.kind in NUMERIC and not isinstance(column.bins, tuple):
        gaps = (*gaps, "bins", *(("frequent",) if settings.frequent else ()))
    return tuple(dict.fromkeys((*gaps, "declarations")))


def _refusal(name: str, gaps: tuple[str, ...]) -> str:
    if "declarations" in gaps:
        return (
            f"Expected public declarations for --bins public, but the schema says that those of "
            f"column {name!r} are not public. Check them and set public = true."
        )
    hints = {"bins": 'strategy = "uniform"', "bounds": "bounds", "levels": "levels"}
    wanted = ", ".join(dict.fromkeys(hints.get(gap, gap) for gap in gaps))
    return (
        f"Expected a schema that declares every column for --bins public, but column {name!r} "
        f"lacks {wanted}. Declare it, or choose --bins nonprivate."
    )


def _fill(
    column: ColumnSchema, series: Series, field: Field, settings: DiscretiseSettings, *,
    public: bool,
) -> ColumnSchema:  # fmt: skip
    """Returns the column without gaps."""
    kind = column.kind or kind_of(series, field)
    missing = column.missing
    if missing is None:
        missing = not public and bool(series.missing.any())
    column = dataclasses.replace(column, kind=kind, missing=missing)
    present = series.values[~series.missing]
    if kind in NUMERIC:
        _check_storage(series, kind)
        return _fill_numeric(column, present, public=public)
    if kind == "boolean":
        _check_storage(series, kind)
        return dataclasses.replace(column, levels=(False, True))
    return _fill_levels(column, series, field, settings)


def kind_of(series: Series, field: Field) -> Kind:
    """Returns the kind of a column by its type alone."""
    if field.categories is not None:
        return "ordinal" if field.ordered else "categorical"
    return _KINDS[series.storage]


def _check_storage(series: Series, kind: Kind) -> None:
    if _KINDS[series.storage] != kind:
        raise ConfigError(
            f"Expected a column of kind {kind!r}, found {series.storage} in {series.name!r}. "
            f"Mend the schema or the data."
        )


def _fill_numeric(column: ColumnSchema, present: Any, *, public: bool) -> ColumnSchema:
    bounds, step = column.bounds, column.step
    if bounds is None and not isinstance(column.bins, tuple):
        low, high = (present.min(), present.max()) if len(present) else (np.int64(0), np.int64(0))
        bounds = (low.item(), high.item())
        if not float(high) - float(low) < _WIDEST:
            raise DataError(f"Expected a range of numbers below {_WIDEST:g}; declare bounds.")
    if step is None and (
        column.kind in ("integer", "date") or (public and column.kind == "timestamp")
    ):
        step = 1.0
    elif step is None and not public:
        step = _step_of_times(present) if column.kind == "timestamp" else _step_of_floats(present)
    return dataclasses.replace(column, bounds=bounds, step=step)


def _step_of_times(present: Any) -> float:
    """Returns the widest of day … microsecond that all timestamps are whole multiples of."""
    for seconds in _SECONDS:
        if not np.any(present % round(seconds * 1e6)):
            return seconds
    return _SECONDS[-1]


def _step_of_floats(present: Any) -> float | None:
    """Returns 1, .1, .01 or .001 if all numbers have so few decimals, else None."""
    if not len(present) or np.abs(present).max() > 1e12:
        return None
    for digits in range(4):
        if np.array_equal(np.round(present, digits), present):
            return float(f"1e-{digits}")
    return None


def _fill_levels(
    column: ColumnSchema, series: Series, field: Field, settings: DiscretiseSettings
) -> ColumnSchema:
    """Returns the column with its most frequent values, and "unknown" where it is needed."""
    if column.levels is not None:
        return column
    values = _by_frequency(series)
    top = column.top or settings.top
    if field.categories is not None and len(field.categories) < top:
        values += [value for value in field.categories if value not in values]
    if column.kind == "ordinal":
        order = _order(column, series, field)
        return dataclasses.replace(column, levels=order)
    crowded = len(values) > top - 1
    if crowded and column.unknown is False:
        raise ConfigError(
            f"Column {series.name!r} has {len(values)} values and may keep {top - 1}. "
            f"Raise top, or allow unknown = true."
        )
    unknown = True if crowded else column.unknown
    return dataclasses.replace(column, levels=tuple(values[: top - 1]), unknown=unknown)


def _by_frequency(series: Series) -> list[Any]:
    """Returns the values that occur, the most frequent first; ties by first place or size."""
    present = series.values[~series.missing]
    if series.storage == "string":
        counts = np.bincount(present, minlength=len(series.texts))
        order = np.argsort(-counts, kind="stable")
        return [series.texts[place] for place in order if counts[place]]
    values, counts = np.unique(present, return_counts=True)
    return values[np.argsort(-counts, kind="stable")].tolist()  # type: ignore[no-any-return]


def _order(column: ColumnSchema, series: Series, field: Field) -> tuple[Any, ...]:
    """Returns the values of an ordinal column in their order."""
    if field.categories is not None and field.ordered:
        return field.categories
    if series.storage == "string":
        refuse_unordered(series.name)
    return tuple(np.unique(series.values[~series.missing]).tolist())


def refuse_unordered(name: str) -> NoReturn:
    """Raises ConfigError: an ordinal column of text has no levels."""
    raise ConfigError(
        f"Expected levels for the ordinal column {name!r}: text has no order of its own. "
        f"Declare them in order, or make it categorical."
    )


def _storage_of(name: str, levels: tuple[Any, ...]) -> Storage:
    """Returns the storage that holds all these levels."""
    names: dict[str, Storage] = {
        "str": "string", "bool": "boolean", "int": "integer", "float": "float",
        "date": "date", "datetime": "timestamp",
    }  # fmt: skip
    found = {names[type(level).__name__] for level in levels}
    if found == {"integer", "float"}:
        return "float"
    if len(found) > 1:
        raise ConfigError(f"Expected levels of one type in column {name!r}, found {sorted(found)}.")
    return found.pop()


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _counted(names: list[str]) -> str:
    """Returns "3 columns (a, b, c)", the names cut short where there are many."""
    shown = names if len(names) <= _NAMED + 1 else [*names[:_NAMED], f"{len(names) - _NAMED} more"]
    return f"{len(names)} column{'s' * (len(names) > 1)} ({_listed(shown)})"
