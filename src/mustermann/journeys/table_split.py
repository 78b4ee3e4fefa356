"""Tables for the benchmark: read once and split in three, by default discretised by all rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.seeds import Seeds
from mustermann.journeys import tables as journey
from mustermann.tables import files, infer
from mustermann.tables.discretise import DiscretiseSettings, build
from mustermann.tables.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.frames import Frame
    from mustermann.tables.schema import Strategy

TRAIN, VALID, TEST = 0, 1, 2


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class WholeTable:
    """A table as it was read, before anything is cut.

    Attributes:
      name: The table's.
      schema: What is declared about its columns.
      frame: All its rows.
      parts: What each row is for (`TRAIN`, `VALID` or `TEST`), shape (N,).
    """

    name: str
    schema: Schema
    frame: Frame
    parts: npt.NDArray[np.int64]

    @property
    def training_rows(self) -> int:
        """Returns how many rows there are to fit."""
        return int((self.parts == TRAIN).sum())

    def cut(self, discretiser: Discretiser, *, read: str) -> SplitTable:
        """Returns the levels of all rows, in three parts."""
        codes = discretiser.encode(self.frame)
        train, valid, test = (codes[self.parts == part] for part in (TRAIN, VALID, TEST))
        return SplitTable(
            name=self.name, domain=discretiser.domain, read=read,
            train=train, valid=valid, test=test,
        )  # fmt: skip


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SplitTable:
    """A discretised table in three parts, each of shape (N, k).

    Attributes:
      name: The table's.
      domain: Its columns.
      read: What the bins and levels rest on that no budget covers; "" for nothing.
      train: Rows to fit.
      valid: Rows that choose what the benchmark may choose.
      test: Rows to score.
    """

    name: str
    domain: Domain
    read: str
    train: Codes
    valid: Codes
    test: Codes


def table_name(path: Path) -> str:
    """Returns the name of a table: its file's name up to the first point."""
    return path.name.partition(".")[0]


def read_whole(
    path: Path,
    assignment: Mapping[str, npt.NDArray[np.int64]] | None,
    *,
    schema: Schema | None = None,
) -> WholeTable:
    """Returns a table with a part for each of its rows; `schema` says what columns are.

    Raises:
      ConfigError: The schema counts persons, who would stand in several parts.
      DataError: The table can't be read, or the split does not fit it.
    """
    schema = schema or Schema()
    if schema.person is not None:
        raise ConfigError(
            "Expected a schema without [person] for rows that are held out one by one, found "
            "one. Leave it out, and drop its column."
        )
    frame, name = journey.load(path, infer.reading_of(schema)), table_name(path)
    parts = _parts(name, len(frame), assignment)
    train, valid, test = (int((parts == part).sum()) for part in (TRAIN, VALID, TEST))
    if min(train, valid, test) < 2:
        raise DataError(
            f"Expected rows to train, validate and test on in table {name!r}, found "
            f"{train}, {valid} and {test}. Take a larger table or another split."
        )
    return WholeTable(name=name, schema=schema, frame=frame, parts=parts)


def prepare(
    path: Path,
    strategy: Strategy,
    assignment: Mapping[str, npt.NDArray[np.int64]] | None,
    *,
    schema: Schema | None = None,
) -> SplitTable:
    """Returns a table, discretised by all its rows and split; `schema` says what columns are.

    Raises:
      ConfigError: The schema counts persons.
      DataError: The table can't be read, or the split does not fit it.
    """
    return cut_by_all_rows(read_whole(path, assignment, schema=schema), strategy)


def cut_by_all_rows(table: WholeTable, strategy: Strategy) -> SplitTable:
    """Returns a table, discretised as in the literature: by all its rows, test rows among them."""
    # "observed": as in the literature, only columns cut to the most frequent values get a
    # level for the others.
    settings = DiscretiseSettings(strategy=strategy, unknown="observed")
    completed = infer.complete(table.schema, table.frame, settings, mode="nonprivate")
    return table.cut(build(completed, table.frame, settings), read=completed.read())


def read_split(path: Path) -> dict[str, npt.NDArray[np.int64]]:
    """Returns for each table the part of each of its rows.

    Raises:
      DataError: A column is missing, a row is given twice or left out, or a part is unknown.
    """
    frame = files.read(path)
    if not {"table", "row", "split"}.issubset(frame.names):
        raise DataError(f"Expected columns table, row and split in {path}, found {frame.names}.")
    tables, rows, parts = frame["table"], frame["row"], frame["split"]
    numbers = (rows.storage, parts.storage) == ("integer", "integer")
    if tables.storage != "string" or not numbers:
        raise DataError(f"Expected names in column table and numbers in row and split of {path}.")
    result = {}
    for place, name in enumerate(tables.texts or ()):
        chosen = tables.values == place
        order = np.argsort(rows.values[chosen], kind="stable")
        if not np.array_equal(rows.values[chosen][order], np.arange(chosen.sum())):
            raise DataError(f"Expected each row of table {name!r} once, from 0 on, in {path}.")
        result[name] = parts.values[chosen][order]
        if not np.isin(result[name], (TRAIN, VALID, TEST)).all():
            raise DataError(f"Expected 0, 1 or 2 in the column split of {path}.")
    return result


def _parts(
    name: str, count: int, assignment: Mapping[str, npt.NDArray[np.int64]] | None
) -> npt.NDArray[np.int64]:
    if assignment is None:
        order = Seeds(0).generator("table split", name).permutation(count)
        parts = np.full(count, TRAIN, dtype=np.int64)
        parts[order[int(0.8 * count) : int(0.9 * count)]] = VALID
        parts[order[int(0.9 * count) :]] = TEST
        return parts
    if name not in assignment:
        raise DataError(
            f"Expected table {name!r} in the split, found {', '.join(assignment)}. "
            f"A table's name is its file's name without suffixes."
        )
    if len(assignment[name]) != count:
        raise DataError(
            f"Expected a split of the {count} rows of table {name!r}, found one of "
            f"{len(assignment[name])}."
        )
    return assignment[name]
