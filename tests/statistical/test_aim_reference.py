from __future__ import annotations

from pathlib import Path

import pytest

from mustermann.journeys import table_cell, table_split
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "tables"


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.skipif(not DATA.exists(), reason="needs the reference data")
@pytest.mark.parametrize(
    ("name", "epsilon", "smoothed"), [("covtype15k", 3.0, 41.84), ("shoppers", 3.0, 25.38)]
)
def test_the_baseline_is_as_strong_as_an_independent_build_of_it(name, epsilon, smoothed) -> None:
    assignment = table_split.read_split(DATA / "splits.csv.gz")
    data = table_split.prepare(DATA / f"{name}.csv", "uniform", assignment)
    task = table_cell.Task(
        method="aim", overrides=(), seed=0, domain=data.domain,
        train=data.train, valid=data.valid, test=data.test,
        ledger=Ledger(Budget(epsilon=epsilon, delta=1e-5)).to_record(),
    )  # fmt: skip
    found = table_cell.measure(task)
    # Fits spread by about 0.1: noise is fresh each time.
    assert found.losses.mean() == pytest.approx(smoothed, abs=0.45)
    assert found.more["nll_public"] < found.losses.mean() + 0.4
    assert found.guarantee.epsilon <= epsilon
