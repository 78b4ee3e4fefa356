"""A guarantee for persons where each may have several rows.

Each person keeps the first so many rows, which depends on that person's rows alone: adding
or removing a person then moves at most so many rows. A fit that is private for one row at a
smaller budget is private for all of them at the budget that was asked for.

Source: group privacy, Vadhan 2017, "The Complexity of Differential Privacy", lemma 2.2
(with its geometric sum written out).
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import DataError
from mustermann.privacy.budget import Budget
from mustermann.privacy.guarantee import Guarantee, sentence
from mustermann.tables.schema import ColumnSchema

if TYPE_CHECKING:
    from mustermann.tables.frames import Frame, Series
    from mustermann.tables.schema import Person, Schema
    from mustermann.tables.walks import Ints


def neighbours(person: Person) -> str:
    """Returns what one step between neighbouring tables is, as an imperative."""
    rows = f"at most {person.rows} row{'s' * (person.rows > 1)}, by the column {person.id!r}"
    return f"add or remove one person ({rows})"


def row_budget(budget: Budget, *, rows: int) -> Budget:
    """Returns what may be spent for one row, so that `rows` of them cost `budget` at most.

    With epsilon' = epsilon / rows, that many steps of one row change a probability by
    e^epsilon and by delta' * (e^epsilon - 1) / (e^epsilon' - 1).
    """
    if rows == 1:
        return budget
    epsilon = budget.epsilon / rows
    # For large epsilon neither exponential may overflow.
    ratio = math.exp(epsilon - budget.epsilon) * math.expm1(-epsilon) / math.expm1(-budget.epsilon)
    return Budget(
        epsilon=math.nextafter(epsilon, 0.0), delta=budget.delta * ratio * (1 - 1e-12)
    )  # fmt: skip


def capped(frame: Frame, person: Person) -> Frame:
    """Returns the first `person.rows` rows of each person, in the table's order.

    Raises:
      DataError: There is no such column, or a row has no person.
    """
    if person.id not in frame.names:
        raise DataError(
            f"Expected a column {person.id!r} that tells persons apart, found none. Mend id in "
            f"[person], or leave that out."
        )
    series = frame[person.id]
    if series.missing.any():
        row = int(np.argmax(series.missing)) + 1
        raise DataError(
            f"Expected a person for every row, found none in row {row} of the column "
            f"{person.id!r}. Fill or remove such rows."
        )
    return frame.take(np.flatnonzero(_rank(series) < person.rows))


def without_id(schema: Schema, person: Person) -> Schema:
    """Returns the schema with the column of persons left out of the model."""
    return dataclasses.replace(
        schema, columns=schema.columns | {person.id: ColumnSchema(drop=True)}
    )


def for_person(found: Guarantee, person: Person, budget: Budget) -> Guarantee:
    """Returns the guarantee of a fit by rows as the one of persons.

    Args:
      found: At the `row_budget`.
      person: Who counts as one.
      budget: What was asked for.
    """
    epsilon = min(found.epsilon * person.rows, budget.epsilon)
    text = neighbours(person)
    return dataclasses.replace(
        found,
        epsilon=epsilon,
        delta=budget.delta,
        neighbours=text,
        accountant=f"{found.accountant}, then group privacy over {person.rows} rows",
        sentence=sentence(
            epsilon=epsilon,
            delta=budget.delta,
            neighbours=text,
            non_private_reads=found.non_private_reads,
            public=found.public,
        ),
    )


def _rank(series: Series) -> Ints:
    """Returns for each row how many rows of its person stand before it, shape (N,)."""
    order = np.argsort(series.values, kind="stable")
    values = series.values[order]
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    sizes = np.diff(np.append(starts, len(values)))
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return ranks
