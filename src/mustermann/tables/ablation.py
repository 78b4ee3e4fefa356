"""The seed paper's ablations of SynLM, as simulations of private runs.

A variant is a design, fitted under the same budget, recipe and rows as the others, with the
noise of a private run on the mean gradient and a fraction of its batch (see `scaling`). It
ranks designs and protects nobody, so figures leave this module, and no model does.

Source: seed paper, arXiv 2306.04803, ablations.
"""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.tables import sentence_likelihood
from mustermann.tables.scaling import SimulatedLedger
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.synlm import SynLMModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from mustermann.privacy.budget import Budget
    from mustermann.privacy.mechanisms import Mechanism
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.recipe import RecipeName

ORDERS = 2
"""Random orders a row, over which the other likelihood of a random-order model is averaged."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Variant:
    """A design to try.

    Attributes:
      says: What it is, for people.
      settings: Of `SynLMModel`, beside the recipe.
      scored: Whether its likelihood says something; else only its cost is reported.
      batch: Expected batch of its simulation where it has one of its own.
    """

    says: str
    settings: Mapping[str, Any]
    scored: bool = True
    batch: int | None = None


_SENTENCE = {"layout": "sentence", "order": "natural", "augmult": 1}
VARIANTS: dict[str, Variant] = {
    "column": Variant(
        says="one position a column, level tokens, fixed order",
        settings={"layout": "column", "order": "natural", "augmult": 1},
    ),
    "level": Variant(says="sentences, level tokens, fixed order", settings=_SENTENCE),
    "random": Variant(
        says="level tokens, another order for each row", settings=_SENTENCE | {"order": "random"}
    ),
    "random-k4": Variant(
        says="the same, AugMult of 4 orders",
        settings=_SENTENCE | {"order": "random", "augmult": 4},
    ),
    "bpe": Variant(
        says="semantic tokens by BPE, fixed order", settings=_SENTENCE | {"tokenizer": "bpe"}
    ),
    "unigram": Variant(
        says="semantic tokens by Unigram, fixed order",
        settings=_SENTENCE | {"tokenizer": "unigram"},
    ),
    "level-no-trie": Variant(
        says="level tokens, trained without trie", settings=_SENTENCE | {"trie": "evaluation"}
    ),
    "bpe-no-trie": Variant(
        says="BPE tokens, trained without trie",
        settings=_SENTENCE | {"tokenizer": "bpe", "trie": "evaluation"},
    ),
    "gpt2": Variant(
        says="BPE tokens, GPT-2's size, three steps of a small batch",
        settings=_SENTENCE | {"tokenizer": "bpe", "size": "gpt2", "tied": True, "steps": 3},
        scored=False,
        batch=8,
    ),
}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Trial:
    """What one run needs.

    Attributes:
      variant: A name in `VARIANTS`.
      recipe: The rest of the fit.
      train: Rows to train on, shape (N, k); read without protection.
      test: Rows to score, shape (M, k).
      domain: The columns.
      budget: Of the private run that is simulated.
      batch: Expected batch of the simulation.
      steps: Of training; None takes the recipe's.
      seed: Of initialisation and free post-processing.
    """

    variant: str
    recipe: RecipeName
    train: Codes
    test: Codes
    domain: Domain
    budget: Budget
    batch: int
    steps: int | None
    seed: int


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What one run found; not private.

    Attributes:
      losses: Negative log-likelihood of each test row under the trie, nats; None where the
        variant is not scored.
      free: The same without the trie; None in the column layout, whose heads have no others.
      over_orders: Mean over random orders; None for a fixed order.
      parameters: Trained numbers.
      tokens: Tokens of the longest row; columns in the column layout.
      steps: Taken.
      batch: Expected batch of the private run.
      noise: Its noise multiplier.
      simulated_batch: Expected batch of the simulation.
      seconds: Of the fit.
      training_seconds: Of its private steps.
    """

    losses: npt.NDArray[np.float64] | None
    free: npt.NDArray[np.float64] | None
    over_orders: npt.NDArray[np.float64] | None
    parameters: int
    tokens: int
    steps: int
    batch: float
    noise: float
    simulated_batch: float
    seconds: float
    training_seconds: float


def run(trial: Trial) -> Outcome:
    """Returns what a variant is worth.

    Raises:
      ConfigError: A setting is out of range, or there is no such variant.
      PrivacyError: The budget is too small for the private run.
    """
    variant = find(trial.variant)
    settings = dict(variant.settings)
    if trial.steps is not None and variant.scored:
        settings["steps"] = trial.steps
    ledger = _TimedLedger(
        trial.budget, rows=len(trial.train), batch=variant.batch or trial.batch, rate=None
    )
    synthesiser = SynLMModel(recipe=trial.recipe, **settings)
    start = time.monotonic()
    synthesiser.fit(trial.train, trial.domain, ledger=ledger, seed=trial.seed)
    end = time.monotonic()
    real, simulated = ledger.real, ledger.simulated
    if real is None or simulated is None:
        raise ConfigError(f"Expected recipe {trial.recipe!r} to train by DP-SGD, found it doesn't.")
    model = synthesiser.model
    sentences = model if isinstance(model, SentenceTransformer) else None
    scored = variant.scored
    free = over_orders = None
    if scored and sentences is not None:
        free = -sentence_likelihood.log_likelihood(sentences, trial.test, guided=False)
        if sentences.random:
            draws = Seeds(trial.seed).generator("orders")
            over_orders = -sentence_likelihood.mean_over_orders(
                sentences, trial.test, orders=ORDERS, draws=draws
            )
    return Outcome(
        losses=-synthesiser.log_likelihood(trial.test) if scored else None,
        free=free,
        over_orders=over_orders,
        parameters=sum(p.numel() for p in model.parameters()),
        tokens=sentences.lexicon.length if sentences else len(trial.domain),
        steps=real.steps,
        batch=real.rate * len(trial.train),
        noise=real.noise,
        simulated_batch=simulated.rate * len(trial.train),
        seconds=end - start,
        training_seconds=end - ledger.training_begins,
    )


class _TimedLedger(SimulatedLedger):
    """Notes when the private steps begin, on the monotonic clock."""

    training_begins = 0.0

    def sgd(self, name: str, *, steps: int, rate: float, clip: float, what: str) -> Mechanism:
        """Returns the mechanism of the simulation; what comes after is training."""
        mechanism = super().sgd(name, steps=steps, rate=rate, clip=clip, what=what)
        self.training_begins = time.monotonic()
        return mechanism


def find(name: str) -> Variant:
    """Returns the variant of a name.

    Raises:
      ConfigError: There is none; names those that are.
    """
    if name not in VARIANTS:
        raise ConfigError(f"Expected runs among {', '.join(VARIANTS)}, found {name!r}.")
    return VARIANTS[name]
