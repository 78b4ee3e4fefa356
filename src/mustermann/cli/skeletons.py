"""`mustermann letters skeletons …`: keep, check and reuse what a language model wrote."""

from __future__ import annotations

import json
from pathlib import Path

import click

_PATH = click.Path(path_type=Path)
_CONFIG = click.option("--config", type=_PATH, help="TOML with settings.")
_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
)


@click.group()
def skeletons() -> None:
    """Keep, check and reuse skeletons that a language model wrote."""


@skeletons.command("import")
@click.argument("source", type=_PATH)
@click.argument("bank", type=_PATH)
@_CONFIG
@_JSON
def import_(source: Path, bank: Path, config: Path | None, as_json: bool) -> None:
    """Add the skeletons of the corpus SOURCE to the file BANK."""
    from mustermann.journeys import skeletons as journey

    result = journey.import_skeletons(source, bank, config=config)
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False))
        return
    click.echo(f"{result.added} added, {result.known} known, {len(result.refused)} refused")
    for line in result.refused:
        click.echo(f"  {line}")


@skeletons.command("list")
@click.argument("bank", type=_PATH)
@_JSON
def list_(bank: Path, as_json: bool) -> None:
    """Print what is in the file BANK, one skeleton a line."""
    from mustermann.journeys import skeletons as journey

    found = journey.listing(bank)
    if as_json:
        click.echo(json.dumps({"skeletons": found}, ensure_ascii=False))
        return
    for entry in found:
        click.echo("  ".join(str(value) for value in entry.values()))


@skeletons.command("lint")
@click.argument("bank", type=_PATH)
@_CONFIG
@_JSON
def lint(bank: Path, config: Path | None, as_json: bool) -> None:
    """Check every skeleton of the file BANK; faults are counted, the exit code stays 0."""
    from mustermann.journeys import skeletons as journey

    found = journey.lint_bank(bank, config=config)
    if as_json:
        click.echo(json.dumps({"skeletons": found}, ensure_ascii=False))
        return
    for faults in found.values():
        for line in faults:
            click.echo(line)
    bad = sum(bool(faults) for faults in found.values())
    click.echo(f"{len(found)} skeletons, {bad} with faults")


@skeletons.command("write")
@click.argument("bank", type=_PATH)
@click.option("-n", "count", required=True, type=click.IntRange(min=1), help="Number of letters.")
@click.option("--out", required=True, type=_PATH, help="A new directory.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same letters.")
@_CONFIG
@_JSON
def write(
    bank: Path, count: int, out: Path, seed: int, config: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Write letters about new people from the skeletons of the file BANK."""
    from mustermann.journeys import skeletons as journey

    census = journey.write_letters(bank, out, count=count, seed=seed, config=config)
    record = {"written": census.letters, "dropped": census.dropped()}
    click.echo(json.dumps(record) if as_json else f"{census.letters} letters written to {out}")
