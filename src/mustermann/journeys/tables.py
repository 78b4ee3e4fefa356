"""The table journeys: fit, sample, score, and a schema to start from; compare stands beside.

`fit` reads a table, cuts it into levels, pays for a model out of one budget and writes a
model directory whose guarantee names every read. What the other journeys make from that
directory costs nothing more, and carries the same guarantee.
"""

from __future__ import annotations

import dataclasses
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core import config, manifest
from mustermann.core.errors import PrivacyError
from mustermann.core.files import new_directory, new_file, write_json
from mustermann.journeys.table_comparison import Comparison as Comparison
from mustermann.journeys.table_comparison import compare as compare
from mustermann.journeys.table_comparison import report_comparison as report_comparison
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import files, infer
from mustermann.tables.discover import discover
from mustermann.tables.discretise import DiscretiseSettings, build, layout_of
from mustermann.tables.draft import draft_toml
from mustermann.tables.files import load as load
from mustermann.tables.model import TableModel, guarantee_beside
from mustermann.tables.schema import Schema
from mustermann.tables.schema import read_schema as read_toml_schema
from mustermann.tables.sdv import read_sdv, to_sdv
from mustermann.tables.settings import DELTA as DELTA
from mustermann.tables.settings import FitSettings as FitSettings
from mustermann.tables.settings import resolve as resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.privacy.guarantee import Guarantee
    from mustermann.tables.discretise import BinsMode, Discretiser
    from mustermann.tables.frames import Frame
    from mustermann.tables.settings import Resolved

# ---------------------------------------------------------------- fit


def fit(data: Any, settings: FitSettings, *, schema: Schema | None = None) -> TableModel:
    """Returns a model of the rows of `data`, fitted within the budget.

    Args:
      data: A path to a .csv, .tsv or .parquet file, or a pandas, polars or Arrow table.
      settings: What is asked for.
      schema: What is declared about the columns; what it leaves open is inferred.

    Raises:
      ConfigError: A setting or a declaration is wrong.
      DataError: The table can't be read or does not fit the schema.
      PrivacyError: delta is too large for the table, or the budget too small for the method.
    """
    schema = schema or Schema()
    budget = Budget(epsilon=settings.epsilon, delta=settings.delta)
    resolved = resolve(settings)
    frame = load(data, infer.reading_of(schema))
    refuse_large_delta(budget, rows=len(frame))

    ledger = Ledger(budget)
    discretiser = discretise(frame, schema, resolved, bins=settings.bins, ledger=ledger)
    synthesiser = resolved.synthesiser()
    synthesiser.fit(
        discretiser.encode(frame), discretiser.domain, ledger=ledger, seed=settings.seed
    )
    return TableModel(
        layout=layout_of(frame, discretiser),
        discretiser=discretiser,
        synthesiser=synthesiser,
        guarantee=ledger.guarantee(),
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitResult:
    """What a fit has written, and how long it took."""

    model: Path
    guarantee: Guarantee
    seconds: float


def fit_to(
    data: Any, out: Path, settings: FitSettings, *, schema: Schema | None = None
) -> FitResult:
    """Fits a model (see `fit`) and writes its directory, whole or not at all.

    Raises:
      ConfigError: `out` exists or can't be written to; known before any data is read.
    """
    start = time.monotonic()
    with new_directory(out) as partial:
        model = fit(data, settings, schema=schema)
        model.save(partial)
        more = {"settings": resolve(settings).plain()}
        manifest.describe("model", settings, seed=settings.seed, more=more).write(partial)
    return FitResult(model=out, guarantee=model.guarantee, seconds=time.monotonic() - start)


def save(model: TableModel, out: Path) -> Path:
    """Writes a fitted model into a new directory, whole or not at all, and returns its path."""
    with new_directory(out) as partial:
        model.save(partial)
    return out


def refuse_large_delta(budget: Budget, *, rows: int) -> None:
    """Raises PrivacyError where delta would allow to publish a row outright."""
    if budget.delta >= 1 / rows:
        raise PrivacyError(
            f"Expected delta below 1/{rows}, one over the number of rows, found "
            f"{budget.delta:g}, which would allow to publish a row as it is. Lower delta."
        )


def discretise(
    frame: Frame, schema: Schema, resolved: Resolved, *, bins: BinsMode, ledger: Ledger
) -> Discretiser:
    """Returns the discretiser of a table; what it rests on is entered into the ledger."""
    settings = resolved.discretise
    if resolved.rows_are_public:
        ledger.declare_public("rows", "the number of rows")
    types = ", order and types" if bins == "private" else " and order"
    ledger.declare_public("columns", f"the names{types} of the columns")
    if bins == "private":
        found = discover(schema, frame, settings, ledger=ledger)
        completed, spare = found.completed, found.spare
    else:
        completed = infer.complete(schema, frame, settings, mode=bins)
        spare = frozenset[str]()
    if completed.declared():
        ledger.declare_public("schema", completed.declared())
    if completed.read():
        ledger.read_nonprivate("bins", completed.read())
    return build(completed, frame, settings, spare=spare)


# ---------------------------------------------------------------- sample, score


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sampled:
    """The files of a synthetic table: the rows, and the guarantee that holds for them."""

    table: Path
    guarantee: Path


def sample(model: Path | TableModel, *, count: int, out: Path, seed: int = 0) -> Sampled:
    """Writes `count` synthetic rows to a .csv, .tsv or .parquet file.

    Rows are written block by block, in constant memory. The guarantee goes into
    `<out>.guarantee.json`.
    """
    model = model if isinstance(model, TableModel) else TableModel.load(model)
    with files.writer(out) as sink:
        for block in model.sample(count, seed=seed):
            sink.write(block)
    guarantee = guarantee_beside(out)
    write_json(guarantee, model.guarantee.to_record())
    return Sampled(table=out, guarantee=guarantee)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Score:
    """Negative log-likelihood of held-out rows.

    Attributes:
      nll: Mean, in nats a row, exact under the model, on discretised rows.
      se: Standard error of the mean; None for a single row.
      rows: How many.
    """

    nll: float
    se: float | None
    rows: int


def score(model: Path | TableModel, data: Any) -> Score:
    """Returns how well a model predicts rows that it has not seen; computed without noise."""
    model = model if isinstance(model, TableModel) else TableModel.load(model)
    frame = load(data, model.discretiser.reading)
    losses = -model.log_likelihood(frame)
    deviation = float(losses.std(ddof=1)) if len(losses) > 1 else None
    return Score(
        nll=float(losses.mean()),
        se=None if deviation is None else deviation / math.sqrt(len(losses)),
        rows=len(losses),
    )


# ---------------------------------------------------------------- schema


def draft_schema(data: Any, *, out: Path, overrides: Sequence[str] = ()) -> Path:
    """Writes a commented schema of `data` to start from and returns its path.

    A .json file gets SDV's metadata, which has the kinds alone. A TOML file holds bounds and
    levels read from the data, says so, and is not public until somebody changes that.
    """
    settings = config.resolve(DiscretiseSettings, overrides=overrides)
    frame = load(data)
    completed = infer.complete(Schema(public=False), frame, settings, mode="nonprivate")
    if out.suffix.lower() == ".json":
        write_json(out, to_sdv(completed.schema))
        return out
    with new_file(out) as partial:
        partial.write_text(draft_toml(completed, frame), encoding="utf-8")
    return out


def read_schema(path: Path) -> Schema:
    """Returns the schema in a TOML file, or in SDV's metadata where the suffix is .json.

    Raises:
      ConfigError: The file is missing, broken, or says what no schema can.
    """
    return read_sdv(path) if path.suffix.lower() == ".json" else read_toml_schema(path)
