"""Asks a language model to quote what identifies somebody, and finds the quotes in the text.

A model can't count characters, so it gives each piece with a few words around it; the span is
where the piece stands. A quote that is not in the text is left out and counted.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from mustermann.core.errors import ConfigError
from mustermann.documents.labels import LABELS, PHI
from mustermann.documents.spans import Span
from mustermann.llm.answer import Shape, ask_typed
from mustermann.llm.client import open_model
from mustermann.llm.quotes import Quote, locate
from mustermann.llm.request import Message
from mustermann.llm.settings import LlmSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.llm.request import LanguageModel

VERSION = "1"
"""Raised with every change of the prompt or of how quotes are found."""
CHUNK = 3000
"""Characters that are sent at a time, cut at a line's end."""
_LEAST = 400
"""Tokens that an answer may always have; a long text gets one a character."""

_NAMES = tuple(name for name in LABELS if name in PHI)
_SYSTEM = (
    "Du prüfst deutsche klinische Texte auf Angaben, die eine Person erkennbar machen. Nenne jede "
    "solche Stelle einzeln und wörtlich, auch wenn sie sich wiederholt, in der Reihenfolge des "
    "Textes, mit zwei bis drei Wörtern davor und danach. Anrede (Herr, Frau) gehört nicht zur "
    "Stelle, ein Titel schon; vom Alter nur die Zahl. Krankheiten mit Eigennamen, Medikamente, "
    "Messwerte und Paragraphen sind keine solchen Angaben. Findest du nichts, ist die Liste leer. "
    'Antworte mit JSON: {"finds": [{"label": "…", "text": "…", "before": "…", "after": "…"}]}\n'
    "Kennzeichen: "
) + "; ".join(f"{name} ({LABELS[name].meaning})" for name in _NAMES)


@dataclasses.dataclass(frozen=True, slots=True)
class Find:
    """A piece that the model quotes."""

    label: Annotated[str, Field(json_schema_extra={"enum": list(_NAMES)})]
    text: str
    before: str = ""
    after: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Finds:
    """What the model answers with."""

    finds: list[Find]


SHAPE = Shape(Finds)


class LlmDetector:
    """Takes what a language model quotes for PHI.

    Args:
      spec: "MODEL@URL", such as qwen2.5:7b@http://127.0.0.1:11434/v1.
      model: Is asked instead of the server that `spec` names.

    Attributes:
      name: "llm".
      labels: Every PHI label of ours.
      signature: Changes with the model and the prompt.
      unlocated: Quotes so far that were not in the text.
      unknown: Finds so far with a label that is none of ours.

    Raises:
      ConfigError: `spec` names no model or no server.
      PluginError: The package `openai` is missing.
    """

    name = "llm"
    labels = PHI

    def __init__(self, spec: str, *, model: LanguageModel | None = None) -> None:
        name, at, url = spec.rpartition("@")
        if model is None and not (at and name and url):
            raise ConfigError(f"Expected llm:MODEL@URL, got llm:{spec}.")
        self._model = model or open_model(LlmSettings(url=url, model=name))
        self.signature = f"llm|{VERSION}|{self._model.model}"
        self.unlocated = 0
        self.unknown = 0

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans that the model quotes, sorted, each once.

        Raises:
          LlmError: The model did not answer, or not with what was asked for.
        """
        spans: set[Span] = set()
        for start, end in _chunks(text):
            part = text[start:end]
            messages = (Message("system", _SYSTEM), Message("user", part))
            most = max(_LEAST, len(part))
            answer = ask_typed(self._model, messages, SHAPE, max_tokens=most).value
            spans.update(self._spans(part, answer.finds, offset=start))
        return sorted(spans)

    def _spans(self, part: str, finds: Sequence[Find], *, offset: int) -> Iterator[Span]:
        places = locate(part, [Quote(find.text, find.before, find.after) for find in finds])
        for find, place in zip(finds, places, strict=True):
            if place is None:
                self.unlocated += 1
            elif find.label not in PHI:
                self.unknown += 1
            else:
                yield Span(offset + place.start, offset + place.end, find.label)


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Yields [start, end) of parts of at most `CHUNK` characters, cut after a line or a blank."""
    start = 0
    while start < len(text):
        end = min(start + CHUNK, len(text))
        if end < len(text):
            cut = max(text.rfind("\n", start, end), text.rfind(" ", start + CHUNK // 2, end))
            end = cut + 1 if cut > start else end
        if text[start:end].strip():
            yield start, end
        start = end
