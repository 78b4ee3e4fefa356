"""Rows under conditions follow the model's conditional distribution."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from mustermann.core.errors import DataError
from mustermann.tables import conditional
from mustermann.tables.conditional import Rules, log_likelihood, sample
from mustermann.tables.decode import TransformerWalk
from mustermann.tables.domain import Column, Domain
from mustermann.tables.feasible import Feasible, Relation
from mustermann.tables.transformer import Shape, TableTransformer
from mustermann.tables.walks import TableWalk

SIZES = (3, 4, 2)
ROWS = np.array(list(itertools.product(*map(range, SIZES))))
NEVER = Relation(columns=(0, 2), table=np.array([[1, 1], [1, 0], [0, 1]], bool), rule="never")


class Transformer:
    """Random weights, no training: the order is not the table's."""

    order = (2, 0, 1)

    def __init__(self):
        columns = tuple(
            Column(name, n, ordered=False) for name, n in zip("abc", SIZES, strict=True)
        )
        self.model = TableTransformer(
            Domain(columns), Shape(width=16, layers=1, heads=2), order=list(self.order),
            generator=torch.Generator().manual_seed(3),
        ).eval()  # fmt: skip
        with torch.no_grad():
            self.model.heads.weight.normal_(generator=torch.Generator().manual_seed(4))

    def walk(self, rows):
        return TransformerWalk(self.model, rows)


class Tables:
    """A chain a -> b -> c of look-up tables."""

    order = (0, 1, 2)

    def __init__(self):
        draws = np.random.default_rng(1)
        self.tables = [draws.dirichlet(np.ones(3)), draws.dirichlet(np.ones(4), size=3),
                       draws.dirichlet(np.ones(2), size=4)]  # fmt: skip

    def walk(self, rows):
        return TableWalk(rows, self.order, [(), (0,), (1,)], self.tables)


@pytest.fixture(params=[Tables, Transformer])
def model(request):
    return request.param()


def rules(model, weights, relations=(), allowed=True):
    base = Feasible(relations, order=model.order, sizes=SIZES)
    masks = {column: weight > 0 for column, weight in weights.items()} if allowed else {}
    narrowed = Feasible(relations, order=model.order, sizes=SIZES, allowed=masks)
    return Rules(base=base, narrowed=narrowed, weights=weights)


def target(model, weights, relations):
    chances = np.exp(
        log_likelihood(model, ROWS, Feasible(relations, order=model.order, sizes=SIZES))
    )
    for column, weight in weights.items():
        chances = chances * weight[ROWS[:, column]]
    return chances / chances.sum()


def frequencies(drawn):
    rows = np.concatenate([block.codes for block in drawn])
    flat = np.ravel_multi_index(rows.T, SIZES)
    return np.bincount(flat, minlength=len(ROWS)) / len(rows)


@pytest.mark.parametrize("relations", [(), (NEVER,)])
def test_likelihoods_sum_to_one_and_break_no_rule(model, relations):
    base = Feasible(relations, order=model.order, sizes=SIZES)
    chances = np.exp(log_likelihood(model, ROWS, base))
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    for relation in relations:
        broken = ~relation.table[tuple(ROWS[:, column] for column in relation.columns)]
        assert (chances[broken] == 0).all()
        assert (chances[~broken] > 0).all()


CONDITIONS = [
    {},
    {0: np.array([0.0, 1.0, 1.0])},
    {1: np.array([1.0, 0.3, 0.0, 0.0])},
    {2: np.array([0.0, 1.0])},
    {1: np.array([0.0, 0.0, 0.5, 1.0]), 2: np.array([1.0, 0.0])},
]


@pytest.mark.parametrize("relations", [(), (NEVER,)])
@pytest.mark.parametrize("weights", CONDITIONS)
@pytest.mark.parametrize("outright", [True, False])
def test_samples_follow_the_conditional_distribution(
    model, weights, relations, outright, monkeypatch
):
    if not outright:
        monkeypatch.setattr(conditional, "MOST_PREFIXES", 0)
    drawn = list(sample(model, 20_000, rules(model, weights, relations), seed=0))
    wanted = target(model, weights, relations)
    assert sum(len(block.codes) for block in drawn) == 20_000
    assert np.abs(frequencies(drawn) - wanted).sum() < 0.05
    assert (frequencies(drawn)[wanted == 0] == 0).all()
    exact = outright or not weights
    assert all(block.exact == exact for block in drawn)
    assert all(block.effective <= len(block.codes) for block in drawn)


def test_a_rare_condition_at_the_end_costs_effective_rows_and_not_rows(monkeypatch):
    class Rare(Tables):
        def __init__(self):
            super().__init__()
            self.tables[1] = np.tile([0.998, 0.002 / 3, 0.002 / 3, 0.002 / 3], (3, 1))
            self.tables[2] = np.array([[1e-6, 1 - 1e-6], [1.0, 0], [1.0, 0], [1.0, 0]])

    monkeypatch.setattr(conditional, "MOST_PREFIXES", 0)
    (block,) = sample(Rare(), 500, rules(Rare(), {2: np.array([1.0, 0.0])}), seed=0)
    assert (block.codes[:, 2] == 0).all()
    assert len(block.codes) == 500
    assert block.effective < 50


def test_what_the_model_never_does_is_refused(monkeypatch):
    class Never(Tables):
        def __init__(self):
            super().__init__()
            self.tables[2] = np.tile([0.0, 1.0], (4, 1))

    asked = rules(Never(), {2: np.array([1.0, 0.0])})
    for most in (4096, 0):
        monkeypatch.setattr(conditional, "MOST_PREFIXES", most)
        with pytest.raises(DataError, match="no chance at all"):
            list(sample(Never(), 5, asked, seed=0))


def test_a_seed_fixes_the_rows(model):
    asked = rules(model, {2: np.array([0.0, 1.0])})
    first, again, other = (
        np.concatenate([block.codes for block in sample(model, 100, asked, seed=seed)])
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
