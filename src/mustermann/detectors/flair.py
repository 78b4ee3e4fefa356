"""Any sequence tagger of Flair, by path or by its name on the model hub.

Flair's weights are pickled: load only those that you trust as you trust a program.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import PluginError
from mustermann.detectors.label_map import load_label_map
from mustermann.detectors.weights import digest_of
from mustermann.documents.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

_BATCH = 32


class FlairDetector:
    """Finds what a Flair tagger tags.

    Attributes:
      name: "flair".
      labels: Coarse classes of the labels that the tagger knows.
      signature: Changes with the tagger, with Flair and with the label map.
    """

    name = "flair"

    def __init__(self, path: str) -> None:
        """Loads the tagger in a file or directory, or that of a hub's id.

        Raises:
          PluginError: Flair is not installed, there is no such tagger, or it finds no PHI.
        """
        self._tagger, self._splitter = _load(path)
        self._map = load_label_map("ner")
        known = self._tagger.label_dictionary.get_items()
        self.labels = self._map.classes(known)
        if not self.labels:
            raise PluginError(
                f"Expected a tagger that finds PHI at {path!r}, found one with the labels "
                f"{', '.join(known[:5]) or 'none'}. Choose another one."
            )
        content = digest_of(Path(path)) if Path(path).exists() else path
        self.signature = f"flair|{content}|{metadata.version('flair')}|{self._map.signature}"

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        if not text.strip():
            return []
        sentences = self._splitter.split(text)
        self._tagger.predict(sentences, mini_batch_size=_BATCH)
        found = []
        for sentence in sentences:
            for entity in sentence.get_spans(self._tagger.label_type):
                label = self._map.label(entity.tag)
                start = sentence.start_position + entity.start_position
                end = sentence.start_position + entity.end_position
                if label:
                    found.append(Span(start, end, label))
        return sorted(found)


def _load(path: str) -> tuple[Any, Any]:
    """Returns the tagger and the splitter of sentences."""
    try:
        from flair.models import SequenceTagger
        from flair.splitter import SegtokSentenceSplitter
    except ImportError as error:
        raise PluginError(
            f"Expected Flair for detector 'flair', but: {error}. "
            "Install it: pip install 'mustermann[flair]'; it needs transformers below 5."
        ) from error
    try:
        return SequenceTagger.load(path), SegtokSentenceSplitter()
    except Exception as error:  # its loader raises whatever unpickling and downloads raise
        reason = " ".join(str(error).split())[:160]
        raise PluginError(
            f"Expected a Flair tagger at {path!r}, but: {type(error).__name__}: {reason}. "
            f"Give the path of its model file."
        ) from error
