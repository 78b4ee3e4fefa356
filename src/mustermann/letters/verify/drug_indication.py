"""Each drug on the list at discharge has a diagnosis that it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mustermann.letters.verify.clinical_table import indications

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class DrugIndication:
    """Finds a drug without a diagnosis, by the ATC and ICD codes of the record."""

    name = "drug_indication"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each drug whose diagnosis is missing."""
        codes = evidence.diagnoses
        for drug in evidence.taken:
            wanted = indications(drug["atc"])
            if wanted is not None and not any(wanted.match(code) for code in codes):
                yield evidence.fault(self.name, f"Expected a diagnosis for {drug['substance']} "
                                     f"({drug['atc']}), found {', '.join(codes)}.")  # fmt: skip
