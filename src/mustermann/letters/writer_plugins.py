"""Makes a writer by name, as the settings of a run ask for it.

A plugin in the group `mustermann.writers` is called with a `WriterPlan` and returns a `Writer`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from mustermann.core import plugins
from mustermann.core.errors import ConfigError
from mustermann.letters.config import LengthBands
from mustermann.letters.llm_writer import Asking, LlmWriter
from mustermann.letters.redteam.llm import Report, attack
from mustermann.letters.writers import CaseWriter, Writer
from mustermann.llm.client import open_model
from mustermann.llm.request import LanguageModel
from mustermann.llm.settings import LlmSettings

if TYPE_CHECKING:
    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, kw_only=True)
class WriterPlan:
    """What a writer is made from; goes to worker processes as it is.

    Attributes:
      name: In the group `mustermann.writers`.
      bands: Characters by length.
      llm: The language model, None for writers without.
      repairs: So many times a language model may mend an answer.
      chunk_chars: Characters of the material that a language model gets at a time.
      drafts: So many drafts of a letter by a language model may be dropped before it is given up.
      attack: Whether the language model attacks each finished letter.
    """

    name: str = "cases"
    bands: LengthBands = dataclasses.field(default_factory=LengthBands)
    llm: LlmSettings | None = None
    repairs: int = 2
    chunk_chars: int = 1800
    drafts: int = 5
    attack: bool = False


def load_writer(plan: WriterPlan) -> Writer:
    """Returns the writer of a plan.

    Raises:
      PluginError: It is unknown or its dependencies are missing.
      ConfigError: It needs a language model and none is given.
    """
    make: Callable[[WriterPlan], Writer] = plugins.load("mustermann.writers", plan.name)  # type: ignore[assignment]
    return make(plan)


def case_writer(plan: WriterPlan) -> Writer:
    """Returns the writer of authored cases."""
    return CaseWriter(bands=plan.bands)


def llm_writer(plan: WriterPlan) -> Writer:
    """Returns the writer that asks a language model.

    Raises:
      ConfigError: The plan names none.
    """
    llm = plan.llm
    if llm is None:
        raise ConfigError("Expected a language model for the writer 'llm', got none. Give --llm.")
    asking = Asking(
        temperature=llm.tuning.temperature, max_tokens=llm.tuning.max_tokens, repairs=plan.repairs,
        chunk_chars=plan.chunk_chars, concurrency=llm.tuning.concurrency,
    )  # fmt: skip
    return LlmWriter(_shared_model(llm), asking=asking, bands=plan.bands)


def load_attack(plan: WriterPlan) -> Callable[[Document], Report] | None:
    """Returns what attacks finished letters, None where the plan asks for nothing."""
    if not plan.attack:
        return None
    if plan.llm is None:
        raise ConfigError("Expected a language model to attack letters, got none. Give --llm.")
    model, most = _shared_model(plan.llm), plan.llm.tuning.max_tokens
    return functools.partial(attack, model=model, max_tokens=most)


@functools.cache
def _shared_model(settings: LlmSettings) -> LanguageModel:
    """Returns one model a process, so that its rate limit and cache hold for all batches."""
    return open_model(settings)
