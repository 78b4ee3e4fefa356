"""Trains a conditional random field on labelled documents.

Source: Lafferty, McCallum and Pereira 2001; crfsuite's L-BFGS with L1 and L2 penalties.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

from mustermann.core.config import plain, strict
from mustermann.core.errors import DataError
from mustermann.core.files import new_directory, write_json
from mustermann.core.manifest import versions
from mustermann.detectors import crf_features, tagging
from mustermann.detectors.crf import CARD, MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mustermann.detectors.training.example import Example


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class CrfSettings:
    """How a field is trained.

    Attributes:
      l1: Weight of the L1 penalty.
      l2: Weight of the L2 penalty.
      iterations: At most so many steps of L-BFGS.
      rarest: Features that occur less often are left out.
    """

    l1: float = 0.05
    l2: float = 0.05
    iterations: int = 70
    rarest: int = 2


def train_crf(
    examples: Iterable[Example], out: Path, *, settings: CrfSettings | None = None,
    card: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Returns the directory of a model trained on `examples`; whole or not at all.

    The result depends on the examples and their order only.

    Args:
      examples: Texts with coarse spans.
      out: A new directory.
      settings: Penalties and steps.
      card: What else the model's card should say, such as the corpora.

    Raises:
      DataError: No example has a span.
      ConfigError: `out` exists.
    """
    import pycrfsuite

    settings = settings or CrfSettings()
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    counts: collections.Counter[str] = collections.Counter()
    documents = 0
    for example in examples:
        words = tagging.tokens(example.text)
        rows, tagged = crf_features.features(words), tagging.tags(words, example.spans)
        counts.update(span.label for span in example.spans)
        documents += 1
        for start, end in crf_features.sequences(words):
            trainer.append(rows[start:end], tagged[start:end])
    if not counts:
        raise DataError(f"Expected labelled documents to train on, got {documents} without a span.")
    trainer.set_params({
        "c1": settings.l1, "c2": settings.l2, "max_iterations": settings.iterations,
        "feature.minfreq": settings.rarest, "feature.possible_transitions": True,
    })  # fmt: skip
    with new_directory(out) as directory:
        trainer.train(str(directory / MODEL))
        write_json(directory / CARD, {
            "kind": "crf", "features": crf_features.VERSION, "labels": sorted(counts),
            "documents": documents, "spans": dict(sorted(counts.items())),
            "settings": plain(settings), "versions": versions(), **(card or {}),
        })  # fmt: skip
    return out
