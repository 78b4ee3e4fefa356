"""Drugs with code, brands, strengths and form: facts for codes, and words that look like names."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType

from mustermann.german.pools import read_rows


@dataclasses.dataclass(frozen=True, slots=True)
class Drug:
    """A substance as it is prescribed in Germany.

    Attributes:
      substance: International name, German spelling; combinations have a slash.
      atc: ATC code of the German edition.
      brands: Trade names, the best known first.
      strengths: With unit.
      form: "Tbl.", "Kps.", "Inf." …
    """

    substance: str
    atc: str
    brands: tuple[str, ...]
    strengths: tuple[str, ...]
    form: str


@functools.cache
def drugs() -> tuple[Drug, ...]:
    """Returns every drug of the pool."""
    return tuple(
        Drug(
            substance=row["substance"],
            atc=row["atc"],
            brands=tuple(row["brands"].split(", ")),
            strengths=tuple(row["strengths"].split(", ")),
            form=row["form"],
        )
        for row in read_rows("drugs/drugs.csv")
    )


@functools.cache
def by_name() -> Mapping[str, Drug]:
    """Returns the drug by its substance or any of its brands."""
    known = {name: drug for drug in drugs() for name in (*drug.brands, drug.substance)}
    return MappingProxyType(known)
