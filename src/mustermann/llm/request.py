"""What a language model is asked and what it answers."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from mustermann.core.errors import MustermannError


class LlmError(MustermannError, RuntimeError):
    """A language model could not be asked, or gave no answer."""


class RefusedError(LlmError):
    """A server refuses this request for what is in it, such as a text that is too long."""


@dataclasses.dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question.

    Attributes:
      messages: The conversation so far; the last one is answered.
      schema: JSON schema of the answer, empty for free text.
      temperature: 0 for the likeliest answer.
      max_tokens: Most tokens of the answer.
      seed: For servers that draw; None leaves it to them.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    temperature: float = 0.0
    max_tokens: int = 1024
    seed: int | None = None

    def parameters(self) -> dict[str, Any]:
        """Returns everything but the messages, as JSON values."""
        return {
            "temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed,
            "schema": dict(self.schema),
        }  # fmt: skip

    def prompt_digest(self) -> str:
        """Returns 32 hex digits that name the messages."""
        return _digest([[message.role, message.text] for message in self.messages])

    def key(self, model: str) -> str:
        """Returns 32 hex digits that name (model, parameters, messages)."""
        return _digest([model, self.parameters(), self.prompt_digest()])


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer.

    Attributes:
      text: What the model wrote.
      prompt_tokens: As the server counted, 0 where it does not say.
      completion_tokens: The same of the answer.
      cut: Whether the answer was cut off at `max_tokens`.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cut: bool = False


@runtime_checkable
class LanguageModel(Protocol):
    """Answers questions; the same object may be asked by several threads at a time.

    Attributes:
      model: Its name, as the server and the cache know it.
    """

    @property
    def model(self) -> str:
        """Returns the model's name."""
        ...

    def ask(self, request: Request) -> Reply:
        """Returns the answer.

        Raises:
          LlmError: There is none, after every retry.
        """
        ...


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
