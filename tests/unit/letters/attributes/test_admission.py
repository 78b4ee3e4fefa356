from pathlib import Path

import pytest

from mustermann.core.errors import DataError
from mustermann.letters.attributes.admission import Admission, parse_admission, read_admissions


def test_rows_are_read_with_german_or_english_heads(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "Alter,Geschlecht,specialty,ICD,OPS,los,ward\n71,w,Kardiologie,i21.4,1-275.0 8-837.00,6,x\n"
        ",,,,,,\n",
        encoding="utf-8-sig",
    )
    row = Admission(
        age=71, sex="f", specialty="Kardiologie", icd="I21.4", ops=("1-275.0", "8-837.00"),
        length_of_stay=6,
    )  # fmt: skip
    assert read_admissions(file) == (row, Admission())


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"age": "old"}, "a number for age in here, got 'old'"),
        ({"age": "-3"}, "whole age from 0 to 120"),
        ({"age": "3.5"}, "whole age"),
        ({"sex": "x"}, "sex of m or f"),
        ({"los": "9999"}, "length_of_stay from 0"),
        ({"colour": "red"}, "some of the columns"),
    ],
)
def test_cells_that_do_not_fit_are_refused_with_their_place(row, words: str) -> None:
    with pytest.raises(DataError, match=words):
        parse_admission(row, where="here")


def test_whole_numbers_may_have_a_decimal_point() -> None:
    assert parse_admission({"age": "71.0"}, where="here").age == 71


@pytest.mark.parametrize("text", ["", "age,sex\n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(text)
    with pytest.raises(DataError, match="none"):
        read_admissions(file)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"rows\.csv"):
        read_admissions(tmp_path / "rows.csv")
