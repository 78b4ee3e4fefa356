"""GLiNER models: spans of the kinds that a prompt names, for detector `hf`.

A GLiNER model has no labels of its own: it is asked for kinds in words. Which ones, and the
coarse class of each, stands in `maps/gliner.toml`. Only safetensors are loaded.

Source: Zaratiana et al. 2024, GLiNER: Generalist Model for Named Entity Recognition using
Bidirectional Transformer.
"""

from __future__ import annotations

import dataclasses
import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import PluginError
from mustermann.detectors.label_map import LabelMap, load_label_map
from mustermann.documents.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIG = "gliner_config.json"
WEIGHTS = "model.safetensors"
LONGEST = 128
"""Words that the model sees at once, where it allows as many: with the prompt they fit into the
512 pieces of an encoder, also where German words fall into three pieces each."""
THRESHOLD = 0.5
"""The library's own; a span below it is none."""
_WORD = re.compile(r"\w+(?:[-_]\w+)*|\S")
"""What the library calls a word."""


@dataclasses.dataclass(frozen=True, slots=True)
class GlinerTagger:
    """A model and what it is asked for.

    Attributes:
      model: Of `gliner`.
      known: Coarse classes by prompt.
      longest: Words that it sees at once.
    """

    model: Any
    known: LabelMap
    longest: int

    def detect(self, text: str) -> list[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        prompts = [label.lower().replace("_", " ") for label in self.known.labels]
        found = []
        for start, end in windows(text, longest=self.longest):
            for entity in self.model.predict_entities(
                text[start:end], prompts, flat_ner=True, threshold=THRESHOLD
            ):
                label = self.known.label(entity["label"])
                found.append(Span(start + entity["start"], start + entity["end"], label))
        return sorted(found)

    @property
    def signature(self) -> str:
        """Names the library, the prompts and the window."""
        version = metadata.version("gliner")
        return f"gliner-{version}|{self.known.signature}|{self.longest}"


def windows(text: str, *, longest: int) -> Iterator[tuple[int, int]]:
    """Yields start and end of stretches of at most `longest` words, cut at line breaks if possible.

    Together they hold every word of the text, each once.
    """
    start = 0
    lines: list[re.Match[str]] = []
    words: list[re.Match[str]] = []
    for word in _WORD.finditer(text):
        if len(words) == longest:
            cut = lines[-1].start() if lines else word.start()
            yield start, cut
            start, lines = cut, []
            words = [kept for kept in words if kept.start() >= cut]
        if words and "\n" in text[words[-1].end() : word.start()]:
            lines.append(word)
        words.append(word)
    if words:
        yield start, len(text)


def is_gliner(path: str) -> bool:
    """Returns whether a GLiNER model lies at a path, or is known to a hub by this id."""
    if Path(path).exists() or path.startswith((".", "/", "~")):
        return (Path(path) / CONFIG).is_file()
    try:
        from huggingface_hub import hf_hub_download

        hf_hub_download(path, CONFIG)
    except (ImportError, OSError, ValueError):
        return False
    return True


def load_gliner(path: str) -> GlinerTagger:
    """Returns the model in a directory, or that of a hub's id.

    Raises:
      PluginError: gliner is not installed, or there is no such model with safetensors.
    """
    try:
        from gliner import GLiNER
    except ImportError as error:
        raise PluginError(
            f"Expected gliner to load the GLiNER model {path!r}, but: "
            f"{' '.join(str(error).split())[:120]}. Install it: pip install 'mustermann[gliner]'; "
            f"it needs transformers below 5.17."
        ) from error
    try:
        place = Path(path) if Path(path).is_dir() else _fetched(path)
        if not (place / WEIGHTS).is_file():
            raise PluginError(
                f"Expected {WEIGHTS} in {place}, found none: other weights can run code. "
                f"Save the model with safe_serialization=True."
            )
        model = GLiNER.from_pretrained(str(place), local_files_only=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise PluginError(
            f"Expected a GLiNER model at {path!r}, but: {reason} "
            f"Give its directory, or fetch it first: hf download {path}."
        ) from error
    model.eval()
    return GlinerTagger(model, load_label_map("gliner"), min(LONGEST, int(model.config.max_len)))


def _fetched(path: str) -> Path:
    """Returns the directory of a hub's model without its pickles."""
    from huggingface_hub import snapshot_download

    patterns = ["*.json", "*.safetensors", "*.model", "*.txt"]
    return Path(snapshot_download(path, allow_patterns=patterns))
