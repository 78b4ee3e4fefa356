"""Frames of three libraries in, and the same kind out."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from mustermann.core.errors import DataError
from mustermann.tables import frames
from mustermann.tables.frames import Layout, Reading, arrow_type

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

DAYS = [dt.date(2020, 1, 1), None, dt.date(2021, 12, 31)]


def pandas_frame():
    return pd.DataFrame(
        {
            "category": pd.Categorical(["b", "a", None], ["z", "b", "a"], ordered=True),
            "code": pd.Categorical([3, 1, 3]),
            "small": pd.array([1, None, 2], dtype="Int8"),
            "whole": np.array([1, 2, 3]),
            "flag": [True, False, True],
            "maybe": pd.array([True, None, False], dtype="boolean"),
            "day": DAYS,
            "naive": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "zoned": pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Berlin"),
            "text": ["a", None, "b"],
            "float": [1.0, float("nan"), 2.5],
            "half": pd.array([1, 2, 3], dtype="float32"),
        }
    )


def polars_frame():
    return pl.DataFrame(
        {
            "enum": pl.Series(["b", "a", None], dtype=pl.Enum(["z", "b", "a"])),
            "category": pl.Series(["b", "a", None], dtype=pl.Categorical),
            "small": pl.Series([1, None, 3], dtype=pl.Int8),
            "day": DAYS,
            "time": [dt.datetime(2020, 1, 1, 3, tzinfo=dt.UTC)] * 3,
            "text": ["x", "y", None],
            "flag": [True, None, False],
        }
    )


def arrow_table():
    return pa.table(
        {
            "text": pa.array(["x", None, "y"], pa.large_string()),
            "code": pa.array(["x", None, "y"]).dictionary_encode(),
            "small": pa.array([1, None, 3], pa.uint8()),
            "money": pa.array([1, None, 3], pa.decimal128(10, 2)),
            "day": pa.array(DAYS),
            "time": pa.array([0, 1, None], pa.timestamp("ms", "Europe/Berlin")),
            "nothing": pa.nulls(3),
        }
    )


def test_a_pandas_frame_comes_back_with_its_dtypes_and_category_order():
    before = pandas_frame()
    after = frames.to_native(frames.from_native(before))
    pd.testing.assert_frame_equal(before, after)


def test_a_pandas_index_is_no_column():
    before = pandas_frame().set_axis([5, 7, 9])
    assert frames.from_native(before).names == tuple(before.columns)


def test_a_polars_frame_comes_back_with_its_dtypes():
    before = polars_frame()
    after = frames.to_native(frames.from_native(before))
    assert after.schema == before.schema
    assert after.equals(before)


def test_an_arrow_table_comes_back_with_its_types():
    before = arrow_table()
    after = frames.to_native(frames.from_native(before))
    assert [str(t) for t in after.schema.types] == [
        "large_string", "dictionary<values=string, indices=int32, ordered=0>", "uint8",
        "decimal128(10, 2)", "date32[day]", "timestamp[ms, tz=Europe/Berlin]", "null",
    ]  # fmt: skip
    assert after.to_pylist() == before.to_pylist()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2], "got list"),
        (pd.DataFrame(), "at least one column"),
        (pd.DataFrame({"a": []}), "Expected rows"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "each column name once"),
        (pd.DataFrame({1: [1]}), "names to be text, found 1"),
        (pd.DataFrame({"a": [1, "x"]}), "each column to hold one type"),
        (pd.DataFrame({"a": [[1]]}), "found list<item: int64>"),
        (pd.DataFrame({"a": [1.0, float("inf")]}), "infinite one in row 2"),
        (pa.table({"a": pa.array([2**63], pa.uint64())}), "'a' of the table does not fit"),
    ],
)
def test_what_is_no_table_of_plain_columns_is_refused_in_one_line(table, message):
    with pytest.raises(DataError) as refused:
        frames.from_native(table)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_layout_survives_json():
    import json

    layout = frames.from_native(pandas_frame()).layout
    assert Layout.from_record(json.loads(json.dumps(layout.to_record()))) == layout


@pytest.mark.parametrize(
    "type_",
    [
        pa.int8(), pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.string(),
        pa.large_string(), pa.date32(), pa.date64(), pa.timestamp("ns"),
        pa.timestamp("us", "Europe/Berlin"), pa.decimal128(10, 2), pa.null(),
    ],
)  # fmt: skip
def test_a_type_in_words_gives_the_type_back(type_):
    assert arrow_type(str(type_)) == type_


def test_whole_floats_may_be_read_as_integers_and_back():
    frame = frames.from_native(
        pd.DataFrame({"a": [1.0, 2.0, float("nan")]}), Reading(storages={"a": "integer"})
    )
    assert frame["a"].storage == "integer"
    assert frame["a"].values[:2].tolist() == [1, 2]
    assert frame["a"].missing.tolist() == [False, False, True]


def test_numbers_are_not_read_as_text():
    with pytest.raises(DataError, match="Expected a string column 'a'"):
        frames.from_native(pd.DataFrame({"a": [1]}), Reading(storages={"a": "string"}))


def test_frames_of_one_layout_join():
    frame = frames.from_native(polars_frame())
    assert len(frames.concatenate([frame, frame])) == 6
