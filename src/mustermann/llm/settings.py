"""Where a language model is and how it is asked. The key is no setting: see `KEY`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError

KEY = "MUSTERMANN_LLM_KEY"
"""The environment variable that holds the key, so that no command line or file shows it."""

NO_KEY = "none"
"""Sent where there is no key: local servers take any."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class LlmTuning:
    """How a model is asked, and how patiently.

    Attributes:
      temperature: Of writing; judges, detectors and attackers ask at 0.
      max_tokens: Most tokens of one answer.
      timeout_s: Seconds until a request is given up and tried again.
      retries: So many times a failed request is sent again.
      backoff_s: Seconds before the first retry, doubled before each further one.
      concurrency: Requests at a time, in each process.
      requests_per_minute: At most so many in each process; 0 for no limit.
      schema: "auto" asks for JSON schemas and falls back to instructions where the server
        refuses them, "instruct" only instructs.
      input_price: Price of a million prompt tokens, in any currency.
      output_price: Price of a million completion tokens.
    """

    temperature: float = 0.8
    max_tokens: int = 1500
    timeout_s: float = 120.0
    retries: int = 4
    backoff_s: float = 1.0
    concurrency: int = 4
    requests_per_minute: int = 0
    schema: Literal["auto", "instruct"] = "auto"
    input_price: float = 0.0
    output_price: float = 0.0

    def __post_init__(self) -> None:
        """Refuses settings that no request can be made from."""
        for name in ("timeout_s", "max_tokens", "concurrency"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"Expected {name} above 0, got {getattr(self, name)}.")
        for name in ("temperature", "retries", "backoff_s", "requests_per_minute"):
            if getattr(self, name) < 0:
                raise ConfigError(f"Expected {name} from 0 up, got {getattr(self, name)}.")

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Returns what so many tokens cost."""
        spent = prompt_tokens * self.input_price + completion_tokens * self.output_price
        return spent / 1_000_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class LlmSettings:
    """A model on a server.

    Attributes:
      url: Base URL of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1; may be
        empty with `offline`.
      model: Name that the server knows.
      cache: File of recorded answers; None records nothing.
      offline: Answers come from the cache only.
      tuning: How it is asked.
    """

    url: str = ""
    model: str = ""
    cache: Path | None = None
    offline: bool = False
    tuning: LlmTuning = LlmTuning()

    def __post_init__(self) -> None:
        """Refuses settings that no request can be made from."""
        if not self.model:
            raise ConfigError("Expected the name of a language model, got none. Give --model.")
        if self.offline and self.cache is None:
            raise ConfigError("Expected --llm-cache with --offline, got none.")
        if not self.offline:
            _check_url(self.url)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        well_formed = parts.scheme in {"http", "https"} and bool(parts.hostname)
        secret = parts.username is not None or parts.password is not None
        _ = parts.port
    except ValueError:
        well_formed, secret = False, False
    if secret:
        raise ConfigError(
            f"Expected a URL without user and password. Put the key into the environment as {KEY}."
        )
    if not well_formed:
        raise ConfigError(
            f"Expected the base URL of an OpenAI-compatible server, such as "
            f"http://127.0.0.1:8000/v1, got {url!r}."
        )
