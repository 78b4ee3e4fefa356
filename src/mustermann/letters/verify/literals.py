"""Nothing that looks like PHI stands in the text without a label."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.letters.verify.evidence import COVERED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence
    from mustermann.letters.verify.fault import Fault, Severity

_NUMBER = re.compile(r"[(+]?\d[\d./() -]*\d|\d")
"""Every stretch of digits; one pass over the text finds all that is made of them."""

_DATE = re.compile(
    r"(?<![\d.])\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d)|\d{4}-\d\d-\d\d(?!\d)"
    r"|(?<![\d/])\d{1,2}/\d{1,2}/(?:19|20)\d\d(?!\d)"
)
_IN_WORDS = re.compile(
    r"\. (?:Jan|Jän|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*\.? (?:19|20)\d\d"
)
_PHONE = re.compile(
    r"(?:(?:\+|00 ?)49[ /-]?(?:\(0\) ?)?|\(?0)[1-9]\d{1,4}\)?[ /-]{0,3}\d[\d /-]{2,}\d-?$"
)
_ACCOUNT = re.compile(r"\d{2}(?: ?\d{4}){4} ?\d{2}$")
_TOWN = re.compile(r"\s+[A-ZÄÖÜ][a-zäöüß]{2,}")
_MAIL = re.compile(r"[\w.+-]*@[\w-]+\.\w+")
_WEB = re.compile(r"www\.\w|https?://")
_NAME = re.compile(
    r"(?:Herrn?|Frau|Dr\.|Prof\.|Schwester|Pfleger)"
    r"\s(?!Dr|Prof|med|Kolleg|Patient|Frau\b|Herrn?\b|und\b)[A-ZÄÖÜÇŞ]\w+"
    r"|(?:Dr|Prof)\.(?:\s?(?:Prof|Dr|med|rer|nat|dent|phil|habil)\.)+\s(?!Kolleg|Patient)"
    r"[A-ZÄÖÜÇŞ]\w+"
    r"|(?:Herrn?|Frau|Hrn?\.|Fr\.)\s+[A-ZÄÖÜÇŞ]\."
)
_FIRST_DAY = re.compile(r"\bvom \d{1,2}\.(?: ?\d{1,2}\.)? ?(?:bis\b|–|-)")


class Literals:
    """Searches the text outside all spans for dates, contacts, ids and titled names."""

    name = "literals"
    severity: Severity = "error"

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields each string of that look."""
        if not evidence.document.spans:
            return
        for kind, start, end in _looks(evidence.rest):
            found = f"{evidence.rest[start:end]!r} looks like a {kind} and has no label."
            yield evidence.fault(self.name, found, at=(start, end))


def _looks(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _NUMBER.finditer(text):
        kind = _kind(text, match.group(), *match.span())
        if kind:
            yield kind, *match.span()
    if "@" in text:
        yield from (("mail address", *m.span()) for m in _MAIL.finditer(text) if _bare(m))
    if "www." in text or "://" in text:
        yield from (("web address", *m.span()) for m in _WEB.finditer(text))
    yield from (("date", *m.span()) for m in _FIRST_DAY.finditer(text))
    yield from (("name", *m.span()) for m in _NAME.finditer(text) if _bare(m))


def _kind(text: str, number: str, start: int, end: int) -> str:
    """Returns what a stretch of digits looks like, "" for nothing in particular."""
    if len(number) < 3:
        return "date" if text.startswith(". ", end) and _IN_WORDS.match(text, end) else ""
    if len(number) < 5:
        return ""
    if _DATE.search(number):
        return "date"
    before = text[start - 1 : start]
    if len(number) == 5 and number.isdigit():
        return "town" if before not in {",", ".", "-"} and _TOWN.match(text, end) else ""
    if len(number) == 9 and number.isdigit() and before.isupper():
        return "health insurance number"
    if _PHONE.match(number):
        return "telephone number"
    if text[start - 2 : start] == "DE" and _ACCOUNT.match(number):
        return "bank account"
    return ""


def _bare(match: re.Match[str]) -> bool:
    return COVERED not in match.group()
