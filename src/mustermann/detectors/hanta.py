"""A naive baseline: every word that HanTa tags as a proper name is taken for a name.

It knows neither dates nor numbers, and towns, drugs and eponyms are names to it, too: what
a hospital gets that takes any tagger for a de-identifier. The model ships inside the wheel.

Source: Wartena 2019, A Probabilistic Morphology Model for German Lemmatization.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING

from mustermann.core.errors import PluginError
from mustermann.detectors import tagging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.spans import Span

MODEL = "morphmodel_ger.pgz"
PROPER = "NE"
_LONGEST = 60
_WORDS = 200_000


class HanTaDetector:
    """Takes proper names for names.

    Attributes:
      name: "hanta".
      labels: The coarse class NAME.
      signature: Changes with HanTa's version.
    """

    name = "hanta"
    labels = frozenset({"NAME"})

    def __init__(self) -> None:
        """Loads the tagger.

        Raises:
          PluginError: HanTa is not installed.
        """
        try:
            from HanTa.HanoverTagger import HanoverTagger
        except ImportError as error:
            raise PluginError(
                "Expected HanTa for detector 'hanta', found none. "
                "Install it: pip install 'mustermann[hanta]'."
            ) from error
        self._tagger = HanoverTagger(MODEL)
        # HanTa analyses each word that it does not know anew; letters repeat theirs.
        self._tagger.analyze_forward = lru_cache(_WORDS)(self._tagger.analyze_forward)
        self.signature = f"hanta|1|{metadata.version('HanTa')}"

    def detect(self, text: str) -> Sequence[Span]:
        """Returns each run of proper names in a line as one span."""
        words = tagging.tokens(text)
        tagged: list[str] = []
        for start, end in _sentences(words):
            found = self._tagger.tag_sent([word.text for word in words[start:end]], taglevel=0)
            proper = [tag == PROPER for tag in found]
            tagged += [
                "O" if not here else "I-NAME" if before else "B-NAME"
                for before, here in zip([False, *proper], proper, strict=False)
            ]
        return list(tagging.spans(words, tagged))


def _sentences(words: Sequence[tagging.Token]) -> list[tuple[int, int]]:
    """Returns ranges of tokens that end at a line break or a full stop."""
    ranges: list[tuple[int, int]] = []
    start = 0
    for index, word in enumerate(words):
        long = index - start >= _LONGEST
        if index > start and (word.breaks or long or words[index - 1].text in {".", "!", "?"}):
            ranges.append((start, index))
            start = index
    return [*ranges, (start, len(words))] if words else []
