"""`mustermann corpus judge`: let a language model score letters by the rubric."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mustermann.cli.llm_options import llm_options, llm_settings

if TYPE_CHECKING:
    from mustermann.metrics.judge import JudgedCorpus


@click.command("judge")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--against", type=click.Path(path_type=Path), help="Another corpus, read mixed in.")
@click.option("--runs", default=3, show_default=True, type=click.IntRange(min=1),
              help="Readings of each letter.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), help="So many letters of each corpus.")
@click.option("--seed", default=0, show_default=True, help="Draws letters and their order.")
@llm_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def judge(
    path: Path, against: Path | None, runs: int, limit: int | None, seed: int, as_json: bool,
    **llm: Any,
) -> None:  # fmt: skip
    """Score letters on six qualities from 1 to 5, blind, by a language model."""
    from mustermann.journeys import judge as journey

    result = journey.judge(
        path, llm=llm_settings(**llm), against=against, runs=runs, limit=limit, seed=seed
    )
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False, allow_nan=False))
        return
    _print(path.name, result.corpus)
    if against and result.against:
        _print(against.name, result.against)


def _print(name: str, found: JudgedCorpus) -> None:
    click.echo(f"{name}: {found.documents} letters, {found.failed} without a usable answer")
    for quality, score in found.dimensions.items():
        kappa = "–" if score.kappa is None else f"{score.kappa:.2f}"
        levels = "  ".join(
            f"{level} {means[quality]:.2f}" for level, means in found.by_difficulty.items()
        )
        click.echo(
            f"  {quality:22} {score.mean:.2f} ± {score.std:.2f}  κ {kappa}   {levels}".rstrip()
        )
    click.echo(f"  {'overall':22} {found.overall:.2f}")
