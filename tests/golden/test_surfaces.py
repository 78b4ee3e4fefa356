"""Every row of surfaces.tsv has been read by somebody who reads German.

A row is kind, subject, form, case, variant, context, surface. The labelled span stands in
⟦ ⟧; context is the word right before (an article changes the genitive).
"""

from __future__ import annotations

import csv
import tomllib
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from mustermann.core.seeds import Seeds
from mustermann.german.inflection import takes_bare_genitive
from mustermann.letters.attributes.record import Person
from mustermann.letters.house import HouseStyle
from mustermann.letters.segments import Placeholder
from mustermann.letters.surface_ages import age_surface
from mustermann.letters.surface_dates import date_surface
from mustermann.letters.surface_names import person_surface
from mustermann.letters.surface_values import grouped, phone

FOLDER = Path(__file__).parent
STYLE = HouseStyle(
    birth="dmy", stay="dmy", letter="dmy", event="dmy", phone="din", dose_blank=True, brand=False,
    professor=False, noisy_titles=False, austrian=False, draws=Seeds(1).draws("house"),
)  # fmt: skip


@cache
def people() -> dict[str, Person]:
    table = tomllib.loads((FOLDER / "people.toml").read_text(encoding="utf-8"))
    lists = ("given", "titles")
    return {
        name: Person(**{k: tuple(v) if k in lists else v for k, v in fields.items()})
        for name, fields in table.items()
    }


class Letter:
    """As much of a letter's attributes as dates and ages look at."""

    def __init__(self, day: date | None = None, age: int = 0) -> None:
        self.dates = {"ereignis:x": day, "brief": date(2026, 4, 9)} if day else {}
        self.age = age


def marked(made) -> str:
    if not made.label:
        return made.text
    first = next(i for i, piece in enumerate(made.pieces) if piece.inside)
    outer = "".join(piece.text for piece in made.pieces[:first])
    return f"{outer}⟦{''.join(piece.text for piece in made.pieces[first:])}⟧"


def written(kind: str, subject: str, form: str, case: str, variant: str, context: str) -> str:
    if kind == "person":
        placeholder = Placeholder("patient", "", form, case, variant)
        made = person_surface(people()[subject], placeholder, label="PATIENT_NAME", style=STYLE,
                              after_article=takes_bare_genitive(f"{context} "))  # fmt: skip
        return marked(made)
    if kind == "date":
        placeholder = Placeholder("ereignis", "x", variant=variant)
        return marked(date_surface(placeholder, Letter(date.fromisoformat(subject)), STYLE))
    if kind == "age":
        return marked(age_surface(Placeholder("alter", form=form), Letter(age=int(subject))))
    if kind == "phone":
        return phone(subject, form)
    return grouped(subject, kind)


def rows() -> list[list[str]]:
    with (FOLDER / "surfaces.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def test_the_table_is_large_and_has_no_row_twice():
    keys = [tuple(row[:6]) for row in rows()]
    assert len(keys) > 500
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("kind", ["person", "date", "age", "phone", "IBAN", "KVNR", "RVNR", "LANR"])
def test_surfaces_are_as_they_were_read(kind):
    mine = [row for row in rows() if row[0] == kind]
    assert mine
    wrong = [(row, made) for row in mine if (made := written(*row[:6])) != row[6]]
    assert wrong == []
