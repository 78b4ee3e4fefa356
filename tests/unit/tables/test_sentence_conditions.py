"""Sentences under conditions and constraints, and gaps in them, as for any other model."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
import torch

from mustermann.core.errors import ConfigError
from mustermann.estimator import SynLM
from mustermann.tables import completion, conditional
from mustermann.tables.completion import Gaps, complete
from mustermann.tables.conditional import Rules
from mustermann.tables.constraints import Constraint
from mustermann.tables.domain import Column, Domain
from mustermann.tables.feasible import Feasible, Relation
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.schema import ColumnSchema, Schema
from mustermann.tables.sentence_decode import SentenceWalk
from mustermann.tables.sentence_likelihood import log_likelihood
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.subwords import Subwords
from mustermann.tables.transformer import Shape

LABELS = (("ab", "abc", "abcd"), ("x", "xy", "xyz", ""), ("no", "not"))
DOMAIN = Domain(
    tuple(
        Column(name, len(labels), ordered=False, labels=labels)
        for name, labels in zip("abc", LABELS, strict=True)
    )
)
ROWS = np.array(list(itertools.product(*map(range, DOMAIN.sizes))))
NEVER = Relation(columns=(0, 2), table=np.array([[1, 1], [1, 0], [0, 1]], bool), rule="never")


class Sentences:
    """Random weights, no training; levels in one word, or several that share beginnings."""

    def __init__(self, tokenizer, order):
        lexicon = Lexicon.of_levels(DOMAIN)
        if tokenizer == "bpe":
            names = [name for labels in LABELS for name in labels]
            lexicon = Lexicon.of_names(DOMAIN, Subwords.train("bpe", names, vocabulary=258))
        draws = torch.Generator().manual_seed(2)
        shape = Shape(width=8, layers=1, heads=2)
        self.order = order
        self.model = SentenceTransformer(lexicon, shape, order=order, generator=draws).eval()
        with torch.no_grad():
            self.model.head.weight.normal_(generator=draws).mul_(0.3)
            self.model.head.bias.normal_(generator=draws)

    def walk(self, rows):
        return SentenceWalk(self.model, rows)

    def chances(self, relations=()):
        """Returns the chance of each row, given that it keeps to the relations."""
        chances = np.exp(log_likelihood(self.model, ROWS))
        if not relations:
            return chances
        # A forbidden level leaves its chance to the others of its column, step by step.
        base = Feasible(relations, order=self.order, sizes=DOMAIN.sizes)
        return np.exp(conditional.log_likelihood(self, ROWS, base))


@pytest.fixture(
    params=[("level", (0, 1, 2)), ("bpe", (0, 1, 2)), ("bpe", (2, 0, 1))], ids=str, scope="module"
)
def model(request):
    return Sentences(*request.param)


def test_chances_under_rules_sum_to_one_and_break_none(model):
    chances = model.chances((NEVER,))
    broken = ~NEVER.table[ROWS[:, 0], ROWS[:, 2]]
    assert chances.sum() == pytest.approx(1, abs=1e-6)
    assert (chances[broken] == 0).all()
    assert (chances[~broken] > 0).all()


@pytest.mark.parametrize("relations", [(), (NEVER,)], ids=["free", "ruled"])
@pytest.mark.parametrize(
    "weights",
    [{0: np.array([0.0, 1.0, 1.0])}, {1: np.array([0.0, 0.3, 1.0, 0.0]), 2: np.array([0.0, 1.0])}],
    ids=["first", "last"],
)
@pytest.mark.parametrize("outright", [True, False])
def test_samples_follow_the_conditional_distribution(
    model, weights, relations, outright, monkeypatch
):
    if not outright:
        monkeypatch.setattr(conditional, "MOST_PREFIXES", 0)
    masks = {column: weight > 0 for column, weight in weights.items()}
    base = Feasible(relations, order=model.order, sizes=DOMAIN.sizes)
    narrowed = Feasible(relations, order=model.order, sizes=DOMAIN.sizes, allowed=masks)
    rules = Rules(base=base, narrowed=narrowed, weights=weights)
    drawn = list(conditional.sample(model, 3000, rules, seed=0))
    wanted = model.chances(relations)
    for column, weight in weights.items():
        wanted = wanted * weight[ROWS[:, column]]
    wanted /= wanted.sum()
    rows = np.concatenate([block.codes for block in drawn])
    found = np.bincount(np.ravel_multi_index(rows.T, DOMAIN.sizes), minlength=len(ROWS)) / 3000
    assert np.abs(found - wanted).sum() < 0.1
    assert (found[wanted == 0] == 0).all()


@pytest.mark.parametrize("outright", [True, False])
@pytest.mark.parametrize("gaps", [(0,), (2,), (0, 1)], ids=str)
def test_gaps_follow_the_distribution_given_the_known_cells(model, gaps, outright, monkeypatch):
    if not outright:
        monkeypatch.setattr(completion, "MOST_COMBINATIONS", 0)
    # Weighted candidates are 128 a row, and read token by token.
    count, bound = (2000, 0.12) if outright else (250, 0.3)
    known = np.array([1, 2, 1])
    free = Feasible((), order=model.order, sizes=DOMAIN.sizes)
    done = complete(
        model,
        Gaps(
            codes=np.tile(known, (count, 1)), open=np.tile(np.isin(range(3), gaps), (count, 1)),
            base=free, narrowed=[free], groups=np.zeros(count, int),
            weights={column: np.ones(DOMAIN.sizes[column]) for column in gaps},
        ),
        seed=0,
    )  # fmt: skip
    kept = [column for column in range(3) if column not in gaps]
    wanted = np.where((ROWS[:, kept] == known[kept]).all(axis=1), model.chances(), 0.0)
    wanted /= wanted.sum()
    flat = np.ravel_multi_index(done.codes.T, DOMAIN.sizes)
    found = np.bincount(flat, minlength=len(ROWS)) / count
    assert np.abs(found - wanted).sum() < bound
    assert (found[wanted == 0] == 0).all()


# ---------------------------------------------------------------- a fitted table

NOTES = ("slept well", "slept badly", "did not sleep")
FORBIDDEN = Constraint(forbid="sex=M,pregnant=yes")
ASCENDING = Constraint(ascending=("low", "high"))


@pytest.fixture(scope="module")
def table():
    draws = np.random.default_rng(0)
    numbers = np.sort(draws.integers(0, 30, (300, 2)), axis=1)
    return pd.DataFrame(
        {
            "sex": draws.choice(["F", "M"], 300), "pregnant": draws.choice(["yes", "no"], 300),
            "low": numbers[:, 0], "high": numbers[:, 1],
            "note": draws.choice(NOTES, 300, p=[0.6, 0.3, 0.1]),
        }
    )  # fmt: skip


@pytest.fixture(
    scope="module",
    params=[("tokenizer=bpe",), ("order=random", "augmult=2"), ("tokenizer=unigram", "tied=true")],
    ids=lambda more: more[0],
)
def fitted(request, table):
    schema = Schema(
        constraints=(FORBIDDEN, ASCENDING),
        columns={"note": ColumnSchema(kind="text", levels=NOTES)},
    )
    overrides = ("layout=sentence", "recipe=paper", "steps=3", "discretise.bins=6")
    augmult = () if any("augmult" in part for part in request.param) else ("augmult=1",)
    return SynLM(
        epsilon=5, delta=1e-4, schema=schema, overrides=(*overrides, *augmult, *request.param)
    ).fit(table)


def assert_valid(rows):
    assert not ((rows.sex == "M") & (rows.pregnant == "yes")).any()
    assert (rows.low <= rows.high).all()
    assert set(rows.note) <= set(NOTES)


def test_every_row_keeps_to_the_constraints(fitted, table):
    rows = fitted.sample(400)
    assert len(rows) == 400
    assert (rows.dtypes == table.dtypes).all()
    assert_valid(rows)


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("pregnant=yes", lambda rows: (rows.sex == "F") & (rows.pregnant == "yes")),
        ("high<20,low>=7", lambda rows: (rows.low >= 7) & (rows.high < 20)),
        ('note="did not sleep"', lambda rows: rows.note == "did not sleep"),
        ('note="slept well"|"slept badly",sex=M', lambda rows: rows.sex == "M"),
    ],
)
def test_conditions_hold_on_top(fitted, where, holds):
    rows = fitted.sample(150, where=where)
    assert len(rows) == 150
    assert holds(rows).all()
    assert_valid(rows)
    assert 0 < fitted.effective_ <= 150


def test_a_condition_that_no_row_can_meet_is_refused(fitted):
    with pytest.raises(ConfigError, match="Expected") as refused:
        fitted.sample(5, where="sex=M,pregnant=yes")
    assert "\n" not in str(refused.value)


def test_gaps_are_filled_and_known_cells_stay(fitted):
    gaps = fitted.sample(60, seed=5).astype({"low": "Int64", "high": "Int64"})
    gaps.loc[::2, "note"] = None
    gaps.loc[::3, "low"] = None
    gaps.loc[::5, "pregnant"] = None
    gaps.loc[7, ["sex", "pregnant", "low", "high", "note"]] = None
    filled = fitted.impute(gaps)
    assert not filled.isna().any(axis=None)
    for name in gaps:
        known = gaps[name].notna()
        assert (filled.loc[known, name] == gaps.loc[known, name]).all()
    assert_valid(filled)
    assert filled.equals(fitted.impute(gaps))
