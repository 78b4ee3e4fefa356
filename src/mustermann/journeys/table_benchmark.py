"""The table benchmark: methods against AIM on the same rows, levels and budgets.

Bins and levels are the same for all methods of a group (see `table_bins`); a method sees
levels only, so that likelihoods compare. A cell is one fit: (table, training rows, epsilon,
seed, method). Each is written down when it is done, and a later run with the same settings
goes on from there.
Nothing here is private but the fits themselves: losses and distances read the rows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core import progress
from mustermann.core.errors import ConfigError, DataError
from mustermann.journeys import tables as journey
from mustermann.journeys.table_bins import Cutter
from mustermann.journeys.table_cell import Measured, Task, measure, measure_alone
from mustermann.journeys.table_split import read_split, read_whole, table_name
from mustermann.journeys.table_store import Store
from mustermann.tables.schema import read_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from mustermann.journeys.table_bins import Cut
    from mustermann.journeys.table_split import WholeTable
    from mustermann.tables.discretise import BinsMode
    from mustermann.tables.schema import Strategy

BASELINE = "aim"
VARIANTS: dict[str, tuple[str, tuple[str, ...]]] = {
    # AIM's own sampler rounds its counts; SynLM's counterpart keeps the comparison even.
    "synlm": ("synlm", ("sample.coupled=true",)),
    "synlm-paper": ("synlm", ("recipe=paper",)),
}
"""By the benchmark's name of a method: the plugin, and its settings."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BenchmarkSettings:
    """What is compared.

    Attributes:
      epsilons: Budgets.
      methods: Plugins of the group `mustermann.synthesisers`, or names in `VARIANTS`.
      seeds: One fit each.
      delta: Of all budgets.
      bins: What bins and levels rest on; "private" pays for them out of each fit's budget.
        Likelihoods never compare across modes, nor, with "private", across budgets.
      bins_strategy: Bins of equal width or of equal counts; never compare across them.
      rows: Numbers of training rows, for a learning curve; () for all rows. A number
        beyond a table's training rows takes all of them.
      isolate: Whether each cell gets a process of its own; else peak memory is that of all
        cells so far.
    """

    epsilons: tuple[float, ...]
    methods: tuple[str, ...]
    seeds: tuple[int, ...] = (0, 1, 2)
    delta: float = journey.DELTA
    bins: BinsMode = "nonprivate"
    bins_strategy: Strategy = "uniform"
    rows: tuple[int, ...] = ()
    isolate: bool = True

    def __post_init__(self) -> None:
        for name in ("epsilons", "methods", "seeds"):
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise ConfigError(f"Expected {name}, each once, found {list(values)}.")
        if any(count < 1 for count in self.rows):
            raise ConfigError(f"Expected numbers of rows above 0, found {list(self.rows)}.")


def benchmark(
    tables: Sequence[Path],
    settings: BenchmarkSettings,
    *,
    split: Path | None = None,
    schemas: Sequence[Path] = (),
    results: Path | None = None,
) -> list[dict[str, Any]]:
    """Returns one record a cell, under the names of the command line's contract.

    Args:
      tables: Files; a table's name is its file's name without suffixes.
      settings: What is compared.
      split: A table with the columns table, row and split (0 train, 1 valid, 2 test); None
        splits 80/10/10 by a fixed seed.
      schemas: What columns are, a file each; it belongs to the table of its name.
      results: Finished cells, a JSON line each; cells that are in there are not run again.

    Raises:
      ConfigError: A setting is wrong, or a file can't be written.
      DataError: A table or the split can't be read or do not fit each other.
      PrivacyError: A budget is too small for a method.
    """
    for method in settings.methods:
        _resolved(method, settings)  # Refuses unknown methods and modes before any reading.
    names = [table_name(path) for path in tables]
    if len(set(names)) < len(names):
        raise ConfigError(f"Expected tables of different names, found {', '.join(names)}.")
    known = {table_name(path): read_schema(path) for path in schemas}
    if stray := sorted(set(known) - set(names)):
        raise ConfigError(f"Expected schemas named like the tables, found {', '.join(stray)}.")
    assignment = read_split(split) if split else None
    store = Store(results)
    records: list[dict[str, Any]] = []
    for path in tables:
        schema = known.get(table_name(path))
        table = read_whole(path, assignment, schema=schema)
        records.extend(_run(table, settings, store))
    return records


@dataclasses.dataclass(frozen=True)
class _Cell:
    method: str
    epsilon: float
    seed: int
    rows: int


def _run(table: WholeTable, settings: BenchmarkSettings, store: Store) -> Iterator[dict[str, Any]]:
    """Yields the records of one table; differences to AIM need all methods of a group."""
    most = table.training_rows
    counts = sorted({min(count, most) for count in settings.rows}) or [most]
    cutter = Cutter(
        table, bins=settings.bins, strategy=settings.bins_strategy, delta=settings.delta,
        store=store,
    )  # fmt: skip
    groups = list(itertools.product(counts, settings.epsilons, settings.seeds))
    with progress.task(f"{table.name}: fits", total=len(groups) * len(settings.methods)) as bar:
        for count, epsilon, seed in groups:
            cut = cutter.cut(rows=count, epsilon=epsilon, seed=seed)
            group = {}
            for method in settings.methods:
                bar.note(f"{method}, epsilon {epsilon:g}, seed {seed}, {count} rows")
                cell = _Cell(method, epsilon, seed, count)
                group[method] = _finished(cut, cell, settings, store)
                bar.advance()
            yield from _compared(group, cut.says)


def _finished(cut: Cut, cell: _Cell, settings: BenchmarkSettings, store: Store) -> dict[str, Any]:
    """Returns the record of a cell with its test losses: found in the store, or run now."""
    key = _key(cut, cell, settings)
    known = store.find(key)
    if known is not None:
        return known
    resolved = _resolved(cell.method, settings)
    task = Task(
        method=resolved.method,
        overrides=resolved.overrides,
        seed=cell.seed,
        domain=cut.table.domain,
        train=cut.train,
        valid=cut.table.valid,
        test=cut.table.test,
        ledger=cut.ledger,
    )
    measured = measure_alone(task) if settings.isolate else measure(task)
    record = _record(cut.table.name, cell, measured)
    store.add(key, record)
    return record


def _resolved(method: str, settings: BenchmarkSettings) -> journey.FitSettings:
    """Returns the fit that a method's name stands for, checked."""
    plugin, overrides = VARIANTS.get(method, (method, ()))
    fit = journey.FitSettings(
        epsilon=settings.epsilons[0], delta=settings.delta, method=plugin, bins=settings.bins,
        overrides=overrides,
    )  # fmt: skip
    journey.resolve(fit)
    return fit


def _record(table: str, cell: _Cell, measured: Measured) -> dict[str, Any]:
    losses = measured.losses
    if not np.isfinite(losses).all():
        raise DataError(
            f"Expected a finite likelihood of every test row of {table!r} under {cell.method}, "
            f"found {np.isinf(losses).sum()} rows that it holds for impossible."
        )
    return {
        "table": table,
        "method": cell.method,
        "epsilon": cell.epsilon,
        "seed": cell.seed,
        "rows": cell.rows,
        "nll": float(losses.mean()),
        "nll_se": float(losses.std(ddof=1)) / math.sqrt(len(losses)),
        **measured.more,
        **dataclasses.asdict(measured.distances),
        "seconds": measured.seconds,
        "peak_mb": measured.peak_megabytes,
        "epsilon_spent": measured.guarantee.epsilon,
        "end_to_end": measured.guarantee.end_to_end,
        "shares": [
            {"name": share.name, "share": share.share} for share in measured.guarantee.shares
        ],
        "losses": [round(float(loss), 6) for loss in losses],
    }


def _compared(
    group: Mapping[str, Mapping[str, Any]], says: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yields the records of one group with the paired difference to AIM; None without AIM."""
    for record in group.values():
        mean = error = None
        if BASELINE in group:
            ours, theirs = (np.asarray(r["losses"]) for r in (record, group[BASELINE]))
            difference = ours - theirs
            mean = float(difference.mean())
            error = float(difference.std(ddof=1)) / math.sqrt(len(difference))
        shown = {name: value for name, value in record.items() if name != "losses"}
        yield {**shown, "nll_vs_aim": mean, "nll_vs_aim_se": error, **says}


def _key(cut: Cut, cell: _Cell, settings: BenchmarkSettings) -> str:
    """Returns the cell's name in a results file: equal for equal rows, levels and settings."""
    table = cut.table
    data = hashlib.blake2b(digest_size=8)
    for part in (table.train, table.valid, table.test):
        data.update(np.ascontiguousarray(part).tobytes())
    columns = [(c.name, c.size, c.ordered, c.tail) for c in table.domain.columns]
    data.update(json.dumps(columns).encode())
    plain = _resolved(cell.method, settings)
    resolved = journey.resolve(plain).plain() | {"method": plain.method, "delta": plain.delta}
    if settings.bins != "nonprivate":
        # Left out for the default, so that results from before there were modes stay found.
        resolved |= {"bins": settings.bins, "ledger": cut.ledger}
    digest = hashlib.blake2b(json.dumps(resolved, sort_keys=True).encode(), digest_size=8)
    parts = (table.name, cell.rows, cell.epsilon, cell.seed, cell.method)
    return "|".join(map(str, (*parts, data.hexdigest(), digest.hexdigest())))
