"""A person's rows count together: capped, paid for as a group, and named."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.estimator import SynLM
from mustermann.privacy.budget import Budget
from mustermann.tables import frames, persons
from mustermann.tables.schema import Person, Schema


def frame(ids):
    return frames.from_native(pd.DataFrame({"id": ids, "x": range(len(ids))}))


@pytest.mark.parametrize("kind", [int, str])
def test_each_person_keeps_the_first_rows(kind):
    found = persons.capped(frame([kind(i) for i in [2, 1, 2, 2, 1, 3, 2]]), Person(id="id", rows=2))
    assert found["x"].values.tolist() == [0, 1, 2, 4, 5]


def test_a_person_more_moves_no_row_of_the_others():
    ids = [2, 1, 2, 2, 1, 3, 2, 3]
    person = Person(id="id", rows=2)
    whole = persons.capped(frame(ids), person)["x"].values
    fewer = [i for i in ids if i != 2]
    rows = [place for place, i in enumerate(ids) if i != 2]
    rest = persons.capped(frame(fewer), person)["x"].values
    assert [rows[x] for x in rest] == [x for x in whole if ids[x] != 2]
    assert len(whole) - len(rest) == 2


@pytest.mark.parametrize("rows", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.1, 3.0, 60.0])
def test_rows_add_up_to_the_budget(rows, epsilon):
    budget = Budget(epsilon=epsilon, delta=1e-5)
    one = persons.row_budget(budget, rows=rows)
    steps = math.fsum(math.exp(i * one.epsilon) for i in range(rows))
    assert rows * one.epsilon <= epsilon
    assert one.delta * steps <= 1e-5
    assert one.delta * steps == pytest.approx(1e-5)


def test_the_guarantee_is_the_persons():
    draws = np.random.default_rng(0)
    table = pd.DataFrame({"id": draws.integers(0, 80, 400), "x": draws.integers(0, 5, 400)})
    schema = Schema(person=Person(id="id", rows=3))
    model = SynLM(epsilon=3, method="independent", schema=schema).fit(table)
    guarantee = model.guarantee_
    assert 2.9 < guarantee.epsilon <= 3
    assert guarantee.delta == 1e-5
    words = "If you add or remove one person (at most 3 rows, by the column 'id'), the probability"
    assert guarantee.sentence.startswith(words)
    assert "group privacy over 3 rows" in guarantee.accountant
    assert list(model.sample(5).columns) == ["x"]


def test_a_row_without_a_person_is_refused():
    with pytest.raises(DataError, match="in row 2"):
        persons.capped(frame([1, None, 2]), Person(id="id", rows=2))
    with pytest.raises(DataError, match="'patient'"):
        persons.capped(frame([1, 2]), Person(id="patient", rows=2))
    with pytest.raises(ConfigError, match="at least 1"):
        Person(id="id", rows=0)
