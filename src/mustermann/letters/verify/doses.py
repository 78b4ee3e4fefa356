"""The daily dose of each drug is one that adults are given, and a weekly drug is weekly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mustermann.letters.verify.clinical_table import daily_dose

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

ADULT = 16
"""From this age in years on, the doses of adults hold."""

_STRENGTH = re.compile(r"(\d[\d.]*(?:,\d+)?) ?(g|mg|µg)(?![\w/])")
_SCHEME = re.compile(r"(\d+(?:,\d+)?|½)(?:-(\d+(?:,\d+)?|½)){2,3}(?![\d-])")
_MILLIGRAMS = {"g": 1000.0, "mg": 1.0, "µg": 0.001}
_WEEKLY = ("L04AX03", "M05BA04", "L01BA01")
_SLACK = 1.001


class DrugDose:
    """Multiplies strength and scheme again and compares them with the table."""

    name = "drug_dose"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each dose out of range; a scheme in words is not judged."""
        for drug in evidence.taken:
            if drug["atc"] in _WEEKLY and re.search(r"\d-\d-\d", drug["scheme"]):
                yield evidence.fault(self.name, f"Expected {drug['substance']} once a week, "
                                     f"found {drug['scheme']!r}.")  # fmt: skip
            limits, dose = daily_dose(drug["atc"]), milligrams(drug)
            if limits is None or dose is None or (evidence.age or 0) < ADULT:
                continue
            low, high = limits
            if not low / _SLACK <= dose <= high * _SLACK:
                yield evidence.fault(self.name, f"Expected {low:g} to {high:g} mg of "
                                     f"{drug['substance']} a day, found {dose:g}.")  # fmt: skip


def milligrams(drug: Mapping[str, Any]) -> float | None:
    """Returns a drug's daily dose in mg; None where it can't be told from strength and scheme."""
    strength, scheme = _STRENGTH.fullmatch(drug["strength"]), _SCHEME.match(drug["scheme"])
    if strength is None or scheme is None or _rare(drug["scheme"]):
        return None
    each = float(strength[1].replace(".", "").replace(",", ".")) * _MILLIGRAMS[strength[2]]
    return each * sum(_number(part) for part in scheme.group().split("-"))


def _rare(scheme: str) -> bool:
    """Returns whether a scheme does not hold every day, or not in tablets."""
    return bool(re.search(r"woch|jeden|Tag|ml|Tropfen|Hub|IE|alle", scheme))


def _number(text: str) -> float:
    return 0.5 if text == "½" else float(text.replace(",", "."))
