"""Options that every command with a language model shares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from mustermann.llm.settings import LlmSettings

F = TypeVar("F", bound="Callable[..., Any]")

_OPTIONS = (
    click.option("--llm", "url", default="", metavar="URL",
                 help="Base URL of an OpenAI-compatible server; the key is MUSTERMANN_LLM_KEY."),
    click.option("--model", default="", help="Its name; by default the first on the server."),
    click.option("--llm-cache", "llm_cache", type=click.Path(path_type=Path),
                 help="Records answers, and answers from there what it holds."),
    click.option("--offline", is_flag=True, help="Answer from --llm-cache only."),
    click.option("--llm-set", "llm_overrides", multiple=True, metavar="KEY=VALUE",
                 help="temperature, max_tokens, timeout_s, retries, concurrency, …"),
)  # fmt: skip


def llm_options(command: F) -> F:
    """Returns the command with the options that `llm_settings` reads."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def llm_settings(
    *, url: str, model: str, llm_cache: Path | None, offline: bool, llm_overrides: tuple[str, ...]
) -> LlmSettings:
    """Returns what the options ask for.

    Raises:
      ConfigError: The URL, the model or a setting is missing or wrong.
    """
    from mustermann.core.config import resolve
    from mustermann.llm.client import served_model
    from mustermann.llm.settings import LlmSettings, LlmTuning

    tuning = resolve(LlmTuning, overrides=llm_overrides)
    if url and not model and not offline:
        model = served_model(url, tuning)
    return LlmSettings(url=url, model=model, cache=llm_cache, offline=offline, tuning=tuning)
