"""`mustermann corpus …`: convert, measure and split corpora."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mustermann.cli.corpus_judge import judge

_PATH = click.Path(path_type=Path)
_JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
)
_PATIENT = click.option(
    "--patient", "pattern", default="", metavar="REGEX",
    help="Finds the patient in a document's id; without it the attributes say who it is.",
)  # fmt: skip
_PARTS = ("intervals", "by_difficulty", "size_matched", "against", "floor", "labels",
          "not_bootstrapped")  # fmt: skip


@click.group()
def corpus() -> None:
    """Convert, measure and split corpora."""


corpus.add_command(judge)


@corpus.command("stats")
@click.argument("path", type=_PATH)
@click.option("--against", type=_PATH, help="Another corpus to compare with.")
@click.option(
    "--size", type=click.IntRange(min=2),
    help="Novelty and Self-BLEU also at this size; with --against the smaller size.",
)  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Draws documents, replicates, pairs.")
@click.option(
    "--embedding", default="characters", show_default=True,
    help="characters, e5 (slow), or a folder with a sentence-transformers model.",
)  # fmt: skip
@click.option("--report", type=_PATH, help="Also write one HTML file.")
@_JSON
def stats(
    path: Path, against: Path | None, size: int | None, seed: int, embedding: str,
    report: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Print length, diversity, readability and label density of a corpus."""
    from mustermann.journeys import corpora as journey

    result = journey.statistics(
        path, against=against, size=size, seed=seed, embedding=embedding, report=report
    )
    record = result.to_record()
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    _print_figures(record)
    for title, part in (("by difficulty", record["by_difficulty"]),):
        for name, figures in part.items():
            shown = "  ".join(f"{key} {_shown(value)}" for key, value in figures.items())
            click.echo(f"{title}: {name:12} {shown}")
    _print_matched(record)
    if report:
        click.echo(f"report: {report}")


def _print_figures(record: dict[str, Any]) -> None:
    """Prints one figure a line, with its interval and the other corpus's beside it."""
    other = record.get("against") or {}
    for name, value in record.items():
        if name in _PARTS:
            continue
        low_high = record["intervals"].get(name)
        span = f"[{_shown(low_high[0])}, {_shown(low_high[1])}]" if low_high else ""
        beside = f"   {_shown(other[name])}" if name in other else ""
        click.echo(f"{name:18} {_shown(value):>12} {span:24}{beside}".rstrip())
    click.echo(f"no interval for {', '.join(record['not_bootstrapped'])}: means over pairs")


def _print_matched(record: dict[str, Any]) -> None:
    """Prints what depends on size at equal size, and how far a corpus is from itself."""
    for name, found in (("this", record), ("other", record.get("against") or {})):
        matched = found.get("size_matched")
        if matched:
            shown = "  ".join(
                f"{key} {matched[key]:.4f} ± {matched[key + '_std']:.4f}"
                for key in ("trigram_novelty", "self_bleu", "self_bleu_texygen")
            )
            click.echo(f"{name} corpus at {matched['size']} documents: {shown}")
    floor = record.get("floor")
    if floor:
        for name in ("between", "same"):
            what = "the two corpora" if name == "between" else "two parts of this corpus"
            shown = "  ".join(f"{key} {value:.4f}" for key, value in floor[name].items())
            click.echo(f"{what} at {floor['size']} documents: {shown}")


@corpus.command("convert")
@click.argument("source", type=_PATH)
@click.argument("target", type=_PATH)
@click.option("--to", "to", required=True, help="Format to write: brat, conll, cas-xmi, …")
@click.option("--from", "from_", help="Format of SOURCE; guessed from its files if not given.")
@click.option("--labels", help="Map the labels to another set: grascco, i2b2, …")
@_JSON
def convert(
    source: Path, target: Path, to: str, from_: str | None, labels: str | None, as_json: bool
) -> None:
    """Write the corpus SOURCE in another format to TARGET, a new directory."""
    from mustermann.journeys import corpora as journey

    result = journey.convert(source, target, to=to, from_=from_, labels=labels)
    if as_json:
        record = {"documents": result.documents, "losses": result.losses,
                  "set_aside": result.set_aside}  # fmt: skip
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    click.echo(f"{result.documents} documents written to {target}")
    for kind, count in sorted(result.losses.items()):
        click.echo(f"  not held by {to}: {kind} × {count}")
    if result.set_aside:
        click.echo(f"  overlapping annotations kept in the documents' meta: {result.set_aside}")


@corpus.command("split")
@click.argument("source", type=_PATH)
@click.argument("target", type=_PATH)
@click.option("--shares", default="train=0.8,dev=0.1,test=0.1", show_default=True,
              help="Name and size of each split; they add up to 1.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, help="Breaks ties.")
@_PATIENT
@_JSON
def split(source: Path, target: Path, shares: str, seed: int, pattern: str, as_json: bool) -> None:
    """Split SOURCE into corpora below TARGET: no patient in two of them, labels alike."""
    from mustermann.journeys import splits as journey

    result = journey.split(source, target, shares=_shares(shares), seed=seed, pattern=pattern)
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False))
        return
    for name, count in result.documents.items():
        found = "  ".join(f"{key} {value}" for key, value in result.difficulties[name].items())
        click.echo(f"{name:8} {count:6} documents  {found}".rstrip())
    for pair, leakage_found in result.leakage.items():
        _print_leakage(pair, journey.leakage_record(leakage_found))


@corpus.command("leakage")
@click.argument("left", type=_PATH)
@click.argument("right", type=_PATH)
@click.option(
    "--threshold", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True,
    help="Jaccard similarity from which two texts are twins.",
)  # fmt: skip
@_PATIENT
@_JSON
def leakage(left: Path, right: Path, threshold: float, pattern: str, as_json: bool) -> None:
    """Print what two corpora share: patients, names, numbers, contacts, nearly equal texts."""
    from mustermann.journeys import splits as journey

    found = journey.leakage(left, right, threshold=threshold, pattern=pattern)
    record = journey.leakage_record(found)
    if as_json:
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    _print_leakage(f"{left.name}-{right.name}", record)
    for label, values in record["values"].items():
        click.echo(f"  {label}: {values['shared']} of {values['left']} and {values['right']}")
    for twin in record["twins"]:
        click.echo(f"  twins: {twin['left']} {twin['right']} {twin['jaccard']:.3f}")


def _print_leakage(pair: str, record: dict[str, Any]) -> None:
    verdict = "leaks" if record["leaks"] else "no leak found"
    nearest = record["nearest"]
    click.echo(
        f"{pair}: {verdict}; shared patients {record['shared_patients']}, "
        f"numbers {record['shared_numbers']}, nearly equal texts {len(record['twins'])} "
        f"(nearest: median {nearest['median']:.3f}, most {nearest['max']:.3f})"
    )


def _shares(text: str) -> dict[str, float]:
    """Returns the shares that "train=0.8,test=0.2" states.

    Raises:
      ConfigError: It is written otherwise.
    """
    from mustermann.core.errors import ConfigError

    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            name = ""
        if not name or not name.replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"Expected shares such as train=0.8,test=0.2, got {text!r}.")
    return shares


def _shown(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
