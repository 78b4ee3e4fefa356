"""Any token classifier of `transformers` or GLiNER model, by path or by its id on a model hub.

Only safetensors are loaded: other weights can run code.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import PluginError
from mustermann.detectors import tagging
from mustermann.detectors.gliner import GlinerTagger, is_gliner, load_gliner
from mustermann.detectors.label_map import load_label_map
from mustermann.detectors.weights import digest_of
from mustermann.detectors.window_tagger import LONGEST, OVERLAP, WindowTagger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.spans import Span


class HuggingFaceDetector:
    """Finds what a token classifier tags, or what a GLiNER model finds when asked.

    Attributes:
      name: "hf".
      labels: Coarse classes of the labels that the model knows, or is asked for.
      signature: Changes with the weights, with the library and with the label map.
    """

    name = "hf"

    def __init__(self, path: str) -> None:
        """Loads the model in a directory, or that of a hub's id.

        Raises:
          PluginError: transformers is not installed, there is no such model, its weights
            are no safetensors, its tokenizer gives no offsets, or it finds no PHI.
        """
        self._tagger: WindowTagger | GlinerTagger
        content = digest_of(Path(path)) if Path(path).exists() else ""
        if is_gliner(path):
            self._tagger = load_gliner(path)
            self.labels = self._tagger.known.classes(self._tagger.known.labels)
            self.signature = f"hf|{content or path}|{self._tagger.signature}"
            return
        tokenizer, model = load_model(path)
        known = load_label_map("ner")
        names = [str(tag) for _, tag in sorted(model.config.id2label.items())]
        tags = [_tag(name, known.label(name)) for name in names]
        self._tagger = WindowTagger(tokenizer, model, tags)
        self.labels = known.classes(names)
        if not self.labels:
            raise PluginError(
                f"Expected a model that tags PHI at {path!r}, found one with the labels "
                f"{', '.join(names[:5])}. Choose a token classifier."
            )
        revision = getattr(model.config, "_commit_hash", None) or "unversioned"
        content = content or f"{path}@{revision}"
        version = metadata.version("transformers")
        self.signature = f"hf|{content}|{version}|{known.signature}|{LONGEST}/{OVERLAP}"

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        return self._tagger.detect(text)


def _tag(name: str, label: str) -> str:
    """Returns a BIO tag with the coarse class in place of the model's label."""
    if not label:
        return tagging.OUTSIDE
    return f"{'B' if name[:2] in {'B-', 'S-', 'U-'} else 'I'}-{label}"


def load_model(path: str, **settings: Any) -> tuple[Any, Any]:
    """Returns the tokenizer and the token classifier at a path or of an id.

    Args:
      path: A directory or an id.
      settings: Go to the model's configuration, such as the labels to be trained.

    Raises:
      PluginError: transformers is missing, or there is nothing there that can be loaded.
    """
    try:
        from transformers import AutoModelForTokenClassification, AutoTokenizer
    except ImportError as error:
        raise PluginError(
            "Expected transformers and torch for detector 'hf', found none. "
            "Install them: pip install 'mustermann[hf]'."
        ) from error
    if path.startswith((".", "/", "~")) and not Path(path).is_dir():
        raise PluginError(
            f"Expected a token classifier in the directory {path}, found none. "
            f"Give the directory that holds its config.json, or the id of a hub."
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, use_fast=True)
        model = AutoModelForTokenClassification.from_pretrained(
            path, use_safetensors=True, **settings
        )
    except (OSError, ValueError, ImportError, KeyError) as error:
        reason = " ".join(str(error).split())[:160]
        raise PluginError(
            f"Expected a token classifier with safetensors at {path!r}, but: {reason} "
            f"Give a directory, or fetch it first: hf download {path}."
        ) from error
    if not tokenizer.is_fast:
        raise PluginError(
            f"Expected a tokenizer that gives offsets at {path!r}, found {type(tokenizer).__name__}"
            f". Save it with its tokenizer.json."
        )
    return tokenizer, model.eval()
