"""Nothing that looks like PHI stands in the text without a label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.letters.verify.evidence import COVERED, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault

_LOOKS = re.compile(
    r"""
    (?P<date>(?<![\d.])(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d(?!\d)
            |(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d))
  | (?P<mail>[\w.+-]+@[\w-]+\.\w+)
  | (?P<url>\bwww\.\w|https?://)
  | (?P<kvnr>\b[A-Z]\d{9}\b)
  | (?P<iban>\bDE\d{2}(?:\s?\d{4}){4}\s?\d{2}\b)
  | (?P<phone>(?<![\d,.])(?:\+49|0)[1-9]\d{1,4}\s?[/ -]\s?\d{4,}(?!\d))
  | (?P<zip>(?<![\d.,-])(?:D-)?\d{5}\s+[A-ZÄÖÜ][a-zäöüß]{2,})
  | (?P<name>\b(?:Herrn?|Frau|Dr\.|Prof\.|Schwester|Pfleger)
             \s(?!Dr|Prof|med|Kolleg|Patient|und\b)[A-ZÄÖÜÇŞ]\w+)
    """,
    re.VERBOSE,
)


class Literals:
    """Searches the text outside all spans for dates, contacts, ids and titled names."""

    name = "literals"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each string of that look."""
        if not evidence.document.spans:
            return
        text = visible(evidence.uncovered)
        for match in _LOOKS.finditer(text):
            if COVERED not in match.group():
                looks = f"{match.group()!r} looks like a {match.lastgroup} and has no label."
                yield evidence.fault(self.name, looks, at=match.span())
