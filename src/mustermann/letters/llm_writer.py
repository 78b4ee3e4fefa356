"""Writes letters with a language model: an authored case says what, the model says how.

The model gets the sentences of a case, section by section, and puts them in its own words.
Head, lists of diagnoses and drugs, and signatures stay as the house writes them. What the
model answers is checked; what is wrong is told to it, a bounded number of times; a letter
that can't be mended is rejected, and the next draft is tried. Each try is counted.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.cases.library import load_case
from mustermann.letters.cases.model import Case
from mustermann.letters.config import LengthBands
from mustermann.letters.llm_check import Checked, Finding, check
from mustermann.letters.llm_material import Chunk, chunks
from mustermann.letters.llm_prompt import Sentences, opening, repair
from mustermann.letters.segments import Segment, Skeleton
from mustermann.letters.writers import CaseWriter, Line, RejectedError
from mustermann.llm.answer import AnswerError, Shape
from mustermann.llm.request import LanguageModel, Message, Reply, Request

SHAPE = Shape(Sentences)
"""What the model is asked to answer with."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a model is asked to write.

    Attributes:
      temperature: 0 for the likeliest wording.
      max_tokens: Most tokens of an answer.
      repairs: So many times a bad answer is sent back with what is wrong.
      chunk_chars: Characters of the material that is sent at a time.
      concurrency: Parts of a letter that are asked for at a time.
    """

    temperature: float = 0.8
    max_tokens: int = 1500
    repairs: int = 2
    chunk_chars: int = 1800
    concurrency: int = 4


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    """What came of one part of a letter."""

    chunk: Chunk
    lines: tuple[tuple[Segment, ...], ...] | None
    findings: tuple[Finding, ...]
    counts: Counter[str]


class LlmWriter:
    """Writes letters with a language model.

    Args:
      model: Is asked.
      asking: How.
      bands: Characters by length.
      cases: Finds the compiled case of a course.
    """

    def __init__(
        self, model: LanguageModel, *, asking: Asking | None = None,
        bands: LengthBands | None = None, cases: Callable[[str], Case] = load_case,
    ) -> None:  # fmt: skip
        self._model, self._asking = model, asking or Asking()
        self._bands, self._cases = bands, cases

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the skeleton of a letter; a pure function of both and of the model's answers.

        Raises:
          RejectedError: A part could not be mended.
          LlmError: The model did not answer.
        """
        counts: Counter[str] = Counter()
        revise = functools.partial(self._revise, attributes, seeds.child("llm"), counts)
        writer = CaseWriter(bands=self._bands, cases=self._cases, reviser=revise)
        skeleton = writer.write(attributes, seeds=seeds)
        return dataclasses.replace(skeleton, counts=dict(sorted(counts.items())))

    def _revise(
        self, attributes: Attributes, seeds: Seeds, counts: Counter[str],
        said: Mapping[str, Sequence[Line]],
    ) -> Mapping[str, Sequence[Line]]:  # fmt: skip
        """Returns each section in the model's words.

        The first part goes alone: a model that can't do it costs no more than its tries there.
        """
        waiting = chunks(said, limit=self._asking.chunk_chars)
        revised: dict[str, list[Line]] = {}
        for group in (waiting[:1], waiting[1:]):
            parts = self._write_all(group, attributes, seeds)
            for part in parts:
                counts.update(part.counts)
                revised.setdefault(part.chunk.section, []).extend(map(list, part.lines or ()))
            bad = [part for part in parts if part.lines is None]
            if bad:
                kinds = sorted({f"llm_{f.kind}" for part in bad for f in part.findings})
                first = bad[0].findings[0].message
                raise RejectedError(
                    f"the model's {bad[0].chunk.section} after {self._asking.repairs} repairs: "
                    f"{first}",
                    reasons=kinds,
                    counts=dict(counts),
                )
        return revised

    def _write_all(
        self, waiting: Sequence[Chunk], attributes: Attributes, seeds: Seeds
    ) -> list[_Part]:
        draws = seeds.draws("seed")

        def one(chunk: Chunk) -> _Part:
            place = f"{chunk.section} {chunk.texts[0]}"
            return self._part(chunk, attributes, seed=draws.integer(place, 0, 2**31 - 1))

        if len(waiting) < 2 or self._asking.concurrency == 1:
            return [one(chunk) for chunk in waiting]
        with ThreadPoolExecutor(min(self._asking.concurrency, len(waiting))) as pool:
            return list(pool.map(one, waiting))

    def _part(self, chunk: Chunk, attributes: Attributes, *, seed: int) -> _Part:
        """Asks for one part until it is right, at most `repairs` times again."""
        first = opening(chunk, attributes)
        messages = first
        counts: Counter[str] = Counter(parts=1)
        for attempt in range(self._asking.repairs + 1):
            reply = self._model.ask(self._request(messages, seed + attempt))
            counts.update(
                tries=1, prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
            )  # fmt: skip
            checked = _checked(reply, chunk, attributes)
            counts.update({f"bad_{finding.kind}": 1 for finding in checked.findings})
            if not checked.findings:
                counts.update(repaired=attempt > 0)
                return _Part(chunk, checked.lines, (), +counts)
            told = repair([finding.message for finding in checked.findings])
            messages = (*first, Message("assistant", reply.text or "{}"), told)
        counts.update(given_up=1)
        return _Part(chunk, None, checked.findings, +counts)

    def _request(self, messages: tuple[Message, ...], seed: int) -> Request:
        asking = self._asking
        return Request(
            messages=messages, schema=SHAPE.schema, temperature=asking.temperature,
            max_tokens=asking.max_tokens, seed=seed,
        )  # fmt: skip


def _checked(reply: Reply, chunk: Chunk, attributes: Attributes) -> Checked:
    try:
        sentences = SHAPE.read(reply).sentences
    except AnswerError as error:
        return Checked((), (Finding("unreadable", str(error)),))
    return check(sentences, chunk, attributes)
