"""A commented schema file, drafted from a table for its owner to check and sign."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING, Any

from mustermann.tables.schema import NUMERIC

if TYPE_CHECKING:
    from mustermann.tables.frames import Frame
    from mustermann.tables.infer import Completed
    from mustermann.tables.schema import ColumnSchema

_HEADER = """\
# A draft. Bounds and levels below were read from the data, which no privacy budget covers.
# Check each of them against what is publicly known (a codebook, a form), mend what the data
# gave away, and then set public = true: from then on all of this counts as public.
#
# A column takes: kind (categorical, ordinal, integer, float, boolean, date, timestamp),
# levels, top, unknown, missing, missing_values, bounds, bins (a number, or edges),
# strategy (uniform, quantile), step, drop, and public for that column alone.
#
# The table may also declare a cap on what all fits may spend, who may have several rows, and
# what every row keeps to:
#
# [budget]
# cap_epsilon = 10.0
#
# [person]
# id = "patient"
# rows = 5
#
# [[constraints]]
# implies = ["age<16", "marital=single"]     # or: forbid = "sex=M,pregnant=true";
# # ascending = ["admitted", "discharged"];  together = ["value", "value_date"];
# # columns = ["city", "zip"] with combinations = [["Bonn", "53111"]]

public = false
"""
_KEY = 0.9
"""A column of text whose rows differ so often looks like a key."""


def draft_toml(completed: Completed, frame: Frame) -> str:
    """Returns the schema of `frame` as commented TOML, which `read_schema` reads back."""
    parts = [_HEADER]
    for name, column in completed.schema.columns.items():
        lines = [f"[columns.{_key(name)}]", *_comments(name, column, frame)]
        lines += [f"{key} = {_value(value)}" for key, value in _entries(column).items()]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _comments(name: str, column: ColumnSchema, frame: Frame) -> list[str]:
    series = frame[name]
    comments = []
    present = int((~series.missing).sum())
    if len(series.texts) > 1 and len(series.texts) >= _KEY * present:
        comments.append("# Nearly every row differs: if this is a key or a name, drop = true.")
    if column.unknown:
        comments.append('# Other values count as "unknown".')
    if column.kind in NUMERIC:
        comments.append("# Values beyond the bounds count as the bound.")
    return comments


def _entries(column: ColumnSchema) -> dict[str, Any]:
    """Returns what stands in the file: what applies to the kind and is not the default."""
    entries: dict[str, Any] = {"kind": column.kind}
    if column.kind in NUMERIC:
        bounds = column.bounds or (0, 0)
        entries["bounds"] = [_moment(column.kind, bound) for bound in bounds]
        if column.step is not None and column.kind not in ("integer", "date"):
            entries["step"] = column.step
    elif column.kind != "boolean":
        entries["levels"] = list(column.levels or ())
        if column.unknown:
            entries["unknown"] = True
    entries["missing"] = bool(column.missing)
    return entries


def _moment(kind: Any, bound: Any) -> Any:
    """Returns a bound as a person writes it."""
    if kind == "date":
        return dt.date(1970, 1, 1) + dt.timedelta(days=bound)
    if kind == "timestamp":
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=bound)
    return bound


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _value(name)


def _value(value: Any) -> str:
    """Returns a value as TOML."""
    if isinstance(value, list):
        return f"[{', '.join(_value(entry) for entry in value)}]"
    if isinstance(value, str):
        # JSON escapes what TOML's basic strings do, but for DEL.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.date):
        return value.isoformat()
    return repr(value)
