"""The training journeys: one detector, and the regimes synthetic, public and both."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.config import digest, resolve
from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import make_directory, read_json, refuse_existing, write_json
from mustermann.core.parallel import executor
from mustermann.core.progress import task
from mustermann.core.seeds import Seeds
from mustermann.detectors import crf_features
from mustermann.detectors.crf import CrfDetector
from mustermann.detectors.prediction import predict
from mustermann.detectors.training.crf import CrfSettings, train_crf
from mustermann.detectors.training.example import Example
from mustermann.detectors.training.hf import HuggingFaceSettings, train_hf
from mustermann.detectors.training.spacy import SpacySettings, train_spacy
from mustermann.documents.corpus import load_corpus
from mustermann.journeys.benchmark import default_cache, label_set
from mustermann.metrics.detection import FIELDS, Counts, Reading, count
from mustermann.metrics.projection import Projection
from mustermann.metrics.regimes import REGIMES, Regime, RegimesResult, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.documents.document import Document

Settings = CrfSettings | SpacySettings | HuggingFaceSettings
SETTINGS: Mapping[str, type[Settings]] = {
    "crf": CrfSettings, "spacy": SpacySettings, "hf": HuggingFaceSettings,
}  # fmt: skip
"""What can be trained, and the settings that it has."""

PUBLIC = "public"
"""The domain of public documents where letters are trained on, too."""

HOLDOUT = 40
"""Synthetic letters that no regime trains on."""


def train(
    path: Path, out: Path, *, kind: str = "crf", labels: str = "", limit: int | None = None,
    seed: int = 0, overrides: Sequence[str] = (),
) -> Path:  # fmt: skip
    """Returns the directory of a detector trained on the corpus at `path`.

    Args:
      path: A labelled corpus.
      out: A new directory.
      kind: What to train: "crf", "spacy", or "hf", which needs the setting `encoder`.
      labels: The corpus's label set; "" reads the manifest, then guesses.
      limit: Takes so many documents, drawn by `seed`.
      seed: Of the draw, and of all that the training draws.
      overrides: Settings as `key=value`.

    Raises:
      ConfigError: `kind` or a setting is unknown, or `out` exists.
      DataError: The corpus is missing, broken or has no span.
      PluginError: What the kind needs is not installed.
    """
    if kind not in SETTINGS:
        raise ConfigError(f"Expected --kind {'|'.join(SETTINGS)}, got {kind!r}.")
    settings = resolve(SETTINGS[kind], overrides=overrides)
    refuse_existing(out)
    corpus = load_corpus(path)
    projected = Projection(label_set(corpus, labels), coarse=True)
    documents = list(corpus)
    if limit is not None:
        documents = _drawn(documents, limit, Seeds(seed).child("train"))
    examples = [Example(document.text, projected.gold(document)) for document in documents]
    card = {"corpus": str(path), "map": projected.signature, "seed": seed}
    if isinstance(settings, SpacySettings):
        return train_spacy(examples, out, settings=settings, seed=seed, card=card)
    if isinstance(settings, HuggingFaceSettings):
        return train_hf(examples, out, settings=settings, seed=seed, card=card)
    return train_crf(examples, out, settings=settings, seed=seed, card=card)


def regimes(
    synthetic: Path, public: Path, *, labels: str = "", folds: int = 5,
    seeds: Sequence[int] = (0, 1, 2), limit: int = 200, workers: int = 1,
    without: Sequence[str] = (), cache: Path | None = None, overrides: Sequence[str] = (),
) -> RegimesResult:  # fmt: skip
    """Returns how a tagger does that is trained on synthetic letters, public ones, or both.

    Public documents are tested out of fold, and no patient is in two folds. Trained on both,
    a field learns from all documents what they share and from the public ones what is theirs.
    What a stopped run has finished is kept and not done again.

    Source: Daumé III 2007, Frustratingly Easy Domain Adaptation.

    Args:
      synthetic: Our letters.
      public: A corpus of real-looking letters by others.
      labels: The public corpus's label set; "" reads the manifest, then guesses.
      folds: Of the public documents, by patient.
      seeds: Each draws letters and folds anew.
      limit: Synthetic letters to train on.
      workers: Processes.
      without: Difficulties of synthetic letters to leave out, for the ablation.
      cache: Where finished parts are kept, None for the user's cache directory.
      overrides: Settings of the tagger as `key=value`.

    Raises:
      DataError: A corpus is missing or has too few documents.
      ConfigError: A setting is unknown.
    """
    letters, others = load_corpus(synthetic), load_corpus(public)
    theirs = Projection(label_set(others, labels), coarse=True)
    ours = Projection(label_set(letters, ""), coarse=True)
    pool = [_plain(d, ours) for d in letters if d.meta.get("difficulty") not in without]
    tests = [_plain(d, theirs) for d in others]
    if len(pool) <= HOLDOUT or len(tests) < folds:
        raise DataError(
            f"Expected more than {HOLDOUT} synthetic letters and at least {folds} public ones, "
            f"found {len(pool)} and {len(tests)}."
        )
    trainer = Trainer(
        pool=tuple(pool), public=tuple(tests), folds=folds, limit=limit,
        settings=resolve(CrfSettings, overrides=("held_out=0", *overrides)),
        cache=(cache or default_cache()).parent / "regimes",
    )  # fmt: skip
    make_directory(trainer.cache)
    parts = [
        Part(regime, seed, fold)
        for seed in seeds
        for regime in REGIMES
        for fold in range(1 if regime == "synthetic" else folds)
    ]
    with task("training", total=len(parts)) as bar:
        outcomes = []
        for outcome in executor(workers).map(trainer, parts):
            outcomes.append(outcome)
            bar.advance()
    return summarise(list(zip([(p.regime, p.seed) for p in parts], outcomes, strict=True)))


@dataclasses.dataclass(frozen=True, slots=True)
class Labelled:
    """A document as training sees it.

    Attributes:
      patient: Documents of one patient share it.
      example: Text and coarse spans.
    """

    patient: str
    example: Example


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """One model to train and test.

    Attributes:
      regime: What it is trained on.
      seed: Of the draw of letters and folds.
      fold: Which public documents are left out; all of them for "synthetic".
    """

    regime: Regime
    seed: int
    fold: int


@dataclasses.dataclass(frozen=True, kw_only=True)
class Trainer:
    """Trains and tests one part; goes to worker processes as it is.

    Attributes:
      pool: Synthetic letters.
      public: Public documents.
      folds: Of the public documents.
      limit: Synthetic letters to train on.
      settings: Of the tagger.
      cache: Where finished parts are kept.
    """

    pool: tuple[Labelled, ...]
    public: tuple[Labelled, ...]
    folds: int
    limit: int
    settings: CrfSettings
    cache: Path

    def __call__(self, part: Part) -> dict[str, Counts]:
        """Returns the counts of one model on its public documents and on the hold-out."""
        seeds = Seeds(part.seed).child("regimes")
        letters = _drawn(self.pool, self.limit + HOLDOUT, seeds)
        holdout, letters = letters[:HOLDOUT], letters[HOLDOUT:]
        fold = _folds(self.public, self.folds, seeds)
        outside = [d for d, number in zip(self.public, fold, strict=True) if number != part.fold]
        inside = [d for d, number in zip(self.public, fold, strict=True) if number == part.fold]
        tests = list(self.public) if part.regime == "synthetic" else inside
        # What public documents have in common with letters is learnt from both, what is
        # theirs alone from them; without that the many letters outvote the few documents.
        domain = PUBLIC if part.regime == "both" else ""
        examples = [] if part.regime == "public" else [letter.example for letter in letters]
        if part.regime != "synthetic":
            examples += [dataclasses.replace(d.example, domain=domain) for d in outside]
        kept = self.cache / f"{self._digest(examples, tests, holdout)}.json"
        if kept.exists():
            return {name: Counts(*values) for name, values in read_json(kept).items()}
        with tempfile.TemporaryDirectory() as place:
            model = train_crf(examples, Path(place) / "model", settings=self.settings)
            public, letter = CrfDetector(model, domain=domain), CrfDetector(model)
            outcome = {"public": _tested(public, tests), "holdout": _tested(letter, holdout)}
        write_json(kept, {name: counts.values() for name, counts in outcome.items()})
        return outcome

    def _digest(self, examples: list[Example], *tests: list[Labelled]) -> str:
        """Names a part by all that its outcome depends on."""
        texts = [[e.domain, e.text, *map(str, e.spans)] for e in examples]
        texts += [[d.example.text, *map(str, d.example.spans)] for d in itertools.chain(*tests)]
        what = [digest(self.settings), crf_features.signature(), FIELDS, texts]
        return hashlib.blake2b(json.dumps(what).encode(), digest_size=12).hexdigest()


def _tested(detector: CrfDetector, documents: list[Labelled]) -> Counts:
    total = Counts()
    for document in documents:
        text, gold = document.example.text, document.example.spans
        found = predict(detector, text).spans
        reading = Reading(
            text=text, gold=gold, predicted=found, gold_policy=gold, predicted_policy=found
        )
        total += count(reading)
    return total


def _plain(document: Document, projected: Projection) -> Labelled:
    patient = str(document.meta.get("patient") or re.sub(r"(?<=\D)[_-]?\d+$", "", document.id))
    return Labelled(patient, Example(document.text, projected.gold(document)))


def _drawn(items: Sequence[Any], size: int, seeds: Seeds) -> list[Any]:
    """Returns `size` items, drawn without replacement, or all of them in another order."""
    return seeds.draws("documents").sample("order", items, min(size, len(items)))


def _folds(documents: Sequence[Labelled], folds: int, seeds: Seeds) -> list[int]:
    """Returns the fold of each document: patients in random order, dealt out in turn."""
    patients = sorted({document.patient for document in documents})
    order = seeds.draws("folds").sample("order", patients, len(patients))
    fold = {patient: index % folds for index, patient in enumerate(order)}
    return [fold[document.patient] for document in documents]
