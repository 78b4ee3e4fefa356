"""What a report is made of: sections of blocks, plain data without any HTML."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.document import Document


@dataclasses.dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of running text."""

    text: str
    kind: Literal["paragraph"] = "paragraph"


@dataclasses.dataclass(frozen=True, slots=True)
class Callout:
    """A sentence that a reader must not miss: a guarantee, or what is not covered.

    Attributes:
      text: The sentence.
      tone: "promise" for what holds, "warning" for what does not.
      details: Pairs of a term and what it says, shown below.
    """

    text: str
    tone: Literal["promise", "warning"] = "promise"
    details: tuple[tuple[str, str], ...] = ()
    kind: Literal["callout"] = "callout"


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table; numbers come formatted.

    Attributes:
      headers: Column heads; the first column holds names, the others figures.
      rows: As many cells a row as there are headers.
      caption: One sentence, "" for none.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""
    kind: Literal["table"] = "table"


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """A picture: a Vega-Lite specification as `charts` makes it, and what it shows."""

    specification: dict[str, Any]
    caption: str
    kind: Literal["chart"] = "chart"


@dataclasses.dataclass(frozen=True, slots=True)
class Letter:
    """A document with its labels highlighted, and a legend."""

    document: Document
    caption: str = ""
    kind: Literal["letter"] = "letter"


Block: TypeAlias = Paragraph | Callout | Table | Chart | Letter


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: Sequence[Block]
