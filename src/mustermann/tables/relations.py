"""Constraints on values as relations between levels, and values that keep to them.

Conditions cut: a discretiser is given edges at their values (`cuts`), so that each bin
meets a condition as a whole or not at all. Ascending columns need no edges: two bins go
together where some of their values do, and the values are then drawn in ascending order.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError
from mustermann.tables import conditions, restrictions
from mustermann.tables.ascending import relate, steps_of
from mustermann.tables.conditions import Condition
from mustermann.tables.constraints import spelt
from mustermann.tables.encoders import Bins, Levels
from mustermann.tables.feasible import Relation
from mustermann.tables.restrictions import restrict, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mustermann.tables.ascending import Bounds
    from mustermann.tables.constraints import Cell, Constraint
    from mustermann.tables.discretise import Discretiser
    from mustermann.tables.encoders import Encoder
    from mustermann.tables.walks import Bools


def cuts(
    constraints: Sequence[Constraint], discretiser: Discretiser
) -> dict[str, tuple[float, ...]]:
    """Returns by column the edges that its bins need, so that no condition divides a bin."""
    found: dict[str, set[float]] = {}
    encoders = {encoder.name: encoder for encoder in discretiser.encoders}
    for constraint in constraints:
        for condition in _conditions_of(constraint, discretiser):
            encoder = encoders[condition.column]
            if not isinstance(encoder, Bins):
                continue
            for text in filter(None, condition.values):
                value = value_of(encoder, condition, text)
                edges = found.setdefault(encoder.name, set())
                if condition.operator in ("<", ">=", "=", "!="):
                    edges.add(float(value))
                if condition.operator in ("<=", ">", "=", "!="):
                    edges.add(math.nextafter(value, math.inf))
    return {name: tuple(sorted(edges)) for name, edges in found.items()}


def relations(
    constraints: Sequence[Constraint],
    discretiser: Discretiser,
    *,
    bounds: Mapping[int, Bounds] | None = None,
) -> list[Relation]:
    """Returns what the constraints demand of levels.

    Args:
      constraints: All of them hold.
      discretiser: Has the edges that `cuts` asked for.
      bounds: By column, tighter least and greatest values than those of its bins.

    Raises:
      ConfigError: A constraint names columns, values or operators that there are not.
    """
    found: list[Relation] = []
    for constraint in constraints:
        found += _relations_of(constraint, discretiser)
    steps = steps_of(constraints, discretiser)
    found += relate(steps, discretiser, bounds or {})
    touched = {column for relation in found for column in relation.columns}
    for column in sorted(touched):
        sound = restrictions.resolved(discretiser.encoders[column])
        if not sound.all():
            found.append(Relation(columns=(column,), table=sound, rule="known values"))
    return found


def _conditions_of(constraint: Constraint, discretiser: Discretiser) -> list[Condition]:
    names = [encoder.name for encoder in discretiser.encoders]
    constraint.check_names(names)
    texts = [*(constraint.implies or ()), *filter(None, [constraint.forbid])]
    with _named(constraint):
        found = [c for text in texts for c in conditions.parse(text, names)]
    for row in constraint.combinations or ():
        found += _equalities(constraint, row)
    return found


def _relations_of(constraint: Constraint, discretiser: Discretiser) -> Iterator[Relation]:
    rule = str(constraint)
    names = [encoder.name for encoder in discretiser.encoders]
    constraint.check_names(names)
    if constraint.together:
        places = [names.index(name) for name in constraint.together]
        for one, other in itertools.pairwise(places):
            gone = [restrictions.missing(discretiser.encoders[place]) for place in (one, other)]
            yield Relation(columns=(one, other), table=np.equal.outer(*gone), rule=rule)
        return
    with _named(constraint):
        if constraint.forbid is not None:
            met = _met(conditions.parse(constraint.forbid, names), discretiser)
            yield Relation(columns=tuple(met), table=~_all(list(met.values())), rule=rule)
        if constraint.implies:
            first, second = (
                _met(conditions.parse(text, names), discretiser) for text in constraint.implies
            )
            yield _implication(first, second, rule)
        if constraint.combinations is not None:
            places = [names.index(name) for name in constraint.columns]
            table = np.zeros([discretiser.encoders[place].size for place in places], bool)
            for row in constraint.combinations:
                wanted = _equalities(constraint, row)
                # A value that is no level can't come, and neither can its combination.
                if all(map(_is_level, (discretiser.encoders[p] for p in places), wanted)):
                    met = _met(wanted, discretiser)
                    table |= _all([met[place] for place in places])
            yield Relation(columns=tuple(places), table=table, rule=rule)


def _implication(first: dict[int, Bools], second: dict[int, Bools], rule: str) -> Relation:
    """Returns the relation under which the second conditions hold where the first do."""
    columns = tuple(dict.fromkeys([*first, *second]))
    sizes = [len((first | second)[column]) for column in columns]

    def table(met: dict[int, Bools]) -> Bools:
        every = [met.get(c, np.ones(size, bool)) for c, size in zip(columns, sizes, strict=True)]
        return _all(every)

    return Relation(columns=columns, table=~table(first) | table(second), rule=rule)


def _met(wanted: Sequence[Condition], discretiser: Discretiser) -> dict[int, Bools]:
    """Returns by column which levels meet the conditions, shape (n,)."""
    found = {}
    for column, restriction in restrict(wanted, discretiser, some=False).items():
        weights = restriction.weights
        if not np.all(np.isclose(weights, 0) | np.isclose(weights, 1)):
            raise ConfigError(
                f"Expected bins of {discretiser.encoders[column].name!r} that end where the "
                f"condition does, found one that it divides. Fit the model anew."
            )
        found[column] = weights > 0.5
    return found


def _all(masks: Sequence[Bools]) -> Bools:
    """Returns where all masks hold, an axis for each."""
    whole = masks[0]
    for mask in masks[1:]:
        whole = np.logical_and.outer(whole, mask)
    return whole


def _equalities(constraint: Constraint, row: Sequence[Cell]) -> list[Condition]:
    """Returns one combination as conditions."""
    return [
        Condition(column=name, operator="=", values=(spelt(cell),), text=f"{name}={spelt(cell)}")
        for name, cell in zip(constraint.columns, row, strict=True)
    ]


def _is_level(encoder: Encoder, condition: Condition) -> bool:
    """Returns whether a value may be a level: rare ones of a column of text are not."""
    text = condition.values[0]
    if not text or not isinstance(encoder, Levels):
        return True
    value = text if encoder.storage == "string" else value_of(encoder, condition, text)
    return value in encoder.values


@contextlib.contextmanager
def _named(constraint: Constraint) -> Iterator[None]:
    """Says in an error which constraint it is about."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"In the constraint {str(constraint)!r}: {error}") from error
