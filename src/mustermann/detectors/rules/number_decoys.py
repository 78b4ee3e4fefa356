"""Numbers and codes without a personal meaning: they are claimed, so that no rule takes them.

Source: PZN (IFA), ICD-10-GM and OPS (BfArM), ATC (WHO), study registers (NCT, DRKS, EudraCT).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Find, lines_with

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE_WORD = re.compile(
    r"(?:ICD(?:-10)?(?:-GM)?|OPS|ATC|LOINC|DRG|EBM|GOÄ|GOP|REF|LOT|Ch\.-?B\.|Charge"
    r"(?:n-?[Nn](?:r\.?|ummer))?)(?<![\w-]OPS)[:\s.-]{0,3}(?:Nr\.?:? ?|Ziffer ?)?"
    r"[A-Z]{0,3}-?\d[\w.:/-]*\w"
)
_PRINTED = re.compile(
    r"(?:[Vv]ersion|\w*[Ss]oftware|Vordrucks?|Formulars?|Teststreifen|Kennung|[Kk]ennung des \w+"
    r"|Release|DIN|ISO"
    r"|Norm)"
    r"[ :]{1,3}(?P<value>(?:[A-Z]{2,4}-)*\d[\w./-]*\w)"
)
"""What is printed on a form or a box: its version or batch, also where it looks like a date."""
_PRINTED_WORDS = (
    "ersion", "oftware", "Vordruck", "Formular", "Teststreifen", "ennung", "Release", "DIN", "ISO",
    "Norm",
)  # fmt: skip
_PZN = re.compile(r"PZN[:\s-]{0,3}(?:\d{7,8}|\d{3} ?\d{5})(?!\d)")
_REGISTER = re.compile(
    r"(?:NCT\d{8}|DRKS\d{8}|EudraCT[: -]{0,3}\d{4}-\d{6}-\d{2}|ISRCTN\d{8}|CE ?\d{4})(?!\d)"
)
_LAW = re.compile(
    r"§{1,2} ?\d+[a-z]?(?: ?(?:Abs\.|Satz|Nr\.|S\.|Ziff\.|Abs) ?\d+[a-z]?)*"
    r"(?: ?(?:SGB|BGB|StGB|StVO|PsychKG|UbG|[A-ZÄÖÜ]\w*G)\b(?: ?[IVX]+\b)?(?:[- ]Verfahren)?)?"
)
_STUDY = re.compile(
    r"[A-Z](?<!\w.)[A-Z0-9]+(?:-[A-Z0-9]+){0,3}-(?:Studie|Trial|Protokoll|Schema|Register)\b"
)
_CODE = re.compile(
    r"(?:[A-TV-Z](?<![\w-].)\d\d\.\d{1,2}|\d(?<![\w-].)-\d\d[0-9a-z]\.[0-9a-z]{1,2}"
    r"|[A-Z](?<![\w-].)\d\d[A-Z]{2}\d\d)(?!\w)[GVZARLB!*+†]{0,2}"
)


def find_number_decoys(text: str) -> Iterator[Find]:
    """Yields numbers and codes without a personal meaning: PZN, ICD, OPS, laws, studies."""
    for pattern in (_CODE_WORD, _PZN, _REGISTER, _LAW, _STUDY, _CODE):
        for match in pattern.finditer(text):
            yield Find(*match.span(), "NONPII_ID")
    for line in lines_with(text, _PRINTED_WORDS):
        for match in _PRINTED.finditer(text, line.start, line.end):
            yield Find(*match.span("value"), "NONPII_ID")
