"""Laboratory values are possible, in their unit, agree with one another and stand in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mustermann.letters.verify.clinical_table import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

GFR_SLACK = 0.12
"""So far an eGFR may be from the formula: it is reported in whole ml/min from rounded values."""
HB_TO_HKT = (2.2, 3.9)
"""Haematocrit in % over haemoglobin in g/dl; about 3, lower where iron is lacking."""

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")


class LabValues:
    """Holds each value of the record to what is possible, and each mention to the record."""

    name = "lab_values"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each value that cannot be, and each mention of a value that is not there."""
        labs: Mapping[str, Any] = evidence.course.get("labs") or {}
        for key, lab in labs.items():
            known = table().labs.get(key)
            if known is None:
                continue
            if lab["unit"] != known["unit"]:
                yield evidence.fault(self.name, f"Expected {lab['name']} in {known['unit']!r}, "
                                     f"found {lab['unit']!r}.")  # fmt: skip
            low, high = known["range"]
            for time, value in lab["values"].items():
                if not low <= value <= high:
                    yield evidence.fault(self.name, f"Expected {lab['name']} from {low} to {high} "
                                         f"{lab['unit']}, found {value} at {time}.")  # fmt: skip
        yield from self._relations(evidence, labs)
        yield from self._mentions(evidence, labs)

    def _relations(self, evidence: Evidence, labs: Mapping[str, Any]) -> Iterator[Fault]:
        """Yields values that contradict each other."""
        for time, hkt in _values(labs, "hkt"):
            hb = dict(_values(labs, "hb")).get(time)
            if hb and not HB_TO_HKT[0] <= hkt / hb <= HB_TO_HKT[1]:
                yield evidence.fault(self.name, f"Expected a haematocrit of {3 * hb:.0f} % at "
                                     f"Hb {hb} g/dl, found {hkt}.")  # fmt: skip
        age, sex = evidence.age, evidence.patient.get("sex")
        if age is None or age < 18 or sex not in {"m", "f"}:
            return
        for time, gfr in _values(labs, "egfr"):
            creatinine = dict(_values(labs, "kreatinin")).get(time)
            if creatinine:
                expected = min(ckd_epi(creatinine, age=age, female=sex == "f"), 120.0)
                if abs(min(gfr, 120) - expected) > max(3.0, GFR_SLACK * expected):
                    yield evidence.fault(
                        self.name, f"Expected an eGFR of about {expected:.0f} ml/min at creatinine "
                        f"{creatinine} mg/dl, found {gfr}."
                    )  # fmt: skip

    def _mentions(self, evidence: Evidence, labs: Mapping[str, Any]) -> Iterator[Fault]:
        """Yields each labelled value that the record does not have, or the text does not show."""
        known = {lab["name"]: _written(lab) for lab in labs.values()}
        for span in evidence.document.clinical:
            if span.label != "LAB" or not known:
                continue
            details = span.details
            said = [*details.get("values", "").split(), *details.get("value", "").split()]
            strange = set(said) - known.get(details.get("analyte", ""), set())
            if strange:
                yield evidence.fault(self.name, f"Expected a value of {details.get('analyte')} of "
                                     f"the record, found {sorted(strange)}.", at=span)  # fmt: skip
            shown = evidence.document.text[span.start : span.end]
            missing = set(said) - set(_NUMBER.findall(shown))
            if missing and evidence.plain and "ocr_noise" not in evidence.modes:
                yield evidence.fault(self.name, f"Expected {sorted(missing)} to be shown, "
                                     f"found {shown!r}.", at=span)  # fmt: skip


def ckd_epi(creatinine: float, *, age: int, female: bool) -> float:
    """Returns the eGFR in ml/min/1.73 m² by CKD-EPI 2009 (Levey et al. 2009, table 2), not Black.

    Args:
      creatinine: In mg/dl.
      age: Whole years.
      female: Sex of the patient.
    """
    kappa, alpha = (0.7, -0.329) if female else (0.9, -0.411)
    ratio = creatinine / kappa
    low, high = min(ratio, 1.0), max(ratio, 1.0)
    return float(141 * low**alpha * high**-1.209 * 0.993**age * (1.018 if female else 1.0))


def _values(labs: Mapping[str, Any], key: str) -> Iterator[tuple[str, float]]:
    yield from (labs.get(key, {}).get("values") or {}).items()


def _written(lab: Mapping[str, Any]) -> set[str]:
    """Returns the values of an analyte as German letters write them, with and without points."""
    plain = {f"{value:.{lab['decimals']}f}".replace(".", ",") for value in lab["values"].values()}
    grouped = {
        f"{value:,.{lab['decimals']}f}".translate(str.maketrans(",.", ".,"))
        for value in lab["values"].values()
    }
    return plain | grouped
