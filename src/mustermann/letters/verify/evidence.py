"""What a check looks at: the text, its spans, and the attributes as plain JSON."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mustermann.letters.verify.fault import Fault

if TYPE_CHECKING:
    from mustermann.documents.document import Document
    from mustermann.documents.spans import Component, Span

COVERED = "\x00"
"""Stands for each character of a span in `Evidence.uncovered`."""

_NOT_TAKEN = frozenset({"abgesetzt", "pausiert"})
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")


class Evidence:
    """One letter, with what several checks need of it computed once.

    Attributes:
      document: The letter.
      patient, people, dates, values, course: From the record's `attributes`, empty where
        the record has none (a foreign corpus); a check then makes no claim.
      modes: Names of the adversarial modes that are on.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        attributes = document.meta.get("attributes")
        found: Mapping[str, Any] = attributes if isinstance(attributes, Mapping) else {}
        self.patient: Mapping[str, Any] = found.get("patient") or {}
        self.people: Mapping[str, Mapping[str, Any]] = found.get("people") or {}
        self.values: Mapping[str, str] = found.get("values") or {}
        self.course: Mapping[str, Any] = found.get("course") or {}
        self.age = found.get("age")
        self.dates = {slot: date.fromisoformat(d) for slot, d in (found.get("dates") or {}).items()}
        self.modes = frozenset(document.meta.get("modes") or ())

    @cached_property
    def uncovered(self) -> str:
        """The text with each character inside a span replaced by `COVERED`."""
        return _cover(self.document.text, self.document.spans)

    @cached_property
    def unmeasured(self) -> str:
        """`rest` without the laboratory's values: 1950 ng/l is no year of birth."""
        labs = (span for span in self.document.clinical if span.label == "LAB")
        text = _cover(self.uncovered, labs)
        return text if self.plain else visible(text)

    @cached_property
    def diagnoses(self) -> list[str]:
        """The ICD codes of the letter's diagnoses."""
        return [line["icd"] for line in self.course.get("diagnoses") or () if line.get("icd")]

    @cached_property
    def taken(self) -> list[Mapping[str, Any]]:
        """The drugs that the patient takes from discharge on and whose code is known."""
        drugs = self.course.get("medication") or ()
        return [d for d in drugs if d.get("atc") and d.get("status") not in _NOT_TAKEN]

    @cached_property
    def plain(self) -> bool:
        """Whether the text is composed (NFC) and has no invisible character."""
        text = self.document.text
        return unicodedata.is_normalized("NFC", text) and not _UNSEEN.search(text)

    @cached_property
    def rest(self) -> str:
        """What stands outside spans, as a reader sees it; offsets may differ from the text's."""
        return self.uncovered if self.plain else visible(self.uncovered)

    def surface(self, span: Span | Component) -> str:
        """Returns what a span covers, composed, without invisible characters."""
        text = self.document.surface(span)
        return text if self.plain else visible(text)

    def fault(self, check: str, message: str, *, at: Span | tuple[int, int] = (0, 0)) -> Fault:
        """Returns a fault of this letter."""
        start, end = at if isinstance(at, tuple) else (at.start, at.end)
        return Fault(check, self.document.id, start, end, message)


def _cover(text: str, spans: Iterable[Span]) -> str:
    """Returns `text` with `COVERED` for each character inside the spans, which are in order."""
    parts, at = [], 0
    for span in spans:
        parts += [text[at : span.start], COVERED * (span.end - span.start)]
        at = span.end
    return "".join([*parts, text[at:]])


def visible(text: str) -> str:
    """Returns `text` composed (NFC), without zero-width characters and soft hyphens."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _UNSEEN.sub("", text))


def canonical(text: str) -> str:
    """Returns only the letters and digits of `text`, case folded: the value, not its look."""
    # "ı" in capitals is "I", which folds to "i".
    return "".join(c for c in visible(text).casefold().replace("ı", "i") if c.isalnum())


@dataclasses.dataclass(frozen=True, slots=True)
class Names:
    """The words that a person may be called by, each composed.

    Attributes:
      given: Given names, each hyphenated part by itself too.
      family: The same of the family name and the name at birth.
      other: Pet forms and the like.
    """

    given: frozenset[str]
    family: frozenset[str]
    other: frozenset[str]

    @classmethod
    def of(cls, person: Mapping[str, Any]) -> Names:
        """Returns the words of a person's record."""
        family = [person.get("family", ""), person.get("birth_name", "")]
        return cls(
            _words(person.get("given", ())), _words(family), _words([person.get("diminutive", "")])
        )


def _words(names: Any) -> frozenset[str]:
    whole = [visible(name) for name in names if name]
    return frozenset(whole) | {part for name in whole for part in name.replace("-", " ").split()}
