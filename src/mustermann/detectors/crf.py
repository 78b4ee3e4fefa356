"""Conditional random fields that `deid train` makes: a file of crfsuite and a JSON beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from mustermann.core.errors import PluginError
from mustermann.core.files import read_json
from mustermann.detectors import crf_features, tagging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.spans import Span

MODEL = "model.crfsuite"
CARD = "model.json"


class CrfDetector:
    """Tags coarse classes with a trained field.

    Attributes:
      name: "crf".
      labels: The coarse classes that it was trained on.
      signature: Changes with the model and with the features.
    """

    name = "crf"

    def __init__(self, path: str | Path, *, domain: str = "") -> None:
        """Loads the model in the directory `path`.

        Args:
          path: A directory.
          domain: Where the texts come from, if the model knows it.

        Raises:
          PluginError: There is none, or it was made with other features.
        """
        import pycrfsuite

        directory = Path(path)
        if not (directory / MODEL).is_file():
            raise PluginError(
                f"Expected a model at {directory}, found no {MODEL}. "
                f"Train one: mustermann deid train LETTERS --out {directory}."
            )
        card = read_json(directory / CARD)
        if card.get("features") != crf_features.VERSION:
            raise PluginError(
                f"Expected a model with features {crf_features.VERSION} at {directory}, "
                f"found {card.get('features')!r}. Train it again."
            )
        self.labels = frozenset(card["labels"])
        content = (directory / MODEL).read_bytes()
        digest = hashlib.blake2b(content, digest_size=8).hexdigest()
        self.signature = f"crf|{crf_features.signature()}|{digest}" + (domain and f"|{domain}")
        self._domain = domain
        self._tagger = pycrfsuite.Tagger()
        self._tagger.open(str(directory / MODEL))

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, sorted and disjoint, in code points."""
        words = tagging.tokens(text)
        rows = crf_features.features(words, domain=self._domain)
        tagged: list[str] = []
        for start, end in crf_features.sequences(words):
            tagged += self._tagger.tag(rows[start:end])
        return list(tagging.spans(words, tagged))
