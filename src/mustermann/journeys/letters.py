"""The letter journeys: generate a corpus, verify one, show one letter."""

from __future__ import annotations

import dataclasses
import difflib
import time
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from mustermann.core import manifest
from mustermann.core.config import resolve
from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import read_json
from mustermann.core.parallel import executor
from mustermann.core.progress import task
from mustermann.documents.corpus import STEM, CorpusWriter, encode, load_corpus
from mustermann.letters.attributes.admission import Admission, NoFittingCase, read_admissions
from mustermann.letters.cases.library import (
    CaseLibrary,
    SingleCase,
    case_ids,
    content_digest,
    load_case,
)
from mustermann.letters.census import Census
from mustermann.letters.config import DifficultyMix, LettersConfig
from mustermann.letters.letter import DRAFTS, NoLetterError, Workshop, make_letter
from mustermann.letters.llm_prompt import VERSION as PROMPTS
from mustermann.letters.verify.runner import Verification, verify_corpus
from mustermann.letters.writer_plugins import WriterPlan, load_attack, load_writer
from mustermann.letters.writers import CaseWriter
from mustermann.llm.request import LlmError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from mustermann.documents.document import Document

BATCH = 16
"""Letters a worker makes at a time."""


@dataclasses.dataclass(frozen=True, slots=True)
class Generation:
    """What a run wrote.

    Attributes:
      written: Letters in the corpus, those of a resumed run included.
      dropped: Drafts that were not taken, by reason.
      seconds: Wall time of this call.
      cpu_seconds: Processor time of this call, over all workers.
      mean_chars: Mean length in characters.
      tokens: That a language model was asked for all letters of the run, replayed ones included:
        "prompt" and "completion"; empty without one.
      cost: Of these tokens, by the prices in the settings.
    """

    written: int
    dropped: dict[str, int]
    seconds: float
    cpu_seconds: float
    mean_chars: float
    tokens: dict[str, int] = dataclasses.field(default_factory=dict)
    cost: float = 0.0

    def to_record(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        return dataclasses.asdict(self)

    def summary(self) -> str:
        """Returns one line for people."""
        dropped = ", ".join(f"{count} {reason}" for reason, count in self.dropped.items())
        spent = ", ".join(f"{count:,} {kind}" for kind, count in self.tokens.items())
        return (
            f"{self.written} letters of {self.mean_chars:.0f} characters on average in "
            f"{self.seconds:.1f} s; drafts dropped: {dropped or 'none'}"
            + (f"; tokens: {spent}" if spent else "")
            + (f"; cost: {self.cost:.2f}" if self.cost else "")
        )


def generate(
    count: int | None, out: Path, *, seed: int = 0, difficulty: str = "mixed",
    admissions: Path | None = None, workers: int = 1, ids: Sequence[int] | None = None,
    config: Path | None = None, overrides: Sequence[str] = (), resume: bool = False,
    writer: WriterPlan | None = None,
) -> Generation:  # fmt: skip
    """Writes a corpus of labelled letters and returns what came of it.

    Letter i is the same alone, in a batch, in any process and any order.

    Args:
      count: How many letters; with `admissions` None means one a row.
      out: A new directory, or with `resume` the one of a stopped run.
      seed: Root of every stream.
      difficulty: One of the four, or "mixed".
      admissions: A csv or parquet file whose rows fix age, sex, specialty, codes and stay.
      workers: Processes; the bytes do not depend on it.
      ids: Only these letters of the run.
      config: TOML with settings.
      overrides: Settings on top, as `key=value`.
      resume: Keeps the letters that are there and goes on behind them.
      writer: Who writes; None for the authored cases.

    Raises:
      ConfigError: A setting is unknown or `out` exists.
      DataError: The admissions are broken, or a letter can't be made without faults.
      LlmError: A language model did not answer; what was written stays, to be resumed.
    """
    started, run = time.perf_counter(), Census()
    rows = read_admissions(admissions) if admissions else None
    settings = with_difficulty(resolve(LettersConfig, file=config, overrides=overrides), difficulty)
    plan = dataclasses.replace(writer or WriterPlan(), bands=settings.bands)
    job = Job(seed=seed, config=settings, admissions=rows, writer=plan)
    load_writer(plan)
    refuse_outside(job, count, ids=ids)
    refuse_other_run(out, job, resume=resume)
    cpu = _write(job, run, out, count=count, ids=ids, workers=workers, resume=resume)
    describe(job, run).write(out)
    wanted = count if ids is None else len(set(ids))
    if wanted is not None and run.letters < wanted:
        raise DataError(_too_few(wanted, run, out))
    return Generation(
        run.letters, run.dropped(), time.perf_counter() - started, cpu, run.mean_characters,
        *_spent(plan, run),
    )  # fmt: skip


def _write(
    job: Job, run: Census, out: Path, *, count: int | None, ids: Sequence[int] | None,
    workers: int, resume: bool,
) -> float:  # fmt: skip
    """Writes the letters that are not there yet; returns seconds of processor time.

    Raises:
      LlmError: A language model did not answer; says how many letters are there.
    """
    cpu = 0.0
    with CorpusWriter(out, resume=resume) as corpus, task("letters", total=count) as bar:
        describe(job, run).write(out)
        last = recount(corpus.kept(), job, run)
        bar.advance(run.letters)
        numbers = batches(job, count, ids=ids, after=last)
        try:
            for letter in chain.from_iterable(executor(workers).map(job, numbers)):
                cpu += letter.cpu_seconds
                if count is None or run.letters < count:
                    run.merge(letter.census)
                    corpus.append(letter.line)
                    bar.advance(bool(letter.line))
                if run.letters == count:
                    break
        except LlmError as error:
            describe(job, run).write(out)
            raise LlmError(
                f"{error} {run.letters} letters are written to {out}: go on with --resume."
            ) from error
    return cpu


def verify(path: Path) -> Verification:
    """Returns what every check finds in the corpus at `path`, ours or not.

    Raises:
      DataError: There is no corpus, or a line is no JSON object.
    """
    with task("verifying") as bar:
        records = load_corpus(path).records()
        return verify_corpus(_counted(records, bar))


def show(case: str, *, seed: int = 0, difficulty: str = "easy", html: bool = False) -> str:
    """Returns one letter of a case: its text, or a page with its labels highlighted.

    Raises:
      ConfigError: There is no such case.
    """
    config = with_difficulty(LettersConfig(), difficulty)
    workshop = Workshop(seed=seed, config=config, cases=_single(case), writer=CaseWriter())
    document = make_letter(workshop, 0)
    if not html:
        return document.text
    from mustermann.report.blocks import Letter, Section
    from mustermann.report.build import page

    title = f"{case}, seed {seed}"
    return page(title=title, lead="", sections=[Section("Letter", [Letter(document)])])


def _single(case: str) -> SingleCase:
    """Returns the sampler of one case of the library.

    Raises:
      ConfigError: There is no such case; names the nearest one.
    """
    known = case_ids()
    if case not in known:
        near = difflib.get_close_matches(case, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}."
        raise ConfigError(f"Expected the id of a case, got {case!r}.{hint}")
    return SingleCase(load_case(case))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Job:
    """Makes letters by number; goes to worker processes as it is.

    Attributes:
      seed: Root of every stream.
      config: Every probability.
      admissions: The row that fixes letter i stands at i; None where letters are free.
      writer: Who writes.
    """

    seed: int
    config: LettersConfig
    admissions: tuple[Admission, ...] | None
    writer: WriterPlan = dataclasses.field(default_factory=WriterPlan)

    @property
    def by_model(self) -> bool:
        """Whether a language model writes: it may fail at a letter without being at fault."""
        return self.writer.llm is not None

    def __call__(self, numbers: Sequence[int]) -> list[Made]:
        """Returns the letters with these numbers, in order."""
        workshop = Workshop(
            seed=self.seed, config=self.config, cases=CaseLibrary(),
            writer=load_writer(self.writer),
            drafts=self.writer.drafts if self.by_model else DRAFTS,
            attack=load_attack(self.writer),
        )  # fmt: skip
        return [self._one(workshop, number) for number in numbers]

    def _one(self, workshop: Workshop, number: int) -> Made:
        begun, census = time.process_time(), Census()
        row = self.admissions[number] if self.admissions is not None else None
        try:
            document = make_letter(workshop, number, admission=row)
        except NoFittingCase:
            # A synthetic row may be a man with preeclampsia: counted, and the next one taken.
            census.drop("no_fitting_case")
            return Made(b"", census, time.process_time() - begun)
        except NoLetterError as error:
            if not self.by_model:
                raise
            census.merge_lost(dropped=error.dropped, wrote=error.wrote)
            return Made(b"", census, time.process_time() - begun)
        census.add(document)
        return Made(encode(document), census, time.process_time() - begun)


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """A finished letter as a line of JSON, its counts, and the processor time that it took.

    The line is empty where no case fits the admission, or a language model gave the letter up.
    """

    line: bytes
    census: Census
    cpu_seconds: float


def with_difficulty(config: LettersConfig, difficulty: str) -> LettersConfig:
    """Returns settings whose mix is one difficulty only; "mixed" leaves them."""
    if difficulty == "mixed":
        return config
    weights = dict.fromkeys(("easy", "medium", "hard", "adversarial"), 0.0) | {difficulty: 1.0}
    return dataclasses.replace(config, difficulty=DifficultyMix(**weights))


def recount(documents: Iterable[Document], job: Job, census: Census) -> int:
    """Counts letters that are there already; returns the number of the last, -1 for none."""
    last = -1
    for document in documents:
        missing = int(document.id) - last - 1
        if job.by_model:
            census.drop("letter_given_up", missing)
        elif job.admissions is not None:
            census.drop("no_fitting_case", missing)
        census.add(document)
        last = int(document.id)
    return last


def batches(
    job: Job, count: int | None, *, ids: Sequence[int] | None, after: int
) -> Iterator[tuple[int, ...]]:
    """Yields the numbers of the letters to make, those up to `after` left out."""
    highest = len(job.admissions) if job.admissions is not None else count
    numbers: Iterable[int] = range(highest or 0) if ids is None else ids
    waiting = iter([number for number in numbers if number > after])
    # A language model may stop answering: what it was paid for is written before it goes on.
    size = 1 if job.by_model else BATCH
    while batch := tuple(islice(waiting, size)):
        yield batch


def refuse_outside(job: Job, count: int | None, *, ids: Sequence[int] | None) -> None:
    """Refuses letters that the run does not have; known before anything is written."""
    rows = None if job.admissions is None else len(job.admissions)
    if rows is not None and count is not None and count > rows:
        raise ConfigError(f"Expected -n of at most the {rows} rows of admissions, got {count}.")
    highest = count if rows is None else rows
    outside = [number for number in ids or () if highest is not None and number >= highest]
    if outside:
        raise ConfigError(f"Expected --ids below {highest}, got {outside[0]}.")


def refuse_other_run(out: Path, job: Job, *, resume: bool) -> None:
    """Refuses to resume a run that had another seed or other settings, or that was none."""
    if not resume:
        return
    if not (out / manifest.MANIFEST).exists():
        # The manifest is written before the first letter.
        if any(path.stat().st_size for path in out.glob(f"{STEM}*")):
            raise ConfigError(
                f"Expected letters of a stopped run in {out}, found some without a "
                f"{manifest.MANIFEST}. Choose another directory."
            )
        return
    found, wanted = read_json(out / manifest.MANIFEST), describe(job, Census())
    same = {
        "seed": job.seed, "config_digest": wanted.config_digest,
        "content_digest": content_digest(), **_writer_record(job.writer),
    }  # fmt: skip
    for name, value in same.items():
        if found.get(name) != value:
            same_as = "version of mustermann" if name == "content_digest" else "arguments"
            raise ConfigError(
                f"Expected to resume with {name} {found.get(name)!r} as in {out}, got {value!r}. "
                f"Take the same {same_as}, or choose another directory."
            )


def describe(job: Job, census: Census) -> manifest.Manifest:
    """Returns the manifest: nothing in it depends on time, workers or interruptions."""
    return manifest.describe(
        "corpus", job.config, seed=job.seed, counts=census.to_record(),
        more={"labels": "mustermann", "admissions": job.admissions is not None,
              "content_digest": content_digest(), **_writer_record(job.writer)},
    )  # fmt: skip


def _writer_record(plan: WriterPlan) -> dict[str, Any]:
    """Returns who wrote, for the manifest: neither the server's address nor a key to it."""
    if plan.llm is None:
        return {"writer": plan.name}
    return {
        "writer": plan.name, "model": plan.llm.model, "temperature": plan.llm.tuning.temperature,
        "prompts": PROMPTS, "repairs": plan.repairs, "chunk_chars": plan.chunk_chars,
        "drafts": plan.drafts, "attack": plan.attack,
    }  # fmt: skip


def _spent(plan: WriterPlan, run: Census) -> tuple[dict[str, int], float]:
    """Returns the tokens that a language model took, and their cost."""
    if plan.llm is None:
        return {}, 0.0
    counts = run.to_record().get("writer", {})
    tokens = {kind: counts.get(f"{kind}_tokens", 0) for kind in ("prompt", "completion")}
    return tokens, plan.llm.tuning.cost(**{f"{kind}_tokens": n for kind, n in tokens.items()})


def _too_few(count: int, run: Census, out: Path) -> str:
    """Returns why fewer letters came out than were asked for."""
    reasons = run.dropped()
    if set(reasons) <= {"no_fitting_case"}:
        return f"Expected {count} letters, but only {run.letters} rows fit a case."
    often = ", ".join(f"{n} {reason}" for reason, n in
                      sorted(reasons.items(), key=lambda item: -item[1])[:4])  # fmt: skip
    return (
        f"Expected {count} letters, but only {run.letters} are fit to be used ({often}); each try "
        f"is counted in {out / manifest.MANIFEST}. A larger model, or more repairs, may help."
    )


def _counted(records: Iterable[dict[str, Any]], bar: Any) -> Iterator[dict[str, Any]]:
    for record in records:
        yield record
        bar.advance()
