from __future__ import annotations

import pytest
import torch

from mustermann.tables.threads import CHOICE, one_thread


@pytest.fixture(autouse=True)
def _two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_one_thread_within_the_block_and_what_was_before_after_it(monkeypatch):
    monkeypatch.delenv(CHOICE, raising=False)
    with pytest.raises(ZeroDivisionError), one_thread():
        assert torch.get_num_threads() == 1
        _ = 1 / 0
    assert torch.get_num_threads() == 2


def test_whoever_names_a_number_gets_it(monkeypatch):
    monkeypatch.setenv(CHOICE, "2")
    with one_thread():
        assert torch.get_num_threads() == 2
