"""Texts to values and back: how a file spells numbers, dates and booleans.

The rules do not guess:

* an empty cell is missing; "?" and the like are values unless the schema says otherwise;
* "03" and "+5" are text, because a number would not come back as it was;
* `NA`, `NaN` or `null` are missing in a column that otherwise holds numbers, dates or
  booleans, and text in a column of text.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from mustermann.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Storage = Literal["string", "integer", "float", "boolean", "date", "timestamp"]

_NOTHING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
_INTEGER = r"^-?(0|[1-9][0-9]{0,17})$"
_FLOAT = r"^-?((0|[1-9][0-9]{0,17})(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_GERMAN_DATE = r"^[0-9]{2}\.[0-9]{2}\.[0-9]{4}$"
_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?$"
_ZONED = _TIMESTAMP[:-1] + r"(Z|[+-][0-9]{2}:?[0-9]{2})$"
_TRUTHS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Typed:
    """A column of texts in its own type.

    Attributes:
      column: Arrow array of that type, null where the value is missing.
      spelling: How the file spelt it: a strftime format, or "true|false".
    """

    column: Any
    spelling: str | None = None


def typed(
    texts: Any, *, name: str, where: str, wanted: Storage | None = None, markers: Sequence[str] = ()
) -> Typed:
    """Returns an Arrow array of texts in the storage `wanted`, or the narrowest that fits all.

    Args:
      texts: Arrow array of strings, null where a cell is empty.
      name: The column's name, for messages.
      where: The table's name, for messages.
      wanted: A storage that the texts must fit; None infers one.
      markers: Texts that mean "missing".

    Raises:
      DataError: A text does not fit `wanted`; names the first one and its line.
    """
    gone = pc.is_in(texts, pa.array(markers, pa.string()))
    texts = pc.if_else(gone, pa.scalar(None, pa.string()), texts)
    if wanted == "string":
        return Typed(column=texts)
    trimmed = pc.utf8_trim_whitespace(texts)
    nothing = pc.is_in(trimmed, pa.array(_NOTHING, pa.string()))
    bare = pc.if_else(nothing, pa.scalar(None, pa.string()), trimmed)
    if bare.null_count == len(bare) and wanted is None:
        return Typed(column=texts if texts.null_count < len(texts) else pa.nulls(len(texts)))
    for storage, arrow, pattern, spelling in _shapes():
        if wanted not in (None, storage) or not _all_match(bare, pattern):
            continue
        try:
            return Typed(column=_parse(bare, arrow, spelling), spelling=spelling)
        except pa.ArrowException:  # Looks like a date, but is none (30 February).
            continue
    if wanted is None:
        return Typed(column=texts)
    raise DataError(_misfit(bare, name, wanted, where))


def _shapes() -> Iterator[tuple[Storage, Any, str, str | None]]:
    yield "integer", pa.int64(), _INTEGER, None
    yield "float", pa.float64(), _FLOAT, None
    for true, false in _TRUTHS:
        yield "boolean", pa.bool_(), f"^({true}|{false})$", f"{true}|{false}"
    yield "date", pa.date32(), _DATE, "%Y-%m-%d"
    yield "date", pa.date32(), _GERMAN_DATE, "%d.%m.%Y"
    for separator in "T ":
        pattern = _TIMESTAMP.replace("[T ]", separator)
        yield "timestamp", pa.timestamp("us"), pattern, f"%Y-%m-%d{separator}%H:%M:%S"
    for separator in "T ":
        pattern = _ZONED.replace("[T ]", separator)
        yield "timestamp", pa.timestamp("us", "UTC"), pattern, f"%Y-%m-%d{separator}%H:%M:%SZ"


def _all_match(texts: Any, pattern: str) -> bool:
    matches = pc.match_substring_regex(texts, pattern)
    return bool(pc.all(matches, min_count=0).as_py())


def _parse(texts: Any, arrow: Any, spelling: str | None) -> Any:
    if spelling == "%d.%m.%Y":
        day_last = pc.replace_substring_regex(texts, r"(\d\d)\.(\d\d)\.(\d{4})", r"\3-\2-\1")
        return day_last.cast(arrow)
    return texts.cast(arrow)


def _misfit(texts: Any, name: str, wanted: Storage, where: str) -> str:
    patterns = "|".join(f"({p})" for storage, _, p, _ in _shapes() if storage == wanted)
    for line, text in enumerate(texts.to_pylist(), start=2):
        if text is not None and not re.search(patterns, text):
            return (
                f"Expected a {wanted} in column {name!r}, found {text!r} at line {line} of {where}."
                f" Mend it, or declare the column categorical."
            )
    return f"Expected one spelling of each {wanted} in column {name!r} of {where}, found several."


def spell(values: Sequence[Any], storage: Storage, spelling: str | None) -> list[str]:
    """Returns values as a text file spells them: integers, floats, booleans, days or microseconds.

    Args:
      values: As `Series.values` holds them; for strings, the texts themselves.
      storage: What they are.
      spelling: As `Typed.spelling`; None writes ISO 8601 and "true|false".
    """
    if storage == "boolean":
        true, false = (spelling or "true|false").split("|")
        return [true if value else false for value in values]
    if storage == "date":
        start = dt.date(1970, 1, 1)
        spelling = spelling or "%Y-%m-%d"
        return [(start + dt.timedelta(days=value)).strftime(spelling) for value in values]
    if storage == "timestamp":
        spelling = spelling or "%Y-%m-%dT%H:%M:%S"
        if any(value % 1_000_000 for value in values):
            spelling = spelling.replace("%S", "%S.%f")
        epoch = dt.datetime(1970, 1, 1)
        return [(epoch + dt.timedelta(microseconds=value)).strftime(spelling) for value in values]
    return [str(value) for value in values]
