"""What a language model gets to write from: a section's sentences, in parts that fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from mustermann.letters.placeholder import write
from mustermann.letters.segments import Mention, Placeholder, Segment

Atom = tuple[str, str]
"""Slot and argument of a placeholder; a clinical mention counts as its atom."""

WRITTEN_BY_HOUSE = frozenset({"kopf", "anrede", "gruss", "anlagen"})
"""Sections that are nothing but placeholders and set phrases: there is nothing to say otherwise."""


@dataclasses.dataclass(frozen=True)
class Chunk:
    """Some sentences of a section, in order.

    Attributes:
      section: Name of the section.
      lines: The sentences as segments.
    """

    section: str
    lines: tuple[tuple[Segment, ...], ...]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The sentences as text, placeholders in brackets."""
        return tuple(write(line) for line in self.lines)

    @cached_property
    def running(self) -> str:
        """What stands outside placeholders."""
        return "\n".join(
            "".join(s if isinstance(s, str) else " " for s in line) for line in self.lines
        )

    @cached_property
    def required(self) -> frozenset[Atom]:
        """The atoms that have to be in the answer."""
        return frozenset(atoms(segment for line in self.lines for segment in line))

    @property
    def shown(self) -> tuple[str, ...]:
        """Each placeholder as it stands, once; the opening mark of mentions."""
        marks: list[str] = []
        for segment in (segment for line in self.lines for segment in line):
            if isinstance(segment, Placeholder):
                marks.append(write([segment]))
            elif isinstance(segment, Mention) and segment.open:
                marks.append(f"<<{segment.atom}:{segment.key}>>")
        return tuple(dict.fromkeys(marks))

    @property
    def size(self) -> int:
        """Characters of the sentences, placeholders as they stand."""
        return sum(map(len, self.texts)) + len(self.texts) - 1


def atoms(segments: Iterable[Segment]) -> Iterator[Atom]:
    """Yields slot and argument of each placeholder and each clinical mention."""
    for segment in segments:
        if isinstance(segment, Placeholder):
            yield segment.slot, segment.argument
        elif isinstance(segment, Mention) and segment.open:
            yield segment.atom, segment.key


def chunks(said: Mapping[str, Sequence[Sequence[Segment]]], *, limit: int) -> tuple[Chunk, ...]:
    """Returns the sentences to be rewritten, a section in as many parts as it needs.

    Args:
      said: Sentences by section.
      limit: Characters of a part, about; a longer sentence is a part by itself.
    """
    found: list[Chunk] = []
    for section, lines in said.items():
        if section in WRITTEN_BY_HOUSE:
            continue
        part: list[tuple[Segment, ...]] = []
        size = 0
        for line in map(tuple, lines):
            width = len(write(line))
            if part and size + width > limit:
                found.append(Chunk(section, tuple(part)))
                part, size = [], 0
            part.append(line)
            size += width
        if part:
            found.append(Chunk(section, tuple(part)))
    return tuple(found)
