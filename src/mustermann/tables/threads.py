"""How many threads torch computes with while a model of rows is fitted.

On models of this size threads wait for each other longer than they compute, the more so on
a busy machine.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

CHOICE = "OMP_NUM_THREADS"
"""The variable of the environment that says how many threads there are."""


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Computes in one thread within the block, unless `OMP_NUM_THREADS` says how many."""
    before = torch.get_num_threads()
    if CHOICE not in os.environ:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
