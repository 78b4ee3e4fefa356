"""The table journeys: fit, sample, score, and a schema to start from; compare stands beside.

`fit` reads a table, cuts it into levels, pays for a model out of one budget and writes a
model directory whose guarantee names every read. What the other journeys make from that
directory costs nothing more, and carries the same guarantee.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core import config, manifest
from mustermann.core.errors import ConfigError, DataError, MustermannError, PrivacyError
from mustermann.core.files import (
    new_directory,
    new_file,
    refuse_existing,
    refuse_unwritable,
    write_json,
)
from mustermann.journeys.table_comparison import Comparison as Comparison
from mustermann.journeys.table_comparison import compare as compare
from mustermann.journeys.table_comparison import report_comparison as report_comparison
from mustermann.journeys.table_conditions import Imputed as Imputed
from mustermann.journeys.table_conditions import Sampled as Sampled
from mustermann.journeys.table_conditions import clear_beside
from mustermann.journeys.table_conditions import impute as impute
from mustermann.journeys.table_conditions import sample_where as sample_where
from mustermann.privacy.budget import Budget
from mustermann.privacy.dataset_ledger import DatasetLedger
from mustermann.privacy.ledger import Ledger
from mustermann.tables import files, infer, persons, relations
from mustermann.tables.checkpoint import Checkpoints, Resumable, digest_of, digest_of_text
from mustermann.tables.discover import discover
from mustermann.tables.discretise import Discretiser, DiscretiseSettings, build, layout_of
from mustermann.tables.draft import draft_toml
from mustermann.tables.feasible import refuse_contradiction
from mustermann.tables.files import load as load
from mustermann.tables.model import TableModel, guarantee_beside
from mustermann.tables.schema import Cap, Schema
from mustermann.tables.schema import read_schema as read_toml_schema
from mustermann.tables.sdv import read_sdv, to_sdv
from mustermann.tables.settings import DELTA as DELTA
from mustermann.tables.settings import FitSettings as FitSettings
from mustermann.tables.settings import resolve as resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.privacy.guarantee import Guarantee
    from mustermann.tables.discretise import BinsMode
    from mustermann.tables.frames import Frame
    from mustermann.tables.settings import Resolved

# ---------------------------------------------------------------- fit


def fit(
    data: Any,
    settings: FitSettings,
    *,
    schema: Schema | None = None,
    journal: DatasetLedger | None = None,
    name: str = "a model",
    checkpoints: Checkpoints | None = None,
) -> TableModel:
    """Returns a model of the rows of `data`, fitted within the budget.

    Args:
      data: A path to a .csv, .tsv or .parquet file, or a pandas, polars or Arrow table.
      settings: What is asked for.
      schema: What is declared about the columns; what it leaves open is inferred.
      journal: Where the fit is paid before any noise is drawn, however it ends.
      name: What the journal calls the fit.
      checkpoints: Where an earlier try of this fit stands, and this one keeps its own.

    Raises:
      ConfigError: A setting or a declaration is wrong.
      DataError: The table can't be read or does not fit the schema.
      PrivacyError: delta is too large for the table, the budget too small for the method, or
        all fits together would spend more than the journal's cap.
    """
    schema = schema or Schema()
    refuse_without_journal(schema, journal)
    budget = Budget(epsilon=settings.epsilon, delta=settings.delta)
    resolved = resolve(settings)
    synthesiser = resolved.synthesiser()
    frame = load(data, infer.reading_of(schema))
    person, inner = schema.person, budget
    if person is not None:
        frame, schema = persons.capped(frame, person), persons.without_id(schema, person)
        inner = persons.row_budget(budget, rows=person.rows)
    refuse_large_delta(budget, rows=len(frame))

    def pay() -> None:
        charge(journal, name, budget, checkpoints=checkpoints)

    saved = checkpoints.saved() if checkpoints else None
    if saved is not None:
        ledger, discretiser = saved.ledger, Discretiser.from_record(saved.context["discretiser"])
        pay()
    else:
        ledger = Ledger(inner)
        if person is not None:
            ledger.declare_public("persons", f"that the column {person.id!r} tells persons apart")
        if settings.bins == "private":
            pay()
        discretiser = discretise(frame, schema, resolved, bins=settings.bins, ledger=ledger)
        if settings.bins != "private":
            pay()  # Nothing before it drew noise.
    codes, layout = discretiser.encode(frame), layout_of(frame, discretiser)
    del frame  # From here on a row is its levels alone.
    if checkpoints is not None:
        if saved is not None and saved.context.get("rows") != digest_of(codes):
            raise ConfigError(
                f"Expected the rows of the fit that was stopped in {checkpoints.directory}, "
                f"found others. Give the same table, or remove that directory to begin anew."
            )
        checkpoints.context = {"discretiser": discretiser.to_record(), "rows": digest_of(codes)}
        if isinstance(synthesiser, Resumable):
            synthesiser.keep_in(checkpoints)
    synthesiser.fit(codes, discretiser.domain, ledger=ledger, seed=settings.seed)
    guarantee = ledger.guarantee()
    return TableModel(
        layout=layout,
        discretiser=discretiser,
        synthesiser=synthesiser,
        guarantee=persons.for_person(guarantee, person, budget) if person else guarantee,
        constraints=schema.constraints,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class FitResult:
    """What a fit has written, and how long it took."""

    model: Path
    guarantee: Guarantee
    seconds: float


def fit_to(
    data: Any,
    out: Path,
    settings: FitSettings,
    *,
    schema: Schema | None = None,
    journal: DatasetLedger | None = None,
    resume: bool = False,
) -> FitResult:
    """Fits a model (see `fit`) and writes its directory, whole or not at all.

    A fit that is stopped leaves its checkpoints in `.<out>.fit` beside `out`.

    Args:
      data: The table.
      out: Directory of the model; must be new.
      settings: What is asked for.
      schema: What is declared about the columns.
      journal: Where the fit is paid, once, however often it goes on.
      resume: Whether to go on with a fit that was stopped; begins anew where none was.

    Raises:
      ConfigError: `out` exists or can't be written to, known before any data is read; or a fit
        was stopped here, and it is another one or `resume` is not asked for.
    """
    start = time.monotonic()
    refuse_existing(out)
    asked = {"settings": config.plain(settings), "schema": config.plain(schema or Schema())}
    checkpoints = Checkpoints(out.with_name(f".{out.name}.fit"), settings=digest_of_text(asked))
    if checkpoints.exists and not resume:
        raise ConfigError(
            f"Expected no fit that was stopped before, found one in {checkpoints.directory}. "
            f"Go on with --resume (resume=True), or remove that directory."
        )
    with new_directory(out) as partial, _kept_where_paid(checkpoints):
        model = fit(
            data, settings, schema=schema, journal=journal, name=out.name, checkpoints=checkpoints
        )
        model.save(partial)
        more = {"settings": resolve(settings).plain()}
        manifest.describe("model", settings, seed=settings.seed, more=more).write(partial)
    return FitResult(model=out, guarantee=model.guarantee, seconds=time.monotonic() - start)


def charge(
    journal: DatasetLedger | None, name: str, budget: Budget, *, checkpoints: Checkpoints | None
) -> None:
    """Enters a fit into the journal, unless an earlier try of it is there already.

    The entry comes first and the note of it second: a crash between them may charge twice,
    but never not at all.
    """
    if checkpoints is not None:
        checkpoints.begin()
    if journal is None:
        return
    path = str(journal.path.resolve())
    if checkpoints is not None and checkpoints.charged(path):
        return
    journal.reserve(name, budget)
    if checkpoints is not None:
        checkpoints.charge(path)


@contextlib.contextmanager
def _kept_where_paid(checkpoints: Checkpoints) -> Iterator[None]:
    """Removes the checkpoints of a fit that ended well, or has nothing to go on from."""
    try:
        yield
    except KeyboardInterrupt:
        if not (checkpoints.has_state or checkpoints.is_charged):
            checkpoints.remove()
        raise
    except MustermannError:
        if not checkpoints.has_state:
            checkpoints.remove()
        raise
    checkpoints.remove()


def save(model: TableModel, out: Path) -> Path:
    """Writes a fitted model into a new directory, whole or not at all, and returns its path."""
    with new_directory(out) as partial:
        model.save(partial)
    return out


def open_journal(
    path: Path,
    *,
    schema: Schema | None = None,
    cap_epsilon: float | None = None,
    cap_delta: float | None = None,
) -> DatasetLedger:
    """Returns the journal of a data set, with the lower of the caps given here and there.

    Args:
      path: The journal; made by the first fit.
      schema: May hold a cap.
      cap_epsilon: The most that the epsilons of all fits may sum up to.
      cap_delta: The same of their deltas; ten times the default delta where nobody says.

    Raises:
      ConfigError: Nobody says how much may be spent, or a cap is out of range.
    """
    caps = [Cap(cap_epsilon=cap_epsilon)] if cap_epsilon is not None else []
    caps += [schema.budget] if schema and schema.budget else []
    epsilons = [cap.cap_epsilon for cap in caps]
    deltas = [delta for delta in (cap_delta, *(c.cap_delta for c in caps)) if delta is not None]
    if not epsilons:
        raise ConfigError(
            f"Expected a cap on what all fits may spend beside the journal {path}, found none. "
            f"Give --cap-epsilon, or [budget] cap_epsilon in the schema."
        )
    return DatasetLedger(
        path, cap=Budget(epsilon=min(epsilons), delta=min(deltas, default=10 * DELTA))
    )


def refuse_without_journal(schema: Schema, journal: DatasetLedger | None) -> None:
    """Raises ConfigError where a schema caps all fits, but nobody counts them."""
    if schema.budget is not None and journal is None:
        raise ConfigError(
            "Expected a journal of fits, as the schema caps what they may spend together, found "
            "none. Give --ledger FILE (in Python: ledger=)."
        )


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
    discretiser = build(completed, frame, settings, spare=spare)
    if not schema.constraints:
        return discretiser
    count = len(schema.constraints)
    ledger.declare_public("constraints", f"{count} constraint{'s' * (count > 1)} on the rows")
    cuts = relations.cuts(schema.constraints, discretiser)
    discretiser = build(completed, frame, settings, spare=spare, cuts=cuts)
    sizes = discretiser.domain.sizes
    rules = relations.relations(schema.constraints, discretiser)
    refuse_contradiction(rules, order=range(len(sizes)), sizes=sizes)
    return discretiser


# ---------------------------------------------------------------- sample, score


def sample(
    model: Path | TableModel,
    *,
    count: int,
    out: Path,
    seed: int = 0,
    where: str = "",
    force: bool = False,
) -> Sampled:
    """Writes `count` synthetic rows to a .csv, .tsv or .parquet file.

    Rows are written block by block, in constant memory. The guarantee goes into
    `<out>.guarantee.json`. For the conditions `where`, as in "sex=F,age>=65", see
    `sample_where`. A file at `out` is replaced only with `force`.

    Raises:
      ConfigError: `out` is there or can't be written, known before the model is read.
      DataError: There is no model.
    """
    if where:
        return sample_where(model, count=count, out=out, where=where, seed=seed, force=force)
    files.refuse_replacing(out, force=force)
    model = model if isinstance(model, TableModel) else TableModel.load(model)
    with files.writer(out) as sink:
        for block in model.sample(count, seed=seed):
            sink.write(block)
    clear_beside(out)
    guarantee = guarantee_beside(out)
    write_json(guarantee, model.guarantee.to_record())
    return Sampled(
        table=out, guarantee=guarantee, rows=count, where="", effective=float(count), exact=True
    )


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
    if not math.isfinite(float(losses.sum())) and model.constraints:
        row = int((losses == math.inf).argmax()) + 1
        raise DataError(
            f"Expected rows that keep to the model's constraints, found that row {row} breaks "
            f"one of: {'; '.join(str(rule) for rule in model.constraints)}. Remove such rows."
        )
    deviation = float(losses.std(ddof=1)) if len(losses) > 1 else None
    return Score(
        nll=float(losses.mean()),
        se=None if deviation is None else deviation / math.sqrt(len(losses)),
        rows=len(losses),
    )


# ---------------------------------------------------------------- schema


def draft_schema(
    data: Any, *, out: Path, overrides: Sequence[str] = (), force: bool = False
) -> Path:
    """Writes a commented schema of `data` to start from and returns its path.

    A .json file gets SDV's metadata, which has the kinds alone. A TOML file holds bounds and
    levels read from the data, says so, and is not public until somebody changes that. A file
    at `out` is replaced only with `force`, the table itself never.

    Raises:
      ConfigError: `out` is there or can't be written, or a setting is wrong.
      DataError: The table can't be read.
    """
    if isinstance(data, str | Path) and out.resolve() == Path(data).resolve():
        raise ConfigError(
            f"Expected an output other than the table itself, got {out}. Choose another path."
        )
    if out.is_file() and not force:
        raise ConfigError(files.replaced(out))
    refuse_unwritable(out)
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
