"""Values to levels and back."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mustermann.core.errors import DataError
from mustermann.tables.encoders import Bins, Levels, bin_of, from_record, grid, on_grid
from mustermann.tables.frames import Series


def series(values, *, storage="integer", missing=None, texts=()):
    values = np.asarray(values)
    gone = np.zeros(len(values), bool) if missing is None else np.asarray(missing, bool)
    return Series(name="c", storage=storage, values=values, missing=gone, texts=texts)


def words(*texts):
    distinct = tuple(dict.fromkeys(text for text in texts if text is not None))
    values = [distinct.index(text) if text is not None else 0 for text in texts]
    return series(
        values, storage="string", missing=[text is None for text in texts], texts=distinct
    )


def test_levels_come_in_order_then_unknown_then_missing():
    levels = Levels(name="c", storage="string", values=("b", "a"), unknown="unknown", missing=True)
    codes = levels.encode(words("a", "zebra", None, "b"))
    assert codes.tolist() == [1, 2, 3, 0]
    assert levels.size == 4


def test_a_value_that_is_no_level_is_refused_by_name_and_row():
    levels = Levels(name="c", storage="string", values=("a",))
    with pytest.raises(DataError, match=r"'c', found 'zebra' in row 2"):
        levels.encode(words("a", "zebra"))


def test_a_missing_value_without_its_level_is_refused():
    levels = Levels(name="c", storage="string", values=("a",))
    with pytest.raises(DataError, match="found none in row 2"):
        levels.encode(words("a", None))


def test_unknown_text_comes_back_as_its_label_and_missing_as_missing():
    levels = Levels(name="c", storage="string", values=("a",), unknown="other", missing=True)
    back = levels.decode(np.array([0, 1, 2]), np.random.default_rng(0))
    assert [back.texts[value] for value in back.values[:2]] == ["a", "other"]
    assert back.missing.tolist() == [False, False, True]


@pytest.mark.parametrize("missing", [True, False])
def test_an_unknown_number_comes_back_missing_or_as_a_known_one(missing):
    levels = Levels(name="c", storage="integer", values=(7, 9), unknown="unknown", missing=missing)
    back = levels.decode(np.full(200, 2), np.random.default_rng(0))
    if missing:
        assert back.missing.all()
    else:
        assert set(back.values.tolist()) == {7, 9}
        assert not back.missing.any()


def test_values_beyond_the_edges_count_as_the_outermost_bins():
    assert bin_of(np.array([-5, 0, 9.99, 10, 20, 99]), (0, 10, 20)).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_value_in_a_bin_that_is_not_kept_counts_as_the_nearest_kept_one():
    bins = Bins(name="c", storage="integer", edges=(0, 1, 2, 3, 4, 5), kept=(0, 4), step=1.0)
    assert bins.encode(series([0, 1, 2, 3, 4])).tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("edges", "step", "first", "last"),
    [
        ((17.0, 17.73, 18.46, 19.0), 1.0, [17, 18, 19], [17, 18, 19]),
        ((0.0, 0.3, 0.6, 0.9), 0.1, [0, 3, 6], [2, 5, 9]),
        ((0.0, 0.5, 0.9), 1.0, [0, 1], [0, 0]),
        ((5.0, 5.0), 1.0, [5], [5]),
    ],
)
def test_grid_points_of_each_bin(edges, step, first, last):
    found = grid(edges, step)
    assert found[0].tolist() == first
    assert found[1].tolist() == last


def test_steps_of_a_tenth_give_decimals():
    assert on_grid(np.array([3, 7]), 0.1).tolist() == [0.3, 0.7]


def test_a_constant_column_comes_back_as_its_value():
    bins = Bins(name="c", storage="float", edges=(2.5, 2.5), kept=(0,))
    assert bins.encode(series([2.5], storage="float")).tolist() == [0]
    assert bins.decode(np.zeros(3, np.int64), np.random.default_rng(0)).values.tolist() == [2.5] * 3


def test_missing_numbers_have_the_last_level():
    bins = Bins(name="c", storage="integer", edges=(0, 5, 10), kept=(0, 1), step=1.0, missing=True)
    codes = bins.encode(series([7, 0], missing=[False, True]))
    assert codes.tolist() == [1, 2]
    assert bins.decode(codes, np.random.default_rng(0)).missing.tolist() == [False, True]


def test_missing_numbers_without_their_level_are_refused():
    bins = Bins(name="c", storage="integer", edges=(0, 10), kept=(0,))
    with pytest.raises(DataError, match="row 2"):
        bins.encode(series([7, 0], missing=[False, True]))


@pytest.mark.parametrize(
    "encoder",
    [
        Levels(name="c", storage="boolean", values=(False, True), missing=True),
        Bins(name="c", storage="float", edges=(0.0, 0.1, 1.0), kept=(0, 1), step=0.01),
    ],
)
def test_a_record_gives_the_encoder_back(encoder):
    import json

    assert from_record(json.loads(json.dumps(encoder.to_record()))) == encoder


def test_encoders_are_values():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Levels(name="c", storage="string", values=()).name = "d"


def test_a_spare_unknown_comes_back_as_a_known_value():
    levels = Levels(name="c", storage="string", values=("a", "b"), unknown="unknown", spare=True)
    assert levels.encode(words("zebra")).tolist() == [2]
    back = levels.decode(np.full(200, 2), np.random.default_rng(0))
    assert set(back.values.tolist()) == {0, 1}
