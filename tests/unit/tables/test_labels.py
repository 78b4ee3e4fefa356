"""Names of levels: what semantic tokens are made of."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest

from mustermann.core.errors import ConfigError
from mustermann.tables import infer
from mustermann.tables.discretise import DiscretiseSettings, build
from mustermann.tables.encoders import Bins, Levels
from mustermann.tables.files import load
from mustermann.tables.schema import ColumnSchema, Schema


def labels(series, settings=None, **column):
    schema = Schema(columns={"x": ColumnSchema(**column)} if column else {})
    settings = settings or DiscretiseSettings(bins=4)
    frame = load(pd.DataFrame({"x": series}), infer.reading_of(schema))
    completed = infer.complete(schema, frame, settings, mode="nonprivate")
    (found,) = build(completed, frame, settings).domain.columns
    assert len(found.labels) == found.size
    return found.labels


def test_values_are_their_own_names():
    assert labels(["b", "a", "b", None]) == ("b", "a", "unknown", "missing")
    assert labels([True, False]) == ("false", "true")
    assert labels([3, 1], kind="ordinal") == ("1", "3")


def test_a_bin_is_named_by_its_smallest_value():
    assert labels([0, 3, 7, 10]) == ("0", "3", "5", "8")
    assert labels([0.0, 0.5, 1.0], kind="float", step=0.1) == ("0.0", "0.5", "0.8")
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 5)]
    assert labels(days) == ("2020-01-01", "2020-01-04")


def test_numbers_have_as_few_digits_as_tell_them_apart():
    bins = Bins(name="x", storage="float", edges=(0.0, 1 / 3, 2 / 3, 1.0), kept=(0, 1, 2))
    assert bins.labels == ("0.0", "0.3", "0.7")
    near = Bins(name="x", storage="float", edges=(0.0, 1e-14, 2e-14), kept=(0, 1), missing=True)
    assert near.labels == ("0.0", "1e-14", "missing")


def test_names_that_a_value_has_already_do_not_hide_the_others():
    levels = Levels(
        name="x", storage="string", values=("missing", "unknown"), unknown="unknown (other)",
        missing=True,
    )  # fmt: skip
    assert levels.labels == ("missing", "unknown", "unknown (other)", "missing")


def test_a_text_column_has_the_declared_texts():
    texts = ("slept well", "slept badly", "no sleep")
    found = labels(["slept well", "no sleep"], kind="text", levels=texts)
    assert found[:3] == texts


@pytest.mark.parametrize("levels", [None, ()])
def test_text_without_bounds_is_refused_in_one_line(levels):
    with pytest.raises(ConfigError, match="text column needs levels") as caught:
        ColumnSchema(kind="text", levels=levels)
    assert "\n" not in str(caught.value)
    assert ColumnSchema(kind="text", drop=True).drop


def test_the_levels_of_a_text_column_are_texts():
    with pytest.raises(ConfigError, match="are texts"):
        ColumnSchema(kind="text", levels=("a", 3))
