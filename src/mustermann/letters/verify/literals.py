"""Nothing that looks like PHI stands in the text without a label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.letters.verify.evidence import COVERED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault

_LOOKS = {
    "date": re.compile(r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d)|(?:19|20)\d\d-\d\d-\d\d(?!\d)"),
    "date in words": re.compile(
        r"\d{1,2}\. (?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*\.? (?:19|20)\d\d"
    ),
    "mail address": re.compile(r"@[\w-]+\.\w+"),
    "web address": re.compile(r"www\.\w|https?://"),
    "health insurance number": re.compile(r"[A-Z]\d{9}\b"),
    "bank account": re.compile(r"DE\d{2}(?:\s?\d{4}){4}\s?\d{2}\b"),
    "telephone number": re.compile(
        r"(?:\+49|\(?0)[1-9]\d{1,4}\)?\s?[/ -]?\s?\d{4,}(?:-\d+)?(?!\d)"
    ),
    "town": re.compile(r"\d{5}\s+[A-ZÄÖÜ][a-zäöüß]{2,}"),
    "name": re.compile(
        r"(?:Herrn?|Frau|Dr\.|Prof\.|Schwester|Pfleger)"
        r"\s(?!Dr|Prof|med|Kolleg|Patient|und\b)[A-ZÄÖÜÇŞ]\w+"
    ),
}
"""Each begins with a sign or a set of signs, so that searching stays fast; what may not stand
before it is looked at afterwards."""

_NOT_BEFORE = frozenset("0123456789.,-")


class Literals:
    """Searches the text outside all spans for dates, contacts, ids and titled names."""

    name = "literals"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each string of that look."""
        if not evidence.document.spans:
            return
        text = evidence.rest
        for kind, look in _LOOKS.items():
            for match in look.finditer(text):
                before = text[match.start() - 1 : match.start()]
                inside_number = match.group()[0].isdigit() and before in _NOT_BEFORE and before
                if COVERED not in match.group() and not inside_number:
                    found = f"{match.group()!r} looks like a {kind} and has no label."
                    yield evidence.fault(self.name, found, at=match.span())
