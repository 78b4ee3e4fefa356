"""Answers of a given type: asked for by JSON schema, and checked whether or not it was honoured."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from mustermann.llm.request import LanguageModel, LlmError, Message, Reply, Request

T = TypeVar("T")
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.S)


class AnswerError(LlmError):
    """An answer is not of the type that was asked for."""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A typed answer with the reply that it was read from.

    Attributes:
      value: Of the type that was asked for.
      reply: As the model gave it.
    """

    value: T
    reply: Reply


class Shape(Generic[T]):
    """The type of an answer: its schema, and how to read it.

    Args:
      kind: A pydantic model or a dataclass.
    """

    def __init__(self, kind: type[T]) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)
        self.schema: dict[str, Any] = self._adapter.json_schema()

    def read(self, reply: Reply) -> T:
        """Returns the value in a reply.

        Raises:
          AnswerError: It is cut off, no JSON, or does not fit; says what was wrong.
        """
        text = extract(reply.text)
        try:
            value = json.loads(text, strict=False)
        except ValueError as error:
            why = "it was cut off at max_tokens" if reply.cut else f"{error}"
            raise AnswerError(f"Expected JSON, but: {why}, in {reply.text[:60]!r}.") from error
        try:
            return self._adapter.validate_python(value)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the answer"
            raise AnswerError(f"Expected a fitting {place}: {first['msg']}.") from error


def extract(text: str) -> str:
    """Returns the JSON object in a text that may have words or a code fence around it."""
    fenced = _FENCE.search(text)
    inner = fenced[1] if fenced else text
    start, end = inner.find("{"), inner.rfind("}")
    return inner[start : end + 1] if 0 <= start < end else inner.strip()


def ask_typed(
    model: LanguageModel, messages: Sequence[Message], shape: Shape[T], *, tries: int = 2,
    temperature: float = 0.0, max_tokens: int = 1024, seed: int | None = None,
) -> Answer[T]:  # fmt: skip
    """Returns an answer of a type; an answer that does not fit is sent back with what is wrong.

    Raises:
      AnswerError: No answer fitted within `tries`.
      LlmError: The model did not answer.
    """
    asked = tuple(messages)
    for left in reversed(range(tries)):
        request = Request(
            messages=asked, schema=shape.schema, temperature=temperature, max_tokens=max_tokens,
            seed=seed,
        )  # fmt: skip
        reply = model.ask(request)
        try:
            return Answer(shape.read(reply), reply)
        except AnswerError as error:
            if not left:
                raise
            again = f"{error} Antworte noch einmal, nur mit dem JSON."
            asked = (*messages, Message("assistant", reply.text or "{}"), Message("user", again))
    raise AnswerError(f"Expected at least one try, got {tries}.")
