"""The steps of a SynLM fit, in the order in which they spend the budget.

The `noisy_…` calls and DP-SGD read private rows, and each is an entry of the ledger. All
else works on what those returned.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import torch

from mustermann.privacy.marginals import noisy_counts, noisy_moments, noisy_row_count
from mustermann.tables import mrf, training
from mustermann.tables.denoise import Marginal, denoise
from mustermann.tables.moments import Features, Moments, greedy_order, make_features
from mustermann.tables.recalibrate import recalibrate
from mustermann.tables.recipe import plan
from mustermann.tables.transformer import TableTransformer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mustermann.core.seeds import Seeds
    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.recipe import FieldPlan, Plan, RecipeName, RowCount

COUNT_SHARE = 0.005
"""Part of the budget's mu^2 for the number of rows, where that is noised."""


def fit(
    codes: Codes,
    domain: Domain,
    *,
    ledger: Ledger,
    seeds: Seeds,
    recipe: RecipeName,
    rows: RowCount,
) -> TableTransformer:
    """Returns a transformer fitted to `codes`, shape (N, k), with what is left in `ledger`.

    Raises:
      PrivacyError: The budget is too small; names the least that works.
    """
    count = float(max(len(codes), 1))
    if rows == "noised":
        count = noisy_row_count(len(codes), ledger=ledger, share=COUNT_SHARE)
    numbers = plan(recipe, epsilon=ledger.budget.epsilon, rows=count)
    known = None
    if numbers.field:
        known = _release_knowledge(codes, domain, numbers.field, count=count, ledger=ledger)
    model = TableTransformer(
        domain,
        numbers.shape,
        order=greedy_order(known.moments.strengths) if known else range(len(domain)),
        generator=torch.Generator().manual_seed(_torch_seed(seeds, "weights")),
    )
    if known and numbers.field:
        _take_up(model, known, numbers.field, seeds=seeds)
    _train_privately(model, codes, numbers, count=count, ledger=ledger, seeds=seeds)
    if known:
        recalibrate(model, known.marginals, draws=seeds.generator("tilt"))
    return model.eval()


@dataclasses.dataclass(frozen=True)
class _Knowledge:
    """What the releases before DP-SGD have told."""

    marginals: tuple[Marginal, ...]
    features: Features
    moments: Moments

    @property
    def probabilities(self) -> list[npt.NDArray[np.float64]]:
        """Returns the denoised probabilities of each column's levels."""
        return [marginal.probabilities for marginal in self.marginals]


def _release_knowledge(
    codes: Codes, domain: Domain, field: FieldPlan, *, count: float, ledger: Ledger
) -> _Knowledge:
    """Releases the one-way marginals, then the pairwise moments of features made from them."""
    ordered = [column.ordered for column in domain.columns]
    counts = noisy_counts(codes, sizes=domain.sizes, ledger=ledger, share=field.marginal_share)
    marginals = denoise(counts.counts, ordered=ordered, records=count, std=counts.std)
    features = make_features(
        [marginal.probabilities for marginal in marginals],
        ordered=ordered,
        frequencies=field.frequencies,
        damping=field.damping,
        slack=field.slack,
    )
    sums = noisy_moments(
        features.apply(codes),
        groups=features.groups,
        radius=features.radius,
        ledger=ledger,
        share=field.moment_share,
    )
    moments = Moments(sums.moments / count, sums.std / count, features.blocks)
    return _Knowledge(marginals, features, moments)


def _take_up(model: TableTransformer, known: _Knowledge, field: FieldPlan, *, seeds: Seeds) -> None:
    """Starts the model from the marginals and trains it on rows of the field; free."""
    model.start_from(known.probabilities)
    rows = mrf.sample(
        known.probabilities,
        known.features,
        known.moments.shrunk(),
        chains=field.chains,
        draws=seeds.generator("field"),
    )
    training.pretrain(
        model, rows, field.pretraining, batch=field.batch, draws=seeds.generator("batches")
    )


def _train_privately(
    model: TableTransformer,
    codes: Codes,
    numbers: Plan,
    *,
    count: float,
    ledger: Ledger,
    seeds: Seeds,
) -> None:
    """Trains by DP-SGD with all that is left."""
    mechanism = ledger.sgd(
        "training",
        steps=numbers.training.steps,
        rate=numbers.rate,
        clip=numbers.clip,
        what="the gradients of every step of training",
    )
    training.train_privately(
        model,
        codes,
        numbers.training,
        mechanism=mechanism,
        records=count,
        views=numbers.views,
        seed=_torch_seed(seeds, "dropout"),
    )


def _torch_seed(seeds: Seeds, name: str) -> int:
    """Returns a seed that torch takes: 63 bits."""
    return seeds.draws(name).bits("torch") >> 1
