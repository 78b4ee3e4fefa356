"""Renders a skeleton with attributes into a document with exact labels.

Pure: the same skeleton, attributes and filters give the same document. Each value is
labelled at the moment it is written; no finished text is edited.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from mustermann.documents.document import Document
from mustermann.documents.labels import CLINICAL
from mustermann.documents.spans import Filter, Piece, SpanWriter
from mustermann.german.inflection import takes_bare_genitive
from mustermann.letters.attributes.record import Attributes
from mustermann.letters.house import DEFAULT, HouseStyle, HouseWeights, house_style
from mustermann.letters.pieces import Surface
from mustermann.letters.record_json import plain
from mustermann.letters.segments import Mention, Placeholder, Segment, Skeleton
from mustermann.letters.surface import surface
from mustermann.letters.surface_clinical import CLINICAL_LABELS, clinical_details
from mustermann.letters.surface_dates import elided_variant

_MEMORY = 40
"""Characters of context that decide on articles and the start of a sentence."""

_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Dr|Prof|Priv|Doz|Univ|med|nat|phil|dent|habil|geb|bzw|ca|ggf|vgl|Pat|sog"
    r"|inkl|evtl|stat|amb|Hr|Hrn|Fr|Frl|Fam|Tel|bds|re|li|lt|zzt|exkl|gez)|\d)\.\Z"
)
"""A dot after one of these ends no sentence."""

_RANGE = re.compile(r" (?:bis(?: zum)?|[-–]) ")
"""What stands between the first and the last day of a stay."""

_GOES_ON = re.compile(r"[ ,]+[a-zäöü]")
_SHOWN = ("people", "values", "details")
"""Attributes that are kept by slot, and only for the slots that the letter shows."""


def render(
    skeleton: Skeleton,
    attributes: Attributes,
    *,
    id: str,
    filters: Sequence[Filter] = (),
    weights: HouseWeights = DEFAULT,
    meta: Mapping[str, Any] | None = None,
) -> Document:
    """Returns the letter.

    Args:
      skeleton: With placeholders that the grammar allows.
      attributes: Every value that goes in.
      id: Of the document.
      filters: See each piece before it is written, in this order; fresh ones for each letter.
      weights: How often houses write a value in which way.
      meta: What else the document should carry, such as its seed path.

    Raises:
      DataError: A placeholder asks for something that this letter does not have.
    """
    writer = SpanWriter(filters=filters)
    renderer = _Renderer(attributes, writer, house_style(attributes, weights))
    renderer.run(skeleton.segments)
    return Document(
        id=id,
        text=writer.text(),
        spans=writer.spans(),
        clinical=writer.clinical(),
        meta=_meta(skeleton, attributes, renderer.shown()) | dict(meta or {}),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Made:
    """A surface with its text and the name of its slot, made once a letter."""

    surface: Surface
    text: str
    slot: str


class _Renderer:
    """Walks the segments once and remembers a little of what it wrote."""

    def __init__(self, attributes: Attributes, writer: SpanWriter, style: HouseStyle) -> None:
        self.attributes = attributes
        self.writer = writer
        self.style = style
        self.made: dict[tuple[Placeholder, bool], _Made] = {}
        self.told: list[str] = []
        self.mention: tuple[int, Mention] | None = None

    def run(self, segments: Sequence[Segment]) -> None:
        last = len(segments) - 1
        after_value = False
        for index, segment in enumerate(segments):
            if isinstance(segment, str):
                self._running(segment, after_value=after_value)
                after_value = False
            elif isinstance(segment, Mention):
                self._edge(segment)
            else:
                after = segments[index + 1] if index < last else ""
                after = after if isinstance(after, str) else ""
                segment = self._elided(segment, after, segments[index + 2 : index + 3])
                self._value(segment, after)
                after_value = True

    def shown(self) -> frozenset[str]:
        """Returns the slots that the letter shows, with their arguments."""
        return frozenset(made.slot for made in self.made.values())

    def _running(self, text: str, *, after_value: bool) -> None:
        if after_value and text[:1] == "." == self.told[-1][-1:] and text[1:2] != ".":
            # German writes one dot where an abbreviation or "03.11." ends a sentence.
            text = text[1:]
        self.writer.write(text)
        self.told.append(text)

    def _edge(self, mention: Mention) -> None:
        if mention.open:
            mark = self.writer.open_clinical(CLINICAL_LABELS[mention.atom])
            self.mention = (mark, mention)
        elif self.mention:
            mark, opened = self.mention
            details = clinical_details(opened.atom, opened.key, self.attributes)
            self.writer.close_clinical(mark, CLINICAL_LABELS[opened.atom], details)
            self.mention = None

    def _elided(self, first: Placeholder, between: str, rest: Sequence[Segment]) -> Placeholder:
        """Returns a date's placeholder, shortened where the date that it ranges to follows."""
        if first.slot != "aufnahme" or not _RANGE.fullmatch(between):
            return first
        last = rest[0] if rest else None
        if not isinstance(last, Placeholder):
            return first
        variant = elided_variant(first, last, self.attributes, self.style)
        return dataclasses.replace(first, variant=variant) if variant else first

    def _value(self, placeholder: Placeholder, after: str) -> None:
        made = self._surface(placeholder)
        written, text = made.surface, made.text
        if written.opens and self._starts_sentence(after):
            written = _capitalised(written)
            text = written.text
        self._write(written, made.slot)
        for part in written.tail:
            self._write(part, made.slot)
        self.told.append(text)

    def _surface(self, placeholder: Placeholder) -> _Made:
        article = placeholder.case == "gen" and takes_bare_genitive(self._before())
        found = self.made.get((placeholder, article))
        if found is None:
            made = surface(placeholder, self.attributes, style=self.style, after_article=article)
            argument = f":{placeholder.argument}" if placeholder.argument else ""
            found = _Made(made, made.text, placeholder.slot + argument)
            self.made[placeholder, article] = found
        return found

    def _write(self, written: Surface, slot: str) -> None:
        label = written.label
        if not label:
            for piece in written.pieces:
                self.writer.write(piece.text)
        elif label in CLINICAL:
            self._atom(written, slot)
        else:
            self.writer.entity(
                written.pieces, label, slot=slot, form=written.form, details=written.details
            )

    def _atom(self, written: Surface, slot: str) -> None:
        """Writes a clinical value; inside a mention the mention is the label."""
        pieces = written.pieces
        if len(pieces) == 1 and not pieces[0].kind:
            if self.mention:
                self.writer.write(pieces[0].text)
            else:
                self.writer.atom(pieces[0].text, written.label, written.details)
            return
        mark = None if self.mention else self.writer.open_clinical(written.label)
        for piece in pieces:
            if piece.kind:
                self.writer.entity((Piece(piece.text),), piece.kind, slot=slot, form=written.form)
            else:
                self.writer.write(piece.text)
        if mark is not None:
            self.writer.close_clinical(mark, written.label, written.details)

    def _before(self) -> str:
        """Returns the last characters before what comes now, as they would be unfiltered."""
        parts: list[str] = []
        length = 0
        for text in reversed(self.told):
            parts.append(text[-_MEMORY:])
            length += len(text)
            if length >= _MEMORY:
                break
        return "".join(reversed(parts))

    def _starts_sentence(self, after: str) -> bool:
        """Whether a value that comes now begins a sentence; a line of its own does not."""
        before = self._before()
        told = before.rstrip(" \n\u201e")
        gap = before[len(told) :]
        if gap and told[-1:] in {".", "!", "?", "…"}:
            return not _ABBREVIATION.search(told)
        return (not told or "\n" in gap) and bool(_GOES_ON.match(after))


def _capitalised(written: Surface) -> Surface:
    first, *rest = written.pieces
    text = first.text[:1].upper() + first.text[1:]
    pieces = (Piece(text, first.kind, first.inside), *rest)
    return dataclasses.replace(written, pieces=pieces)


def _meta(skeleton: Skeleton, attributes: Attributes, shown: frozenset[str]) -> dict[str, Any]:
    """Returns what the document carries; of people and values those that the letter shows."""
    parameters = attributes.parameters
    record = {
        field.name: plain(getattr(attributes, field.name))
        for field in dataclasses.fields(attributes)
        if field.name not in _SHOWN
    }
    for name in _SHOWN:
        values = getattr(attributes, name)
        record[name] = {slot: plain(values[slot]) for slot in sorted(shown) if slot in values}
    return {
        "case": skeleton.case,
        "difficulty": parameters.difficulty,
        "style": parameters.style,
        "structure": parameters.structure,
        "length": parameters.length,
        "modes": sorted(parameters.modes),
        "attributes": record,
    }
