"""Whatever the table: it is cut, coded, given back and written without loss of kind."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from mustermann.core.errors import MustermannError
from mustermann.tables import files, frames, infer
from mustermann.tables.discretise import DiscretiseSettings, build, layout_of
from mustermann.tables.schema import Schema

VALUES = {
    pa.int64(): st.integers(-(2**53), 2**53),
    pa.int8(): st.integers(-128, 127),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False, width=64),
    pa.bool_(): st.booleans(),
    pa.string(): st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
    pa.date32(): st.dates(dt.date(1800, 1, 1), dt.date(2200, 1, 1)),
    pa.timestamp("us"): st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1)),
}


PLAIN = st.characters(exclude_categories=("Cs",), exclude_characters="\n\0")


@st.composite
def tables(draw, plain_names=False):
    rows = draw(st.integers(1, 12))
    name = st.text(PLAIN, min_size=1, max_size=6).filter(str.strip)
    if not plain_names:
        name = st.text(min_size=1, max_size=6)
    names = draw(st.lists(name, min_size=1, max_size=4, unique=True))
    columns = []
    for _ in names:
        kind = draw(st.sampled_from(list(VALUES)))
        cell = st.none() | VALUES[kind]
        columns.append(pa.array(draw(st.lists(cell, min_size=rows, max_size=rows)), kind))
    return pa.table(columns, names=names)


@given(
    tables(),
    st.sampled_from(["uniform", "quantile"]),
    st.integers(1, 20),
    st.integers(2, 6),
)
@settings(deadline=None)
def test_a_table_is_coded_and_given_back_in_its_types_and_ranges(table, strategy, bins, top):
    try:
        frame = frames.from_native(table)
        chosen = DiscretiseSettings(strategy=strategy, bins=bins, top=top)
        completed = infer.complete(Schema(), frame, chosen, mode="nonprivate")
    except MustermannError as refused:
        assert "\n" not in str(refused)
        return
    discretiser = build(completed, frame, chosen)
    codes = discretiser.encode(frame)
    assert (codes >= 0).all()
    assert (codes < discretiser.domain.sizes).all()
    back = discretiser.decode(codes, layout_of(frame, discretiser), np.random.default_rng(0))
    assert np.array_equal(discretiser.encode(back), codes)
    given_back = frames.to_native(back)
    assert given_back.schema == table.schema
    for name in table.column_names:
        before = [value for value in table[name].to_pylist() if value is not None]
        after = given_back[name].to_pylist()
        assert [value is None for value in after] == [
            value is None for value in table[name].to_pylist()
        ]
        if before and not isinstance(before[0], str):
            present = [value for value in after if value is not None]
            assert min(before) <= min(present)
            assert max(present) <= max(before)


@given(tables(plain_names=True))
@settings(deadline=None, max_examples=50)
def test_a_text_file_keeps_rows_columns_and_values(table):
    """Empty text comes back as missing; floats as they are; the rest in the type asked for."""
    try:
        frame = frames.from_native(table)
    except MustermannError:
        return
    storages = {series.name: series.storage for series in frame.series}
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "t.csv"
        with files.writer(path) as sink:
            sink.write(frame)
        again = files.read(path, frames.Reading(storages=storages))
    assert again.names == frame.names
    assert frames.to_arrow(again).to_pydict() == {
        name: [None if value == "" else value for value in values]
        for name, values in table.to_pydict().items()
    }


@given(tables())
@settings(deadline=None, max_examples=50)
def test_a_file_keeps_rows_columns_and_what_is_missing(table):
    try:
        frame = frames.from_native(table)
    except MustermannError:
        return
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "t.parquet"
        with files.writer(path) as sink:
            sink.write(frame)
        again = files.read(path)
    assert again.names == frame.names
    assert frames.to_native(again).equals(table)
