"""Identifiers have right check digits, or are wrong on purpose and say so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class Checksums:
    """Recomputes each check digit with its own arithmetic.

    A span whose details say `checksum: broken` must fail the test, every other must pass.
    """

    name = "checksums"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each identifier that is not what it claims to be."""
        for span in evidence.document.spans:
            rule = RULES.get(span.label)
            if rule is None or not span.slot:
                continue
            surface = evidence.surface(span)
            valid = rule(re.sub(r"[\W_]", "", surface).upper())
            if valid == (span.details.get("checksum") == "broken"):
                wanted = "a broken" if valid else "a right"
                yield evidence.fault(
                    self.name,
                    f"Expected {wanted} check digit in {span.label} {surface!r}.",
                    at=span,
                )


def _digit_sum_mod_10(digits: str, weights: tuple[int, ...]) -> int:
    """Sums the digit sums of digit times weight, modulo 10."""
    products = (int(d) * weights[i % len(weights)] for i, d in enumerate(digits))
    return sum(p // 10 + p % 10 for p in products) % 10


def kvnr(text: str) -> bool:
    """Returns whether `text` is a health insurance number (§ 290 SGB V)."""
    if not re.fullmatch(r"[A-Z]\d{9}", text):
        return False
    digits = f"{ord(text[0]) - 64:02}{text[1:9]}"
    return _digit_sum_mod_10(digits, (1, 2)) == int(text[9])


def lanr(text: str) -> bool:
    """Returns whether `text` is a physician's number (KBV): 6 digits, check, 2 of specialty."""
    if not re.fullmatch(r"\d{9}", text):
        return False
    total = sum(int(d) * (4, 9)[i % 2] for i, d in enumerate(text[:6]))
    return -total % 10 == int(text[6])


def ik(text: str) -> bool:
    """Returns whether `text` is an institution's number (§ 293 SGB V); check over places 3 to 8."""
    return bool(re.fullmatch(r"\d{9}", text)) and (
        _digit_sum_mod_10(text[2:8], (2, 1)) == int(text[8])
    )


def iban(text: str) -> bool:
    """Returns whether `text` is an IBAN (ISO 13616): 97 divides it, less one, rearranged."""
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", text):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def tax_id(text: str) -> bool:
    """Returns whether `text` is a tax number (§ 139b AO): ISO 7064 mod 11,10 over 11 digits."""
    if not re.fullmatch(r"[1-9]\d{10}", text):
        return False
    product = 10
    for digit in text[:10]:
        product = ((int(digit) + product - 1) % 10 + 1) * 2 % 11
    return (11 - product) % 10 == int(text[10])


def rvnr(text: str) -> bool:
    """Returns whether `text` is a pension insurance number (VKVV § 2)."""
    match = re.fullmatch(r"(\d{8})([A-Z])(\d{2})(\d)", text)
    if not match:
        return False
    digits = f"{match[1]}{ord(match[2]) - 64:02}{match[3]}"
    return _digit_sum_mod_10(digits, (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)) == int(match[4])


def id_card(text: str) -> bool:
    """Returns whether `text` ends in its check digit (ICAO 9303: weights 7, 3, 1)."""
    if not re.fullmatch(r"[A-Z0-9]{9}\d", text):
        return False
    return sum(int(c, 36) * (7, 3, 1)[i % 3] for i, c in enumerate(text[:9])) % 10 == int(text[9])


RULES: dict[str, Callable[[str], bool]] = {
    "KVNR": kvnr, "LANR": lanr, "IK_NR": ik, "IBAN": iban, "TAX_ID": tax_id, "RVNR": rvnr,
    "ID_CARD": id_card,
}  # fmt: skip
"""By label: the test of check digits, on letters and digits without separators."""
