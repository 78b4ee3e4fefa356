from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mustermann.core.errors import MustermannError, PrivacyError
from mustermann.journeys import table_cell, table_split
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger


@pytest.fixture
def task(dependent_table) -> table_cell.Task:
    data = table_split.prepare(dependent_table, "uniform", None)
    return table_cell.Task(
        method="independent", overrides=(), seed=0, domain=data.domain,
        train=data.train, valid=data.valid, test=data.test, ledger=opened(1e6),
    )  # fmt: skip


def opened(epsilon, delta=1e-5):
    return Ledger(Budget(epsilon=epsilon, delta=delta)).to_record()


def test_a_cell_measures_one_fit(task) -> None:
    found = table_cell.measure(task)
    # At this budget noise changes nothing that can be seen: the marginals' own loss.
    expected = np.zeros(len(task.test))
    for column, size in enumerate(task.domain.sizes):
        shares = np.bincount(task.train[:, column], minlength=size) / len(task.train)
        expected -= np.log(shares[task.test[:, column]])
    np.testing.assert_allclose(found.losses, expected, rtol=0.02)
    assert found.guarantee.epsilon <= 1e6
    assert found.distances.tvd1 < 0.2
    assert found.seconds >= 0


def test_aim_is_scored_raw_public_and_by_validation(task) -> None:
    found = table_cell.measure(dataclasses.replace(task, method="aim", ledger=opened(3.0)))
    assert found.more["pseudo_counts"] in table_cell.PSEUDO_COUNTS
    assert found.more["pseudo_counts_private"] is False
    assert found.more["nll_public"] > 0
    assert np.isfinite(found.losses).all()


@pytest.mark.slow
def test_a_process_of_its_own_finds_the_same_and_hands_back_errors(task) -> None:
    alone, here = table_cell.measure_alone(task), table_cell.measure(task)
    np.testing.assert_allclose(alone.losses, here.losses, rtol=1e-2)
    assert alone.peak_megabytes > 0
    with pytest.raises(PrivacyError):
        table_cell.measure_alone(dataclasses.replace(task, ledger=opened(1.0, 0.5)))


class _Dies:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        import os

        return (os._exit, (9,))


@pytest.mark.slow
def test_a_process_that_dies_is_one_line(task) -> None:
    with pytest.raises(MustermannError, match="exit code"):
        table_cell.measure_alone(dataclasses.replace(task, domain=_Dies()))
