"""`mustermann demo`."""

from __future__ import annotations

import time
from pathlib import Path

import click


@click.command()
@click.option("--out", default="demo", show_default=True, type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="Never reaches the noise.")
def demo(out: Path, seed: int) -> None:
    """Run both halves end to end and write one report (some minutes)."""
    from mustermann.journeys import demo as journey

    started = time.perf_counter()
    done = journey.run(out, seed=seed, say=click.echo)
    click.echo(f"\nDone in {time.perf_counter() - started:.0f} s:")
    for path, text in done.files.items():
        click.echo(f"  {path!s:32} {text}")
    click.echo(f"\nOpen {done.report} in a browser.")
