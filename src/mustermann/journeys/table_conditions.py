"""The journeys of a fitted table under conditions: rows that meet them, and gaps filled."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.core.files import write_json
from mustermann.tables import files, imputation
from mustermann.tables.given import sample_given
from mustermann.tables.model import TableModel, guarantee_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLING = "sampling.json"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sampled:
    """The files of a synthetic table: the rows, and the guarantee that holds for them.

    Attributes:
      table: The rows.
      guarantee: What they cost, and what is not covered.
      rows: How many.
      where: The conditions that they meet; "" for none.
      effective: How many independent rows they are worth.
      exact: Whether they are independent draws from the conditional distribution.
    """

    table: Path
    guarantee: Path
    rows: int
    where: str
    effective: float
    exact: bool

    def to_record(self) -> dict[str, Any]:
        """Returns how the rows were drawn, as JSON values."""
        return {
            "rows": self.rows,
            "where": self.where,
            "exact": self.exact,
            "effective_rows": round(self.effective, 1),
        }


def sampling_beside(table: Path) -> Path:
    """Returns where it stands how the rows of a table were drawn, if that is not plain."""
    return table.with_name(f"{table.name}.{SAMPLING}")


def clear_beside(table: Path) -> None:
    """Removes what an earlier table of this name has left: it would speak of the new one."""
    for path in (guarantee_beside(table), sampling_beside(table)):
        path.unlink(missing_ok=True)


def sample_where(
    model: Path | TableModel,
    *,
    count: int,
    out: Path,
    where: str,
    seed: int = 0,
    force: bool = False,
) -> Sampled:
    """Writes `count` synthetic rows that meet the conditions `where`.

    The guarantee goes into `<out>.guarantee.json`, and how the rows were drawn into
    `<out>.sampling.json`: where they are not exact, the effective sample size says how many
    independent rows they are worth. A file at `out` is replaced only with `force`.

    Raises:
      ConfigError: The conditions can't be read, no valid row meets them, or `out` is there.
      DataError: The model gives such rows no chance at all.
    """
    files.refuse_replacing(out, force=force)
    model = model if isinstance(model, TableModel) else TableModel.load(model)
    effective, exact = 0.0, True
    with files.writer(out) as sink:
        for block in sample_given(model, count, seed=seed, where=where):
            sink.write(block.frame)
            effective, exact = effective + block.effective, exact and block.exact
    clear_beside(out)
    write_json(guarantee_beside(out), model.guarantee.to_record())
    sampled = Sampled(
        table=out, guarantee=guarantee_beside(out), rows=count, where=where,
        effective=effective, exact=exact,
    )  # fmt: skip
    write_json(sampling_beside(out), sampled.to_record())
    return sampled


@dataclasses.dataclass(frozen=True, kw_only=True)
class Imputed:
    """A table whose gaps were filled.

    Attributes:
      table: The file.
      rows: How many rows had gaps.
      cells: How many cells were filled.
      exact_rows: In how many rows the cells are exact draws given the others.
      effective: Of the other rows, the mean number of candidates that a draw is worth; None
        where there are none.
      effective_least: The same of the worst row.
    """

    table: Path
    rows: int
    cells: int
    exact_rows: int
    effective: float | None
    effective_least: float | None

    def to_record(self) -> dict[str, Any]:
        """Returns how the cells were filled, as JSON values."""
        record = dataclasses.asdict(self)
        return record | {"table": str(self.table), "private": False}


def impute(
    model: Path | TableModel,
    data: Any,
    *,
    out: Path,
    columns: Sequence[str] = (),
    seed: int = 0,
    force: bool = False,
) -> Imputed:
    """Writes `data` with its missing cells filled, given the others, which stay as they are.

    Args:
      model: A fitted table.
      data: A path to a table, or a pandas, polars or Arrow table, with the model's columns.
      out: A .csv, .tsv or .parquet file. It holds cells of `data`, so it is not private.
      columns: Columns whose every cell is filled anew; none fills the missing cells of all.
      seed: The same seed gives the same cells.
      force: Whether a file at `out` is replaced.

    Raises:
      ConfigError: The model has no such column, or no value to fill it with, or `out` is there.
      DataError: The table can't be read, or does not fit the model.
    """
    if isinstance(data, str | Path) and out.resolve() == Path(data).resolve():
        raise ConfigError(
            f"Expected an output other than the table itself, got {out}. Choose another path."
        )
    files.refuse_replacing(out, force=force)
    model = model if isinstance(model, TableModel) else TableModel.load(model)
    frame = files.load(data, model.discretiser.reading)
    found = imputation.impute(model, frame, columns=columns, seed=seed)
    with files.writer(out) as sink:
        sink.write(found.frame)
    clear_beside(out)
    weighed = found.effective[np.isfinite(found.effective)]
    return Imputed(
        table=out,
        rows=len(found.effective),
        cells=found.cells,
        exact_rows=int(sum(math.isinf(worth) for worth in found.effective)),
        effective=float(weighed.mean()) if len(weighed) else None,
        effective_least=float(weighed.min()) if len(weighed) else None,
    )
