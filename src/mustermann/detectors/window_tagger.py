"""Tags letters of any length with a token classifier whose window is short.

Windows overlap, and each piece is read in the window that shows the most of what stands
around it, so that no part of a letter is skipped.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from mustermann.detectors import tagging

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.documents.spans import Span

LONGEST = 512
"""Pieces in a window, where the model allows as many."""
OVERLAP = 4
"""A window shares one piece in so many with the next."""
_BATCH = 8
_POSITIONS_TAKEN = 2
"""Models of RoBERTa's kind begin to count positions behind their padding."""


@dataclasses.dataclass(frozen=True, slots=True)
class WindowTagger:
    """A model, its tokenizer, and what its outputs mean.

    Attributes:
      tokenizer: A fast one of `transformers`.
      model: A token classifier of `transformers`.
      tags: BIO tags by output.
    """

    tokenizer: Any
    model: Any
    tags: Sequence[str]

    def detect(self, text: str) -> list[Span]:
        """Returns the spans in `text`; a word has the tag of the piece that it begins in."""
        words = tagging.tokens(text)
        read = self._read(text) if words else {}
        starts = sorted(read)
        tagged = []
        for word in words:
            at = bisect_right(starts, word.start) - 1
            tagged.append(self.tags[read[starts[at]].tag] if at >= 0 else tagging.OUTSIDE)
        return list(tagging.spans(words, tagged))

    def _read(self, text: str) -> dict[int, _Reading]:
        """Returns by its first character how each piece was read where most is around it."""
        import torch

        best: dict[int, _Reading] = {}
        pieces = windows(self.tokenizer, self.model.config, text)
        with torch.inference_mode():
            for first in range(0, len(pieces["input_ids"]), _BATCH):
                rows = slice(first, first + _BATCH)
                inputs = {name: pieces[name][rows] for name in ("input_ids", "attention_mask")}
                tags = self.model(**inputs).logits.argmax(dim=-1).tolist()
                for offsets, row in zip(pieces["offset_mapping"][rows].tolist(), tags, strict=True):
                    for start, reading in _readings(offsets, row):
                        if start not in best or reading.depth > best[start].depth:
                            best[start] = reading
        return best


def windows(tokenizer: Any, config: Any, text: str) -> Any:
    """Returns overlapping windows over a text of any length.

    Args:
      tokenizer: A fast one.
      config: Of the model, for its longest window.
      text: The text.

    Returns:
      Integer tensors: `input_ids` and `attention_mask` [B, T], `offset_mapping` [B, T, 2].
    """
    positions = getattr(config, "max_position_embeddings", None) or LONGEST
    allowed = positions - _POSITIONS_TAKEN if positions % 64 == _POSITIONS_TAKEN else positions
    size = min(LONGEST, allowed, tokenizer.model_max_length)
    return tokenizer(
        text, truncation=True, max_length=size, stride=size // OVERLAP, padding="longest",
        return_overflowing_tokens=True, return_offsets_mapping=True, return_tensors="pt",
    )  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class _Reading:
    """How a piece was tagged, and how many pieces stand on its barer side."""

    depth: int
    tag: int


def _readings(
    offsets: Sequence[Sequence[int]], tags: Sequence[int]
) -> Iterator[tuple[int, _Reading]]:
    real = [place for place, (start, end) in enumerate(offsets) if start < end]
    for place in real:
        depth = min(place - real[0], real[-1] - place)
        yield offsets[place][0], _Reading(depth, tags[place])
