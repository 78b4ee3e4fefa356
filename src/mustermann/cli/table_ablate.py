"""`mustermann table ablate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mustermann.cli.lazy import table_journeys
from mustermann.cli.table_benchmark import aligned, listed

_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("data", type=_PATH)
@click.option("--epsilon", type=float, required=True, help="Budget of the private runs.")
@click.option("--delta", type=float, default=1e-5, show_default=True, help="The same.")
@click.option(
    "--runs", callback=listed(str), metavar="R,R,...",
    help="column, level, random, random-k4, bpe, unigram, level-no-trie, bpe-no-trie, gpt2; "
    "all by default.",
)  # fmt: skip
@click.option(
    "--recipe", type=click.Choice(["paper", "default"]), default="paper", show_default=True,
    help="The rest of the fits.",
)  # fmt: skip
@click.option(
    "--batch", type=click.IntRange(min=1), default=128, show_default=True,
    help="Expected batch of the simulations.",
)  # fmt: skip
@click.option(
    "--steps", type=click.IntRange(min=1), help="Of training; the recipe's own by default."
)
@click.option(
    "--seeds", default="0", show_default=True, callback=listed(int), metavar="N,N,...",
    help="One run each; never reach the noise.",
)  # fmt: skip
@click.option("--split", type=_PATH, help="A table with columns table, row and split (0, 1, 2).")
@click.option("--schema", type=_PATH, help="Declares the columns.")
@click.option(
    "--results", type=_PATH, metavar="FILE.jsonl",
    help="Keeps finished runs; run again with the same file to go on.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def ablate(
    data: Path,
    *,
    epsilon: float,
    delta: float,
    runs: tuple[str, ...],
    recipe: Any,
    batch: int,
    steps: int | None,
    seeds: tuple[int, ...],
    split: Path | None,
    schema: Path | None,
    results: Path | None,
    as_json: bool,
) -> None:
    """Simulate the seed paper's ablations on DATA: order, tokens, trie, size; not private."""
    journey = table_journeys("table_ablation")
    chosen = {"runs": runs} if runs else {}
    settings = journey.AblationSettings(
        epsilon=epsilon, delta=delta, recipe=recipe, batch=batch, steps=steps, seeds=seeds, **chosen
    )
    found = journey.ablate(data, settings, split=split, schema=schema, results=results)
    if as_json:
        click.echo(json.dumps(found.to_record(), ensure_ascii=False, allow_nan=False))
        return
    click.echo("Simulations, not private: they rank designs, and no model of them is kept.")
    click.echo(aligned(journey.rows_of_text(found)))
    for line in journey.sentences(found.findings):
        click.echo(line)
