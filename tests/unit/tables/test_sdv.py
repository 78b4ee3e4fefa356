"""SDV's metadata in and out."""

from __future__ import annotations

import json

import pytest

from mustermann.core.errors import ConfigError
from mustermann.tables.schema import ColumnSchema, Schema
from mustermann.tables.sdv import read_sdv, to_sdv

COLUMNS = {
    "id": {"sdtype": "id", "regex_format": "P[0-9]{4}"},
    "mail": {"sdtype": "email", "pii": True},
    "age": {"sdtype": "numerical", "computer_representation": "Int64"},
    "rate": {"sdtype": "numerical", "computer_representation": "Float"},
    "open": {"sdtype": "numerical"},
    "sex": {"sdtype": "categorical"},
    "smoker": {"sdtype": "boolean"},
    "day": {"sdtype": "datetime", "datetime_format": "%d %b %Y"},
    "time": {"sdtype": "datetime", "datetime_format": "%Y-%m-%d %H:%M"},
}
KINDS = {
    "age": "integer", "rate": "float", "open": None, "sex": "categorical",
    "smoker": "boolean", "day": "date", "time": "timestamp",
}  # fmt: skip


def written(tmp_path, record):
    path = tmp_path / "m.json"
    path.write_text(record if isinstance(record, str) else json.dumps(record))
    return path


@pytest.mark.parametrize(
    "record",
    [
        {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "primary_key": "id", "columns": COLUMNS},
        {"METADATA_SPEC_VERSION": "V1", "tables": {"people": {"columns": COLUMNS}}},
    ],
)
def test_kinds_are_read_and_keys_and_personal_data_dropped(tmp_path, record):
    schema = read_sdv(written(tmp_path, record))
    assert schema.dropped() == {"id", "mail"}
    assert {name: schema.column(name).kind for name in KINDS} == KINDS


@pytest.mark.parametrize(
    "record",
    ["{", "[1]", {"tables": {"a": {}, "b": {}}}, {"columns": {"a": 3}}, {"tables": {"a": 3}}, {}],
)
def test_what_is_no_metadata_of_one_table_is_refused_in_one_line(tmp_path, record):
    with pytest.raises(ConfigError) as refused:
        read_sdv(written(tmp_path, record))
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_a_wrong_setting(tmp_path):
    with pytest.raises(ConfigError, match="found none"):
        read_sdv(tmp_path / "none.json")


def test_what_is_written_reads_back_as_the_same_kinds(tmp_path):
    schema = Schema(
        columns={
            "key": ColumnSchema(drop=True),
            **{name: ColumnSchema(kind=kind) for name, kind in KINDS.items() if kind},
        }
    )
    assert read_sdv(written(tmp_path, to_sdv(schema))).columns == schema.columns
