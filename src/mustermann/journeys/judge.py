"""The judge journey: letters → blind, mixed readings by a language model → scores, agreement.

The judge sees a letter's text and the rubric: not which corpus it is from, not its id. Letters
of both corpora are mixed. Each reading lists the six qualities in another order, so that
readings of one model at temperature 0 differ by more than nothing.
"""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from mustermann.core.errors import DataError
from mustermann.core.progress import track
from mustermann.core.seeds import Seeds
from mustermann.documents.corpus import load_corpus
from mustermann.llm.answer import AnswerError, Shape, ask_typed
from mustermann.llm.client import open_model
from mustermann.llm.request import Message, RefusedError
from mustermann.metrics.judge import DIMENSIONS, HIGHEST, LOWEST, NAMES, JudgedCorpus, judged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mustermann.documents.document import Document
    from mustermann.llm.request import LanguageModel
    from mustermann.llm.settings import LlmSettings

VERSION = "1"
"""Raised with every change of the prompt."""
RUNS = 3

_SYSTEM = (
    "You are an experienced physician who reviews German discharge letters. Read the letter once, "
    "note each contradiction with its two places, then score it on six qualities from 1 to 5 by "
    "the anchors; 2 and 4 lie between. Be strict. Judge what the letter owes for its type. A "
    "missing thing costs only in the quality that owes it, once. Typing errors and invented names "
    "cost nothing. Answer with JSON only.\n"
)

Score = Annotated[int, Field(ge=LOWEST, le=HIGHEST)]
Note = Annotated[str, Field(max_length=120)]


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge answers with."""

    contradictions: Annotated[list[Note], Field(max_length=3)]
    structure: Score
    clinical_realism: Score
    internal_consistency: Score
    temporal_consistency: Score
    care_trajectory: Score
    discharge_plan: Score

    def scores(self) -> tuple[int, ...]:
        """Returns the scores in the order of the rubric."""
        return tuple(int(getattr(self, name)) for name in NAMES)


SHAPE = Shape(Verdict)


@dataclasses.dataclass(frozen=True, slots=True)
class JudgeResult:
    """What a judge says of a corpus, and of another one that was read beside it."""

    corpus: JudgedCorpus
    against: JudgedCorpus | None = None

    def to_record(self) -> dict[str, Any]:
        """Returns the figures as JSON values."""
        record = self.corpus.to_record()
        if self.against:
            record["against"] = self.against.to_record()
        return record


@dataclasses.dataclass(frozen=True, slots=True)
class _Reading:
    """One letter to be read once."""

    corpus: int
    position: int
    document: Document
    run: int


def judge(
    path: Path, *, llm: LlmSettings, against: Path | None = None, runs: int = RUNS,
    limit: int | None = None, seed: int = 0, model: LanguageModel | None = None,
) -> JudgeResult:  # fmt: skip
    """Returns how a language model scores the corpus at `path`.

    Args:
      path: A corpus in any format.
      llm: The judge.
      against: Another corpus, read by the same judge, blind and mixed with the first.
      runs: Readings of each letter.
      limit: At most so many letters of each corpus, drawn by `seed`.
      seed: Draws letters and their order.
      model: Is asked instead of the server that `llm` names.

    Raises:
      DataError: A corpus is missing or empty, or no letter of it could be scored.
      LlmError: The judge did not answer; readings that are in the cache are not asked for again.
    """
    asked = model or open_model(llm)
    paths = [place for place in (path, against) if place is not None]
    corpora = [_drawn(place, limit=limit, seeds=Seeds(seed)) for place in paths]
    readings = [
        _Reading(index, position, document, run)
        for index, documents in enumerate(corpora)
        for position, document in enumerate(documents)
        for run in range(runs)
    ]
    mixed = Seeds(seed).draws("order").sample("readings", readings, len(readings))

    def read(reading: _Reading) -> tuple[int, ...] | None:
        return _read(asked, reading, max_tokens=llm.tuning.max_tokens)

    with ThreadPoolExecutor(llm.tuning.concurrency) as pool:
        found = list(track(pool.map(read, mixed), "judging", total=len(mixed)))
    verdicts = {
        (reading.corpus, reading.position, reading.run): scores
        for reading, scores in zip(mixed, found, strict=True)
    }
    sides = [
        _side(paths[index], index, documents, runs, verdicts, asked.model)
        for index, documents in enumerate(corpora)
    ]
    return JudgeResult(*sides)


def _drawn(path: Path, *, limit: int | None, seeds: Seeds) -> list[Document]:
    documents = list(load_corpus(path))
    if not documents:
        raise DataError(f"Expected documents in {path}, found none.")
    if limit is None or limit >= len(documents):
        return documents
    return seeds.draws("judge").sample(path.name, documents, limit)


def _read(model: LanguageModel, reading: _Reading, *, max_tokens: int) -> tuple[int, ...] | None:
    """Returns the six scores of one reading, None where the answer is of no use."""
    turn = 2 * reading.run % len(DIMENSIONS)
    rubric = "\n".join(
        f"{d.name}: 1 = {d.worst} 3 = {d.middle} 5 = {d.best}"
        for d in (*DIMENSIONS[turn:], *DIMENSIONS[:turn])
    )
    messages = (
        Message("system", _SYSTEM + rubric),
        Message("user", f"The letter:\n\n{reading.document.text}"),
    )
    try:
        answer = ask_typed(model, messages, SHAPE, max_tokens=max_tokens, seed=reading.run)
    except (AnswerError, RefusedError):
        return None
    return answer.value.scores()


def _side(
    path: Path, index: int, documents: Sequence[Document], runs: int,
    verdicts: dict[tuple[int, int, int], tuple[int, ...] | None], model: str,
) -> JudgedCorpus:  # fmt: skip
    kept: list[Document] = []
    rows: list[list[tuple[int, ...]]] = []
    for position, document in enumerate(documents):
        scores = [verdicts[index, position, run] for run in range(runs)]
        complete = [score for score in scores if score is not None]
        if len(complete) == runs:
            kept.append(document)
            rows.append(complete)
    if not rows:
        raise DataError(
            f"Expected scores for the {len(documents)} letters of {path}, but every answer was "
            f"unusable. A larger model, more max_tokens or a longer context may help."
        )
    return judged(
        np.array(rows, dtype=np.int64).transpose(1, 0, 2),
        difficulties=[str(document.meta.get("difficulty", "")) for document in kept],
        failed=len(documents) - len(kept),
        judge=f"{model}-prompt{VERSION}",
    )
