"""`mustermann letters …`: write and verify labelled letters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mustermann.cli.llm_options import llm_options, llm_settings
from mustermann.cli.skeletons import skeletons

if TYPE_CHECKING:
    from mustermann.letters.writer_plugins import WriterPlan

DIFFICULTIES = ("mixed", "easy", "medium", "hard", "adversarial")


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """Numbers separated by commas: `17` or `3,4,17`."""

    name = "i,j,…"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Returns the numbers, sorted, each once."""
        if isinstance(value, tuple):
            return value
        try:
            numbers = {int(part) for part in str(value).split(",")}
        except ValueError:
            self.fail(f"expected numbers separated by commas, got {value!r}", param, ctx)
        if min(numbers) < 0:
            self.fail(f"expected numbers from 0 up, got {min(numbers)}", param, ctx)
        return tuple(sorted(numbers))


@click.group()
def letters() -> None:
    """Write and verify labelled letters."""


letters.add_command(skeletons)


@letters.command("generate")
@click.option("-n", "count", type=click.IntRange(min=1), help="Number of letters.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="A new directory.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same letters.")
@click.option("--difficulty", type=click.Choice(DIFFICULTIES), default="mixed", show_default=True)
@click.option("--admissions", type=click.Path(path_type=Path), help="Rows that fix the cases.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--ids", type=Numbers(), help="Only these letters of the run, by number.")
@click.option("--config", type=click.Path(path_type=Path), help="TOML with settings.")
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="One setting.")
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped.")
@click.option("--writer", default="cases", show_default=True, help="cases, llm, or a plugin.")
@llm_options
@click.option(
    "--repairs",
    default=2,
    show_default=True,
    type=click.IntRange(min=0),
    help="So often a bad answer goes back to the model.",
)
@click.option(
    "--drafts",
    default=5,
    show_default=True,
    type=click.IntRange(min=1),
    help="So often the model may fail at a letter.",
)
@click.option(
    "--chunk-chars",
    default=1800,
    show_default=True,
    type=click.IntRange(min=200),
    help="Text that the model gets at a time; less for small contexts.",
)
@click.option("--attack", is_flag=True, help="The model attacks letters; flagged ones are dropped.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def generate(
    count: int | None, out: Path, seed: int, difficulty: str, admissions: Path | None,
    workers: int, ids: tuple[int, ...] | None, config: Path | None, overrides: tuple[str, ...],
    resume: bool, writer: str, repairs: int, drafts: int, chunk_chars: int, attack: bool,
    as_json: bool, **llm: Any,
) -> None:  # fmt: skip
    """Write labelled letters into a corpus directory."""
    from mustermann.journeys import letters as journey

    if count is None and ids is None and admissions is None:
        raise click.UsageError("Expected -n, --ids or --admissions; found none of them.")
    result = journey.generate(
        count, out, seed=seed, difficulty=difficulty, admissions=admissions, workers=workers,
        ids=ids, config=config, overrides=overrides, resume=resume,
        writer=_plan(writer, llm, repairs=repairs, drafts=drafts, chunk_chars=chunk_chars,
                     attack=attack),
    )  # fmt: skip
    click.echo(json.dumps(result.to_record()) if as_json else result.summary())


def _plan(
    writer: str,
    llm: dict[str, Any],
    *,
    repairs: int,
    drafts: int,
    chunk_chars: int,
    attack: bool,
) -> WriterPlan:
    """Returns who writes; options of the language model without it are refused."""
    from mustermann.core.errors import ConfigError
    from mustermann.letters.writer_plugins import WriterPlan

    if writer == "llm":
        return WriterPlan(
            name=writer, llm=llm_settings(**llm), repairs=repairs, drafts=drafts,
            chunk_chars=chunk_chars, attack=attack,
        )  # fmt: skip
    if attack or any(llm.values()):
        raise ConfigError(
            f"Expected --writer llm with options of a language model, got {writer!r}."
        )
    return WriterPlan(name=writer)


@letters.command("verify")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def verify(path: Path, as_json: bool) -> None:
    """Check every claim of a corpus; faults are counted, the exit code stays 0."""
    from mustermann.journeys import letters as journey

    result = journey.verify(path)
    if as_json:
        record = {
            "letters": result.letters, "faults": result.faults, "severities": result.severities,
            "total_faults": result.total,
        }  # fmt: skip
        click.echo(json.dumps(record))
        return
    for name, count in sorted(result.faults.items()):
        click.echo(f"{name:14} {count}")
    for fault in result.first[:20]:
        click.echo(f"{fault.document} [{fault.start}:{fault.end}] {fault.check}: {fault.message}")
    click.echo(f"{result.letters} letters, {result.total} faults")


@letters.command("redteam")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--detectors",
    default="rules",
    show_default=True,
    help="Names, separated by commas; what they find unlabelled is listed. Empty for none.",
)
@click.option("--workers", default=1, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write one HTML file.")
def redteam(path: Path, detectors: str, workers: int, as_json: bool, report: Path | None) -> None:
    """Attack a whole corpus: near-duplicates, repeats, labels, check digits, unlabelled finds."""
    from mustermann.journeys.redteam import attack, write_report

    names = [name.strip() for name in detectors.split(",") if name.strip()]
    result = attack(path, detectors=names, workers=workers)
    if report is not None:
        write_report(result, report, name=path.name)
    if as_json:
        click.echo(json.dumps(result.to_record(), ensure_ascii=False))
        return
    for line in result.lines():
        click.echo(line)


@letters.command("show")
@click.argument("case")
@click.option("--seed", default=0, show_default=True, help="Same seed, same letter.")
@click.option("--difficulty", type=click.Choice(DIFFICULTIES), default="easy", show_default=True)
@click.option("--html", is_flag=True, help="Print a page with highlighted labels.")
def show(case: str, seed: int, difficulty: str, html: bool) -> None:
    """Print one letter of CASE."""
    from mustermann.journeys import letters as journey

    click.echo(journey.show(case, seed=seed, difficulty=difficulty, html=html))
