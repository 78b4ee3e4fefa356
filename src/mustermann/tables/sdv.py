"""Schemas as SDV writes them: metadata JSON of one table, versions SINGLE_TABLE_V1 and V1.

SDV says of a column what kind it is and whether it is a key or names a person; bounds and
levels it does not know. So a schema that comes from it leaves these open, and one that goes
to it loses them.

Source: the metadata specification of the Synthetic Data Vault's documentation, as of 2025.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import read_json
from mustermann.tables.schema import ColumnSchema, Kind, Schema

if TYPE_CHECKING:
    from pathlib import Path

_TABLE = "table"
_DAYS, _SECONDS = "%Y-%m-%d", "%Y-%m-%d %H:%M:%S"


def read_sdv(path: Path) -> Schema:
    """Returns the schema in SDV's metadata of one table; keys and personal data are dropped.

    Raises:
      ConfigError: The file is missing, not JSON, or not the metadata of one table.
    """
    try:
        record = read_json(path)
    except DataError as error:
        raise ConfigError(str(error)) from error
    tables = record.get("tables", {}) if isinstance(record, dict) else None
    if tables is None or len(tables) > 1:
        raise ConfigError(f"Expected SDV's metadata of one table in {path}. Split it by table.")
    [table] = tables.values() if tables else [record]
    columns = table.get("columns") if isinstance(table, dict) else None
    if not isinstance(columns, dict) or not all(isinstance(c, dict) for c in columns.values()):
        raise ConfigError(f"Expected SDV's metadata with columns in {path}, found none.")
    return Schema(columns={name: _column(column) for name, column in columns.items()})


def to_sdv(schema: Schema) -> dict[str, Any]:
    """Returns a completed schema as SDV's metadata, JSON values."""
    columns = {name: _entry(column) for name, column in schema.columns.items()}
    return {
        "METADATA_SPEC_VERSION": "V1",
        "tables": {_TABLE: {"columns": columns}},
        "relationships": [],
    }


def _column(entry: dict[str, Any]) -> ColumnSchema:
    sdtype = entry.get("sdtype")
    kind: Kind
    if sdtype == "numerical":
        held = str(entry.get("computer_representation", ""))
        if not held:
            return ColumnSchema()
        kind = "integer" if "Int" in held else "float"
    elif sdtype == "datetime":
        kind = "timestamp" if "%H" in str(entry.get("datetime_format", "%H")) else "date"
    elif sdtype == "categorical":
        kind = "ordinal" if entry.get("order") else "categorical"
    elif sdtype == "boolean":
        kind = "boolean"
    else:  # "id", "email", "name" and the like.
        return ColumnSchema(drop=True)
    return ColumnSchema(kind=kind)


def _entry(column: ColumnSchema) -> dict[str, Any]:
    if column.drop:
        return {"sdtype": "id"}
    match column.kind:
        case "integer":
            return {"sdtype": "numerical", "computer_representation": "Int64"}
        case "float":
            return {"sdtype": "numerical", "computer_representation": "Float"}
        case "date":
            return {"sdtype": "datetime", "datetime_format": _DAYS}
        case "timestamp":
            return {"sdtype": "datetime", "datetime_format": _SECONDS}
        case "boolean":
            return {"sdtype": "boolean"}
        case _:
            return {"sdtype": "categorical"}
