"""`mustermann table impute`: gaps of a table filled by a fitted model."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mustermann.cli.lazy import table_journeys

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("model", type=_PATH)
@click.argument("data", type=_PATH)
@click.option("--out", required=True, type=_PATH, help="A .csv, .tsv or .parquet file.")
@click.option(
    "--columns", metavar="A,B", help="Fill every cell of these anew, not the missing ones of all."
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--force", is_flag=True, help="Replace a file at --out.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def impute(
    model: Path,
    data: Path,
    *,
    out: Path,
    columns: str | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Fill the missing cells of DATA given the others, which stay as they are; not private."""
    names = tuple(name.strip() for name in columns.split(",")) if columns else ()
    journey = table_journeys("table_conditions")
    found = journey.impute(model, data, out=out, columns=names, seed=seed, force=force)
    if as_json:
        click.echo(json.dumps(found.to_record(), ensure_ascii=False, allow_nan=False))
        return
    lines = [f"{found.cells} cells in {found.rows} rows filled: {out}"]
    if found.effective is not None:
        lines.append(
            f"In {found.rows - found.exact_rows} of these rows by weighted candidates: a draw is "
            f"worth {found.effective:.1f} of them on average, {found.effective_least:.1f} at least."
        )
    lines.append("Not private: the other cells are those of the data.")
    click.echo("\n".join(lines))
