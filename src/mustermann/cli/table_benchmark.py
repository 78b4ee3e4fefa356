"""`mustermann table benchmark` and `mustermann table simulate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PATH = click.Path(path_type=Path)


def listed(kind: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Returns a callback that reads "a,b,c" as a tuple of `kind`."""

    def read(_context: click.Context, _option: click.Parameter, text: str | None) -> Any:
        parts = [part.strip() for part in (text or "").split(",") if part.strip()]
        try:
            return tuple(kind(part) for part in parts)
        except ValueError as error:
            raise click.BadParameter(f"expected values like 1,3,10, got {text!r}.") from error

    return read


@click.command()
@click.argument("data", type=_PATH, nargs=-1, required=True)
@click.option(
    "--epsilon", "epsilons", required=True, callback=listed(float), metavar="E,E,...",
    help="Privacy budgets.",
)  # fmt: skip
@click.option(
    "--methods", default="synlm,aim,independent", show_default=True, callback=listed(str),
    metavar="M,M,...", help="Methods; synlm-paper is the seed's own recipe.",
)  # fmt: skip
@click.option("--split", type=_PATH, help="A table with columns table, row and split (0, 1, 2).")
@click.option(
    "--schema", "schemas", type=_PATH, multiple=True, metavar="TABLE.toml",
    help="Declares the columns of the table of that name; may be given for each table.",
)  # fmt: skip
@click.option(
    "--seeds", default="0,1,2", show_default=True, callback=listed(int), metavar="N,N,...",
    help="One fit each; never reach the noise.",
)  # fmt: skip
@click.option("--delta", type=float, default=1e-5, show_default=True, help="Of all budgets.")
@click.option(
    "--bins", type=click.Choice(["public", "private", "nonprivate"]), default="nonprivate",
    show_default=True, help="What bins and levels rest on; private ones are paid from each "
    "budget, once for all methods.",
)  # fmt: skip
@click.option(
    "--bins-strategy", type=click.Choice(["uniform", "quantile"]), default="uniform",
    show_default=True, help="Never compare across them.",
)  # fmt: skip
@click.option(
    "--rows", callback=listed(int), metavar="N,N,...",
    help="Numbers of training rows, for a learning curve.",
)  # fmt: skip
@click.option(
    "--results", type=_PATH, metavar="FILE.jsonl",
    help="Keeps finished fits; run again with the same file to go on.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--report", type=_PATH, metavar="FILE.html", help="Write a report.")
def benchmark(
    data: tuple[Path, ...],
    *,
    epsilons: tuple[float, ...],
    methods: tuple[str, ...],
    split: Path | None,
    schemas: tuple[Path, ...],
    seeds: tuple[int, ...],
    delta: float,
    bins: Any,
    bins_strategy: Any,
    rows: tuple[int, ...],
    results: Path | None,
    as_json: bool,
    report: Path | None,
) -> None:
    """Compare methods on the tables in DATA, by held-out likelihood and marginals."""
    from mustermann.journeys import table_benchmark as journey
    from mustermann.journeys import table_benchmark_report

    settings = journey.BenchmarkSettings(
        epsilons=epsilons,
        methods=methods,
        seeds=seeds,
        delta=delta,
        bins=bins,
        bins_strategy=bins_strategy,
        rows=rows,
    )
    found = journey.benchmark(data, settings, split=split, schemas=schemas, results=results)
    if report is not None:
        table_benchmark_report.write(report, found)
    if as_json:
        click.echo(json.dumps({"results": found}, ensure_ascii=False, allow_nan=False))
        return
    summary = table_benchmark_report.summarise(found)
    for name in dict.fromkeys(record["table"] for record in summary):
        chosen = [record for record in summary if record["table"] == name]
        click.echo(f"{name} (nats a row; means over seeds; {bins} bins)")
        rows_of_text = table_benchmark_report.rows_of_text(chosen)
        click.echo(aligned([table_benchmark_report.headers(), *rows_of_text]))


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as lines whose cells stand below each other."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


@click.command()
@click.argument("data", type=_PATH)
@click.option("--epsilon", type=float, required=True, help="Budget of the private run.")
@click.option("--delta", type=float, default=1e-5, show_default=True, help="The same.")
@click.option(
    "--recipes", default="default", show_default=True, callback=listed(str), metavar="R,R,...",
    help="default and paper.",
)  # fmt: skip
@click.option(
    "--rates", callback=listed(float), metavar="Q,Q,...",
    help="Sampling rates of the private run; the recipe's own by default.",
)  # fmt: skip
@click.option(
    "--batch", type=click.IntRange(min=1), default=128, show_default=True,
    help="Expected batch of the simulation.",
)  # fmt: skip
@click.option("--split", type=_PATH, help="A table with columns table, row and split (0, 1, 2).")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def simulate(
    data: Path,
    *,
    epsilon: float,
    delta: float,
    recipes: Any,
    rates: tuple[float, ...],
    batch: int,
    split: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Rank settings on DATA by cheap simulations of private runs; not private, writes no model."""
    from mustermann.journeys import table_simulation as journey

    settings = journey.SimulationSettings(
        epsilon=epsilon, delta=delta, recipes=recipes, rates=rates, batch=batch, seed=seed
    )
    records = journey.to_records(journey.simulate(data, settings, split=split))
    if as_json:
        click.echo(json.dumps({"kind": "simulation", "private": False, "results": records}))
        return
    click.echo("Simulations, not private: they rank settings, and no model of them is kept.")
    heads = ("recipe", "rate", "batch", "noise", "NLL", "s.e.", "larger batch pays")
    rows = [
        (
            record["recipe"], f"{record['rate']:.4g}", f"{record['batch']:.0f}",
            f"{record['noise']:.3f}", f"{record['nll']:.3f}", f"{record['nll_se']:.3f}",
            "yes" if record["larger_batch_pays"] else "no",
        )
        for record in records
    ]  # fmt: skip
    click.echo(aligned([heads, *rows]))
