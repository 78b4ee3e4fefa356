"""What labels a corpus has, where they lack, and how many identifiers are valid."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from mustermann.documents.labels import LABELS
from mustermann.letters.verify.checksums import RULES

if TYPE_CHECKING:
    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, slots=True)
class LabelCount:
    """How often a label stands in a corpus.

    Attributes:
      label: The label.
      spans: How many spans have it.
      letters: How many letters have at least one.
      share: Of all letters.
    """

    label: str
    spans: int
    letters: int
    share: float


@dataclasses.dataclass(frozen=True, slots=True)
class Validity:
    """How many identifiers of a label pass their test of check digits.

    Attributes:
      label: The label.
      spans: How many there are.
      valid: How many pass.
      declared_broken: How many are wrong on purpose and say so.
    """

    label: str
    spans: int
    valid: int
    declared_broken: int


class Balance:
    """Takes letters one by one and counts."""

    def __init__(self) -> None:
        self._letters = 0
        self._spans: Counter[str] = Counter()
        self._in: Counter[str] = Counter()
        self._valid: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, document: Document) -> None:
        """Takes a letter."""
        self._letters += 1
        self._spans.update(span.label for span in document.spans)
        self._in.update({span.label for span in document.spans})
        for span in document.spans:
            if span.label in RULES:
                digits = re.sub(r"[\W_]", "", document.surface(span)).upper()
                counts = self._valid[span.label]
                counts["spans"] += 1
                counts["valid"] += RULES[span.label](digits)
                counts["broken"] += span.details.get("checksum") == "broken"

    def labels(self) -> list[LabelCount]:
        """Returns every label of this project and every other that occurs, most frequent first."""
        names = {*LABELS, *self._spans}
        counts = [
            LabelCount(name, self._spans[name], self._in[name], self._in[name] / self._letters)
            for name in names
        ] if self._letters else []  # fmt: skip
        return sorted(counts, key=lambda count: (-count.spans, count.label))

    def validity(self) -> list[Validity]:
        """Returns how many identifiers are valid, by label."""
        return [
            Validity(label, found["spans"], found["valid"], found["broken"])
            for label, found in sorted(self._valid.items())
        ]
