"""Counts what a corpus is made of, letter by letter; counts of parts add up to the whole."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mustermann.documents.document import Document

_OF_META = ("difficulty", "style", "structure", "length", "case")


class Census:
    """Running counts over letters; equal letters in any order and grouping, equal counts."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._characters = 0

    def add(self, document: Document) -> None:
        """Counts one letter."""
        meta, counts = document.meta, self._counts
        counts["letters", "written"] += 1
        counts.update((group, str(meta[group])) for group in _OF_META if group in meta)
        course = (meta.get("attributes") or {}).get("course") or {}
        counts.update((key, str(course[key])) for key in ("specialty", "stay") if key in course)
        counts.update(("modes", mode) for mode in meta.get("modes", ()))
        for group in ("mode_counts", "dropped", "warnings", "writer"):
            for name, count in (meta.get(group) or {}).items():
                counts[group, name] += count
        counts.update(("labels", span.label) for span in document.spans)
        counts.update(("clinical", span.label) for span in document.clinical)
        counts.update(
            ("phones", "fictional" if span.details.get("number") == "fictional" else "other")
            for span in document.spans
            if span.label in {"PHONE", "MOBILE", "FAX"}
        )
        self._characters += len(document.text)

    def drop(self, reason: str, count: int = 1) -> None:
        """Counts drafts or rows that came to nothing."""
        if count:
            self._counts["dropped", reason] += count

    def merge_lost(self, *, dropped: Mapping[str, int], wrote: Mapping[str, int]) -> None:
        """Counts the drafts of a letter of which none was good, and what its writer counted."""
        self._counts["dropped", "letter_given_up"] += 1
        for group, counts in (("dropped", dropped), ("writer", wrote)):
            for name, count in counts.items():
                self._counts[group, name] += count

    def merge(self, other: Census) -> None:
        """Adds the counts of other letters."""
        self._counts.update(other._counts)
        self._characters += other._characters

    @property
    def letters(self) -> int:
        """Returns how many letters were counted."""
        return self._counts["letters", "written"]

    @property
    def mean_characters(self) -> float:
        """Returns the mean length, 0 for no letters."""
        return self._characters / self.letters if self.letters else 0.0

    def dropped(self) -> dict[str, int]:
        """Returns how many drafts were dropped, by reason."""
        return {n: c for (group, n), c in sorted(self._counts.items()) if group == "dropped"}

    def to_record(self) -> dict[str, Any]:
        """Returns the counts as nested JSON values, sorted."""
        record: dict[str, Any] = {"letters": self.letters, "characters": self._characters}
        for (group, name), count in sorted(self._counts.items()):
            if group != "letters":
                record.setdefault(group, {})[name] = count
        return record
