"""DP-SGD, in the order in which the privacy argument needs it.

    sample -> per-record gradients -> mean over views -> clip -> sum -> noise -> divide

Nothing may touch the clipped sum before the noise is in it, and nothing else that depends
on the records leaves: no loss, no norm, no batch size.

Source: Abadi et al. 2016 (alg. 1); Poisson batches and the divisor rate * n as in its
moments accountant; views as in De et al. 2022 (sec. 3.2).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Protocol, Self

import torch

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.allocator import keep_freed_memory
from mustermann.privacy.clipping import DEFAULT_MEMORY, PerRecordClipper, Tree
from mustermann.privacy.mechanisms import Mechanism
from mustermann.privacy.noise import os_generator
from mustermann.privacy.sampling import poisson_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import nn

    from mustermann.privacy.noise import Randomness

__all__ = ["Checkpoint", "Collective", "DpSgd", "Local", "Mechanism", "privatise", "train"]


class Collective(Protocol):
    """Sums over processes, each of which holds a shard of the records.

    Attributes:
      rank: This process' number; process 0 adds the noise.
    """

    rank: int

    def sum(self, values: Tree) -> Tree:
        """Returns the sum of all processes' `values`, on all of them."""
        ...

    def broadcast(self, values: Tree) -> Tree:
        """Returns process 0's `values`, on all of them."""
        ...


class Local:
    """One process that holds all records."""

    rank = 0

    def sum(self, values: Tree) -> Tree:
        """Returns `values`."""
        return values

    def broadcast(self, values: Tree) -> Tree:
        """Returns `values`."""
        return values


@dataclasses.dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A run between two steps: what it takes to go on, and nothing private.

    Attributes:
      step: Steps taken.
      tensors: The module's and the optimiser's state by name, fit for safetensors.
    """

    step: int
    tensors: Tree


class DpSgd:
    """One DP-SGD run of a mechanism on a module.

    Attributes:
      step: Releases made so far.
    """

    def __init__(
        self,
        module: nn.Module,
        losses: Callable[[torch.Tensor], torch.Tensor],
        data: torch.Tensor,
        mechanism: Mechanism,
        optimiser: torch.optim.Optimizer,
        *,
        records: float,
        views: int = 1,
        learning_rate: Callable[[int], float] | None = None,
        collective: Collective | None = None,
        randomness: Randomness | None = None,
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        """Takes the mechanism; it can't be taken again.

        Args:
          module: What is trained, built of layers that have clipping rules.
          losses: Runs the module on some records and returns their views' losses, in nats,
            shape (B * K,).
          data: The records (or this process' shard), one in each row.
          mechanism: As the ledger made it.
          optimiser: Over the module's trained parameters.
          records: Public or noised number of records in all: never the true one, which is
            private under add or remove.
          views: K.
          learning_rate: Maps the number of steps taken to the next step's rate.
          collective: Sums over processes; one process by default.
          randomness: The operating system's unless a test passes its own.
          memory: Bytes that a micro-batch may take.

        Raises:
          ConfigError: `records` is not above 0, or a setting is out of range.
          PrivacyError: The mechanism has been taken before, or the module can't be clipped.
        """
        if not (math.isfinite(records) and records > 0):
            raise ConfigError(f"Expected a number of records above 0, found {records}.")
        self.step = 0
        self._module = module
        self._losses = losses
        self._data = data
        self._mechanism = mechanism
        self._optimiser = optimiser
        self._expected = mechanism.rate * records
        self._learning_rate = learning_rate
        self._collective = collective or Local()
        self._randomness = randomness or os_generator()
        keep_freed_memory()
        self._clipper = PerRecordClipper(module, clip=mechanism.clip, views=views, memory=memory)
        try:
            mechanism.take()
        except PrivacyError:
            self._clipper.close()
            raise

    def close(self) -> None:
        """Takes the hooks off the module."""
        self._clipper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def advance(self) -> None:
        """Takes one step.

        An empty batch is a step like any other: it releases noise.

        Raises:
          PrivacyError: All steps of the mechanism have been taken.
        """
        mechanism = self._mechanism
        if self.step >= mechanism.steps:
            raise PrivacyError(
                f"Expected at most {mechanism.steps} steps, which is what was accounted, found "
                f"one more. Ask the ledger for a mechanism with more steps."
            )
        chosen = poisson_batch(len(self._data), rate=mechanism.rate, randomness=self._randomness)
        batch = self._data[torch.from_numpy(chosen).to(self._data.device)]
        total = self._collective.sum(self._clipper(self._losses, batch).grads)
        # Counted before the noise is drawn: what is interrupted here is never drawn again.
        self.step += 1
        if self._collective.rank == 0:
            total = privatise(total, mechanism, self._randomness)
        noisy = self._collective.broadcast(total)
        self._update({name: value / self._expected for name, value in noisy.items()})

    def finish(self, *, on_step: Callable[[int], None] | None = None) -> None:
        """Takes all steps that are left.

        Args:
          on_step: Called after each step with the number of steps taken, and with nothing
            that depends on the records.
        """
        while self.step < self._mechanism.steps:
            self.advance()
            if on_step is not None:
                on_step(self.step)

    def checkpoint(self) -> Checkpoint:
        """Returns the state between two steps.

        Going on from a checkpoint continues the same run with fresh noise. What was done
        after the checkpoint must then never have been shown to anyone.
        """
        tensors = {f"module.{n}": t.clone() for n, t in self._module.state_dict().items()}
        for number, state in self._optimiser.state_dict()["state"].items():
            for name, value in state.items():
                if value is not None:
                    tensors[f"optimiser.{number}.{name}"] = torch.as_tensor(value).clone()
        return Checkpoint(step=self.step, tensors=tensors)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Takes up the state of `checkpoint`.

        Raises:
          DataError: The checkpoint is of another module or optimiser.
          PrivacyError: The run has begun: going back would release steps twice.
        """
        if self.step:
            raise PrivacyError(
                f"Expected to restore before the first step, found {self.step} steps taken, "
                f"which would be released twice. Restore into a new run."
            )
        module: Tree = {}
        states: dict[int, Tree] = {}
        for key, value in checkpoint.tensors.items():
            kind, _, name = key.partition(".")
            if kind == "module":
                module[name] = value
            else:
                number, _, field = name.partition(".")
                states.setdefault(int(number), {})[field] = value.clone()
        try:
            self._module.load_state_dict(module)
            groups = self._optimiser.state_dict()["param_groups"]
            self._optimiser.load_state_dict({"state": states, "param_groups": groups})
        except (RuntimeError, ValueError, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise DataError(f"Expected a checkpoint of this module, but: {reason}") from error
        self.step = checkpoint.step

    def _update(self, gradients: Tree) -> None:
        """Lets the optimiser take a step along `gradients`, which are noisy."""
        if self._learning_rate is not None:
            for group in self._optimiser.param_groups:
                group["lr"] = self._learning_rate(self.step - 1)
        self._optimiser.zero_grad(set_to_none=True)
        parameters = dict(self._module.named_parameters())
        for name, gradient in gradients.items():
            parameters[name].grad = gradient
        self._optimiser.step()


def train(
    module: nn.Module,
    losses: Callable[[torch.Tensor], torch.Tensor],
    data: torch.Tensor,
    mechanism: Mechanism,
    optimiser: torch.optim.Optimizer,
    *,
    records: float,
    views: int = 1,
    learning_rate: Callable[[int], float] | None = None,
    on_step: Callable[[int], None] | None = None,
) -> None:
    """Takes all steps of a mechanism in one go; see `DpSgd` for the arguments."""
    with DpSgd(
        module, losses, data, mechanism, optimiser,
        records=records, views=views, learning_rate=learning_rate,
    ) as run:  # fmt: skip
        run.finish(on_step=on_step)


def privatise(total: Tree, mechanism: Mechanism, randomness: Randomness) -> Tree:
    """Returns the clipped sum plus noise of standard deviation `mechanism.std`.

    The noise is drawn and added in float64; the result has the sum's dtype.
    """
    sizes = [value.numel() for value in total.values()]
    noise = torch.from_numpy(randomness.standard_normal(sum(sizes))).mul_(mechanism.std)
    noisy: Tree = {}
    for (name, value), part in zip(total.items(), torch.split(noise, sizes), strict=True):
        noisy[name] = part.view(value.shape).to(value.device).add_(value).to(value.dtype)
    return noisy
