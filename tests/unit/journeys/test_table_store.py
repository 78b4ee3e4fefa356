from __future__ import annotations

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.journeys.table_store import Store


def test_what_is_added_is_found_by_the_next_run(tmp_path) -> None:
    path = tmp_path / "results.jsonl"
    first = Store(path)
    assert first.find("a") is None
    first.add("a", {"nll": 1.5})
    first.add("b", {"nll": 2.5})
    again = Store(path)
    assert again.find("a") == {"nll": 1.5}
    assert again.find("b") == {"nll": 2.5}


def test_a_line_that_a_crash_cut_off_is_taken_off(tmp_path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"key": "a", "record": {"nll": 1.5}}\n{"key": "b", "rec')
    store = Store(path)
    assert store.find("a") == {"nll": 1.5}
    assert store.find("b") is None
    store.add("b", {"nll": 3.0})
    assert Store(path).find("b") == {"nll": 3.0}


def test_a_broken_line_is_refused_by_its_number(tmp_path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('not json\n{"key": "k", "record": {}}\n')
    with pytest.raises(DataError, match="line 1"):
        Store(path)


def test_a_missing_directory_is_refused_before_anything_runs(tmp_path) -> None:
    with pytest.raises(ConfigError, match="directory"):
        Store(tmp_path / "missing" / "results.jsonl")


def test_without_a_file_cells_are_known_to_this_run_alone() -> None:
    store = Store(None)
    store.add("a", {"nll": 1.0})
    assert store.find("a") == {"nll": 1.0}
    assert Store(None).find("a") is None
