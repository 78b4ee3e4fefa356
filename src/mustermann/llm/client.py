"""Asks an OpenAI-compatible server: vLLM, Ollama, llama.cpp, Gemini and others.

A failed request is sent again after a pause that doubles and jitters. What can't get better
by waiting (a wrong key, an unknown model) is raised at once, in one line.
"""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, PluginError
from mustermann.llm.cache import CachedModel
from mustermann.llm.pacing import Pacer
from mustermann.llm.request import LanguageModel, LlmError, Message, RefusedError, Reply, Request
from mustermann.llm.settings import KEY, NO_KEY, LlmSettings, LlmTuning

if TYPE_CHECKING:
    import openai

_TRANSIENT = frozenset({408, 409, 425, 429})
_LONGEST_PAUSE_S = 60.0
_SCHEMA_REFUSED = frozenset({400, 404, 415, 422, 501})


def open_model(settings: LlmSettings) -> LanguageModel:
    """Returns the model of these settings, behind its cache where there is one.

    Raises:
      PluginError: The package `openai` is missing.
      ConfigError: The cache can't be read.
    """
    server = None if settings.offline else OpenAiModel(settings)
    if settings.cache is not None:
        return CachedModel(settings.cache, model=settings.model, behind=server)
    if server is None:
        raise ConfigError("Expected a cache to answer from without a server, got none.")
    return server


def served_model(url: str, tuning: LlmTuning) -> str:
    """Returns the name of the first model that a server offers.

    Raises:
      LlmError: It does not answer, or offers none.
      PluginError: The package `openai` is missing.
    """
    settings = LlmSettings(url=url, model="?", tuning=dataclasses.replace(tuning, retries=0))
    return OpenAiModel(settings).first_offered()


def ask_all(
    model: LanguageModel, requests: Sequence[Request], *, concurrency: int = 1
) -> list[Reply]:
    """Returns the answers in the order of the requests, at most `concurrency` asked at a time.

    Raises:
      LlmError: The first request, in their order, that was not answered.
    """
    if concurrency == 1 or len(requests) < 2:
        return [model.ask(request) for request in requests]
    with ThreadPoolExecutor(min(concurrency, len(requests))) as pool:
        waiting = [pool.submit(model.ask, request) for request in requests]
        try:
            return [future.result() for future in waiting]
        finally:
            for future in waiting:
                future.cancel()


class OpenAiModel:
    """A model behind an OpenAI-compatible server.

    Args:
      settings: Where it is and how patiently it is asked.
      sleep: Waits so many seconds.

    Attributes:
      requests: Sent so far, retries included.
      retries: How many of them were sent again.
      instructs: Whether schemas go into the prompt, as asked or because the server refused them.

    Raises:
      PluginError: The package `openai` is missing.
    """

    def __init__(
        self, settings: LlmSettings, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise PluginError(
                "Expected the package 'openai' to ask a language model, found none. "
                "Install it: pip install 'mustermann[llm]'."
            ) from error
        self._settings, self._sleep = settings, sleep
        self._client: openai.OpenAI = openai.OpenAI(
            base_url=settings.url, api_key=os.environ.get(KEY) or NO_KEY,
            timeout=settings.tuning.timeout_s, max_retries=0,
        )  # fmt: skip
        self._pacer = Pacer(settings.tuning.requests_per_minute, sleep=sleep)
        self._free = threading.BoundedSemaphore(settings.tuning.concurrency)
        self.instructs = settings.tuning.schema == "instruct"
        self.requests = 0
        self.retries = 0

    @property
    def model(self) -> str:
        """Returns the model's name."""
        return self._settings.model

    def ask(self, request: Request) -> Reply:
        """Returns the answer.

        Raises:
          RefusedError: The server refuses what is in the request.
          LlmError: It refuses whoever asks, or did not answer after every retry.
        """
        attempt = 0
        while True:
            self._pacer.wait()
            with self._free:
                outcome = self._try(request)
            if isinstance(outcome, Reply):
                return outcome
            if not outcome.again or attempt == self._settings.tuning.retries:
                break
            self._sleep(self._pause(attempt, outcome.after_s))
            attempt += 1
            self.retries += 1
        tries = f" after {attempt + 1} tries" if attempt else ""
        kind = RefusedError if outcome.refused else LlmError
        raise kind(
            f"Expected an answer from {self._settings.url} (model {self.model!r}){tries}, "
            f"but: {outcome.message}"
        )

    def first_offered(self) -> str:
        """Returns the name of the first model on the server.

        Raises:
          LlmError: It does not answer, or offers none.
        """
        import openai

        try:
            found = [model.id for model in self._client.models.list().data]
        except (openai.APIError, ValueError, TypeError, AttributeError) as error:
            raise LlmError(
                f"Expected a list of models from {self._settings.url}, but: "
                f"{_one_line(error.__cause__ or error)}. Check the URL, or give --model."
            ) from error
        if not found:
            raise LlmError(f"Expected a model on {self._settings.url}, found none. Load one.")
        return str(found[0])

    def _pause(self, attempt: int, asked_s: float) -> float:
        """Returns seconds to wait: what the server asks for, else doubled each time, jittered."""
        grown = min(self._settings.tuning.backoff_s * 2.0**attempt, _LONGEST_PAUSE_S)
        # Jitter keeps workers apart; it touches no result, so it needs no seed.
        jittered = grown * (0.5 + secrets.randbelow(1000) / 2000)
        return min(max(jittered, asked_s), _LONGEST_PAUSE_S)

    def _try(self, request: Request) -> Reply | _Failure:
        """Sends the request once; again without a schema where the server refuses schemas."""
        import openai

        schema_sent = bool(request.schema) and not self.instructs
        self.requests += 1
        try:
            return _reply(self._client.chat.completions.create(**self._arguments(request)))
        except openai.APIStatusError as error:
            if schema_sent and error.status_code in _SCHEMA_REFUSED and _about_schema(error):
                self.instructs = True
                return self._try(request)
            return _refused(error)
        except openai.APITimeoutError:
            return _Failure(f"no answer within {self._settings.tuning.timeout_s:g} s.", again=True)
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            return _Failure(f"the connection failed ({_one_line(cause)}).", again=True)
        except (openai.APIError, json.JSONDecodeError, ValueError, TypeError) as error:
            return _Failure(f"the answer is no chat completion ({_one_line(error)}).", again=True)

    def _arguments(self, request: Request) -> dict[str, Any]:
        messages = request.messages
        arguments: dict[str, Any] = {
            "model": self.model, "temperature": request.temperature,
            "max_tokens": request.max_tokens,
        }  # fmt: skip
        if request.seed is not None:
            arguments["seed"] = request.seed
        if request.schema and self.instructs:
            messages = instructed(messages, request.schema)
        elif request.schema:
            arguments["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "schema": dict(request.schema), "strict": True},
            }
        arguments["messages"] = [{"role": m.role, "content": m.text} for m in messages]
        return arguments


class _Failure:
    """Why a request failed, and whether it is worth sending again."""

    def __init__(
        self, message: str, *, again: bool, after_s: float = 0.0, refused: bool = False
    ) -> None:
        self.message, self.again, self.after_s = message, again, after_s
        self.refused = refused


def instructed(messages: Sequence[Message], schema: Any) -> tuple[Message, ...]:
    """Returns the messages with the schema written into the last one."""
    *before, last = messages
    text = json.dumps(schema, ensure_ascii=False)
    asked = f"{last.text}\n\nAntworte nur mit JSON nach diesem Schema, ohne weiteren Text:\n{text}"
    return (*before, Message(last.role, asked))


def _reply(completion: Any) -> Reply:
    """Returns the answer in a completion.

    Raises:
      ValueError: It holds no choice or no text.
    """
    choices: Any = getattr(completion, "choices", None)
    text = choices[0].message.content if choices else None
    if not isinstance(text, str):
        raise ValueError("it holds no text")
    usage = getattr(completion, "usage", None)
    return Reply(
        text=text,
        prompt_tokens=int(getattr(usage, "prompt_tokens", 0) or 0),
        completion_tokens=int(getattr(usage, "completion_tokens", 0) or 0),
        cut=choices[0].finish_reason == "length",
    )


def _refused(error: openai.APIStatusError) -> _Failure:
    status = error.status_code
    again = status in _TRANSIENT or status >= 500
    hint = ""
    if status in {401, 403}:
        hint = f" Put the key into the environment as {KEY}."
    elif status == 404:
        hint = " Check the URL (it often ends in /v1) and the name of the model."
    elif status == 400 and "context" in _said(error):
        hint = " Give the server a longer context, or send less at a time (--chunk-chars)."
    try:
        after = float(error.response.headers.get("retry-after", 0))
    except ValueError:
        after = 0.0
    return _Failure(
        f"HTTP {status}, {_said(error)}.{hint}", again=again, after_s=after,
        refused=status in {400, 413, 422},
    )  # fmt: skip


def _about_schema(error: openai.APIStatusError) -> bool:
    said = str(error).lower()
    return any(word in said for word in ("response_format", "json_schema", "schema", "grammar"))


def _said(error: openai.APIStatusError) -> str:
    """Returns what the server says in its error, short; never the request, which may hold a key."""
    body: object = error.body
    if isinstance(body, dict):
        body = body.get("message") or body.get("error") or ""
    return _one_line(body or "no reason given")


def _one_line(value: object) -> str:
    return (" ".join(str(value).split())[:160] or type(value).__name__).rstrip(".")
