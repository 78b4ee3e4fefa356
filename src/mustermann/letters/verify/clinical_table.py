"""The reviewed table of what goes with what in medicine, and codes that match its entries.

The table stands in `clinical.toml`. It says little and says it surely: what it does not
name is not judged.
"""

from __future__ import annotations

import dataclasses
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mustermann.core.config import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FILE = Path(__file__).with_name("clinical.toml")


class Codes:
    """A set of ICD, OPS or ATC codes, written as beginnings and ranges.

    "I20-I25" has every code from I20 to I25 with all that is below them, "E89.1" every code
    that begins so.
    """

    def __init__(self, written: str) -> None:
        """Reads codes with blanks between them."""
        parts = written.split()
        ranges = [part.split("-") for part in parts if _is_range(part)]
        self._ranges = [(low, high) for low, high in ranges]
        self._beginnings = tuple(part for part in parts if not _is_range(part))

    def match(self, code: str) -> bool:
        """Returns whether the code is in the set."""
        if code.startswith(self._beginnings):
            return True
        return any(low <= code[: len(low)] <= high for low, high in self._ranges)


def _is_range(part: str) -> bool:
    """Returns whether a part is a range; OPS codes ("5-820") have a hyphen of their own."""
    low, hyphen, high = part.partition("-")
    return bool(hyphen) and low[:1].isalpha() and high[:1].isalpha()


@dataclasses.dataclass(frozen=True)
class Table:
    """The table, read and indexed."""

    content: Mapping[str, Any]

    @cached_property
    def _contraindications(self) -> tuple[tuple[Codes, Codes, Codes, str], ...]:
        """Holds drug, diagnoses that rule it out, drugs that rule it out, and why."""
        return tuple(
            (Codes(e["atc"]), Codes(e["icd"]), Codes(e.get("with", "")), e["why"])
            for e in self.content["contraindications"]
        )

    def against(self, atc: str) -> list[tuple[Codes, Codes, str]]:
        """Returns diagnoses and drugs that rule a drug out, and why."""
        return [entry[1:] for entry in self._contraindications if entry[0].match(atc)]

    @cached_property
    def ages(self) -> tuple[tuple[Codes, int, int], ...]:
        """Returns diagnoses with the lowest and highest age in years."""
        return tuple((Codes(e["icd"]), *e["years"]) for e in self.content["ages"])

    @cached_property
    def sexes(self) -> tuple[tuple[str, Codes], ...]:
        """Returns a sex and the diagnoses that only the other one has."""
        return (("m", Codes(self.content["female"])), ("f", Codes(self.content["male"])))

    @cached_property
    def allergies(self) -> Mapping[str, Codes]:
        """Returns the drugs that an allergy rules out, by the allergy's name."""
        return {e["allergy"]: Codes(e["atc"]) for e in self.content["allergies"]}

    @cached_property
    def labs(self) -> Mapping[str, Mapping[str, Any]]:
        """Returns unit and range of possible values by the analyte's key."""
        return dict(self.content["labs"])


@cache
def table() -> Table:
    """Returns the table."""
    return Table(read_toml(_FILE))


@cache
def indications(atc: str) -> Codes | None:
    """Returns the diagnoses of which a drug needs one; None for a drug that is not judged."""
    return _longest(atc, [(e["atc"], e["icd"]) for e in table().content["indications"]])


@cache
def procedure_indications(ops: str) -> Codes | None:
    """Returns the diagnoses of which a procedure needs one; None where none is needed."""
    return _longest(ops, [(e["ops"], e["icd"]) for e in table().content["procedures"]])


@cache
def daily_dose(atc: str) -> tuple[float, float] | None:
    """Returns the lowest and highest daily dose for adults in mg, None where not known."""
    return next((tuple(e["mg"]) for e in table().content["doses"] if e["atc"] == atc), None)


@cache
def least_gfr(atc: str) -> float | None:
    """Returns the lowest eGFR in ml/min at which a drug is given, None where it hardly matters."""
    found = [e["gfr"] for e in table().content["renal"] if Codes(e["atc"]).match(atc)]
    return max(found, default=None)


def _longest(code: str, entries: Iterable[tuple[str, str]]) -> Codes | None:
    """Returns the codes of the entry that names `code` most closely."""
    best, found = 0, None
    for written, codes in entries:
        length = max((len(w) for w in written.split() if code.startswith(w)), default=0)
        if length > best:
            best, found = length, Codes(codes)
    return found


@cache
def contraindications(atc: str) -> list[tuple[Codes, Codes, str]]:
    """Returns diagnoses and drugs that rule a drug out, and why."""
    return table().against(atc)


@cache
def bounds(icd: str) -> tuple[str, int, int]:
    """Returns the sex that never has a diagnosis ("" for none), lowest and highest age."""
    barred = next((sex for sex, codes in table().sexes if codes.match(icd)), "")
    ages = [(low, high) for codes, low, high in table().ages if codes.match(icd)]
    return barred, max((a for a, _ in ages), default=0), min((b for _, b in ages), default=150)
