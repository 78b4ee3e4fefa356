"""`mustermann table`: private tables on the command line."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mustermann.cli.lazy import table_journeys
from mustermann.cli.table_ablate import ablate
from mustermann.cli.table_audit import audit
from mustermann.cli.table_benchmark import benchmark, simulate
from mustermann.cli.table_conditions import impute

if TYPE_CHECKING:
    from mustermann.journeys.tables import Comparison, FitResult
    from mustermann.tables.schema import Schema

_PATH = click.Path(path_type=Path)


def _as_json(function: Any) -> Any:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(function)


def _force(function: Any) -> Any:
    return click.option("--force", is_flag=True, help="Replace a file at --out.")(function)


def _overrides(function: Any) -> Any:
    return click.option(
        "--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override a setting."
    )(function)


def _schema(function: Any) -> Any:
    return click.option(
        "--schema",
        "schema_file",
        type=_PATH,
        help="Declares the columns: TOML, or SDV's metadata as JSON.",
    )(function)


def _known_method(_context: click.Context, _option: click.Parameter, value: str) -> str:
    from mustermann.core.plugins import names

    if value not in names("mustermann.synthesisers"):
        on_offer = ", ".join(names("mustermann.synthesisers"))
        raise click.BadParameter(f"expected one of {on_offer}, got {value!r}.")
    return value


@click.group()
def table() -> None:
    """Fit, sample, score and compare private tables."""


table.add_command(benchmark)
table.add_command(simulate)
table.add_command(impute)
table.add_command(audit)
table.add_command(ablate)


@table.command()
@click.argument("data", type=_PATH)
@click.option("--out", required=True, type=_PATH, help="Directory of the model; must be new.")
@click.option("--epsilon", required=True, type=float, help="Privacy budget of the whole fit.")
@click.option("--delta", type=float, default=1e-5, show_default=True, help="Privacy budget.")
@_schema
@click.option("--method", default="synlm", show_default=True, callback=_known_method)
@click.option(
    "--bins", type=click.Choice(["public", "private", "nonprivate"]), default="nonprivate",
    show_default=True, help="What happens to bins and levels that the schema does not declare.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Never reaches the noise.")
@click.option("--ledger", type=_PATH, help="Journal of all fits on this data set.")
@click.option("--cap-epsilon", type=float, help="The most that all fits in it may spend.")
@click.option("--cap-delta", type=float, help="The same of their deltas; 1e-4 by default.")
@click.option("--resume", is_flag=True, help="Go on with a fit that was stopped.")
@_overrides
@_as_json
def fit(
    data: Path,
    out: Path,
    *,
    epsilon: float,
    delta: float,
    schema_file: Path | None,
    method: str,
    bins: Any,
    seed: int,
    ledger: Path | None,
    cap_epsilon: float | None,
    cap_delta: float | None,
    resume: bool,
    overrides: tuple[str, ...],
    as_json: bool,
) -> None:
    """Fit a model of the rows in DATA (.csv, .tsv or .parquet)."""
    journey = table_journeys()
    settings = journey.FitSettings(
        epsilon=epsilon, delta=delta, method=method, bins=bins, seed=seed, overrides=overrides
    )
    schema = _schema_in(schema_file)
    journal = None
    if ledger is not None:
        journal = journey.open_journal(
            ledger, schema=schema, cap_epsilon=cap_epsilon, cap_delta=cap_delta
        )
    elif cap_epsilon is not None or cap_delta is not None:
        raise click.UsageError("A cap needs the journal that it holds for: --ledger FILE.")
    result = journey.fit_to(data, out, settings, schema=schema, journal=journal, resume=resume)
    _show(_fit_record(result), as_json, f"{result.guarantee.sentence}\nModel: {out}")


@table.command()
@click.argument("model", type=_PATH)
@click.option("-n", "count", required=True, type=click.IntRange(min=1), help="Number of rows.")
@click.option("--out", required=True, type=_PATH, help="A .csv, .tsv or .parquet file.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--where", default="", help='Only rows that meet it, as in "sex=F,age>=65".')
@_force
@_as_json
def sample(
    model: Path, count: int, out: Path, *, seed: int, where: str, force: bool, as_json: bool
) -> None:
    """Write COUNT synthetic rows from MODEL, and the guarantee beside them."""
    journey = table_journeys()

    written = journey.sample(model, count=count, out=out, seed=seed, where=where, force=force)
    record = {"out": str(written.table), "guarantee": str(written.guarantee)}
    text = f"{count} rows: {written.table}\nGuarantee: {written.guarantee}"
    if where:
        how = "exact" if written.exact else f"worth {written.effective:.0f} independent rows"
        text += f"\nAll meet {where}; {how}."
    _show(record | written.to_record(), as_json, text)


@table.command()
@click.argument("model", type=_PATH)
@click.argument("data", type=_PATH)
@_as_json
def score(model: Path, data: Path, *, as_json: bool) -> None:
    """Print the negative log-likelihood of the rows in DATA under MODEL, in nats a row."""
    journey = table_journeys()

    found = journey.score(model, data)
    error = "" if found.se is None else f" ± {found.se:.4f}"
    _show(
        dataclasses.asdict(found), as_json, f"{found.nll:.4f}{error} nats/row ({found.rows} rows)"
    )


@table.command()
@click.argument("real", type=_PATH)
@click.argument("synthetic", type=_PATH)
@click.option("--holdout", type=_PATH, help="Real rows that the model has not seen.")
@click.option("--target", help="The column to predict.")
@click.option("--report", type=_PATH, help="Also write an HTML file with pictures.")
@_schema
@_overrides
@_as_json
def compare(
    real: Path,
    synthetic: Path,
    *,
    holdout: Path | None,
    target: str | None,
    report: Path | None,
    schema_file: Path | None,
    overrides: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print how close the rows in SYNTHETIC are to those in REAL; not private."""
    journey = table_journeys()
    schema = _schema_in(schema_file)
    if report:
        from mustermann.core.files import refuse_unwritable

        refuse_unwritable(report)
    found = journey.compare(
        real, synthetic, holdout=holdout, target=target, schema=schema, overrides=overrides
    )
    if report:
        journey.report_comparison(found, real, synthetic, out=report, schema=schema)
    _show(found.to_record(), as_json, _comparison_text(found))


@table.command()
@click.argument("data", type=_PATH)
@click.option("--out", required=True, type=_PATH, help="TOML, or SDV's metadata as JSON.")
@_force
@_overrides
@_as_json
def schema(
    data: Path, *, out: Path, force: bool, overrides: tuple[str, ...], as_json: bool
) -> None:
    """Draft a commented schema of DATA for its owner to check and sign."""
    journey = table_journeys()

    journey.draft_schema(data, out=out, overrides=overrides, force=force)
    _show({"out": str(out)}, as_json, f"Draft: {out}. Check it, then set public = true in it.")


def _schema_in(file: Path | None) -> Schema | None:
    return table_journeys().read_schema(file) if file else None


def _fit_record(result: FitResult) -> dict[str, Any]:
    guarantee = result.guarantee
    return {
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "guarantee": guarantee.to_record(),
        "seconds": round(result.seconds, 3),
        "model": str(result.model),
    }


def _comparison_text(found: Comparison) -> str:
    lines = ["Not private: these figures read the real rows without noise."]
    for name, label in (("tvd1", "1-way"), ("tvd2", "2-way"), ("tvd3", "3-way")):
        value, floor = getattr(found.distances, name), getattr(found.floor, name)
        if value is not None:
            lines.append(f"{label} total variation distance: {value:.4f} (chance: {floor:.4f})")
    if found.tstr:
        lines.append(
            f"{found.tstr.score} of trees trained on synthetic rows: {found.tstr.boosted:.4f} "
            f"(on real ones: {found.tstr.boosted_real:.4f}, baseline {found.tstr.baseline:.4f})"
        )
    if found.dcr:
        lines.append(f"share of rows closer to real than to held-out rows: "
                     f"{found.dcr.closer_to_real:.4f} (nothing by heart: 0.5)")  # fmt: skip
    lines += [f"{name}: not computed, {reason}" for name, reason in found.reasons.items()]
    return "\n".join(lines)


def _show(record: dict[str, Any], as_json: bool, text: str) -> None:
    click.echo(json.dumps(record, ensure_ascii=False, allow_nan=False) if as_json else text)
