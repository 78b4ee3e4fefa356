"""Any spaCy pipeline with a recogniser of entities, by path or by the name of a package."""

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

    from spacy.language import Language

_NEEDLESS = ("tagger", "morphologizer", "parser", "senter", "attribute_ruler", "lemmatizer")
"""Parts of a pipeline that cost time and find no entity."""


class SpacyDetector:
    """Finds what a pipeline's entities are.

    Attributes:
      name: "spacy".
      labels: Coarse classes of the labels that the pipeline knows.
      signature: Changes with the pipeline, with spaCy and with the label map.
    """

    name = "spacy"

    def __init__(self, path: str) -> None:
        """Loads the pipeline at a path, or the installed package of that name.

        Raises:
          PluginError: spaCy is not installed, there is no such pipeline, or it finds no
            entities.
        """
        self._pipeline = load_pipeline(path, detector=self.name)
        self._map = load_label_map("ner")
        self.labels = self._map.classes(entity_labels(self._pipeline))
        if not self.labels:
            raise PluginError(
                f"Expected a pipeline that finds PHI at {path!r}, found one with the labels "
                f"{', '.join(entity_labels(self._pipeline)) or 'none'}. Choose another one."
            )
        self.signature = f"{pipeline_signature(self._pipeline, path)}|{self._map.signature}"

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the entities found in `text`, sorted and disjoint, in code points."""
        found = []
        for entity in tagged(self._pipeline, text).ents:
            label = self._map.label(entity.label_)
            if label and entity.text.strip():
                found.append(Span(entity.start_char, entity.end_char, label))
        return found


def load_pipeline(path: str, *, detector: str) -> Language:
    """Returns the spaCy pipeline at a path or of a package; nothing is downloaded.

    Raises:
      PluginError: spaCy is not installed, or there is no pipeline that it can load.
    """
    try:
        import spacy
    except ImportError as error:
        raise PluginError(
            f"Expected spaCy for detector {detector!r}, found none. "
            f"Install it: pip install 'mustermann[{detector}]'."
        ) from error
    try:
        return spacy.load(path, exclude=list(_NEEDLESS))
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())[:160]
        raise PluginError(
            f"Expected a spaCy pipeline at {path!r}, but: {reason} "
            f"Install it (python -m spacy download {path}) or give a directory."
        ) from error


def entity_labels(pipeline: Language) -> tuple[str, ...]:
    """Returns the labels of every part of a pipeline that sets entities."""
    labels: set[str] = set()
    for name in pipeline.pipe_names:
        if "doc.ents" in pipeline.get_pipe_meta(name).assigns:
            labels.update(pipeline.pipe_labels.get(name, ()))
    return tuple(sorted(labels))


def pipeline_signature(pipeline: Language, path: str) -> str:
    """Names a pipeline by name, version and content, and the spaCy that runs it."""
    meta = pipeline.meta
    content = digest_of(Path(path)) if Path(path).exists() else "package"
    return f"spacy|{meta['name']}-{meta['version']}|{content}|{metadata.version('spacy')}"


def tagged(pipeline: Language, text: str) -> Any:
    """Returns the document that a pipeline makes of a text of any length."""
    # The limit guards the memory of a parser; recognisers of entities need little.
    pipeline.max_length = max(pipeline.max_length, len(text) + 1)
    return pipeline(text)
