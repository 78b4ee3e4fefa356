"""Fine-tunes an encoder that lies on this machine as a token classifier.

Source: Devlin et al. 2019, BERT, section 5.3: the first piece of a word carries its tag.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from mustermann.core.config import plain, strict
from mustermann.core.errors import ConfigError, PluginError
from mustermann.core.files import new_directory, write_json
from mustermann.core.manifest import versions
from mustermann.core.progress import task
from mustermann.core.seeds import Seeds
from mustermann.detectors import tagging
from mustermann.detectors.crf import CARD
from mustermann.detectors.hf import load_model
from mustermann.detectors.training.example import labelled_f1, split
from mustermann.detectors.window_tagger import WindowTagger, windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mustermann.detectors.training.example import Example

_IGNORED = -100
"""What torch's cross entropy leaves out of the mean."""
_STEEPEST = 1.0
"""Norm to which a step's gradient is cut."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class HuggingFaceSettings:
    """How an encoder is fine-tuned.

    Attributes:
      encoder: Its directory; it has to be given.
      epochs: At most so many passes.
      patience: Passes without a better F1 on what is held out, after which it stops.
      held_out: Share of the documents that tells when to stop.
      batch: Windows in a step.
      rate: Highest learning rate; it rises over the first tenth of the steps, then falls to 0.
      decay: Weight decay.
    """

    encoder: str = ""
    epochs: int = 8
    patience: int = 2
    held_out: float = 0.15
    batch: int = 8
    rate: float = 5e-5
    decay: float = 0.01


def train_hf(
    examples: Sequence[Example], out: Path, *, settings: HuggingFaceSettings,
    seed: int = 0, card: dict[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Returns the directory of a model fine-tuned on `examples`; whole or not at all.

    Of all passes the one with the best F1 on what was held out is kept.

    Args:
      examples: Texts with coarse spans.
      out: A new directory.
      settings: The encoder, passes, patience and steps.
      seed: Of the split, of the order, of dropout and of the new layer's weights.
      card: What else the model's card should say, such as the corpora.

    Raises:
      ConfigError: No encoder is given, or `out` exists.
      PluginError: transformers is not installed, or there is no encoder.
      DataError: There are too few examples, or none has a span.
    """
    if not settings.encoder:
        raise ConfigError("Expected an encoder to fine-tune. Give one: --set encoder=DIRECTORY.")
    parts = split(examples, share=settings.held_out, seed=seed)
    counts = collections.Counter(s.label for e in parts.training for s in e.spans)
    tags = [tagging.OUTSIDE, *(f"{kind}-{label}" for label in sorted(counts) for kind in "BI")]
    with new_directory(out) as directory, _seeded(seed):
        tokenizer, model = load_model(
            settings.encoder, ignore_mismatched_sizes=True, num_labels=len(tags),
            id2label=dict(enumerate(tags)), label2id={tag: i for i, tag in enumerate(tags)},
        )  # fmt: skip
        tagger = WindowTagger(tokenizer, model, tags)
        rows = [row for example in parts.training for row in _rows(tagger, example)]
        scores = _fit(tagger, rows, parts.held_out, settings, seed)
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
        write_json(directory / CARD, {
            "kind": "hf", "labels": sorted(counts), "documents": len(parts.training),
            "held_out": len(parts.held_out), "spans": dict(sorted(counts.items())),
            "f1_by_epoch": scores, "best_epoch": scores.index(max(scores)),
            "settings": plain(settings), "versions": versions(), **(card or {}),
        })  # fmt: skip
    return out


@contextlib.contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seeds torch for a block and puts its stream back: layers and dropout know no other."""
    try:
        import torch
    except ImportError as error:
        raise PluginError(
            "Expected torch and transformers to fine-tune an encoder, found none. "
            "Install them: pip install 'mustermann[hf]'."
        ) from error
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield


def _rows(tagger: WindowTagger, example: Example) -> Iterator[dict[str, Any]]:
    """Yields the windows of a document with the tag of each piece that begins a word."""
    import torch

    words = tagging.tokens(example.text)
    if not words:
        return
    index = {tag: number for number, tag in enumerate(tagger.tags)}
    targets = [index[tag] for tag in tagging.tags(words, example.spans)]
    starts = [word.start for word in words]
    pieces = windows(tagger.tokenizer, tagger.model.config, example.text)
    for row, offsets in enumerate(pieces["offset_mapping"].tolist()):
        labels = []
        for start, end in offsets:
            at = bisect_left(starts, start)
            begins = start < end and at < len(starts) and starts[at] < end
            labels.append(targets[at] if begins else _IGNORED)
        yield {
            "input_ids": pieces["input_ids"][row],
            "attention_mask": pieces["attention_mask"][row],
            "labels": torch.tensor(labels),
        }


def _fit(
    tagger: WindowTagger, rows: list[dict[str, Any]], held_out: Sequence[Example],
    settings: HuggingFaceSettings, seed: int,
) -> list[float]:  # fmt: skip
    """Trains in place, ends with the best weights and returns the F1 after each pass."""
    import torch

    model = tagger.model
    steps = settings.epochs * -(-len(rows) // settings.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / max(1, steps // 10), (steps - step) / steps)
    )
    shuffled, scores, best = Seeds(seed).random("order"), list[float](), dict[str, Any]()
    with task("training", total=steps) as bar:
        for _ in range(settings.epochs):
            shuffled.shuffle(rows)
            model.train()
            for first in range(0, len(rows), settings.batch):
                batch = _padded(rows[first : first + settings.batch], tagger.tokenizer)
                model(**batch).loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), _STEEPEST)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
                bar.advance()
            model.eval()
            scores.append(round(labelled_f1(tagger.detect, held_out), 4))
            if scores[-1] > max(scores[:-1], default=-1.0):
                best = {name: value.clone() for name, value in model.state_dict().items()}
            elif any(scores) and len(scores) - 1 - scores.index(max(scores)) >= settings.patience:
                break
    model.load_state_dict(best)
    return scores


def _padded(rows: Sequence[dict[str, Any]], tokenizer: Any) -> dict[str, Any]:
    """Returns rows as one batch of tensors [B, T]."""
    from torch.nn.utils.rnn import pad_sequence

    fill = {"input_ids": tokenizer.pad_token_id or 0, "attention_mask": 0, "labels": _IGNORED}
    return {
        name: pad_sequence([row[name] for row in rows], batch_first=True, padding_value=value)
        for name, value in fill.items()
    }
