"""Look-ahead is right: checked against every row of small domains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mustermann.core.errors import ConfigError
from mustermann.tables import feasible
from mustermann.tables.feasible import Feasible, Relation, refuse_contradiction


def brute_force(relations, sizes):
    """Returns all valid rows."""
    rows = np.array(list(itertools.product(*map(range, sizes))))
    valid = np.ones(len(rows), bool)
    for relation in relations:
        valid &= relation.table[tuple(rows[:, column] for column in relation.columns)]
    return rows[valid]


def random_relations(draws, sizes):
    scopes = [draws.choice(len(sizes), size=draws.integers(1, 4), replace=False) for _ in range(4)]
    return [
        Relation(
            columns=tuple(scope.tolist()),
            table=draws.random([sizes[column] for column in scope]) < 0.55,
            rule=f"rule {number}",
        )
        for number, scope in enumerate(scopes)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_a_level_may_come_if_and_only_if_some_valid_row_goes_on_with_it(seed):
    draws = np.random.default_rng(seed)
    sizes = [3, 2, 4, 3, 2]
    order = draws.permutation(5).tolist()
    relations = random_relations(draws, sizes)
    only = {2: np.array([True, False, True, True])}
    valid = brute_force([*relations, Relation(columns=(2,), table=only[2])], sizes)
    walk = Feasible(relations, order=order, sizes=sizes, allowed=only)
    assert walk.possible == bool(len(valid))
    if not len(valid):
        return
    for position, column in enumerate(order):
        before = order[:position]
        prefixes = np.unique(valid[:, before], axis=0)
        codes = np.zeros((len(prefixes), 5), int)
        codes[:, before] = prefixes
        found = walk.allowed(position, codes)
        for row, prefix in enumerate(prefixes):
            going_on = valid[(valid[:, before] == prefix).all(axis=1)][:, column]
            wanted = np.isin(np.arange(sizes[column]), going_on)
            assert np.array_equal(np.ones(sizes[column], bool) if found is None else found[row],
                                  wanted)  # fmt: skip


def test_a_contradiction_names_the_rules_that_make_it_and_no_others():
    def rule(name, column, levels):
        return Relation(columns=(column,), table=np.array(levels, bool), rule=name)

    relations = [rule("fine", 1, [1, 0]), rule("low", 0, [1, 0, 0]), rule("high", 0, [0, 0, 1])]
    with pytest.raises(ConfigError, match=r"'high' together with 'low' leaves none"):
        refuse_contradiction(relations, order=(0, 1), sizes=(3, 2))
    refuse_contradiction(relations[:2], order=(0, 1), sizes=(3, 2))


def test_rules_that_tie_too_much_together_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(feasible, "MOST_CELLS", 10)
    table = np.eye(4, dtype=bool)
    with pytest.raises(ConfigError, match="2 with 16 combinations \\(same\\)"):
        Feasible([Relation(columns=(0, 1), table=table, rule="same")], order=(0, 1), sizes=(4, 4))
