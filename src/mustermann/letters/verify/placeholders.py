"""No placeholder, grammar sign or variable may be left in a finished letter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_SIGNS = ("[[", "]]", "<<", ">>", "{", "}", "$", "form=", "case=", "None", " nan")
_LEFT = re.compile(r"\[\[|\]\]|<<|>>|[{}]|\$[A-Za-z{]|\bform=|\bcase=|\bNone\b|\bnan\b")


class Placeholders:
    """Finds what a renderer should have replaced."""

    name = "placeholders"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each leftover."""
        text = evidence.document.text
        if not any(sign in text for sign in _SIGNS):
            return
        for match in _LEFT.finditer(text):
            yield evidence.fault(
                self.name, f"Expected finished text, found {match.group()!r}.", at=match.span()
            )
