"""A span begins and ends where a word does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity


class Borders:
    """Finds spans that cut a word, or that begin or end with a blank.

    A number may touch letters ("64jährig"); with missing blanks switched on a word may
    touch a word.
    """

    name = "borders"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each span with a wrong edge."""
        text = evidence.document.text
        for span in evidence.document.spans:
            surface = evidence.document.surface(span)
            if surface != surface.strip():
                yield evidence.fault(self.name, f"Expected no blank at the edge of {surface!r} "
                                     f"({span.label}).", at=span)  # fmt: skip
            before = text[span.start - 1 : span.start]
            after = text[span.end : span.end + 1]
            if "missing_blanks" not in evidence.modes and (
                _one_word(before, surface[0]) or _one_word(surface[-1], after)
            ):
                around = text[max(0, span.start - 8) : span.end + 8]
                yield evidence.fault(self.name, f"Expected {span.label} {surface!r} to end where "
                                     f"a word does, found {around!r}.", at=span)  # fmt: skip


def _one_word(left: str, right: str) -> bool:
    """Returns whether two neighbouring characters belong to one word or one number."""
    if not (left and right and left.isalnum() and right.isalnum()):
        return False
    return left.isdigit() == right.isdigit()
