"""`mustermann deid …`: run, benchmark and train de-identifiers."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.group()
def deid() -> None:
    """Run, benchmark and train de-identifiers."""


@deid.command("benchmark")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--detectors", required=True, help="Names, separated by commas: rules,crf:MODEL.")
@click.option("--labels", default="", help="The corpus's label set: grascco, i2b2, mustermann.")
@click.option("--cache", type=click.Path(path_type=Path), help="Where predictions are kept.")
@click.option(
    "--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes."
)
@click.option("--seed", default=0, show_default=True, help="Of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write one HTML file.")
def benchmark(
    path: Path,
    detectors: str,
    labels: str,
    cache: Path | None,
    workers: int,
    seed: int,
    as_json: bool,
    report: Path | None,
) -> None:
    """Score detectors on a labelled corpus."""
    from mustermann.journeys.benchmark import benchmark as journey

    names = [name.strip() for name in detectors.split(",") if name.strip()]
    result = journey(
        path, names, labels=labels, cache=cache, workers=workers, seed=seed, report=report
    )
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False, allow_nan=False))
        return
    from mustermann.cli.deid_tables import print_tables

    print_tables(result)


@deid.command("run")
@click.argument("detector")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new directory.")
@click.option(
    "--mode",
    default="keep",
    show_default=True,
    help="keep labels the text, mask blackens it, label writes the label instead, "
    "surrogate an invented value.",
)
@click.option("--to", default="", metavar="FORMAT", help="As `corpus convert`; else the input's.")
@click.option("--keep-ids", is_flag=True, help="Also keep ids that hold what was taken out.")
@click.option("--seed", type=int, help="Of surrogates; secret unless given. It undoes them.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def run(
    detector: str, path: Path, out: Path, mode: str, to: str, keep_ids: bool, seed: int | None,
    workers: int, as_json: bool,
) -> None:  # fmt: skip
    """Label or redact a corpus, a text or a folder of them with a detector."""
    from mustermann.journeys.deidentify import deidentify

    result = deidentify(
        detector, path, out, mode=mode, workers=workers, to=to, keep_ids=keep_ids, seed=seed
    )
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False))
        return
    total = sum(result.spans.values())
    click.echo(f"{result.documents} documents, {total} spans found, written to {out}")
    if result.renamed:
        click.echo(f"{result.renamed} documents have another id: theirs held what was taken out")
    if result.failed:
        click.echo(
            f"{detector} failed on {len(result.failed)} documents, which are not written: "
            f"{', '.join(result.failed[:5])}", err=True,
        )  # fmt: skip


@deid.command("train")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="A new directory.")
@click.option("--kind", default="crf", show_default=True, help="What to train: crf, spacy, hf.")
@click.option("--labels", default="", help="The corpus's label set: grascco, i2b2, mustermann.")
@click.option("--limit", type=click.IntRange(min=1), help="Train on so many drawn documents.")
@click.option("--seed", default=0, show_default=True, help="Draws documents.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="One setting.")
def train(
    path: Path, out: Path, kind: str, labels: str, limit: int | None, seed: int,
    overrides: tuple[str, ...],
) -> None:  # fmt: skip
    """Train a detector on a labelled corpus; it loads back as KIND:OUT."""
    from mustermann.journeys.training import train as journey

    made = journey(path, out, kind=kind, labels=labels, limit=limit, seed=seed, overrides=overrides)
    click.echo(f"{kind}:{made}")


@deid.command("regimes")
@click.argument("synthetic", type=click.Path(path_type=Path))
@click.argument("public", type=click.Path(path_type=Path))
@click.option("--labels", default="", help="The public corpus's label set.")
@click.option("--folds", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--seeds", default="0,1,2", show_default=True, help="Separated by commas.")
@click.option("--synthetic-limit", type=click.IntRange(min=1), default=200, show_default=True)
@click.option("--without", multiple=True, metavar="DIFFICULTY", help="Leave out such letters.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--cache", type=click.Path(path_type=Path), help="Where finished parts are kept.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="One setting.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def regimes(
    synthetic: Path, public: Path, labels: str, folds: int, seeds: str, synthetic_limit: int,
    without: tuple[str, ...], workers: int, cache: Path | None, overrides: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Compare training on synthetic letters, on public ones, and on both."""
    from mustermann.journeys.training import regimes as journey

    result = journey(
        synthetic, public, labels=labels, folds=folds, seeds=_numbers(seeds),
        limit=synthetic_limit, without=without, workers=workers, cache=cache, overrides=overrides,
    )  # fmt: skip
    if as_json:
        click.echo(json.dumps(result.to_record(), allow_nan=False))
        return
    from mustermann.cli.deid_tables import print_regimes

    print_regimes(result)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError as error:
        raise click.BadParameter(f"Expected whole numbers between commas, got {text!r}.") from error
