"""The two trainings of a table transformer: on rows that are free, and on private ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from mustermann.core import progress
from mustermann.privacy.dpsgd import DpSgd

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from mustermann.privacy.dpsgd import Checkpoint
    from mustermann.privacy.mechanisms import Mechanism
    from mustermann.tables.domain import Codes
    from mustermann.tables.recipe import Training
    from mustermann.tables.row_model import RowModel


def pretrain(
    model: RowModel,
    rows: Codes,
    training: Training,
    *,
    batch: int,
    draws: np.random.Generator,
) -> None:
    """Trains on rows that hold nothing private beyond what has been released."""
    optimiser, rate = _adam(model, training), schedule(training)
    model.train()
    with progress.task("pre-training", total=training.steps) as bar:
        for step in range(training.steps):
            chosen = torch.from_numpy(rows[draws.integers(len(rows), size=batch)])
            optimiser.param_groups[0]["lr"] = rate(step)
            optimiser.zero_grad()
            torch.autograd.backward(model.losses(chosen).mean())
            optimiser.step()
            bar.advance()


def train_privately(
    model: RowModel,
    codes: Codes,
    training: Training,
    *,
    mechanism: Mechanism,
    records: float,
    views: int,
    seed: int,
    start: Checkpoint | None = None,
    keep: Callable[[Checkpoint], None] | None = None,
    every: int = 25,
) -> None:
    """Trains on private rows; what leaves are the noisy gradients that `mechanism` stands for.

    Args:
      model: Changed in place.
      codes: The private rows, shape (N, k).
      training: As many steps as the mechanism has.
      mechanism: As the ledger made it.
      records: Public or noised number of rows.
      views: Views of a record, which differ in their dropout and, where it is random, order.
      seed: Decides dropout and orders; noise and batches know no seed.
      start: Where an earlier run of this mechanism stood; the rest is done with fresh noise.
      keep: Called with a checkpoint now and then.
      every: Steps between two checkpoints.
    """

    def losses(records: torch.Tensor) -> torch.Tensor:
        return model.losses(records.repeat_interleave(views, dim=0))

    model.train()
    run = DpSgd(
        model, losses, torch.from_numpy(codes), mechanism, _adam(model, training),
        records=records, views=views, learning_rate=schedule(training),
    )  # fmt: skip
    with (
        run,
        torch.random.fork_rng(devices=[]),
        progress.task("DP-SGD", total=training.steps) as bar,
    ):
        # Dropout and orders draw from torch's global stream, which is put back afterwards.
        torch.manual_seed(seed)
        if start is not None:
            run.restore(start)
            bar.advance(start.step)

        def on_step(step: int) -> None:
            bar.advance()
            if keep is not None and step % every == 0:
                keep(run.checkpoint())

        run.finish(on_step=on_step)


def schedule(training: Training) -> Callable[[int], float]:
    """Returns the learning rate by steps taken: a linear rise, then a linear fall to 0."""

    def rate(taken: int) -> float:
        done = (taken + 1) / training.steps
        return training.peak * min(done / training.rise, (1 - done) / (1 - training.rise))

    return rate


def _adam(model: RowModel, training: Training) -> torch.optim.Optimizer:
    return torch.optim.AdamW(
        model.parameters(), lr=training.peak, betas=training.betas, weight_decay=training.decay
    )
