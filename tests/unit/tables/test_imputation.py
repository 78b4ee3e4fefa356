"""Gaps are filled given the other cells, which stay as they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.estimator import SynLM
from mustermann.tables import completion
from mustermann.tables.completion import Gaps, complete
from mustermann.tables.constraints import Constraint
from mustermann.tables.feasible import Feasible
from mustermann.tables.schema import Schema
from mustermann.tables.walks import TableWalk

NEVER = Constraint(forbid="sex=M,pregnant=yes")
ASCENDING = Constraint(ascending=("low", "middle", "high"))


class Chain:
    """a -> b -> c, look-up tables."""

    order = (0, 1, 2)
    sizes = (3, 4, 2)

    def __init__(self):
        draws = np.random.default_rng(1)
        self.tables = [draws.dirichlet(np.ones(3)), draws.dirichlet(np.ones(4), size=3),
                       draws.dirichlet(np.ones(2), size=4)]  # fmt: skip

    def walk(self, rows):
        return TableWalk(rows, self.order, [(), (0,), (1,)], self.tables)


@pytest.mark.parametrize("outright", [True, False])
@pytest.mark.parametrize("gaps", [(0,), (1,), (2,), (0, 1), (1, 2)])
def test_gaps_follow_the_distribution_given_the_known_cells(gaps, outright, monkeypatch):
    if not outright:
        monkeypatch.setattr(completion, "MOST_COMBINATIONS", 0)
    model, count = Chain(), 4000
    free = Feasible((), order=model.order, sizes=model.sizes)
    codes = np.tile([1, 2, 1], (count, 1))
    done = complete(
        model,
        Gaps(
            codes=codes, open=np.tile(np.isin(range(3), gaps), (count, 1)), base=free,
            narrowed=[free], groups=np.zeros(count, int),
            weights={column: np.ones(model.sizes[column]) for column in gaps},
        ),
        seed=0,
    )  # fmt: skip
    a, b, c = model.tables
    joint = a[:, None, None] * b[:, :, None] * c[None]
    known = tuple(slice(None) if column in gaps else codes[0, column] for column in range(3))
    wanted = (joint[known] / joint[known].sum()).ravel()
    shape = [model.sizes[column] for column in gaps]
    found = np.ravel_multi_index(done.codes[:, list(gaps)].T, shape)
    assert np.abs(np.bincount(found, minlength=len(wanted)) / count - wanted).sum() < 0.1
    known_last = 2 not in gaps
    assert np.isinf(done.effective).all() == (outright or not known_last)


@pytest.fixture(scope="module")
def table():
    draws = np.random.default_rng(0)
    count = 200
    numbers = np.sort(draws.integers(0, 40, (count, 3)), axis=1)
    sex = draws.choice(["F", "M"], count)
    return pd.DataFrame(
        {
            "low": numbers[:, 0], "middle": numbers[:, 1], "high": numbers[:, 2], "sex": sex,
            "pregnant": np.where(sex == "M", "no", draws.choice(["yes", "no"], count)),
        }
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(table):
    schema = Schema(constraints=(NEVER, ASCENDING))
    return SynLM(
        epsilon=5, delta=1e-4, method="independent", schema=schema, overrides=("discretise.bins=5",)
    ).fit(table)


def with_gaps(table):
    gaps = table.astype({"low": "Int64", "middle": "Int64", "high": "Int64"})
    gaps.loc[::2, "middle"] = None
    gaps.loc[::3, "pregnant"] = None
    gaps.loc[::7, "sex"] = None
    gaps.loc[5, ["low", "middle", "high", "sex", "pregnant"]] = None
    return gaps


def test_known_cells_stay_and_constraints_hold(model, table):
    gaps = with_gaps(table)
    filled = model.impute(gaps)
    assert not filled.isna().any(axis=None)
    assert list(filled.dtypes.astype(str)) == list(gaps.dtypes.astype(str))
    for name in gaps:
        known = gaps[name].notna()
        assert (filled.loc[known, name] == gaps.loc[known, name]).all()
    assert (filled.low <= filled.middle).all()
    assert (filled.middle <= filled.high).all()
    assert not ((filled.sex == "M") & (filled.pregnant == "yes")).any()
    assert filled.equals(model.impute(gaps))
    assert not filled.equals(model.impute(gaps, seed=9))


def test_further_columns_and_their_order_stay(model, table):
    wide = with_gaps(table)[["sex", "high", "low", "pregnant", "middle"]].assign(note="as it was")
    filled = model.impute(wide)
    assert list(filled.columns) == list(wide.columns)
    assert (filled.note == "as it was").all()


def test_named_columns_are_filled_anew_and_others_keep_their_gaps(model, table):
    gaps = table.astype({"low": "Int64"})
    filled = model.impute(gaps, columns=("pregnant",))
    assert (filled.pregnant != gaps.pregnant).any()
    assert filled.drop(columns="pregnant").equals(gaps.drop(columns="pregnant"))


def test_a_row_that_breaks_a_constraint_is_named(model, table):
    wrong = with_gaps(table)
    wrong.loc[4, ["low", "middle", "high"]] = [9, None, 3]
    with pytest.raises(DataError, match="row 5 break the model's constraints"):
        model.impute(wrong)


def test_a_column_that_is_none_is_refused(model, table):
    with pytest.raises(ConfigError, match="Did you mean 'pregnant'"):
        model.impute(table, columns=("pregnent",))
    with pytest.raises(DataError, match="found no 'sex'"):
        model.impute(table.drop(columns="sex"))
