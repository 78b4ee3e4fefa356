"""Sections about an attack on a corpus: what a person should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mustermann.report.blocks import Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOWN = 100
"""Rows of a table; the record has all."""


class Attacked(Protocol):
    """What the journey found, as these sections read it."""

    @property
    def duplicates(self) -> Sequence[Any]:
        """Returns pairs with `first`, `second`, `similarity`."""

    @property
    def repeated(self) -> Sequence[Any]:
        """Returns values with `kind`, `value`, `letters`."""

    @property
    def repeats(self) -> Mapping[str, int]:
        """Returns how many values repeat, by kind."""

    @property
    def labels(self) -> Sequence[Any]:
        """Returns counts with `label`, `spans`, `letters`, `share`."""

    @property
    def validity(self) -> Sequence[Any]:
        """Returns counts with `label`, `spans`, `valid`, `declared_broken`."""

    @property
    def finds(self) -> Sequence[Any]:
        """Returns finds with `text`, `label`, `detectors`, `count`, `letter`, `context`."""


def redteam_sections(found: Attacked) -> list[Section]:
    """Returns the sections, what matters most first."""
    finds = Table(
        headers=("found", "label", "detectors", "places", "letter", "context"),
        rows=tuple(
            (f.text, f.label, ", ".join(f.detectors), str(f.count), f.letter, f.context)
            for f in found.finds[:SHOWN]
        ),
        caption=f"The first {SHOWN} of {len(found.finds)}; those of several detectors first.",
    )
    duplicates = Table(
        headers=("letter", "letter", "similarity"),
        rows=tuple((p.first, p.second, f"{p.similarity:.2f}") for p in found.duplicates[:SHOWN]),
        caption="Estimated share of equal runs of five words, labelled text left out.",
    )
    repeats = Table(
        headers=("kind", "in more than one letter"),
        rows=tuple((kind, str(count)) for kind, count in found.repeats.items()),
    )
    examples = Table(
        headers=("kind", "value", "letters"),
        rows=tuple(
            (one.kind, one.value, ", ".join(one.letters[:6])) for one in found.repeated[:SHOWN]
        ),
    )
    labels = Table(
        headers=("label", "spans", "letters", "share of letters"),
        rows=tuple((c.label, str(c.spans), str(c.letters), f"{c.share:.3f}") for c in found.labels),
    )
    validity = Table(
        headers=("label", "spans", "valid", "wrong on purpose"),
        rows=tuple(
            (v.label, str(v.spans), str(v.valid), str(v.declared_broken)) for v in found.validity
        ),
        caption="Identifiers whose check digits are right; the others must be wrong on purpose.",
    )
    return [
        Section("Unlabelled finds", [finds if found.finds else Paragraph("None.")]),
        Section("Nearly the same", [duplicates if found.duplicates else Paragraph("No pair.")]),
        Section("Repeats", [repeats, examples] if found.repeated else [repeats]),
        Section("Labels", [labels]),
        Section("Check digits", [validity] if found.validity else [Paragraph("None.")]),
    ]
