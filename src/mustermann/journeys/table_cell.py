"""One cell of the table benchmark: one method fitted once, scored and sampled.

A cell runs in a process of its own, so that its peak memory is its own and a crash costs
one cell.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import MustermannError
from mustermann.journeys import tables as journey
from mustermann.metrics import tables as metrics
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables.aim import AIMModel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection

    from mustermann.privacy.guarantee import Guarantee
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.synthesiser import Synthesiser

PSEUDO_COUNTS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
"""Among these the validation rows choose, in favour of AIM."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What one cell needs.

    Attributes:
      method: A plugin of the group `mustermann.synthesisers`.
      overrides: The method's settings.
      seed: Of initialisation and of the sample, never of the noise.
      domain: The columns.
      train: Rows that are fitted, shape (N, k).
      valid: Rows that only choose AIM's pseudo-counts in the benchmark.
      test: Rows that are scored.
      ledger: The fit's ledger as JSON values: its budget, what the bins and levels rest on,
        and what they have cost already.
    """

    method: str
    overrides: tuple[str, ...]
    seed: int
    domain: Domain
    train: Codes
    valid: Codes
    test: Codes
    ledger: Mapping[str, Any]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Measured:
    """What one cell found.

    Attributes:
      losses: Negative log-likelihood of each test row in nats.
      distances: Of as many synthetic rows as training rows, against the training rows.
      seconds: Of the fit.
      peak_megabytes: Most memory that the process has held until the fit was done.
      guarantee: What the ledger accounts, bins and levels with it.
      more: What belongs to the method alone.
    """

    losses: npt.NDArray[np.float64]
    distances: metrics.MarginalDistances
    seconds: float
    peak_megabytes: float
    guarantee: Guarantee
    more: dict[str, Any]


def measure(task: Task) -> Measured:
    """Returns what the cell finds, computed in this process.

    Raises:
      ConfigError: A setting is unknown or does not fit.
      PrivacyError: delta is too large, or the budget too small for the method.
    """
    # Each method goes on from a copy: what the bins have cost counts in every fit.
    ledger = Ledger.from_record(task.ledger)
    budget = Budget(epsilon=ledger.budget.epsilon, delta=ledger.delta)
    journey.refuse_large_delta(budget, rows=len(task.train))
    settings = journey.FitSettings(
        epsilon=budget.epsilon, delta=budget.delta, method=task.method, overrides=task.overrides
    )
    synthesiser = journey.resolve(settings).synthesiser()
    start = time.monotonic()
    synthesiser.fit(task.train, task.domain, ledger=ledger, seed=task.seed)
    seconds, peak = time.monotonic() - start, peak_megabytes()
    scored = _score(synthesiser, task)
    blocks = list(scored.source.sample(len(task.train), seed=task.seed))
    distances = metrics.marginal_distances(task.train, np.concatenate(blocks), task.domain.sizes)
    return Measured(
        losses=scored.losses,
        distances=distances,
        seconds=seconds,
        peak_megabytes=peak,
        guarantee=ledger.guarantee(),
        more=scored.more,
    )


def measure_alone(task: Task) -> Measured:
    """Returns what the cell finds, computed in a fresh process.

    Raises:
      MustermannError: As `measure`, or the process died.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(sender, task), daemon=True)
    process.start()
    sender.close()
    try:
        outcome = receiver.recv()
    except EOFError as error:
        process.join()
        raise MustermannError(
            f"Expected {task.method} to end, found that its process died with exit code "
            f"{process.exitcode}. It may have run out of memory."
        ) from error
    finally:
        # On Ctrl-C the cell is dropped, not waited for.
        process.terminate()
        process.join()
    if isinstance(outcome, MustermannError):
        raise outcome
    found: Measured = outcome
    return found


def peak_megabytes() -> float:
    """Returns the most memory that this process has held, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # The kernel's figure for this program alone; rusage counts the parent before exec too.
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Scored:
    losses: npt.NDArray[np.float64]
    source: Synthesiser
    more: dict[str, Any]


def _score(synthesiser: Synthesiser, task: Task) -> _Scored:
    """Returns the test losses, and the model that is sampled."""
    if isinstance(synthesiser, AIMModel):
        return _score_aim(synthesiser, task)
    return _Scored(
        losses=-synthesiser.log_likelihood(task.test), source=synthesiser, more={"nll_raw": None}
    )


def _score_aim(model: AIMModel, task: Task) -> _Scored:
    """Returns AIM at its best: pseudo-counts that validation rows choose, which is not private.

    Beside it: AIM as its paper leaves it ("raw", None where a test row is impossible), with
    the pseudo-counts that a released model gets ("public"), and raw samples.
    """
    raw = model.with_pseudo_counts(0.0)
    best = min(
        (model.with_pseudo_counts(count) for count in PSEUDO_COUNTS),
        key=lambda candidate: -float(candidate.log_likelihood(task.valid).mean()),
    )
    nll_raw = -float(raw.log_likelihood(task.test).mean())
    more = {
        "nll_raw": nll_raw if np.isfinite(nll_raw) else None,
        "nll_public": -float(model.log_likelihood(task.test).mean()),
        "pseudo_counts": best.chain.pseudo_counts,
        "pseudo_counts_private": False,
        "pseudo_counts_public": model.chain.pseudo_counts,
    }
    return _Scored(losses=-best.log_likelihood(task.test), source=raw, more=more)


def _report(sender: Connection, task: Task) -> None:
    """Sends what a cell finds, or the error that it foresaw, to the parent."""
    try:
        sender.send(measure(task))
    except MustermannError as error:
        sender.send(error)
    except KeyboardInterrupt:
        pass  # The parent has been interrupted too and speaks for both.
    finally:
        sender.close()
