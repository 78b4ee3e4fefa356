"""Both halves end to end, on data that ships with a dependency; ends with one report."""

from __future__ import annotations

import dataclasses
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mustermann.core.errors import PluginError
from mustermann.core.files import new_directory
from mustermann.documents.corpus import load_corpus
from mustermann.journeys import letters, tables
from mustermann.journeys.admissions import fictitious_admissions
from mustermann.journeys.benchmark import benchmark
from mustermann.report.blocks import Block, Callout, Letter, Paragraph, Section, Table
from mustermann.report.build import write_report
from mustermann.report.detection import detection_section
from mustermann.report.tables import distances_section, guarantee_section, marginals_section
from mustermann.tables import files
from mustermann.tables.frames import to_arrow
from mustermann.tables.schema import read_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from mustermann.documents.document import Document
    from mustermann.tables.model import TableModel

EPSILON = 3.0
ADMISSIONS = 4_000
FROM_ROWS = 50
FREE = 150
LEAD = (
    "A private table became a synthetic one, a synthetic table of admissions became discharge "
    "letters, and a de-identifier read them. Nobody in the synthetic rows and letters exists."
)
TABLE_TEXT = (
    "The RAND Health Insurance Experiment as statsmodels ships it: 20,190 person-years of about "
    "5,900 people. Bounds and levels come from the published codebook, so no bin was read from "
    "the rows."
)
UNIT_TEXT = (
    "One row is one person's year. The promise holds for each year by itself, not for all the "
    "years of one person together: the table has no column that says which rows are one person's."
)
ROWS_TEXT = (
    "A table of fictitious stays (age, sex, specialty, diagnosis, procedure, nights), fitted as a "
    "real one would be; which codes occur is found out privately, out of the same budget. Its "
    "synthetic rows drove the letters below: what a letter says about its stay costs no more "
    "privacy than the table did."
)
FILES = {
    "report.html": "this run in pictures; open it in a browser",
    "table.model": "model of the private table, with guarantee.json",
    "table.csv": "synthetic person-years",
    "admissions.csv": "synthetic admissions",
    "admissions.model": "their model, with guarantee.json",
    "letters-from-rows": "letters that these admissions drove",
    "letters-free": "letters with free cases",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Demo:
    """Where everything is: what each file or directory holds, by its path."""

    report: Path
    files: dict[Path, str]


def run(out: Path, *, seed: int = 0, say: Callable[[str], object] = lambda _: None) -> Demo:
    """Writes models, tables, corpora and a report into `out`, a new directory.

    Args:
      out: Made whole or not at all.
      seed: Steers what costs no privacy; the noise knows no seed.
      say: Is told what is being done, step by step.

    Raises:
      ConfigError: `out` exists.
      PluginError: The `[demo]` extra is not installed.
    """
    with new_directory(out) as directory:
        say("1/5  a private table: the RAND Health Insurance Experiment at epsilon = 3")
        sections = synthetic_table(directory, seed=seed)
        say(f"2/5  {ADMISSIONS} fictitious admissions at epsilon = 3")
        sections += synthetic_admissions(directory, seed=seed)
        say(f"3/5  {FROM_ROWS} letters from synthetic rows, {FREE} free ones")
        sections += written_letters(directory, seed=seed)
        say("4/5  the rule detector reads them")
        sections += detected(directory)
        say("5/5  the report")
        title = "mustermann: a demonstration"
        write_report(directory / "report.html", title=title, lead=LEAD, sections=sections)
    return Demo(out / "report.html", {out / name: text for name, text in FILES.items()})


def synthetic_table(directory: Path, *, seed: int) -> list[Section]:
    """Fits, samples and compares the insurance table; returns what the report says of it."""
    real, schema = insurance_table(), read_schema(_packaged("randhie.toml"))
    model = tables.fit(
        real, tables.FitSettings(epsilon=EPSILON, bins="public", seed=seed), schema=schema
    )
    tables.save(model, directory / "table.model")
    sampled = tables.sample(model, count=real.num_rows, out=directory / "table.csv", seed=seed)
    compared = tables.compare(real, sampled.table, schema=schema)
    promise = guarantee_section(model.guarantee, unit="one person's year")
    intro: list[Block] = [Paragraph(TABLE_TEXT), Callout(UNIT_TEXT, "warning")]
    distances = [
        ("synthetic", dataclasses.asdict(compared.distances)),
        ("floor", dataclasses.asdict(compared.floor)),
    ]
    return [
        Section("A private table", [*intro, *promise.blocks]),
        distances_section(distances),
        marginals_section(real, read_like(model, sampled.table)),
    ]


def synthetic_admissions(directory: Path, *, seed: int) -> list[Section]:
    """Fits and samples the table of stays; returns what the report says of it."""
    stays = fictitious_admissions(ADMISSIONS, seed=seed)
    settings = tables.FitSettings(epsilon=EPSILON, bins="private", seed=seed)
    model = tables.fit(stays, settings, schema=read_schema(_packaged("admissions.toml")))
    tables.save(model, directory / "admissions.model")
    # Some synthetic rows fit no case (a man with preeclampsia); more than enough are drawn.
    tables.sample(model, count=16 * FROM_ROWS, out=directory / "admissions.csv", seed=seed)
    promise = guarantee_section(model.guarantee, unit="one stay")
    return [Section("Admissions", [Paragraph(ROWS_TEXT), *promise.blocks])]


def written_letters(directory: Path, *, seed: int) -> list[Section]:
    """Writes and verifies both corpora; returns counts and one letter of each."""
    names = ("letters-from-rows", "letters-free")
    written = (
        letters.generate(FROM_ROWS, directory / names[0], seed=seed,
                         admissions=directory / "admissions.csv"),
        letters.generate(FREE, directory / names[1], seed=seed + 1),
    )  # fmt: skip
    rows = []
    for name, made in zip(names, written, strict=True):
        faults = letters.verify(directory / name).total
        rows.append((name, str(made.written), f"{made.mean_chars:.0f}", str(faults)))
    head = ("corpus", "letters", "mean characters", "faults found by the checker")
    shown = [_first(directory / name) for name in names]
    return [
        Section("Letters", [
            Table(head, tuple(rows), "Every claim of each letter is derived again and compared."),
            Letter(shown[0], "A letter that a synthetic admission drove."),
        ]),
        Section("A free letter", [Letter(shown[1])]),
    ]  # fmt: skip


def detected(directory: Path) -> list[Section]:
    """Returns what the rule detector makes of both corpora."""
    titles = {"letters-free": "A de-identifier reads the free letters",
              "letters-from-rows": "… and the letters from rows"}  # fmt: skip
    return [
        detection_section(
            benchmark(directory / name, ["rules"], cache=directory / ".cache"), title=title
        )
        for name, title in titles.items()
    ]


def insurance_table() -> pa.Table:
    """Returns the RAND Health Insurance Experiment, 20,190 rows and 10 columns.

    Raises:
      PluginError: statsmodels is not installed.
    """
    try:
        from statsmodels.datasets import randhie
    except ImportError as error:
        raise PluginError(
            "Expected statsmodels, which ships the demo's table, found none. "
            "Install it: pip install 'mustermann[demo]'."
        ) from error
    return pa.Table.from_pandas(randhie.load_pandas().data, preserve_index=False)


def read_like(model: TableModel, path: Path) -> pa.Table:
    """Returns a sampled file with the column types of the table that the model was fitted on."""
    return to_arrow(files.read(path, model.discretiser.reading))


def _packaged(name: str) -> Path:
    return Path(str(resources.files("mustermann.journeys") / name))


def _first(path: Path) -> Document:
    found: Any = next(iter(load_corpus(path)))
    return found  # type: ignore[no-any-return]
