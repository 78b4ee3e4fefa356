"""Trains a conditional random field on labelled documents.

Source: Lafferty, McCallum and Pereira 2001; crfsuite's L-BFGS with L1 and L2 penalties.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.core.config import plain, strict
from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import new_directory, write_json
from mustermann.core.manifest import versions
from mustermann.detectors import crf_features, tagging
from mustermann.detectors.crf import CARD, MODEL
from mustermann.detectors.training.example import Split, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mustermann.detectors.training.example import Example

_HELD_OUT = 1
"""crfsuite's number of the group that it evaluates and does not learn from."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class CrfSettings:
    """How a field is trained.

    Attributes:
      l1: Weight of the L1 penalty.
      l2: Weight of the L2 penalty.
      iterations: At most so many steps of L-BFGS.
      patience: Steps without a better F1 on what is held out, after which it stops.
      held_out: Share of the documents that tells when to stop; 0 learns from all of them and
        takes every step, as a single document does.
      rarest: Features that occur less often are left out.
    """

    l1: float = 0.05
    l2: float = 0.05
    iterations: int = 70
    patience: int = 10
    held_out: float = 0.15
    rarest: int = 2

    def __post_init__(self) -> None:
        """Refuses shares that leave nothing to learn from."""
        if not 0 <= self.held_out < 1:
            raise ConfigError(f"Expected held_out from 0 to below 1, got {self.held_out}.")
        if self.patience < 1 or self.iterations < 1:
            raise ConfigError(
                f"Expected patience and iterations of at least 1, "
                f"got {self.patience} and {self.iterations}."
            )


def train_crf(
    examples: Iterable[Example], out: Path, *, settings: CrfSettings | None = None,
    seed: int = 0, card: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Returns the directory of a model trained on `examples`; whole or not at all.

    Of all steps the one whose tags have the best F1 on what was held out is kept. The result
    depends on the examples, their order and the seed only.

    Args:
      examples: Texts with coarse spans.
      out: A new directory.
      settings: Penalties, steps and patience.
      seed: Of the split.
      card: What else the model's card should say, such as the corpora.

    Raises:
      DataError: No example has a span.
      ConfigError: `out` exists.
    """
    settings = settings or CrfSettings()
    documents = list(examples)
    if not any(example.spans for example in documents):
        raise DataError(
            f"Expected labelled documents to train on, got {len(documents)} without a span."
        )
    parts = Split(documents, [])
    if settings.held_out and len(documents) > 1:
        parts = split(documents, share=settings.held_out, seed=seed)
    counts = collections.Counter(span.label for example in parts.training for span in example.spans)
    with new_directory(out) as directory:
        scores = _fit(parts, directory / MODEL, settings)
        stopping = {}
        if scores:
            best = scores.index(max(scores))
            stopping = {"f1_by_step": scores, "best_step": best + 1}
        write_json(directory / CARD, {
            "kind": "crf", "features": crf_features.VERSION, "labels": sorted(counts),
            "documents": len(parts.training), "held_out": len(parts.held_out),
            "domains": sorted({example.domain for example in parts.training} - {""}),
            "spans": dict(sorted(counts.items())), **stopping,
            "settings": plain(settings), "versions": versions(), **(card or {}),
        })  # fmt: skip
    return out


class _EnoughError(Exception):
    """Ends a training from within crfsuite."""


def _fit(parts: Split, path: Path, settings: CrfSettings) -> list[float]:
    """Writes the model and returns the F1 after each step, nothing where none is held out."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for group, examples in enumerate((parts.training, parts.held_out)):
        for example in examples:
            words = tagging.tokens(example.text)
            rows = crf_features.features(words, domain=example.domain)
            tagged = tagging.tags(words, example.spans)
            for start, end in crf_features.sequences(words):
                trainer.append(rows[start:end], tagged[start:end], group)
    trainer.set_params({
        "c1": settings.l1, "c2": settings.l2, "max_iterations": settings.iterations,
        "feature.minfreq": settings.rarest, "feature.possible_transitions": True,
    })  # fmt: skip
    if not parts.held_out:
        trainer.train(str(path))
        return []
    scores = _watched(trainer, path, patience=settings.patience)
    best = scores.index(max(scores)) + 1
    if best < len(scores):
        # The way down is the same each time, so that this ends at the best step's weights.
        trainer.set("max_iterations", best)
        _watched(trainer, path, patience=best)
    return scores


def _watched(trainer: Any, path: Path, *, patience: int) -> list[float]:
    """Trains until no step betters the F1 of the held-out tags; returns it after each step.

    The model is written only if all steps were taken.
    """
    scores: list[float] = []

    def message(line: str) -> None:
        if trainer.logparser.feed(line) != "iteration":
            return
        scores.append(_tag_f1(trainer.logparser.last_iteration["scores"]))
        if any(scores) and len(scores) - 1 - scores.index(max(scores)) >= patience:
            raise _EnoughError

    trainer.message = message
    with contextlib.suppress(_EnoughError):
        trainer.train(str(path), holdout=_HELD_OUT)
    return scores


def _tag_f1(scores: Mapping[str, Any]) -> float:
    """Returns the F1 of all tags but that of tokens outside spans, in four decimals."""
    inside = [score for tag, score in scores.items() if tag != tagging.OUTSIDE]
    match, found, gold = (
        sum(getattr(score, name) for score in inside) for name in ("match", "model", "ref")
    )
    return round(2 * match / (found + gold), 4) if found + gold else 0.0
