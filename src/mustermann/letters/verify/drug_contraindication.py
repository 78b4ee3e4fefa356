"""No drug on the list at discharge is one that the patient should not have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mustermann.letters.verify.clinical_table import contraindications, least_gfr, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class DrugContraindication:
    """Finds a drug against a diagnosis, another drug, the kidney function or an allergy."""

    name = "drug_contraindication"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each drug that should not be there."""
        codes, drugs = evidence.diagnoses, evidence.taken
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
