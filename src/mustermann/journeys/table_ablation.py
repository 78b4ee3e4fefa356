"""The seed paper's ablations on a table: simulated private runs, and what they say of its findings.

Variants see the same rows, levels, budget and recipe. Each run has a process of its own, so
that its peak memory is its own. Nothing here is private: losses read the rows.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import math
import multiprocessing
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core import progress
from mustermann.core.errors import ConfigError, MustermannError
from mustermann.journeys.table_cell import peak_megabytes
from mustermann.journeys.table_split import prepare, read_split
from mustermann.journeys.table_store import Store
from mustermann.journeys.tables import DELTA, refuse_large_delta
from mustermann.privacy.budget import Budget
from mustermann.tables import ablation
from mustermann.tables.ablation import VARIANTS, Outcome, Trial
from mustermann.tables.schema import read_schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from mustermann.tables.recipe import RecipeName

FIGURES = ("losses", "free", "over_orders")
"""Those of an outcome that are one number a test row."""
SURE = 2.0
"""A difference says something from so many standard errors on."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AblationSettings:
    """What is tried.

    Attributes:
      epsilon: Budget of the private runs that are simulated.
      delta: The same.
      runs: Names in `ablation.VARIANTS`.
      recipe: The rest of the fits: the paper's own, or the default with its pre-training.
      batch: Expected batch of the simulations.
      steps: Of training; None takes the recipe's.
      seeds: One run each.
      isolate: Whether each run gets a process of its own; else peak memory is that of all
        runs so far.
    """

    epsilon: float
    delta: float = DELTA
    runs: tuple[str, ...] = tuple(VARIANTS)
    recipe: RecipeName = "paper"
    batch: int = 128
    steps: int | None = None
    seeds: tuple[int, ...] = (0,)
    isolate: bool = True

    def __post_init__(self) -> None:
        for name in ("runs", "seeds"):
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise ConfigError(f"Expected {name}, each once, found {list(values)}.")
        for run in self.runs:
            ablation.find(run)
        if self.recipe not in ("default", "paper"):
            raise ConfigError(f"Expected recipe default or paper, found {self.recipe!r}.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Claim:
    """One finding of the paper: what it holds for better, and for worse.

    Attributes:
      says: The finding.
      better: A run and one of its `FIGURES`.
      worse: The same.
    """

    says: str
    better: tuple[str, str]
    worse: tuple[str, str]


CLAIMS = (
    Claim(
        says="a fixed order is better than a random one",
        better=("level", "losses"), worse=("random", "losses"),
    ),
    Claim(
        says="a fixed order is better than a random one with AugMult",
        better=("level", "losses"), worse=("random-k4", "losses"),
    ),
    Claim(
        says="AugMult helps a random order",
        better=("random-k4", "losses"), worse=("random", "losses"),
    ),
    Claim(
        says="level tokens are better than semantic ones (BPE)",
        better=("level", "losses"), worse=("bpe", "losses"),
    ),
    Claim(
        says="level tokens are better than semantic ones (Unigram)",
        better=("level", "losses"), worse=("unigram", "losses"),
    ),
    Claim(
        says="with the trie in training and evaluation, level tokens do better than in neither",
        better=("level", "losses"), worse=("level-no-trie", "free"),
    ),
    Claim(
        says="with the trie in training and evaluation, level tokens do better than in "
        "evaluation only",
        better=("level", "losses"), worse=("level-no-trie", "losses"),
    ),
    Claim(
        says="with the trie in training and evaluation, BPE tokens do better than in neither",
        better=("bpe", "losses"), worse=("bpe-no-trie", "free"),
    ),
    Claim(
        says="with the trie in training and evaluation, BPE tokens do better than in "
        "evaluation only",
        better=("bpe", "losses"), worse=("bpe-no-trie", "losses"),
    ),
)  # fmt: skip


@dataclasses.dataclass(frozen=True, kw_only=True)
class Ablation:
    """What the runs gave; simulations, not private.

    Attributes:
      table: The table's name.
      results: One record a run and seed.
      findings: One record for each claim whose runs are there.
    """

    table: str
    results: list[dict[str, Any]]
    findings: list[dict[str, Any]]

    def to_record(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return {"kind": "simulation", "private": False} | dataclasses.asdict(self)


def ablate(
    data: Path,
    settings: AblationSettings,
    *,
    split: Path | None = None,
    schema: Path | None = None,
    results: Path | None = None,
) -> Ablation:
    """Returns what each variant gives on a table, on its test rows.

    Args:
      data: A table.
      settings: What is tried.
      split: As for the benchmark.
      schema: What the columns are.
      results: Finished runs, a JSON line each; runs that are in there are not done again.

    Raises:
      ConfigError: A setting is out of range, or `results` can't be written.
      DataError: The table, the split or the schema can't be read.
      PrivacyError: delta is too large, or the budget too small for the private runs.
    """
    budget = Budget(epsilon=settings.epsilon, delta=settings.delta)
    declared = read_schema(schema) if schema else None
    table = prepare(data, "uniform", read_split(split) if split else None, schema=declared)
    refuse_large_delta(budget, rows=len(table.train))
    measure = _alone if settings.isolate else _measure
    store = Store(results)
    outcomes: dict[tuple[str, int], _Measured] = {}
    tried = list(itertools.product(settings.runs, settings.seeds))
    with progress.task(f"{table.name}: simulations", total=len(tried)) as bar:
        for run, seed in tried:
            bar.note(f"{run}, seed {seed}")
            trial = Trial(
                variant=run,
                recipe=settings.recipe,
                train=table.train,
                test=table.test,
                domain=table.domain,
                budget=budget,
                batch=settings.batch,
                steps=settings.steps,
                seed=seed,
            )
            key = _key(table.name, trial)
            known = store.find(key)
            if known is None:
                known = measure(trial).to_record()
                store.add(key, known)
            outcomes[run, seed] = _Measured.from_record(known)
            bar.advance()
    return Ablation(
        table=table.name,
        results=[_record(run, seed, found) for (run, seed), found in outcomes.items()],
        findings=_findings({key: found.outcome for key, found in outcomes.items()}),
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Measured:
    outcome: Outcome
    peak_megabytes: float

    def to_record(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        outcome = dataclasses.asdict(self.outcome)
        for figure in FIGURES:
            if outcome[figure] is not None:
                outcome[figure] = [round(float(loss), 6) for loss in outcome[figure]]
        return {"outcome": outcome, "peak_megabytes": self.peak_megabytes}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> _Measured:
        """Returns what `to_record` described."""
        outcome = dict(record["outcome"])
        for figure in FIGURES:
            if outcome[figure] is not None:
                outcome[figure] = np.array(outcome[figure])
        return cls(outcome=Outcome(**outcome), peak_megabytes=record["peak_megabytes"])


def _key(table: str, trial: Trial) -> str:
    """Returns a run's name in a results file: equal for equal rows, levels and settings."""
    data = hashlib.blake2b(digest_size=8)
    for part in (trial.train, trial.test):
        data.update(np.ascontiguousarray(part).tobytes())
    data.update(json.dumps([dataclasses.astuple(c) for c in trial.domain.columns]).encode())
    variant = dataclasses.asdict(VARIANTS[trial.variant])
    asked = (variant, trial.recipe, trial.budget.delta, trial.batch, trial.steps)
    digest = hashlib.blake2b(repr(asked).encode(), digest_size=8)
    parts = (table, trial.budget.epsilon, trial.seed, trial.variant)
    return "|".join(map(str, (*parts, data.hexdigest(), digest.hexdigest())))


def _measure(trial: Trial) -> _Measured:
    outcome = ablation.run(trial)
    return _Measured(outcome=outcome, peak_megabytes=peak_megabytes())


def _alone(trial: Trial) -> _Measured:
    """Returns what a run gives, in a fresh process.

    Raises:
      MustermannError: As `ablation.run`, or the process died.
    """
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return pool.submit(_measure, trial).result()
        except concurrent.futures.process.BrokenProcessPool as error:
            raise MustermannError(
                f"Expected the run {trial.variant!r} to end, found that its process died. It may "
                f"have run out of memory. Leave it out, or lower --batch."
            ) from error


def _record(run: str, seed: int, found: _Measured) -> dict[str, Any]:
    """Returns a run as JSON values; what was not computed is None."""
    outcome = found.outcome
    return {
        "run": run,
        "says": VARIANTS[run].says,
        "seed": seed,
        "nll": _mean(outcome.losses),
        "nll_se": _error(outcome.losses),
        "nll_without_trie": _mean(outcome.free),
        "nll_over_orders": _mean(outcome.over_orders),
        "parameters": outcome.parameters,
        "tokens": outcome.tokens,
        "steps": outcome.steps,
        "batch": outcome.batch,
        "noise": outcome.noise,
        "simulated_batch": outcome.simulated_batch,
        "seconds": outcome.seconds,
        "seconds_a_step": outcome.training_seconds / outcome.steps,
        "peak_mb": found.peak_megabytes,
    }


def _findings(outcomes: Mapping[tuple[str, int], Outcome]) -> list[dict[str, Any]]:
    """Returns the claims that can be looked at, each with what was measured."""
    found = []
    for claim in CLAIMS:
        better, worse = (_losses(outcomes, *side) for side in (claim.better, claim.worse))
        if better is None or worse is None:
            continue
        difference = worse - better
        mean, error = float(difference.mean()), _error(difference)
        sure = error is not None and abs(mean) > SURE * error
        found.append(
            {
                "claim": claim.says,
                "better": ":".join(claim.better),
                "worse": ":".join(claim.worse),
                "difference": mean,
                "difference_se": error,
                "holds": mean > 0 if sure else None,
            }
        )
    return found


def _losses(
    outcomes: Mapping[tuple[str, int], Outcome], run: str, figure: str
) -> npt.NDArray[np.float64] | None:
    """Returns a run's losses by row, the mean over its seeds."""
    found = [getattr(outcome, figure) for (name, _), outcome in outcomes.items() if name == run]
    if not found or any(losses is None for losses in found):
        return None
    return np.asarray(np.mean(found, axis=0))


def _mean(losses: npt.NDArray[np.float64] | None) -> float | None:
    return None if losses is None else float(losses.mean())


def _error(losses: npt.NDArray[np.float64] | None) -> float | None:
    if losses is None or len(losses) < 2:
        return None
    return float(losses.std(ddof=1)) / math.sqrt(len(losses))


def rows_of_text(found: Ablation) -> list[tuple[str, ...]]:
    """Returns the results as cells for people, headers first."""
    heads = (
        "run", "seed", "NLL", "s.e.", "no trie", "all orders", "parameters", "tokens", "s a step",
        "MiB",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = [heads]
    for r in found.results:
        rows.append(
            (
                r["run"], str(r["seed"]), *(_shown(r[key]) for key in _SHOWN),
                f"{r['parameters']:,}", str(r["tokens"]), f"{r['seconds_a_step']:.2f}",
                f"{r['peak_mb']:.0f}",
            )
        )  # fmt: skip
    return rows


def sentences(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns each finding as a line for people."""
    words = {True: "holds", False: "does not hold", None: "undecided"}
    return [
        f"{words[f['holds']]}: {f['claim']} "
        f"(by {f['difference']:+.3f} ± {f['difference_se']:.3f} nats a row)"
        for f in findings
    ]


_SHOWN = ("nll", "nll_se", "nll_without_trie", "nll_over_orders")


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
