"""Trains a recogniser of entities on a blank German spaCy pipeline."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.core.config import plain, strict
from mustermann.core.errors import PluginError
from mustermann.core.files import new_directory, write_json
from mustermann.core.manifest import versions
from mustermann.core.progress import task
from mustermann.core.seeds import Seeds
from mustermann.detectors.crf import CARD
from mustermann.detectors.training.example import labelled_f1, pieces, split
from mustermann.documents.spans import Span

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from spacy.language import Language

    from mustermann.detectors.training.example import Example


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class SpacySettings:
    """How a pipeline is trained.

    Attributes:
      epochs: At most so many passes.
      patience: Passes without a better F1 on what is held out, after which it stops.
      held_out: Share of the documents that tells when to stop.
      batch: Pieces of letters in a step.
      dropout: Share of features hidden in a step.
      longest: Characters in a piece.
    """

    epochs: int = 30
    patience: int = 4
    held_out: float = 0.15
    batch: int = 16
    dropout: float = 0.2
    longest: int = 600


def train_spacy(
    examples: Sequence[Example], out: Path, *, settings: SpacySettings | None = None,
    seed: int = 0, card: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Returns the directory of a pipeline trained on `examples`; whole or not at all.

    Of all passes the one with the best F1 on what was held out is kept.

    Args:
      examples: Texts with coarse spans.
      out: A new directory.
      settings: Passes, patience and steps.
      seed: Of the split, of the order and of the first weights.
      card: What else the model's card should say, such as the corpora.

    Raises:
      PluginError: spaCy is not installed.
      DataError: There are too few examples, or none has a span.
      ConfigError: `out` exists.
    """
    settings = settings or SpacySettings()
    parts = split(examples, share=settings.held_out, seed=seed)
    pipeline = _blank(seed)
    training = [
        _reference(pipeline, piece)
        for example in parts.training
        for piece in pieces(example, longest=settings.longest)
    ]
    with new_directory(out) as directory:
        scores = _fit(pipeline, training, parts.held_out, settings, seed)
        pipeline.meta["name"], pipeline.meta["version"] = "deid", "1"
        pipeline.to_disk(directory)
        counts = collections.Counter(s.label for e in parts.training for s in e.spans)
        write_json(directory / CARD, {
            "kind": "spacy", "labels": sorted(counts), "documents": len(parts.training),
            "held_out": len(parts.held_out), "spans": dict(sorted(counts.items())),
            "f1_by_epoch": scores, "best_epoch": scores.index(max(scores)),
            "settings": plain(settings), "versions": versions(), **(card or {}),
        })  # fmt: skip
    return out


def _blank(seed: int) -> Language:
    try:
        import spacy
        from thinc.api import fix_random_seed
    except ImportError as error:
        raise PluginError(
            "Expected spaCy to train a pipeline, found none. "
            "Install it: pip install 'mustermann[spacy]'."
        ) from error
    # Weights and dropout come from spaCy's one stream; there is no other way to seed them.
    fix_random_seed(seed)
    pipeline = spacy.blank("de")
    pipeline.add_pipe("ner")
    return pipeline


def _reference(pipeline: Language, example: Example) -> Any:
    """Returns an example of spaCy's; a span that cuts a token grows to all of it."""
    from spacy.training import Example as Reference
    from spacy.util import filter_spans

    document = pipeline.make_doc(example.text)
    entities = [
        document.char_span(span.start, span.end, label=span.label, alignment_mode="expand")
        for span in example.spans
    ]
    document.set_ents(filter_spans([entity for entity in entities if entity is not None]))
    return Reference(pipeline.make_doc(example.text), document)


def _fit(
    pipeline: Language, training: list[Any], held_out: Sequence[Example],
    settings: SpacySettings, seed: int,
) -> list[float]:  # fmt: skip
    """Trains in place, ends with the best weights and returns the F1 after each pass."""
    optimizer = pipeline.initialize(lambda: training)
    order = list(training)
    shuffled = Seeds(seed).random("order")
    scores: list[float] = []
    best = pipeline.to_bytes()
    with task("training", total=settings.epochs) as bar:
        for _ in range(settings.epochs):
            shuffled.shuffle(order)
            for first in range(0, len(order), settings.batch):
                batch = order[first : first + settings.batch]
                pipeline.update(batch, sgd=optimizer, drop=settings.dropout)
            bar.advance()
            scores.append(round(labelled_f1(lambda text: _found(pipeline, text), held_out), 4))
            if scores[-1] > max(scores[:-1], default=-1.0):
                best = pipeline.to_bytes()
            elif any(scores) and len(scores) - 1 - scores.index(max(scores)) >= settings.patience:
                break
    pipeline.from_bytes(best)
    return scores


def _found(pipeline: Language, text: str) -> list[Span]:
    return [Span(e.start_char, e.end_char, e.label_) for e in pipeline(text).ents]
