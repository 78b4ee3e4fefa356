"""The audit journey: a lower bound on epsilon from one fit with canaries.

Canaries are rows of rare levels, each put among the rows on a fair coin. An auditor who
knows the rows and the canaries, but not the coins, guesses the coins from the fitted model.
More right guesses than the claimed epsilon allows refute the claim; few of them prove
nothing, as a cleverer auditor may do better.

Where the guarantee is for persons, a canary is one: it has as many rows as count for a
person, all of them alike, which moves a model most, and one coin for all of them. The bound
asks no more than that a coin decides about one neighbour, whatever that is.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Seeds
from mustermann.journeys.tables import discretise, refuse_large_delta
from mustermann.privacy.audit import audit as lower_bound
from mustermann.privacy.audit import draw_canaries
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import infer, persons
from mustermann.tables.files import load
from mustermann.tables.schema import Schema
from mustermann.tables.settings import resolve

if TYPE_CHECKING:
    from mustermann.privacy.guarantee import Guarantee
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.settings import FitSettings
    from mustermann.tables.walks import Floats

CANARIES = 200
CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True, kw_only=True)
class Audit:
    """What an audit found beside what was claimed.

    Attributes:
      guarantee: What the audited fit claims.
      epsilon_lower: Holds with chance `confidence`; 0 where nothing was found.
      confidence: Of the lower bound.
      canaries: How many rows, or persons, stood on a coin.
      canary_rows: How many rows each of them has.
      guesses: How many coins were guessed.
      right: How many of these rightly.
      rows: Rows of the table, without canaries.
    """

    guarantee: Guarantee
    epsilon_lower: float
    confidence: float
    canaries: int
    canary_rows: int
    guesses: int
    right: int
    rows: int

    @property
    def refuted(self) -> bool:
        """Returns whether the claim is wrong, at this confidence."""
        return self.epsilon_lower > self.guarantee.epsilon

    def to_record(self) -> dict[str, Any]:
        """Returns the audit as JSON values; it read the rows without noise."""
        return {
            "epsilon_claimed": self.guarantee.epsilon,
            "epsilon_lower": self.epsilon_lower,
            "refuted": self.refuted,
            "delta": self.guarantee.delta,
            "confidence": self.confidence,
            "canaries": self.canaries,
            "canary_rows": self.canary_rows,
            "guesses": self.guesses,
            "right": self.right,
            "rows": self.rows,
            "private": False,
        }


def audit(
    data: Any,
    settings: FitSettings,
    *,
    schema: Schema | None = None,
    canaries: int = CANARIES,
    guesses: int | None = None,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Returns a lower bound on the epsilon of a fit beside the one that it claims.

    The canaries join after the table was cut into levels, so what `settings.bins` reads or
    pays for is not audited; nor is it that persons keep to their rows, as canaries have no
    more. The fitted model is thrown away.

    Args:
      data: A path to a table, or a pandas, polars or Arrow table.
      settings: Of the fit; `seed` also decides the canaries, never the coins.
      schema: What is declared about the columns.
      canaries: How many; to be a small part of the rows.
      guesses: How many coins to guess, even; None guesses half of them.
      confidence: Chance with which the bound holds.

    Raises:
      ConfigError: A setting or a declaration is wrong.
      DataError: The table can't be read or does not fit the schema.
      PrivacyError: delta is too large for the table, or the budget too small for the method.
    """
    guesses = max(2, canaries // 4 * 2) if guesses is None else guesses
    if canaries < 2 or guesses % 2 or not 2 <= guesses <= canaries:
        raise ConfigError(
            f"Expected two canaries or more and an even number of guesses from 2 to as many, "
            f"found {canaries} canaries and {guesses} guesses."
        )
    schema = schema or Schema()
    person, budget = schema.person, Budget(epsilon=settings.epsilon, delta=settings.delta)
    resolved = resolve(settings)
    frame, ledger = load(data, infer.reading_of(schema)), Ledger(budget)
    if person is not None:
        frame, schema = persons.capped(frame, person), persons.without_id(schema, person)
        ledger = Ledger(persons.row_budget(budget, rows=person.rows))
    refuse_large_delta(budget, rows=len(frame))

    discretiser = discretise(frame, schema, resolved, bins=settings.bins, ledger=ledger)
    codes, domain = discretiser.encode(frame), discretiser.domain
    rows = make_canaries(domain, canaries, seed=settings.seed)
    included = draw_canaries(canaries)
    each = person.rows if person else 1
    synthesiser = resolved.synthesiser()
    synthesiser.fit(
        np.concatenate([codes, np.repeat(rows[included], each, axis=0)]),
        domain, ledger=ledger, seed=settings.seed,
    )  # fmt: skip
    # A canary's rows are alike: one of them ranks it among the others.
    scores = synthesiser.log_likelihood(rows) - expected(codes, rows, domain)
    found = lower_bound(
        scores, included, guesses=guesses, delta=settings.delta, confidence=confidence
    )
    guarantee = ledger.guarantee()
    return Audit(
        guarantee=persons.for_person(guarantee, person, budget) if person else guarantee,
        epsilon_lower=found.epsilon,
        confidence=confidence,
        canaries=canaries,
        canary_rows=each,
        guesses=guesses,
        right=found.right,
        rows=len(codes),
    )


def make_canaries(domain: Domain, count: int, *, seed: int) -> Codes:
    """Returns rows (M, k) that share levels with as few others as can be."""
    draws = Seeds(seed, ("canaries",)).generator("levels")
    columns = []
    for size in domain.sizes:
        rounds = [draws.permutation(size) for _ in range(-(-count // size))]
        columns.append(np.concatenate(rounds)[:count])
    return np.column_stack(columns).astype(np.int64)


def expected(codes: Codes, rows: Codes, domain: Domain) -> Floats:
    """Returns the log-likelihood of `rows` by what the table has without canaries, shape (M,).

    Columns by themselves, half a count for each level: what is left of a score then comes
    from the model and its canaries.
    """
    total = np.zeros(len(rows))
    for column, size in enumerate(domain.sizes):
        counts = np.bincount(codes[:, column], minlength=size) + 0.5
        total += np.log(counts / counts.sum())[rows[:, column]]
    return total
