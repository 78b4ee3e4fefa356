"""Files in and out: what is refused, in one line, and what comes back as it was."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables import files
from mustermann.tables.frames import Reading, from_native


def written(tmp_path, content, name="t.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def storages(frame):
    return {series.name: series.storage for series in frame.series}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"\n\n", "an empty file"),
        (b"a,b\n", "only the header line"),
        (b"a,b\n1,2\n3\n", "Expected 2 columns as in the header, found 1 at line 3"),
        (b"a,b\n1,2\n1,2,3\n", "Expected 2 columns as in the header, found 3 at line 3"),
        (b"a,a\n1,2\n", "Expected each column name once, found 'a' twice"),
        (b"a,\n1,2\n", "Expected a name for column 2"),
        (b"a,b\n1,\x002\n", "binary data at line 2"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary data at line 3"),
        (b"PAR1abc", "binary data at line 1"),
        ("a\nzo\u00eb\n".encode("latin-1"), "another encoding at line 2"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path, content, message):
    with pytest.raises(DataError) as refused:
        files.read(written(tmp_path, content))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "t.csv" in str(refused.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="found no such file"):
        files.read(tmp_path / "none.csv")


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"\.csv, \.tsv or \.parquet"):
        files.read(tmp_path / "t.xlsx")


def test_a_file_that_is_no_parquet_is_refused(tmp_path):
    with pytest.raises(DataError, match="Expected a Parquet file"):
        files.read(written(tmp_path, b"a,b\n1,2\n", "t.parquet"))


@pytest.mark.parametrize(
    ("cells", "storage"),
    [
        (("1", "-20"), "integer"),
        (("1", "2.5"), "float"),
        (("1e-3", ".5"), "float"),
        (("03", "12"), "string"),
        (("+5", "12"), "string"),
        (("1234567890123456789012", "1"), "string"),
        (("True", "False"), "boolean"),
        (("true", "FALSE"), "string"),
        (("2024-02-29", "2023-01-01"), "date"),
        (("2023-02-29", "2023-01-01"), "string"),
        (("31.12.2020", "01.01.2021"), "date"),
        (("2024-02-29T10:00:00", "2023-01-01T00:00:00"), "timestamp"),
        (("2024-02-29 10:00:00.5", "2023-01-01 00:00:00"), "timestamp"),
        (("2024-02-29T10:00:00Z", "2023-01-01T00:00:00+02:00"), "timestamp"),
        (("?", "1"), "string"),
        (("NA", "1"), "integer"),
        (("NA", "x"), "string"),
        ((" 7", "8 "), "integer"),
    ],
)
def test_a_text_column_takes_the_narrowest_type_that_gives_it_back(tmp_path, cells, storage):
    path = written(tmp_path, "c,d\n" + "".join(f"{cell},x\n" for cell in cells))
    assert storages(files.read(path))["c"] == storage


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_headers(tmp_path, delimiter):
    path = written(tmp_path, f"a{delimiter}b\n1{delimiter}x\n")
    assert files.read(path).names == ("a", "b")


@pytest.mark.parametrize("names", [(";",), ("a;b;c", "d"), ("x|y",), ("tab\tbed", "n")])
def test_a_delimiter_within_a_name_is_none(tmp_path, names):
    table = pa.table({name: [1, 2] for name in names})
    with files.writer(tmp_path / "t.csv") as sink:
        sink.write(from_native(table))
    assert files.read(tmp_path / "t.csv").names == names


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    assert files.read(written(tmp_path, b"\xef\xbb\xbfa,b\n1,2\n")).names == ("a", "b")


def test_windows_line_ends_and_leading_blank_lines_are_no_values(tmp_path):
    frame = files.read(written(tmp_path, b"\r\na;b\r\n1;x\r\n2;y\r\n"))
    assert frame.names == ("a", "b")
    assert frame["b"].texts == ("x", "y")
    assert frame["a"].storage == "integer"


def test_an_empty_cell_is_missing_and_a_question_mark_is_not(tmp_path):
    frame = files.read(written(tmp_path, 'n,s\n1,?\n,""\n3,x\n'))
    assert storages(frame) == {"n": "integer", "s": "string"}
    assert frame["n"].missing.tolist() == [False, True, False]
    assert frame["s"].missing.tolist() == [False, True, False]
    assert "?" in frame["s"].texts


def test_a_declared_marker_is_missing_and_no_longer_hides_the_type(tmp_path):
    reading = Reading(markers={"n": ("?",)})
    frame = files.read(written(tmp_path, "n\n1\n?\n3\n"), reading)
    assert frame["n"].storage == "integer"
    assert frame["n"].missing.tolist() == [False, True, False]


def test_a_cell_that_does_not_fit_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, "n,m\n1,1\nabc,2\n")
    with pytest.raises(DataError, match=r"integer in column 'n', found 'abc' at line 3"):
        files.read(path, Reading(storages={"n": "integer"}))


def test_integers_that_a_gap_has_made_floats_are_integers_where_these_are_wanted(tmp_path):
    path = written(tmp_path, "n,m\n50.0,1\n,2\n-3.,3\n")
    frame = files.read(path, Reading(storages={"n": "integer"}))
    assert storages(frame) == {"n": "integer", "m": "integer"}
    assert frame["n"].values.tolist() == [50, 0, -3]
    assert frame["n"].missing.tolist() == [False, True, False]
    assert storages(files.read(path)) == {"n": "float", "m": "integer"}
    with pytest.raises(DataError, match=r"an integer in column 'n', found '50.5' at line 2"):
        files.read(written(tmp_path, "n\n50.5\n"), Reading(storages={"n": "integer"}))


def test_numbers_may_be_declared_text(tmp_path):
    frame = files.read(written(tmp_path, "n\n1\n2\n"), Reading(storages={"n": "string"}))
    assert frame["n"].texts == ("1", "2")


@pytest.mark.parametrize("name", ["u.csv", "u.tsv", "u.csv.gz", "u.parquet"])
def test_what_is_written_reads_back_the_same(tmp_path, name):
    text = (
        "a b,ß,BEGIN_x,d,t,z,ok\n"
        "03,1,0.5,31.12.2020,2020-01-01 10:00:00,2020-01-01T10:00:00Z,True\n"
        '"x,""y""",,2.5,01.01.2021,,2020-01-01T11:00:00Z,False\n'
    )
    frame = files.read(written(tmp_path, text))
    out = tmp_path / name
    with files.writer(out) as sink:
        sink.write(frame)
        sink.write(frame)
    again = files.read(out)
    assert again.names == frame.names
    assert storages(again) == storages(frame)
    for series in frame.series:
        twice = series.missing.tolist() * 2
        assert again[series.name].missing.tolist() == twice
    if name == "u.csv":
        assert out.read_text() == text + text.partition("\n")[2]
    if name == "u.csv.gz":
        assert gzip.decompress(out.read_bytes()).decode() == text + text.partition("\n")[2]


def test_a_write_that_fails_leaves_the_old_file(tmp_path):
    out = written(tmp_path, "old\n1\n")
    frame = files.read(out)
    with pytest.raises(KeyboardInterrupt), files.writer(out) as sink:
        sink.write(frame)
        raise KeyboardInterrupt
    assert out.read_text() == "old\n1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
