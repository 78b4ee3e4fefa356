from __future__ import annotations

from pathlib import Path

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.journeys import table_split
from mustermann.tables.schema import Person, Schema

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "tables"


def write_split(path: Path, parts: list[int], name: str = "toy") -> Path:
    lines = [f"{name},{row},{part}" for row, part in enumerate(parts)]
    path.write_text("\n".join(["table,row,split", *reversed(lines)]) + "\n")
    return path


def test_the_given_split_is_taken(dependent_table, tmp_path) -> None:
    parts = [row % 3 for row in range(600)]
    assignment = table_split.read_split(write_split(tmp_path / "split.csv", parts))
    data = table_split.prepare(dependent_table, "uniform", assignment)
    assert (len(data.train), len(data.valid), len(data.test)) == (200, 200, 200)
    everything = table_split.prepare(dependent_table, "uniform", None)
    assert (len(everything.train), len(everything.valid), len(everything.test)) == (480, 60, 60)


@pytest.mark.parametrize(
    ("parts", "name", "message"),
    [
        ([0, 1, 2], "toy", "600 rows"),
        ([0] * 600, "other", "'toy'"),
        ([0] * 600, "toy", "Expected rows"),
        ([7] * 600, "toy", "0, 1 or 2"),
    ],
)
def test_a_split_that_does_not_fit_is_refused(
    dependent_table, tmp_path, parts, name, message
) -> None:
    split = write_split(tmp_path / "split.csv", parts, name)
    with pytest.raises(DataError, match=message):
        table_split.prepare(dependent_table, "uniform", table_split.read_split(split))


def test_a_split_with_a_row_twice_is_refused(tmp_path) -> None:
    path = tmp_path / "split.csv"
    path.write_text("table,row,split\ntoy,0,0\ntoy,0,1\n")
    with pytest.raises(DataError, match="once"):
        table_split.read_split(path)
    path.write_text("table,row\ntoy,0\n")
    with pytest.raises(DataError, match="columns"):
        table_split.read_split(path)


def test_persons_are_refused_as_their_rows_would_stand_in_several_parts(dependent_table) -> None:
    schema = Schema(person=Person(id="a", rows=3))
    with pytest.raises(ConfigError, match=r"without \[person\]"):
        table_split.prepare(dependent_table, "uniform", None, schema=schema)


@pytest.mark.reference
@pytest.mark.skipif(not DATA.exists(), reason="needs the reference data")
def test_reference_tables_have_the_levels_and_rows_of_the_published_figures() -> None:
    assignment = table_split.read_split(DATA / "splits.csv.gz")
    data = table_split.prepare(DATA / "shoppers.csv", "uniform", assignment)
    assert (len(data.train), len(data.valid), len(data.test)) == (9864, 1233, 1233)
    assert data.domain.sizes == (
        27, 63, 17, 70, 67, 38, 75, 92, 59, 6, 10, 8, 13, 9, 20, 3, 2, 2,
    )  # fmt: skip
