"""Schema files: what they say, and what they may not."""

from __future__ import annotations

import datetime as dt

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.schema import ColumnSchema, Schema, number, read_schema


def schema_of(tmp_path, text):
    path = tmp_path / "S.toml"
    path.write_text(text, encoding="utf-8")
    return read_schema(path)


def test_a_schema_file_declares_columns(tmp_path):
    schema = schema_of(
        tmp_path,
        """
        [columns.age]
        kind = "integer"
        bounds = [17, 90]
        [columns."Größe in cm"]
        kind = "float"
        bins = [0.0, 100.0, 250.5]
        [columns.admitted]
        kind = "date"
        bounds = [2019-01-01, 2020-12-31]
        public = false
        [columns.zip]
        levels = ["03", "04"]
        """,
    )
    assert schema.public
    assert schema.column("age").bounds == (17, 90)
    assert schema.column("Größe in cm").bins == (0.0, 100.0, 250.5)
    assert schema.column("admitted").bounds == (dt.date(2019, 1, 1), dt.date(2020, 12, 31))
    assert schema.column("zip").levels == ("03", "04")
    assert schema.column("elsewhere") == ColumnSchema()
    assert schema.is_public("age")
    assert not schema.is_public("admitted")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colums = 1", "'colums' in .*S.toml. Did you mean 'columns'"),
        ("[columns.a]\nkindd = 'float'", "'columns.a.kindd' .* Did you mean 'kind'"),
        ("[columns.a]\nkind = 'number'", "'columns.a.kind'.*'categorical', 'ordinal'"),
        ("[columns.a]\nkind = 'float'\nbounds = [3, 1]", "the other way round"),
        ("[columns.a]\nkind = 'categorical'\nbounds = [1, 3]", "bounds does not go with kind"),
        ("[columns.a]\nkind = 'float'\nlevels = [1]", "levels does not go with kind"),
        ("[columns.a]\nlevels = ['x', 'x']", "a level stands twice"),
        ("[columns.a]\nbins = 0", "bins is at least 1"),
        ("[columns.a]\nbins = [3, 3]", "ascending order"),
        ("[columns.a]\nbins = [1, 3]\nbounds = [1, 3]", "remove bounds"),
        ("[columns.a]\ntop = 1", "top is at least 2"),
        ("[columns.a]\nstep = 0.0", "step is above 0"),
        ("[columns.a]\nlevels = 'abc'", "'columns.a.levels'"),
        ("[columns.a", "Expected TOML"),
    ],
)
def test_a_fault_is_named_in_one_line(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message) as refused:
        schema_of(tmp_path, text)
    assert "\n" not in str(refused.value)


def test_a_missing_schema_file_is_a_wrong_setting(tmp_path):
    with pytest.raises(ConfigError, match="found none"):
        read_schema(tmp_path / "none.toml")


def test_a_column_that_the_table_lacks_is_refused_with_the_nearest_name():
    schema = Schema(columns={"educaton": ColumnSchema()})
    with pytest.raises(DataError, match="Did you mean 'education'"):
        schema.check_names(["age", "education", "education_num"])


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (3, 3),
        (2.5, 2.5),
        ("x", "x"),
        (dt.date(1970, 1, 11), 10),
        (dt.datetime(1970, 1, 1, 0, 0, 1), 1_000_000),
        (dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))), 0),
    ],
)
def test_declared_values_are_held_as_the_data_is(value, held):
    assert number(value) == held
