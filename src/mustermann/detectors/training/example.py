"""What detectors are trained on, and what is held back to tell when to stop."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.metrics.detection import RATIOS, Counts, Reading, count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mustermann.documents.spans import Span


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """A text with spans in coarse classes.

    Attributes:
      text: The text.
      spans: Disjoint.
      domain: Where it comes from, "" for nowhere in particular; see `crf_features.features`.
    """

    text: str
    spans: tuple[Span, ...]
    domain: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Split:
    """Examples to train on, and others to tell when to stop.

    Attributes:
      training: To learn from.
      held_out: To stop by.
    """

    training: list[Example]
    held_out: list[Example]


def split(examples: Sequence[Example], *, share: float, seed: int) -> Split:
    """Returns the examples in two parts, drawn by `seed`; each has at least one.

    Args:
      examples: Whole documents, so that no letter is on both sides.
      share: Of the examples, to hold out.
      seed: Of the draw.

    Raises:
      DataError: There are fewer than two examples, or none to train on has a span.
    """
    if len(examples) < 2:
        raise DataError(
            f"Expected at least two documents, one to train on and one to stop by, "
            f"got {len(examples)}."
        )
    order = Seeds(seed).draws("held out").sample("order", examples, len(examples))
    size = min(max(1, round(share * len(order))), len(order) - 1)
    made = Split(training=order[size:], held_out=order[:size])
    if not any(example.spans for example in made.training):
        raise DataError(
            f"Expected labelled documents to train on, got {len(order)} without a span."
        )
    return made


def labelled_f1(detect: Callable[[str], Sequence[Span]], examples: Sequence[Example]) -> float:
    """Returns the F1 of exact spans with their labels, 0 where there are none."""
    total = Counts()
    for example in examples:
        found = tuple(detect(example.text))
        gold = example.spans
        reading = Reading(
            text=example.text, gold=gold, predicted=found, gold_policy=gold, predicted_policy=found
        )
        total += count(reading)
    return RATIOS["labelled_f1"].of(total) or 0.0


def pieces(example: Example, *, longest: int) -> Iterator[Example]:
    """Yields an example cut at line breaks outside its spans.

    Args:
      example: A document.
      longest: Characters in a piece, as far as lines and spans allow.
    """
    start = 0
    for cut in _cuts(example):
        if cut - start >= longest:
            yield _part(example, start, cut)
            start = cut
    if start < len(example.text):
        yield _part(example, start, len(example.text))


def _cuts(example: Example) -> Iterator[int]:
    at = example.text.find("\n")
    while at >= 0:
        if not any(span.start <= at < span.end for span in example.spans):
            yield at + 1
        at = example.text.find("\n", at + 1)


def _part(example: Example, start: int, end: int) -> Example:
    inside = (span for span in example.spans if start <= span.start and span.end <= end)
    moved = (
        dataclasses.replace(span, start=span.start - start, end=span.end - start, components=())
        for span in inside
    )
    return Example(example.text[start:end], tuple(moved), example.domain)
