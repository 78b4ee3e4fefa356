"""A letter's length is in the band that it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

BANDS = {
    "kurz": (1_500, 3_500), "mittel": (3_500, 7_000), "ausfuehrlich": (7_000, 11_000),
    "sehr_lang": (11_000, 20_000),
}  # fmt: skip
"""Characters, both ends included, where the record names no band of its own."""


class LengthBand:
    """Counts characters; what a text filter adds (NFD, CRLF) counts too, so a tenth is free."""

    name = "length"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields a fault if the text is outside its band by more than a tenth."""
        meta = evidence.document.meta
        own = meta.get("band")
        band = own if _is_band(own) else BANDS.get(str(meta.get("length")))
        count = len(evidence.document.text)
        if band and not 0.9 * band[0] <= count <= 1.1 * band[1]:
            yield evidence.fault(
                self.name, f"Expected {band[0]} to {band[1]} characters, found {count}."
            )


def _is_band(own: object) -> bool:
    """Returns whether a record's own band is one; a foreign record may call anything so."""
    return isinstance(own, list) and len(own) == 2 and all(isinstance(end, int) for end in own)
