"""A given admission: a row of a table that fixes what the letter is about."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Mapping
from pathlib import Path

from mustermann.core.errors import DataError
from mustermann.letters.attributes.record import Sex

_SEXES: Mapping[str, Sex] = {
    "m": "m", "male": "m", "männlich": "m", "mann": "m",
    "f": "f", "w": "f", "female": "f", "weiblich": "f", "frau": "f",
}  # fmt: skip
_COLUMNS: Mapping[str, str] = {
    "age": "age", "alter": "age", "sex": "sex", "geschlecht": "sex", "specialty": "specialty",
    "fachabteilung": "specialty", "icd": "icd", "ops": "ops", "length_of_stay": "length_of_stay",
    "los": "length_of_stay", "verweildauer": "length_of_stay",
}  # fmt: skip


class NoFittingCase(DataError):  # noqa: N818
    """No case can tell of such an admission."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What is given of a stay; an empty or missing field is free.

    Attributes:
      age: Whole years at admission.
      sex: Of the patient.
      specialty: Of the department.
      icd: Code of the main diagnosis.
      ops: Codes that must be among the procedures.
      length_of_stay: Nights; 0 for an ambulant stay.
    """

    age: int | None = None
    sex: Sex | None = None
    specialty: str = ""
    icd: str = ""
    ops: tuple[str, ...] = ()
    length_of_stay: int | None = None


def read_admissions(path: Path) -> tuple[Admission, ...]:
    """Returns the admissions in a CSV file with a head line; codes in one cell have blanks between.

    Raises:
      DataError: The file is missing or empty, or a cell does not fit, with its line.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"Expected a CSV file of admissions at {path}, but: {error}.") from error
    if not rows:
        raise DataError(f"Expected rows of admissions in {path}, found none.")
    return tuple(
        parse_admission(row, where=f"{path}, line {line}") for line, row in enumerate(rows, start=2)
    )


def parse_admission(row: Mapping[str, str | None], *, where: str) -> Admission:
    """Returns the admission in a row; columns that are no part of one are passed over.

    Raises:
      DataError: A cell does not fit, or no column is known.
    """
    cells = {
        _COLUMNS[name.strip().lower()]: (text or "").strip()
        for name, text in row.items()
        if isinstance(name, str) and name.strip().lower() in _COLUMNS
    }
    if not cells:
        known = ", ".join(dict.fromkeys(_COLUMNS.values()))
        raise DataError(f"Expected some of the columns {known} in {where}, found none of them.")
    sex = cells.get("sex", "").lower()
    if sex and sex not in _SEXES:
        raise DataError(f"Expected a sex of m or f in {where}, got {cells['sex']!r}.")
    return Admission(
        age=_number(cells, "age", where, highest=120),
        sex=_SEXES.get(sex),
        specialty=cells.get("specialty", ""),
        icd=cells.get("icd", "").upper(),
        ops=tuple(cells.get("ops", "").replace(",", " ").replace(";", " ").split()),
        length_of_stay=_number(cells, "length_of_stay", where, highest=3650),
    )


def _number(cells: Mapping[str, str], name: str, where: str, *, highest: int) -> int | None:
    text = cells.get(name, "")
    if not text:
        return None
    try:
        number = float(text.replace(",", "."))
    except ValueError as error:
        raise DataError(f"Expected a number for {name} in {where}, got {text!r}.") from error
    if not 0 <= number <= highest or number != int(number):
        raise DataError(f"Expected a whole {name} from 0 to {highest} in {where}, got {text!r}.")
    return int(number)
