"""The patient's age: the span is the number and nothing else."""

from __future__ import annotations

from datetime import date

from mustermann.core.errors import DataError
from mustermann.documents.spans import Piece
from mustermann.german.numerals import cardinal
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.pieces import Surface, plain
from mustermann.letters.segments import Placeholder

_PHASES = ("Anfang",) * 4 + ("Mitte",) * 3 + ("Ende",) * 3


def age_surface(placeholder: Placeholder, attributes: Attributes) -> Surface:
    """Returns the age at admission: "64", "vierundsechzig", "Mitte sechzig", "8" (months).

    The word in front of a vague age stands outside the span. What follows ("-jährig",
    "Jahre", "Monate") is the author's. `joined` is the word before "jährig".

    Raises:
      DataError: An age in months, weeks or days is asked for and a date is missing.
    """
    form = placeholder.form or "number"
    years = attributes.age
    details = {"years": str(years)}
    if form == "number":
        return plain(str(years), "AGE", details=details, form=form)
    if form in {"word", "joined"}:
        text = cardinal(years, joined=form == "joined")
        return Surface(pieces=(Piece(text),), label="AGE", details=details, form=form, opens=True)
    if form == "vague":
        return _vague(years, details)
    born, admitted = attributes.dates.get("geburtsdatum"), attributes.dates.get("aufnahme")
    if born is None or admitted is None:
        raise DataError(f"Expected geburtsdatum and aufnahme for [[alter form={form}]], "
                        f"this letter has: {', '.join(sorted(attributes.dates))}.")  # fmt: skip
    return plain(str(_elapsed(form, born, admitted)), "AGE", details=details, form=form)


def _vague(years: int, details: dict[str, str]) -> Surface:
    if not 20 <= years < 100:
        text = cardinal(years)
        return Surface(pieces=(Piece(text),), label="AGE", details=details, form="word", opens=True)
    pieces = (
        Piece(_PHASES[years % 10], inside=False),
        Piece(" ", inside=False),
        Piece(cardinal(years // 10 * 10)),
    )
    return Surface(pieces=pieces, label="AGE", details=details, form="vague")


def _elapsed(unit: str, born: date, until: date) -> int:
    """Returns whole months, weeks or days from `born` to `until`."""
    if unit == "months":
        months = (until.year - born.year) * 12 + until.month - born.month
        return months - (until.day < born.day)
    return (until - born).days // (7 if unit == "weeks" else 1)
