"""Private levels: a value of one row is published as rarely as the reserved delta says."""

from __future__ import annotations

import math

import pytest

from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import frames, infer
from mustermann.tables.discover import TAIL, discover
from mustermann.tables.discretise import DiscretiseSettings
from mustermann.tables.schema import Schema

pd = pytest.importorskip("pandas")


@pytest.mark.parametrize("columns", [1, 4])
def test_values_of_single_rows_pass_the_threshold_at_the_reserved_rate(columns):
    rows, delta = 20_000, 0.5
    table = pd.DataFrame({f"c{i}": [f"v{row}" for row in range(rows)] for i in range(columns)})
    frame = frames.from_native(table, infer.reading_of(Schema()))
    ledger = Ledger(Budget(epsilon=1.0, delta=delta))
    settings = DiscretiseSettings(top=10**6)
    found = discover(Schema(), frame, settings, ledger=ledger).completed.schema
    published = sum(len(column.levels) for column in found.columns.values())
    # Of one row, some value is published with a chance of at most TAIL x delta.
    expected = rows * TAIL * delta
    assert abs(published - expected) < 5 * math.sqrt(expected)
