"""Each procedure has a diagnosis that it is done for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mustermann.letters.verify.clinical_table import procedure_indications

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class ProcedureIndication:
    """Finds a procedure without a diagnosis, by the OPS and ICD codes of the record."""

    name = "procedure_indication"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each procedure whose diagnosis is missing."""
        codes = evidence.diagnoses
        for procedure in evidence.course.get("procedures") or ():
            wanted = procedure_indications(procedure["ops"])
            if wanted is not None and not any(wanted.match(code) for code in codes):
                yield evidence.fault(self.name, f"Expected a diagnosis for OPS {procedure['ops']}, "
                                     f"found {', '.join(codes)}.")  # fmt: skip
