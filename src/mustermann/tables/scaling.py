"""Simulation of private training at a fraction of its cost, to rank settings.

What noise does to a step of DP-SGD depends on sigma / B alone: the noise on the mean
gradient. Training with a batch of b instead of B and noise sigma * b / B takes steps of
the same quality at b / B of the cost. It ranks settings well, and it protects nobody: its
noise is too small for its batches. So no model leaves this module, only figures that say
what they are.

Source: Sander, Stock and Sablayrolles 2022, "TAN without a burn: scaling laws of DP-SGD"
(arXiv 2210.03403).
"""

from __future__ import annotations

import dataclasses
import math
import time
from typing import TYPE_CHECKING, Literal, NoReturn

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.mechanisms import Mechanism

if TYPE_CHECKING:
    from mustermann.privacy.budget import Budget
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.recipe import RecipeName

ENOUGH_NOISE = 2.0
"""Doubling batch and noise pays until the noise multiplier passes this."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Setting:
    """What is tried.

    Attributes:
      recipe: The rest of the fit.
      rate: Chance that a record joins a step of the private run; None takes the recipe's.
    """

    recipe: RecipeName = "default"
    rate: float | None = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Simulation:
    """What a setting may be expected to give; not private, and not a private run's result.

    Attributes:
      setting: What was tried.
      rate: Sampling rate of the private run that is simulated.
      batch: Its expected batch.
      noise: Its noise multiplier.
      simulated_batch: Expected batch of the simulation.
      simulated_noise: Noise multiplier of the simulation: the same noise on the mean.
      nll: Negative log-likelihood of the rows that settings are ranked on, nats a row.
      nll_se: Standard error of that mean.
      seconds: Of the simulation.
      kind: Says that this is a simulation.
    """

    setting: Setting
    rate: float
    batch: float
    noise: float
    simulated_batch: float
    simulated_noise: float
    nll: float
    nll_se: float
    seconds: float
    kind: Literal["simulation"] = "simulation"

    @property
    def larger_batch_pays(self) -> bool:
        """Returns whether doubling batch and noise is likely to lower the loss further."""
        return self.noise <= ENOUGH_NOISE and self.rate < 1


class SimulatedLedger(Ledger):
    """A ledger that hands out the mechanism of a small batch instead of the one it enters.

    A model fitted under it has no guarantee: asking for one is refused, so that no such
    model can be written as a private one.
    """

    def __init__(self, budget: Budget, *, rows: int, batch: int, rate: float | None) -> None:
        """Opens an empty ledger.

        Args:
          budget: Of the private run that is simulated.
          rows: Number of training rows.
          batch: Expected batch of the simulation.
          rate: Sampling rate of the private run; None takes what the fit asks for.

        Raises:
          ConfigError: `batch` or `rate` is out of range.
        """
        super().__init__(budget)
        if batch < 1:
            raise ConfigError(f"Expected a simulated batch of at least 1, found {batch}.")
        if rate is not None and not 0 < rate <= 1:
            raise ConfigError(f"Expected rates in (0, 1], found {rate}.")
        self._rows = rows
        self._batch = batch
        self._rate = rate
        self.real: Mechanism | None = None
        self.simulated: Mechanism | None = None

    def sgd(self, name: str, *, steps: int, rate: float, clip: float, what: str) -> Mechanism:
        """Returns the mechanism of the simulation; the real one is `real`."""
        real = super().sgd(name, steps=steps, rate=self._rate or rate, clip=clip, what=what)
        part = min(1.0, self._batch / (real.rate * self._rows))
        self.real = real
        self.simulated = dataclasses.replace(real, rate=part * real.rate, noise=part * real.noise)
        return self.simulated

    def guarantee(self) -> NoReturn:
        """Raises PrivacyError: a simulation protects nobody."""
        raise PrivacyError(
            "Expected a private fit to state a guarantee, found a simulation, whose noise is too "
            "small for its batches. Fit the setting that it ranks first with `table fit`."
        )


def simulate(
    setting: Setting,
    *,
    train: Codes,
    valid: Codes,
    domain: Domain,
    budget: Budget,
    batch: int,
    seed: int,
) -> Simulation:
    """Returns what a private run with this setting may be expected to give.

    Args:
      setting: What is tried.
      train: Rows to train on, shape (N, k); read without protection.
      valid: Rows to rank on, shape (M, k); read without protection.
      domain: The columns.
      budget: Of the private run.
      batch: Expected batch of the simulation; smaller is faster and noisier.
      seed: Of initialisation and free post-processing.

    Raises:
      ConfigError: A setting is out of range.
      PrivacyError: The budget is too small for the private run.
    """
    from mustermann.tables.synlm import SynLMModel

    ledger = SimulatedLedger(budget, rows=len(train), batch=batch, rate=setting.rate)
    start = time.monotonic()
    model = SynLMModel(recipe=setting.recipe)
    model.fit(train, domain, ledger=ledger, seed=seed)
    if ledger.real is None or ledger.simulated is None:
        raise ConfigError(
            f"Expected recipe {setting.recipe!r} to train by DP-SGD, found it doesn't."
        )
    losses = -model.log_likelihood(valid)
    return Simulation(
        setting=setting,
        rate=ledger.real.rate,
        batch=ledger.real.rate * len(train),
        noise=ledger.real.noise,
        simulated_batch=ledger.simulated.rate * len(train),
        simulated_noise=ledger.simulated.noise,
        nll=float(losses.mean()),
        nll_se=float(losses.std(ddof=1)) / math.sqrt(len(losses)),
        seconds=time.monotonic() - start,
    )
