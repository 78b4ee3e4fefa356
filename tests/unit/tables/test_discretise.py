"""Frames to codes and back."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables import frames, infer
from mustermann.tables.discretise import Discretiser, DiscretiseSettings, build, layout_of
from mustermann.tables.schema import ColumnSchema, Schema

pd = pytest.importorskip("pandas")


def fitted(table, mode="nonprivate", settings=None, **columns):
    settings = settings or DiscretiseSettings()
    schema = Schema(columns=columns)
    frame = frames.from_native(table, infer.reading_of(schema))
    discretiser = build(infer.complete(schema, frame, settings, mode=mode), frame, settings)
    return frame, discretiser


def there_and_back(table, **columns):
    frame, discretiser = fitted(table, **columns)
    codes = discretiser.encode(frame)
    back = discretiser.decode(codes, layout_of(frame, discretiser), np.random.default_rng(0))
    return frames.to_native(back)


def test_levels_that_are_single_values_come_back_as_they_were():
    table = pd.DataFrame(
        {
            "zip": ["03", "04", None],
            "flag": [True, False, True],
            "whole": pd.array([1, None, 31], dtype="Int64"),
            "day": [dt.date(2020, 1, 1), None, dt.date(2020, 1, 9)],
            "time": pd.to_datetime(["2020-01-01 10:00", "2020-01-01 11:00", None]),
            "rate": [0.25, 0.5, float("nan")],
        }
    )
    pd.testing.assert_frame_equal(there_and_back(table), table)


def test_drawn_values_stay_in_the_range_and_on_the_grid():
    draws = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "day": draws.integers(1, 32, 500),
            "digit": draws.integers(0, 10, 500),
            "fnlwgt": draws.integers(12_000, 1_500_000, 500),
            "price": draws.uniform(0, 900, 500).round(2),
            "date": pd.Timestamp("2019-01-01") + pd.to_timedelta(draws.integers(0, 999, 500), "D"),
        }
    )
    back = there_and_back(table)
    assert (back.dtypes == table.dtypes).all()
    for name in table:
        assert back[name].min() >= table[name].min()
        assert back[name].max() <= table[name].max()
    assert (back["price"].round(2) == back["price"]).all()
    assert (back["date"] == back["date"].dt.normalize()).all()


def test_a_value_that_most_rows_of_a_bin_have_comes_back_as_often():
    table = pd.DataFrame({"gain": [0] * 900 + list(range(1, 101)) + [99_999]})
    frame, discretiser = fitted(table)
    codes = np.zeros((20_000, 1), np.int64)
    layout = layout_of(frame, discretiser)
    back = discretiser.decode(codes, layout, np.random.default_rng(0))["gain"].values
    assert np.mean(back == 0) == pytest.approx(0.9, abs=0.01)
    assert back.max() < 1000
    _, plain = fitted(table, settings=DiscretiseSettings(frequent=False))
    assert plain.encode(frame).tolist() == discretiser.encode(frame).tolist()
    spread = plain.decode(codes, layout, np.random.default_rng(0))["gain"].values
    assert np.mean(spread == 0) < 0.01


def test_a_bin_whose_rows_all_have_one_value_gives_that_value():
    frame, discretiser = fitted(pd.DataFrame({"loss": [0.5] * 50 + [4356.25] * 50}))
    back = discretiser.decode(
        discretiser.encode(frame), layout_of(frame, discretiser), np.random.default_rng(0)
    )
    assert set(back["loss"].values.tolist()) == {0.5, 4356.25}


def test_a_value_of_few_rows_is_not_kept_as_frequent():
    table = pd.DataFrame({"gain": [0] * 1000 + [77_777] * 19 + [99_999]})
    _, discretiser = fitted(table)
    assert discretiser.encoders[0].shares == (1.0, 0.0, 0.0)


def test_public_bins_have_no_frequent_values():
    table = pd.DataFrame({"gain": [0] * 900 + [100]})
    column = ColumnSchema(kind="integer", bounds=(0, 100_000), missing=False)
    _, discretiser = fitted(table, gain=column)
    assert discretiser.encoders[0].frequent == ()


def test_public_bins_are_not_folded_to_the_rows():
    table = pd.DataFrame({"age": [20, 60], "sex": ["w", "w"]})
    declared = {
        "age": ColumnSchema(kind="integer", bounds=(0, 119), bins=10),
        "sex": ColumnSchema(kind="categorical", levels=("m", "w", "d")),
    }
    _, discretiser = fitted(table, mode="public", **declared)
    assert discretiser.domain.sizes == (10, 4)  # Three, and a spare one.
    assert [column.ordered for column in discretiser.domain.columns] == [True, False]


def test_whole_numbers_have_no_bin_that_holds_none():
    table = pd.DataFrame({"month": [1, 12]})
    column = ColumnSchema(kind="integer", bounds=(1, 12))
    _, discretiser = fitted(table, mode="public", month=column)
    assert discretiser.domain.sizes == (12,)


def test_declared_edges_are_the_bins():
    table = pd.DataFrame({"age": [3, 17, 18, 64, 65, 99]})
    column = ColumnSchema(kind="integer", bins=(0, 18, 65, 120), missing=False)
    frame, discretiser = fitted(table, age=column)
    assert discretiser.encode(frame)[:, 0].tolist() == [0, 0, 1, 1, 2, 2]


def test_a_dropped_column_is_neither_coded_nor_given_back():
    table = pd.DataFrame({"id": ["a", "b"], "n": [1, 2]})
    back = there_and_back(table, id=ColumnSchema(drop=True))
    assert list(back.columns) == ["n"]


def test_dropping_all_columns_is_refused():
    with pytest.raises(DataError, match="drops them all"):
        fitted(pd.DataFrame({"id": ["a"]}), id=ColumnSchema(drop=True))


def test_a_rare_category_does_not_come_out_in_the_dtype():
    table = pd.DataFrame({"c": pd.Categorical(["a"] * 5 + ["rare name"])})
    frame, discretiser = fitted(table, settings=DiscretiseSettings(top=2))
    assert layout_of(frame, discretiser).fields[0].categories == ("a",)


def test_the_label_of_unknown_values_is_no_known_value():
    table = pd.DataFrame({"c": ["unknown", "a", "b"]})
    frame, discretiser = fitted(table, settings=DiscretiseSettings(top=2))
    codes = discretiser.encode(frame)
    back = discretiser.decode(codes, layout_of(frame, discretiser), np.random.default_rng(0))
    assert frames.to_native(back)["c"].tolist() == ["unknown", "unknown (other)", "unknown (other)"]


def test_a_value_beyond_the_declared_levels_is_refused_at_the_fit():
    with pytest.raises(DataError, match="'sex', found 'x' in row 2"):
        fitted(pd.DataFrame({"sex": ["w", "x"]}), sex=ColumnSchema(levels=("m", "w")))


def test_a_spare_unknown_is_scored_and_never_drawn():
    frame, discretiser = fitted(pd.DataFrame({"c": ["a", "b"]}))
    assert discretiser.domain.sizes == (3,)
    codes = np.full((200, 1), 2)
    back = discretiser.decode(codes, layout_of(frame, discretiser), np.random.default_rng(0))
    assert set(frames.to_native(back)["c"]) == {"a", "b"}


def test_new_values_count_as_unknown_where_text_is_read():
    _, discretiser = fitted(pd.DataFrame({"c": ["a", "b"]}))
    other = frames.from_native(pd.DataFrame({"c": ["z"], "more": [1]}), discretiser.reading)
    assert discretiser.encode(other).tolist() == [[2]]


def test_a_missing_column_is_refused_with_the_nearest_name():
    _, discretiser = fitted(pd.DataFrame({"education": ["a"], "education_num": [1]}))
    other = frames.from_native(pd.DataFrame({"education": ["a"], "educationnum": [1]}))
    with pytest.raises(DataError, match=r"'education_num'.*Did you mean 'educationnum'"):
        discretiser.encode(other)


def test_a_record_gives_the_discretiser_back():
    table = pd.DataFrame({"n": [1, 2], "c": ["a", "?"]})
    frame, discretiser = fitted(table, c=ColumnSchema(missing_values=("?",)))
    again = Discretiser.from_record(json.loads(json.dumps(discretiser.to_record())))
    assert again == discretiser
    assert np.array_equal(again.encode(frame), discretiser.encode(frame))


@pytest.mark.parametrize("settings", [{"bins": 0}, {"top": 1}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError):
        DiscretiseSettings(**settings)
