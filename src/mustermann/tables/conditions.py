"""What a row must be, as people write it: `sex=F,age>=65,ward=A|B,"zip code"!="01 a"`.

Conditions stand between commas and all hold. `=` and `!=` take alternatives between bars,
`<`, `<=`, `>` and `>=` go with numbers, dates, timestamps and ordinal columns. An empty value
is a missing one: `diagnosis=` asks for rows without a diagnosis, `diagnosis!=` for rows
with one. A missing value meets no other condition. Names and values that hold one of the
signs stand in double quotes, in which a backslash escapes.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import TYPE_CHECKING, NoReturn

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

OPERATORS = ("<=", ">=", "!=", "=", "<", ">")
_WORD = r'\s*("(?:[^"\\]|\\.)*"|[^,<>=!|"]*)\s*'
_OPERATOR = r"(<=|>=|!=|==|=|<|>)"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Condition:
    """One condition on one column.

    Attributes:
      column: The column's name.
      operator: One of `OPERATORS`.
      values: The alternatives as texts; an empty one stands for a missing value.
      place: Where it begins in the text, counted from 1.
      text: As it was written.
    """

    column: str
    operator: str
    values: tuple[str, ...]
    place: int = 1
    text: str = ""


def parse(text: str, names: Sequence[str]) -> tuple[Condition, ...]:
    """Returns the conditions in `text`.

    Args:
      text: See the module.
      names: The columns that there are.

    Raises:
      ConfigError: The text is no list of conditions, or there is no such column; says where,
        and names the nearest column.
    """
    found = []
    at = 0
    while True:
        condition, at = _one(text, at, names)
        found.append(condition)
        if at >= len(text):
            return tuple(found)
        if text[at] != ",":
            _refuse(text, at, "a comma or the end")
        at += 1


def _one(text: str, start: int, names: Sequence[str]) -> tuple[Condition, int]:
    """Returns the condition that begins at `start`, and where it ends."""
    name = re.compile(_WORD).match(text, start)
    if name is None or not name[1].strip():
        _refuse(text, start, "the name of a column")
    column = _unquoted(name[1])
    operator = re.compile(_OPERATOR).match(text, name.end())
    if operator is None:
        _refuse(text, name.end(), f"one of {' '.join(OPERATORS)} after {column!r}")
    if column not in names:
        near = difflib.get_close_matches(column, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"It has: {', '.join(names)}."
        raise ConfigError(
            f"Expected a column of the table at character {start + 1} of {text!r}, found "
            f"{column!r}. {hint}"
        )
    values, at = _values(text, operator.end())
    sign = "=" if operator[1] == "==" else operator[1]
    if sign not in ("=", "!=") and (len(values) > 1 or not values[0]):
        _refuse(text, operator.end(), f"one value after {sign}")
    written = text[start:at].strip()
    return Condition(
        column=column, operator=sign, values=values, place=start + 1, text=written
    ), at  # fmt: skip


def _values(text: str, at: int) -> tuple[tuple[str, ...], int]:
    values = []
    while True:
        word = re.compile(_WORD).match(text, at)
        if word is None:
            _refuse(text, at, "a value")
        values.append(_unquoted(word[1]))
        at = word.end()
        if at >= len(text) or text[at] != "|":
            return tuple(values), at
        at += 1


def _unquoted(word: str) -> str:
    if word.startswith('"'):
        return re.sub(r"\\(.)", r"\1", word[1:-1])
    return word.strip()


def _refuse(text: str, at: int, wanted: str) -> NoReturn:
    found = f"found {text[at : at + 12]!r}" if at < len(text) else "found the end"
    raise ConfigError(
        f"Expected {wanted} at character {at + 1} of {text!r}, {found}. "
        f'Write conditions as in sex=F,age>=65; put names and values with signs into "".'
    )
