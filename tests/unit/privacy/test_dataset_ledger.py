from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.dataset_ledger import DatasetLedger, Fit

CAP = Budget(epsilon=3.0, delta=1e-4)
ONE = Budget(epsilon=1.0, delta=1e-5)


def test_fits_add_up_to_the_cap_and_no_further(tmp_path):
    journal = DatasetLedger(tmp_path / "adult.jsonl", cap=CAP)
    for name in ("first", "second", "third"):
        journal.reserve(name, ONE)
    with pytest.raises(PrivacyError, match=r"'fourth' the 4 fits would spend epsilon=4"):
        journal.reserve("fourth", Budget(epsilon=1.0, delta=1e-5))
    again = DatasetLedger(tmp_path / "adult.jsonl", cap=CAP).fits()
    assert again == tuple(
        Fit(name=n, epsilon=1.0, delta=1e-5) for n in ("first", "second", "third")
    )


def test_figures_add_up_as_they_are_written(tmp_path):
    journal = DatasetLedger(tmp_path / "a.jsonl", cap=Budget(epsilon=0.7, delta=3e-5))
    for _ in range(3):
        journal.reserve("a part", Budget(epsilon=0.1, delta=1e-5))
    with pytest.raises(PrivacyError, match="4 fits"):
        journal.reserve("too much", Budget(epsilon=0.4000001, delta=1e-6))
    cap = Budget(epsilon=0.3, delta=3e-5)
    for number in range(3):
        DatasetLedger(tmp_path / "b.jsonl", cap=cap).reserve(
            f"part {number}", Budget(epsilon=0.1, delta=1e-5)
        )


def test_deltas_are_capped_too(tmp_path):
    journal = DatasetLedger(tmp_path / "a.jsonl", cap=Budget(epsilon=9.0, delta=1.5e-5))
    journal.reserve("first", ONE)
    with pytest.raises(PrivacyError, match="delta=2e-05"):
        journal.reserve("second", ONE)


def test_a_line_cut_by_a_crash_is_not_a_fit_and_does_no_harm(tmp_path):
    path = tmp_path / "a.jsonl"
    journal = DatasetLedger(path, cap=CAP)
    journal.reserve("before the crash", ONE)
    with path.open("a") as file:
        file.write('{"name": "cut", "eps')
    assert [fit.name for fit in journal.fits()] == ["before the crash"]
    journal.reserve("after the crash", ONE)
    assert [fit.name for fit in journal.fits()] == ["before the crash", "after the crash"]
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_processes_that_come_together_do_not_pass_the_cap(tmp_path):
    path = tmp_path / "a.jsonl"

    def fit(number):
        try:
            DatasetLedger(path, cap=CAP).reserve(f"fit {number}", ONE)
        except PrivacyError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        granted = list(pool.map(fit, range(16)))
    assert sum(granted) == 3
    assert len(DatasetLedger(path, cap=CAP).fits()) == 3


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"name": "a"}',
    '{"name": "a", "epsilon": -1.0, "delta": 1e-5}'])  # fmt: skip
def test_a_journal_that_was_changed_is_refused(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match="line 1"):
        DatasetLedger(path, cap=CAP).reserve("next", ONE)
    assert path.read_text() == line + "\n"


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="another place"):
        DatasetLedger(tmp_path / "missing" / "a.jsonl", cap=CAP).reserve("a", ONE)
