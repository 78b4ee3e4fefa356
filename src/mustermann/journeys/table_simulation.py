"""Ranks settings of SynLM by cheap simulations of their private runs; nothing here is private."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

from mustermann.core import progress
from mustermann.core.errors import ConfigError
from mustermann.journeys.table_split import prepare, read_split
from mustermann.journeys.tables import DELTA, refuse_large_delta
from mustermann.privacy.budget import Budget
from mustermann.tables import scaling
from mustermann.tables.scaling import Setting, Simulation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mustermann.tables.recipe import RecipeName


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimulationSettings:
    """What is simulated.

    Attributes:
      epsilon: Budget of the private run.
      delta: The same.
      recipes: Each with each rate.
      rates: Sampling rates of the private run; () takes the recipe's own.
      batch: Expected batch of the simulation.
      seed: Of initialisation and free post-processing.
    """

    epsilon: float
    delta: float = DELTA
    recipes: tuple[RecipeName, ...] = ("default",)
    rates: tuple[float, ...] = ()
    batch: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        unknown = set(self.recipes) - {"default", "paper"}
        if unknown or not self.recipes:
            raise ConfigError(f"Expected recipes default and paper, found {sorted(unknown)}.")


def simulate(
    data: Path, settings: SimulationSettings, *, split: Path | None = None
) -> list[Simulation]:
    """Returns a simulation of each setting, the most promising first.

    Settings are ranked on the validation part of the table, whose training part they learn.

    Args:
      data: A table.
      settings: What is simulated.
      split: As for the benchmark.

    Raises:
      ConfigError: A setting is out of range.
      DataError: The table or the split can't be read.
      PrivacyError: delta is too large, or the budget too small for the private run.
    """
    budget = Budget(epsilon=settings.epsilon, delta=settings.delta)
    table = prepare(data, "uniform", read_split(split) if split else None)
    refuse_large_delta(budget, rows=len(table.train))
    tried = [
        Setting(recipe=recipe, rate=rate)
        for recipe, rate in itertools.product(settings.recipes, settings.rates or (None,))
    ]
    found = [
        scaling.simulate(
            setting,
            train=table.train,
            valid=table.valid,
            domain=table.domain,
            budget=budget,
            batch=settings.batch,
            seed=settings.seed,
        )
        for setting in progress.track(tried, "simulations", total=len(tried))
    ]
    return sorted(found, key=lambda simulation: simulation.nll)


def to_records(simulations: Sequence[Simulation]) -> list[dict[str, Any]]:
    """Returns simulations as JSON values, each marked as one and as not private."""
    records = []
    for simulation in simulations:
        record = dataclasses.asdict(simulation)
        setting = record.pop("setting")
        record["recipe"] = setting["recipe"]
        record["larger_batch_pays"] = simulation.larger_batch_pays
        records.append(record | {"private": False})
    return records
