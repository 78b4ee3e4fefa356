"""Each drug on the list at discharge has a diagnosis that it is for, and none that forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.letters.verify.clinical_table import (
    contraindications,
    indications,
    least_gfr,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_NOT_TAKEN = frozenset({"abgesetzt", "pausiert"})


class DrugIndication:
    """Finds a drug without a diagnosis, by the ATC and ICD codes of the record."""

    name = "drug_indication"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each drug whose diagnosis is missing."""
        codes = diagnoses(evidence)
        for drug in taken(evidence):
            wanted = indications(drug["atc"])
            if wanted is not None and not any(wanted.match(code) for code in codes):
                yield evidence.fault(self.name, f"Expected a diagnosis for {drug['substance']} "
                                     f"({drug['atc']}), found {', '.join(codes)}.")  # fmt: skip


class DrugContraindication:
    """Finds a drug against a diagnosis, another drug, the kidney function or an allergy."""

    name = "drug_contraindication"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each drug that should not be there."""
        codes, drugs = diagnoses(evidence), list(taken(evidence))
        facts = evidence.course.get("facts") or {}
        for drug in drugs:
            atc, name = drug["atc"], drug["substance"]
            for forbidding, partners, why in contraindications(atc):
                for code in codes:
                    if forbidding.match(code):
                        yield evidence.fault(self.name, f"Expected no {name} with {code}: {why}.")
                for other in drugs:
                    if other["key"] > drug["key"] and partners.match(other["atc"]):
                        yield evidence.fault(
                            self.name, f"Expected no {name} with {other['substance']}: {why}."
                        )
            yield from self._kidney(evidence, drug)
            forbidden = table().allergies.get(facts.get("allergie", ""))
            if forbidden is not None and forbidden.match(atc):
                yield evidence.fault(
                    self.name, f"Expected no {name} with an allergy to {facts['allergie']}."
                )

    def _kidney(self, evidence: Evidence, drug: Mapping[str, Any]) -> Iterator[Fault]:
        least = least_gfr(drug["atc"])
        values = (evidence.course.get("labs") or {}).get("egfr", {}).get("values") or {}
        gfr = values.get("entlassung", values.get("aufnahme"))
        if least is not None and gfr is not None and gfr < least:
            yield evidence.fault(self.name, f"Expected no {drug['substance']} at an eGFR of {gfr} "
                                 f"ml/min, which is below {least}.")  # fmt: skip


def diagnoses(evidence: Evidence) -> list[str]:
    """Returns the ICD codes of the letter's diagnoses."""
    return [line["icd"] for line in evidence.course.get("diagnoses") or () if line.get("icd")]


def taken(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yields the drugs that the patient takes from discharge on and whose code is known."""
    for drug in evidence.course.get("medication") or ():
        if drug.get("atc") and drug.get("status") not in _NOT_TAKEN:
            yield drug
