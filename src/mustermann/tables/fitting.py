"""The steps of a SynLM fit, in the order in which they spend the budget.

The `noisy_…` calls and DP-SGD read private rows, and each is an entry of the ledger. All
else works on what those returned.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import torch

from mustermann.core.errors import DataError
from mustermann.privacy.dpsgd import Checkpoint
from mustermann.privacy.marginals import noisy_counts, noisy_moments, noisy_row_count
from mustermann.tables import mrf, row_model, training
from mustermann.tables.denoise import Marginal, denoise
from mustermann.tables.design import Design
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.moments import Features, Moments, greedy_order, make_features
from mustermann.tables.recalibrate import recalibrate
from mustermann.tables.recipe import plan
from mustermann.tables.transformer import TableTransformer

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt

    from mustermann.core.seeds import Seeds
    from mustermann.privacy.ledger import Ledger
    from mustermann.privacy.mechanisms import Mechanism
    from mustermann.tables.checkpoint import Checkpoints, Saved
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.recipe import FieldPlan, Plan, RecipeName, RowCount
    from mustermann.tables.row_model import RowModel

_DESIGN = Design()
_TRAINING = "training"
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
    design: Design = _DESIGN,
    checkpoints: Checkpoints | None = None,
) -> RowModel:
    """Returns a transformer fitted to `codes`, shape (N, k), with what is left in `ledger`.

    Args:
      codes: The private rows.
      domain: Their columns.
      ledger: The budget; where a checkpoint is there, the ledger of that checkpoint.
      seeds: Of what costs nothing.
      recipe: Whose numbers.
      rows: Whether their number is public.
      design: The layout, the tokens and the order.
      checkpoints: Where the fit goes on from, and keeps where it stands.

    Raises:
      ConfigError: The design does not fit the recipe or the table.
      PrivacyError: The budget is too small; names the least that works.
    """
    saved = checkpoints.saved() if checkpoints else None
    if saved is not None:
        begun = _restore(saved, domain, recipe=recipe, design=design, ledger=ledger)
    else:
        begun = _begin(
            codes, domain, ledger=ledger, seeds=seeds, recipe=recipe, rows=rows, design=design
        )
    keep = None
    if checkpoints is not None:
        keep = _keeper(begun, checkpoints, ledger=ledger)
        if saved is None:
            keep(Checkpoint(step=0, tensors=_module_tensors(begun.model)))
    training.train_privately(
        begun.model,
        codes,
        begun.numbers.training,
        mechanism=begun.mechanism,
        records=begun.count,
        views=begun.numbers.views,
        seed=_torch_seed(seeds, "dropout"),
        start=begun.start,
        keep=keep,
    )
    if begun.marginals and isinstance(begun.model, TableTransformer):
        # Sentences have no logit a level that could be tilted.
        recalibrate(
            begun.model, begun.marginals, records=begun.count, draws=seeds.generator("tilt")
        )
    return begun.model.eval()


@dataclasses.dataclass(frozen=True)
class _Begun:
    """A fit that is about to train on private rows.

    Attributes:
      model: As it stands.
      count: Public or noised number of rows.
      numbers: The plan that `count` gives.
      mechanism: The paid steps of training.
      marginals: As released; () without a field.
      start: Where training goes on; None at its beginning.
    """

    model: RowModel
    count: float
    numbers: Plan
    mechanism: Mechanism
    marginals: tuple[Marginal, ...]
    start: Checkpoint | None = None


def _begin(
    codes: Codes,
    domain: Domain,
    *,
    ledger: Ledger,
    seeds: Seeds,
    recipe: RecipeName,
    rows: RowCount,
    design: Design,
) -> _Begun:
    """Makes the releases that come before training, and a model that starts from them."""
    # What may be refused comes before what costs.
    design.applied(plan(recipe, epsilon=ledger.budget.epsilon, rows=1.0))
    lexicon = design.lexicon(domain) if design.layout == "sentence" else None
    if (public := design.public_text()) is not None:
        ledger.declare_public("tokenizer", public)
    count = float(max(len(codes), 1))
    if rows == "noised":
        count = noisy_row_count(len(codes), ledger=ledger, share=COUNT_SHARE)
    numbers = design.applied(plan(recipe, epsilon=ledger.budget.epsilon, rows=count))
    known = None
    if numbers.field:
        known = _release_knowledge(codes, domain, numbers.field, count=count, ledger=ledger)
    greedy = known is not None and design.order in (None, "moments")
    model = row_model.make(
        domain,
        numbers.shape,
        design,
        lexicon=lexicon,
        order=greedy_order(known.moments.strengths) if known and greedy else range(len(domain)),
        generator=torch.Generator().manual_seed(_torch_seed(seeds, "weights")),
    )
    if known and numbers.field:
        _take_up(model, known, numbers.field, seeds=seeds)
    mechanism = ledger.sgd(
        _TRAINING,
        steps=numbers.training.steps,
        rate=numbers.rate,
        clip=numbers.clip,
        what="the gradients of every step of training",
    )
    return _Begun(model, count, numbers, mechanism, known.marginals if known else ())


def _restore(
    saved: Saved, domain: Domain, *, recipe: RecipeName, design: Design, ledger: Ledger
) -> _Begun:
    """Returns the fit as a checkpoint has it.

    Raises:
      DataError: The checkpoint is of another fit, or broken.
    """
    record, tensors = saved.record, saved.tensors
    try:
        count, step, order = float(record["count"]), int(record["step"]), record["order"]
        numbers = design.applied(plan(recipe, epsilon=float(record["epsilon"]), rows=count))
        marginals = tuple(
            Marginal(tensors[f"marginal.{c}"].numpy(), tensors[f"error.{c}"].numpy())
            for c in range(int(record["marginals"]))
        )
        lexicon = None
        if "lexicon" in record:
            lexicon = Lexicon.from_record(record["lexicon"], domain, tokenizer=record["tokenizer"])
        model = row_model.make(
            domain, numbers.shape, design, lexicon=lexicon, order=order,
            generator=torch.Generator(),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"Expected a checkpoint of this fit, but: {error!r}.") from error
    start = {k: v for k, v in tensors.items() if k.startswith(("module.", "optimiser."))}
    mechanism = ledger.recorded_sgd(_TRAINING, clip=numbers.clip)
    begun = _Begun(model, count, numbers, mechanism, marginals)
    return dataclasses.replace(begun, start=Checkpoint(step=step, tensors=start))


def _keeper(
    begun: _Begun, checkpoints: Checkpoints, *, ledger: Ledger
) -> Callable[[Checkpoint], None]:
    """Returns a function that writes a checkpoint with all that the rest of the fit needs."""
    fixed = {}
    for column, marginal in enumerate(begun.marginals):
        fixed[f"marginal.{column}"] = torch.from_numpy(marginal.probabilities)
        fixed[f"error.{column}"] = torch.from_numpy(marginal.errors)
    lexicon = row_model.lexicon_of(begun.model)
    spelt = {}
    if lexicon is not None:
        spelt = {"lexicon": lexicon.to_record(), "tokenizer": lexicon.tokenizer}

    def keep(checkpoint: Checkpoint) -> None:
        record = {
            "step": checkpoint.step, "count": begun.count, "epsilon": ledger.budget.epsilon,
            "order": begun.model.order.tolist(), "marginals": len(begun.marginals),
        } | spelt  # fmt: skip
        checkpoints.write(
            f"step-{checkpoint.step}", ledger=ledger, record=record,
            tensors=fixed | checkpoint.tensors,
        )  # fmt: skip

    return keep


def _module_tensors(model: RowModel) -> dict[str, torch.Tensor]:
    """Returns the model's tensors as a checkpoint names them."""
    return {f"module.{name}": value.clone() for name, value in model.state_dict().items()}


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
    tails = [column.tail for column in domain.columns]
    counts = noisy_counts(codes, sizes=domain.sizes, ledger=ledger, share=field.marginal_share)
    marginals = denoise(counts.counts, ordered=ordered, records=count, std=counts.std, tails=tails)
    features = make_features(
        [marginal.probabilities for marginal in marginals],
        ordered=ordered,
        frequencies=field.frequencies,
        damping=field.damping,
        slack=field.slack,
        tails=tails,
    )
    sums = noisy_moments(
        features.of(codes),
        groups=features.groups,
        radius=features.radius,
        ledger=ledger,
        share=field.moment_share,
    )
    moments = Moments(sums.moments / count, sums.std / count, features.banded)
    return _Knowledge(marginals, features, moments)


def _take_up(model: RowModel, known: _Knowledge, field: FieldPlan, *, seeds: Seeds) -> None:
    """Starts the model from the marginals and trains it on rows of the field; free."""
    model.start_from(known.probabilities)
    rows = mrf.sample(
        known.probabilities,
        known.features,
        known.moments.shrunk(),
        chains=field.chains,
        draws=seeds.generator("field"),
    )
    with torch.random.fork_rng(devices=[]):
        # Random orders draw from torch's global stream, which is put back afterwards.
        torch.manual_seed(_torch_seed(seeds, "orders"))
        training.pretrain(
            model, rows, field.pretraining, batch=field.batch, draws=seeds.generator("batches")
        )


def _torch_seed(seeds: Seeds, name: str) -> int:
    """Returns a seed that torch takes: 63 bits."""
    return seeds.draws(name).bits("torch") >> 1
