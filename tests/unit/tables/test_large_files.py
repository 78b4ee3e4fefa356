"""Large files: read in blocks, into room for the levels rather than for the texts."""

from __future__ import annotations

import contextlib
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from mustermann.core.errors import DataError
from mustermann.journeys import tables as journeys
from mustermann.tables import delimited, files
from mustermann.tables.frames import Reading
from mustermann.tables.moments import Features

ROWS = 1_000_000
CELL = "a text of some length that stands in many rows of the table, number "
# Arrow reads up to 32 blocks ahead and holds a block as bytes, parsed and converted; how far
# it gets depends on the machine (40 to 70 MiB were seen). The file as one block takes 320 MiB.
MOST_AHEAD = 120 * delimited.BLOCK_BYTES


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """One million rows of a text, an integer and a boolean; about 85 MB of text."""
    draws = np.random.default_rng(0)
    texts = pa.array([f"{CELL}{place}" for place in range(50)])
    table = pa.table(
        {
            "text": texts.take(pa.array(draws.integers(0, 50, ROWS))),
            "number": pa.array(draws.integers(0, 5000, ROWS)),
            "flag": pa.array(draws.random(ROWS) < 0.5),
        }
    )
    directory = tmp_path_factory.mktemp("large")
    pyarrow.csv.write_csv(table, directory / "t.csv")
    pq.write_table(table, directory / "t.parquet")
    assert (directory / "t.csv").stat().st_size > 80e6
    return directory


@contextlib.contextmanager
def peaks():
    """Yields a list that gets the most bytes that numpy and Python, and Arrow, held at once."""
    before, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.default_memory_pool())
    found = []
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        yield found
    finally:
        found += [tracemalloc.get_traced_memory()[1], pool.max_memory()]
        tracemalloc.stop()
        pa.set_memory_pool(before)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_memory_holds_numbers_and_one_block_of_texts(large, suffix):
    with peaks() as found:
        frame = files.read(large / f"t.{suffix}")
    assert len(frame) == ROWS
    assert [series.storage for series in frame.series] == ["string", "integer", "boolean"]
    held = sum(series.values.nbytes + series.missing.nbytes for series in frame.series)
    ours, arrow = found
    # A column is joined from its blocks; texts alone would be more than 80 MB.
    assert ours < held + 2 * 9 * ROWS + 5e6
    assert arrow < MOST_AHEAD


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_fit_takes_a_multiple_of_the_levels_and_not_of_the_file(large, suffix):
    settings = journeys.FitSettings(epsilon=1, delta=1e-7, method="independent")
    with peaks() as found:
        model = journeys.fit(large / f"t.{suffix}", settings)
    assert model.discretiser.domain.sizes == (51, 100, 2)
    levels = 8 * 3 * ROWS
    ours, arrow = found
    assert ours < 4 * levels
    assert arrow < MOST_AHEAD


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_sample_takes_the_same_room_however_large_it_is(tmp_path, suffix):
    table = pa.table({"a": [1, 2, 3] * 40, "b": ["x", "y", "z"] * 40, "c": [0.5, 1.5] * 60})
    settings = journeys.FitSettings(epsilon=9, method="independent")
    model = journeys.fit(table, settings)
    rooms = []
    for count in (20_000, 200_000):
        with peaks() as found:
            journeys.sample(model, count=count, out=tmp_path / f"{count}.{suffix}")
        rooms.append(sum(found))
    assert rooms[1] < 1.5 * rooms[0] + 1e6


def test_blocks_are_read_one_by_one(large, monkeypatch):
    seen = []
    blocks = delimited._blocks

    def watched(*arguments):
        for block in blocks(*arguments):
            seen.append(block.num_rows)
            yield block

    monkeypatch.setattr(delimited, "_blocks", watched)
    files.read(large / "t.csv")
    # Once over the file, as no column changed its type on the way.
    assert sum(seen) == ROWS
    assert max(seen) < ROWS / 10


LATE = {
    "integer": ["1"] * 40,
    "float_late": ["1"] * 39 + ["2.5"],
    "text_late": ["1"] * 39 + ["03"],
    "missing_first": [""] * 30 + ["7"] * 10,
    "nothing": [""] * 40,
    "na_then_text": ["NA"] * 20 + ["x"] * 20,
    "na_then_number": ["NA"] * 20 + ["5"] * 20,
    "only_na": ["NA"] * 40,
    "day": ["2024-02-29"] * 40,
    "no_day_late": ["2024-02-28"] * 39 + ["2024-02-30"],
    "two_spellings": ["31.12.2020"] * 20 + ["2020-12-31"] * 20,
    "truth": ["True", "False"] * 20,
    "two_truths": ["True"] * 20 + ["true"] * 20,
    "time": ["2024-01-01 10:00:00"] * 39 + ["2024-01-01 10:00:00.5"],
    "words": [f"w{i % 7}" for i in range(40)],
}  # fmt: skip


def same(one, other):
    assert one.layout == other.layout
    for left, right in zip(one.series, other.series, strict=True):
        assert (left.name, left.storage, left.texts) == (right.name, right.storage, right.texts)
        np.testing.assert_array_equal(left.missing, right.missing)
        np.testing.assert_array_equal(left.values[~left.missing], right.values[~right.missing])


@pytest.mark.parametrize("reading", [Reading(), Reading(markers={"words": ("w3",)})])
def test_small_blocks_give_the_table_that_one_block_gives(tmp_path, monkeypatch, reading):
    path = tmp_path / "t.csv"
    rows = zip(*LATE.values(), strict=True)
    path.write_text("\n".join([",".join(LATE), *map(",".join, rows)]) + "\n")
    whole = files.read(path, reading)
    expected = {
        "integer": "integer", "float_late": "float", "text_late": "string",
        "missing_first": "integer", "nothing": "string", "na_then_text": "string",
        "na_then_number": "integer", "only_na": "string", "day": "date", "no_day_late": "string",
        "two_spellings": "string", "truth": "boolean", "two_truths": "string",
        "time": "timestamp", "words": "string",
    }  # fmt: skip
    assert {series.name: series.storage for series in whole.series} == expected
    for size in (300, 1000):
        monkeypatch.setattr(delimited, "BLOCK_BYTES", size)
        same(files.read(path, reading), whole)


@pytest.mark.parametrize(
    ("cells", "wanted", "message"),
    [
        (["1"] * 30 + ["x", "y"], "integer", "found 'x' at line 32"),
        (["2020-01-01"] * 20 + ["01.01.2020"] * 20, "date", "one spelling of each date"),
        (["1"] * 30 + ["1e999"], None, "infinite one in row 31"),
    ],
)
def test_a_cell_that_does_not_fit_is_named_in_whatever_block_it_is(
    tmp_path, monkeypatch, cells, wanted, message
):
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 50)
    path = tmp_path / "t.csv"
    path.write_text("c\n" + "\n".join(cells) + "\n")
    reading = Reading(storages={"c": wanted} if wanted else {})
    with pytest.raises(DataError, match=message):
        files.read(path, reading)


def test_batches_of_a_parquet_file_give_what_one_gives(tmp_path, monkeypatch):
    texts = pa.array(["b", None, "a", "b", "c", None])
    table = pa.table(
        {
            "a.b": texts.dictionary_encode(),
            "a": texts,
            "n": pa.array([1, None, 3, 4, 5, 6], pa.int32()),
            "f": pa.array([0.5, float("nan"), 1.5, None, 2.0, 3.0]),
            "t": pa.array(range(6), pa.timestamp("ns", "Europe/Berlin")),
            "e": pa.nulls(6),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=4)
    whole = files.read(tmp_path / "t.parquet")
    assert whole["f"].missing.tolist() == [False, True, False, True, False, False]
    monkeypatch.setattr(files, "BATCH_ROWS", 2)
    same(files.read(tmp_path / "t.parquet"), whole)


def test_features_of_many_rows_are_made_as_they_are_asked_for():
    made = []

    class Watched(Features):
        def apply(self, codes):
            made.append(len(codes))
            return super().apply(codes)

    features = Watched((np.eye(3), np.ones((2, 1))), radius=1.0, bands=((0, 0, 0), (0,)))
    codes = np.array([[0, 1], [2, 0], [1, 1]])
    rows = features.of(codes)
    assert rows.shape == (3, 4)
    assert made == []
    np.testing.assert_array_equal(rows[1:3], Features.apply(features, codes)[1:3])
    assert made == [2]
