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
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from mustermann.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Storage = Literal["string", "integer", "float", "boolean", "date", "timestamp"]

_NOTHING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
_INTEGER = r"^-?(0|[1-9][0-9]{0,17})$"
_WHOLE = r"^-?(0|[1-9][0-9]{0,17})(\.0*)?$"
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
    typing = Typing(name=name, where=where, wanted=wanted, markers=markers)
    typing.look(texts)
    return typing.parse(texts, typing.shape())


@dataclasses.dataclass(frozen=True, kw_only=True)
class Shape:
    """One way to spell the values of a storage.

    Attributes:
      storage: What the values are.
      arrow: Their Arrow type.
      pattern: What every text matches; "" for any text.
      spelling: As `Typed.spelling`.
    """

    storage: Storage
    arrow: Any
    pattern: str
    spelling: str | None = None


_TEXT = Shape(storage="string", arrow=pa.string(), pattern="")
_EMPTY = Shape(storage="string", arrow=pa.null(), pattern="")


class Typing:
    """Finds the type of a column of texts that are looked at block by block."""

    def __init__(
        self, *, name: str, where: str, wanted: Storage | None, markers: Sequence[str]
    ) -> None:
        """Has seen no text yet; for the arguments see `typed`."""
        self._name, self._where, self._wanted = name, where, wanted
        self._markers = pa.array(markers, pa.string())
        self._left = [shape for shape in _shapes() if wanted in (None, shape.storage)]
        self._of_wanted = "|".join(f"({shape.pattern})" for shape in self._left)
        self._misfit: tuple[str, int] | None = None
        self._rows = 0
        self._any_text = self._any_value = False

    def look(self, texts: Any) -> None:
        """Takes note of the next texts, as in `typed`."""
        texts = self._without_markers(texts)
        self._any_text |= texts.null_count < len(texts)
        if self._wanted != "string":
            bare = _bare(texts)
            self._any_value |= bare.null_count < len(bare)
            self._left = [shape for shape in self._left if _fits(bare, shape)]
            if not self._left and self._wanted is not None and self._misfit is None:
                self._look_for_misfit(bare)
        self._rows += len(texts)

    def shape(self) -> Shape:
        """Returns the narrowest shape of all texts so far.

        Raises:
          DataError: A text does not fit the storage that is wanted.
        """
        if self._wanted == "string":
            return _TEXT
        if self._wanted is None and not self._any_value:
            return _TEXT if self._any_text else _EMPTY
        if self._left:
            return self._left[0]
        if self._wanted is None:
            return _TEXT
        if self._misfit is not None:
            text, line = self._misfit
            raise DataError(
                f"Expected {article(self._wanted)} in column {self._name!r}, found {text!r} at "
                f"line {line} of {self._where}. Mend it, or declare the column categorical."
            )
        raise DataError(
            f"Expected one spelling of each {self._wanted} in column {self._name!r} of "
            f"{self._where}, found several."
        )

    def parse(self, texts: Any, shape: Shape) -> Typed:
        """Returns texts that have been looked at, in a shape that they have."""
        texts = self._without_markers(texts)
        if shape is _EMPTY:
            return Typed(column=pa.nulls(len(texts)))
        if shape is _TEXT:
            return Typed(column=texts)
        return Typed(column=_parse(_bare(texts), shape), spelling=shape.spelling)

    def _without_markers(self, texts: Any) -> Any:
        if not len(self._markers):
            return texts
        gone = pc.is_in(texts, self._markers)
        return pc.if_else(gone, pa.scalar(None, pa.string()), texts)

    def _look_for_misfit(self, bare: Any) -> None:
        matches = pc.match_substring_regex(bare, self._of_wanted)
        place = pc.index(matches, False).as_py()
        if place >= 0:
            # The first line of a file is its header.
            self._misfit = (bare[place].as_py(), self._rows + place + 2)


def article(storage: Storage) -> str:
    """Returns a storage with "a" or "an" before it."""
    return f"an {storage}" if storage == "integer" else f"a {storage}"


def _bare(texts: Any) -> Any:
    """Returns texts without blanks around them, null where they spell that nothing is there."""
    trimmed = pc.utf8_trim_whitespace(texts)
    nothing = pc.is_in(trimmed, pa.array(_NOTHING, pa.string()))
    return pc.if_else(nothing, pa.scalar(None, pa.string()), trimmed)


def _shapes() -> Iterator[Shape]:
    yield Shape(storage="integer", arrow=pa.int64(), pattern=_INTEGER)
    yield Shape(storage="float", arrow=pa.float64(), pattern=_FLOAT)
    # As pandas writes integers with gaps among them; floats unless integers are wanted.
    yield Shape(storage="integer", arrow=pa.int64(), pattern=_WHOLE)
    for true, false in _TRUTHS:
        yield Shape(
            storage="boolean", arrow=pa.bool_(), pattern=f"^({true}|{false})$",
            spelling=f"{true}|{false}",
        )  # fmt: skip
    for pattern, spelling in ((_DATE, "%Y-%m-%d"), (_GERMAN_DATE, "%d.%m.%Y")):
        yield Shape(storage="date", arrow=pa.date32(), pattern=pattern, spelling=spelling)
    for pattern, zone, mark in ((_TIMESTAMP, None, ""), (_ZONED, "UTC", "Z")):
        for separator in "T ":
            yield Shape(
                storage="timestamp", arrow=pa.timestamp("us", zone),
                pattern=pattern.replace("[T ]", separator),
                spelling=f"%Y-%m-%d{separator}%H:%M:%S{mark}",
            )  # fmt: skip


def _fits(texts: Any, shape: Shape) -> bool:
    matches = pc.match_substring_regex(texts, shape.pattern)
    if not pc.all(matches, min_count=0).as_py():
        return False
    if shape.storage in ("date", "timestamp"):
        try:
            _parse(texts, shape)
        except pa.ArrowException:  # Looks like a date, but is none (30 February).
            return False
    return True


def _parse(texts: Any, shape: Shape) -> Any:
    if shape.spelling == "%d.%m.%Y":
        texts = pc.replace_substring_regex(texts, r"(\d\d)\.(\d\d)\.(\d{4})", r"\3-\2-\1")
    if shape.pattern == _WHOLE:
        texts = pc.replace_substring_regex(texts, r"\.0*$", "")
    return texts.cast(shape.arrow)


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
