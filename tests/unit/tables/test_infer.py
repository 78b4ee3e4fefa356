"""Gaps of a schema: how they are filled, and that each filling is told."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables import frames, infer
from mustermann.tables.discretise import DiscretiseSettings
from mustermann.tables.draft import draft_toml
from mustermann.tables.schema import ColumnSchema, Schema, read_schema

pd = pytest.importorskip("pandas")
SETTINGS = DiscretiseSettings()


def completed(table, mode="nonprivate", settings=SETTINGS, public=True, **columns):
    schema = Schema(public=public, columns=columns)
    frame = frames.from_native(table, infer.reading_of(schema))
    return infer.complete(schema, frame, settings, mode=mode)


TABLE = pd.DataFrame(
    {
        "age": [17, 40, 90, 40],
        "size": [1.5, 2.25, 3.0, 2.0],
        "sex": ["w", "m", "w", None],
        "smoker": [True, True, True, True],
        "day": [dt.date(2020, 1, 1)] * 4,
        "time": pd.to_datetime(["2020-01-01 10:00", "2020-01-01 11:30"] * 2),
    }
)


def test_kinds_bounds_levels_and_steps_come_from_the_data():
    columns = completed(TABLE).schema.columns
    assert columns["age"].kind == "integer"
    assert columns["age"].bounds == (17, 90)
    assert columns["age"].step == 1.0
    assert columns["size"].step == 0.01
    assert columns["sex"].levels == ("w", "m")
    assert columns["sex"].missing
    assert columns["sex"].unknown is None
    assert columns["smoker"].levels == (False, True)
    assert not columns["smoker"].unknown
    assert columns["day"].step == 1.0
    assert columns["time"].step == 60.0


def test_each_read_is_told():
    reads = completed(TABLE, age=ColumnSchema(kind="integer", bounds=(0, 120), missing=False)).reads
    assert reads["age"] == ()
    assert reads["size"] == ("kind", "bounds", "bins", "frequent", "step", "missing")
    assert reads["sex"] == ("kind", "levels", "missing")


def test_quantile_bins_are_read_even_within_declared_bounds():
    column = ColumnSchema(kind="integer", bounds=(0, 120), strategy="quantile", missing=False)
    assert completed(TABLE, age=column).reads["age"] == ("bins", "frequent")
    plain = DiscretiseSettings(frequent=False)
    assert completed(TABLE, settings=plain, age=column).reads["age"] == ("bins",)


def test_what_a_draft_declares_counts_as_read_until_it_is_signed():
    column = ColumnSchema(kind="integer", bounds=(17, 90), missing=False)
    assert completed(TABLE, public=False, age=column).reads["age"] == (
        "bins", "frequent", "declarations",
    )  # fmt: skip


def test_the_phrases_name_few_columns_and_count_the_rest():
    found = completed(TABLE, age=ColumnSchema(kind="integer", bounds=(0, 120), missing=False))
    assert found.read() == (
        "the kinds, bounds, bins, frequent values, steps, levels and missingness of 5 columns "
        "(size, sex, smoker and 2 more)"
    )
    assert found.declared() == "what the schema declares of 1 column (age)"


def test_public_bins_refuse_a_gap_and_say_what_is_lacking():
    with pytest.raises(ConfigError, match="column 'age' lacks kind, bounds"):
        completed(TABLE, mode="public")


def test_public_bins_refuse_an_unsigned_draft():
    column = ColumnSchema(kind="integer", bounds=(17, 90))
    with pytest.raises(ConfigError, match="set public = true"):
        completed(TABLE[["age"]], mode="public", public=False, age=column)


def test_public_bins_read_nothing():
    found = completed(
        TABLE[["age", "sex"]],
        mode="public",
        age=ColumnSchema(kind="integer", bounds=(0, 120)),
        sex=ColumnSchema(kind="categorical", levels=("m", "w", "d"), missing=True),
    )
    assert found.reads == {"age": (), "sex": ()}
    assert found.read() == ""
    assert not found.schema.column("age").missing


def test_many_values_keep_the_most_frequent_and_unknown():
    values = [f"v{i}" for i in range(50_000)] + ["v7"] * 3
    found = completed(pd.DataFrame({"id": values}), settings=DiscretiseSettings(top=5))
    assert found.schema.column("id").levels == ("v7", "v0", "v1", "v2")
    assert found.schema.column("id").unknown


def test_numbers_as_categories_get_no_unknown_unless_there_are_too_many():
    table = pd.DataFrame({"c": [3, 1, 3, 2]})
    column = ColumnSchema(kind="categorical")
    assert completed(table, c=column).schema.column("c").levels == (3, 1, 2)
    assert not completed(table, c=column).schema.column("c").unknown
    crowded = completed(table, settings=DiscretiseSettings(top=2), c=column)
    assert crowded.schema.column("c").levels == (3,)
    assert crowded.schema.column("c").unknown


def test_the_order_of_categories_is_kept():
    table = pd.DataFrame({"c": pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True)})
    found = completed(table).schema.column("c")
    assert found.kind == "ordinal"
    assert found.levels == ("lo", "mid", "hi")


def test_ordinal_text_needs_levels():
    with pytest.raises(ConfigError, match="Declare them in order"):
        completed(pd.DataFrame({"c": ["a", "b"]}), c=ColumnSchema(kind="ordinal"))


def test_a_column_that_holds_nothing_has_one_level():
    found = completed(pd.DataFrame({"c": [None, None]})).schema.column("c")
    assert found.levels == ()
    assert found.missing
    assert not found.unknown


def test_numbers_too_far_apart_are_refused():
    with pytest.raises(DataError, match="a range of numbers below 1e"):
        completed(pd.DataFrame({"a": [-1e308, 1e308]}))


def test_a_schema_column_that_is_not_there_is_refused():
    with pytest.raises(DataError, match="Did you mean 'age'"):
        completed(TABLE, agee=ColumnSchema())


@pytest.mark.parametrize("kind", ["integer", "date", "boolean"])
def test_a_kind_that_the_column_is_not_is_refused(kind):
    with pytest.raises((ConfigError, DataError), match="'sex'"):
        completed(TABLE, sex=ColumnSchema(kind=kind))


def test_a_draft_reads_back_as_the_schema_it_shows(tmp_path):
    names = {"a b": [1, 2], 'q"x': ["\\", "é\n"], "day": [dt.date(2020, 1, 1)] * 2}
    table = TABLE.head(2).assign(**names)
    frame = frames.from_native(table)
    found = infer.complete(Schema(public=False), frame, SETTINGS, mode="nonprivate")
    path = tmp_path / "S.toml"
    path.write_text(draft_toml(found, frame), encoding="utf-8")
    schema = read_schema(path)
    assert not schema.public
    again = infer.complete(
        schema, frames.from_native(table, infer.reading_of(schema)), SETTINGS, mode="nonprivate"
    )
    for name, column in found.schema.columns.items():
        declared = again.schema.column(name)
        assert declared.kind == column.kind
        assert declared.levels == column.levels
        assert declared.step == column.step
        assert declared.missing == column.missing


def test_a_draft_points_at_keys(tmp_path):
    table = pd.DataFrame({"id": [f"p{i}" for i in range(30)], "n": np.arange(30)})
    frame = frames.from_native(table)
    text = draft_toml(infer.complete(Schema(), frame, SETTINGS, mode="nonprivate"), frame)
    assert "drop = true" in text.partition("[columns.id]")[2].partition("[columns.n]")[0]
