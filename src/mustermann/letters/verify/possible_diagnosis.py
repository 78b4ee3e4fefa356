"""Each diagnosis is one that a patient of this sex and age can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mustermann.letters.verify.clinical_table import bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class PossibleDiagnosis:
    """Compares the ICD codes of the record with sex and age."""

    name = "possible_diagnosis"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each diagnosis that the patient cannot have."""
        sex, age = evidence.patient.get("sex"), evidence.age
        for code in evidence.diagnoses:
            barred, low, high = bounds(code)
            if sex and sex == barred:
                yield evidence.fault(self.name, f"Expected no {code} in a patient of sex {sex}.")
            if age is not None and not low <= age <= high:
                yield evidence.fault(self.name, f"Expected {code} from {low} to {high} years, "
                                     f"found a patient of {age}.")  # fmt: skip
