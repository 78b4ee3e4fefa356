"""The nonprivate discretisation equals the published practice on real tables.

The oracle: strings keep their 99 most frequent values; numbers go through scikit-learn's
KBinsDiscretizer with 100 bins, of which those that hold a row are kept.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mustermann.tables import files, infer
from mustermann.tables.discretise import DiscretiseSettings, build
from mustermann.tables.schema import ColumnSchema, Schema

TABLES = Path(__file__).parents[4] / "shared" / "data" / "tables"
CATEGORICAL = {"shoppers": ("OperatingSystems", "Browser", "Region", "TrafficType")}
UNIFORM_SIZES = {
    "adult": (73, 9, 74, 16, 16, 7, 15, 6, 5, 2, 23, 48, 94, 42, 2),
    "shoppers": (27, 63, 17, 70, 67, 38, 75, 92, 59, 6, 10, 8, 13, 9, 20, 3, 2, 2),
    "covtype15k": (97, 100, 56, 96, 81, 99, 76, 59, 99, 100, 4, 39, 7),
}

pytestmark = [
    pytest.mark.reference,
    pytest.mark.skipif(not TABLES.is_dir(), reason="no reference data beside the checkout"),
]


def oracle(path, categorical, strategy):
    import pandas as pd
    from sklearn.preprocessing import KBinsDiscretizer

    columns = []
    for name, column in pd.read_csv(path).items():
        number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
        if number and name not in categorical:
            cut = KBinsDiscretizer(
                100, encode="ordinal", strategy=strategy, subsample=None, quantile_method="linear"
            )
            bins = cut.fit_transform(column.to_numpy(float)[:, None])[:, 0]
            columns.append(np.unique(bins, return_inverse=True)[1])
        else:
            columns.append(column.astype(str).to_numpy())
    return columns


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("table", ["adult", "shoppers", "covtype15k"])
@pytest.mark.filterwarnings("ignore")
def test_codes_are_those_of_published_practice(table, strategy):
    path = TABLES / f"{table}.csv"
    categorical = CATEGORICAL.get(table, ())
    schema = Schema(columns={name: ColumnSchema(kind="categorical") for name in categorical})
    settings = DiscretiseSettings(strategy=strategy, unknown="observed")
    frame = files.read(path, infer.reading_of(schema))
    completed = infer.complete(schema, frame, settings, mode="nonprivate")
    discretiser = build(completed, frame, settings)
    codes = discretiser.encode(frame)
    if strategy == "uniform":
        assert discretiser.domain.sizes == UNIFORM_SIZES[table]
    expected = oracle(path, categorical, strategy)
    for place, (column, want) in enumerate(zip(discretiser.domain.columns, expected, strict=True)):
        have = codes[:, place]
        if want.dtype == object:
            assert_same_partition_by_frequency(have, want)
            assert column.size == len(set(want))
        else:
            assert np.array_equal(have, want), column.name
            assert column.size == want.max() + 1


def assert_same_partition_by_frequency(have, want):
    """Levels stand for one text each, and come in order of falling frequency."""
    pairs = set(zip(have.tolist(), want.tolist(), strict=True))
    assert len(pairs) == len(set(want)) == len(set(have.tolist()))
    counts = np.bincount(have)
    assert (np.diff(counts) <= 0).all()
