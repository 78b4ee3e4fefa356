from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def dependent_table(tmp_path) -> Path:
    """A table of three columns that depend on each other, 600 rows."""
    draws = np.random.default_rng(0)
    first = draws.integers(0, 6, 600)
    second = (first + (draws.random(600) < 0.2)) % 6
    third = np.array(["x", "y", "z"])[second % 3]
    lines = [f"{a},{b},{c}" for a, b, c in zip(first, second, third, strict=True)]
    path = tmp_path / "toy.csv"
    path.write_text("\n".join(["a,b,c", *lines]) + "\n")
    return path
