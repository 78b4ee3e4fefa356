"""Ages, the patient's and others': the span is the number and nothing else."""

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
    """Returns an age: "64", "vierundsechzig", "Mitte sechzig", "8" (months).

    `[[alter]]` is the patient's at admission. `[[lebensalter:vater_alter]]` is an age that the
    case knows as a fact, such as a relative's. The word in front of a vague age stands outside
    the span. What follows ("-jährig", "Jahre", "Monate") is the author's. `joined` is the word
    before "jährig".

    Raises:
      DataError: An age in months, weeks or days is asked for and a date is missing, or the
        case has no such fact.
    """
    form = placeholder.form or "number"
    years = _fact(placeholder.argument, attributes) if placeholder.argument else attributes.age
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


def _fact(name: str, attributes: Attributes) -> int:
    """Returns the whole years that a fact of the case says."""
    years = attributes.course.facts.get(name)
    if isinstance(years, bool) or not isinstance(years, (int, float)) or years != int(years):
        raise DataError(f"Expected whole years in the fact {name!r} for [[lebensalter:{name}]], "
                        f"case {attributes.course.case!r} has {years!r}.")  # fmt: skip
    return int(years)


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
