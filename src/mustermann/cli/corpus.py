"""`mustermann corpus …`: figures of corpora."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.group()
def corpus() -> None:
    """Convert and measure corpora."""


@corpus.command("stats")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--against", type=click.Path(path_type=Path), help="Another corpus to compare with.")
@click.option("--size", type=click.IntRange(min=2), help="Size-matched: so many drawn documents.")
@click.option("--seed", default=0, show_default=True, help="Draws documents and pairs.")
@click.option(
    "--embedding", default="characters", show_default=True, help="characters, or e5 (slow)."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def stats(
    path: Path, against: Path | None, size: int | None, seed: int, embedding: str, as_json: bool
) -> None:
    """Print length, diversity, readability and label density of a corpus."""
    from mustermann.journeys import corpora as journey

    result = journey.statistics(path, against=against, size=size, seed=seed, embedding=embedding)
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False))
        return
    for name, value in result.to_record().items():
        click.echo(f"{name:18} {value:.4f}" if isinstance(value, float) else f"{name:18} {value}")


@corpus.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--to", "to", required=True, help="Format to write: brat, conll, cas-xmi, …")
@click.option("--from", "from_", help="Format of SOURCE; guessed from its files if not given.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def convert(source: Path, target: Path, to: str, from_: str | None, as_json: bool) -> None:
    """Write the corpus SOURCE in another format to TARGET, a new directory."""
    from mustermann.journeys import corpora as journey

    result = journey.convert(source, target, to=to, from_=from_)
    if as_json:
        record = {"documents": result.documents, "losses": result.losses}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    click.echo(f"{result.documents} documents written to {target}")
    for kind, count in sorted(result.losses.items()):
        click.echo(f"  not held by {to}: {kind} × {count}")
