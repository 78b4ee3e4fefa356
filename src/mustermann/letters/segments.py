"""A skeleton: the letter's text with placeholders where values go.

A writer (authored cases, or an LLM) makes it; the renderer turns it into a document. No
value of the patient stands in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TypeAlias


@dataclasses.dataclass(frozen=True, slots=True)
class Placeholder:
    """`[[slot:argument form=… case=… variant=…]]` as it was written.

    Attributes:
      slot: A name in `slots.SLOTS`.
      argument: What follows the colon, "" if nothing: an event, a diagnosis key, an eponym.
      form: Surface form, "" for the slot's default.
      case: nom, gen, dat or akk; "" for nom.
      variant: Of a date or a clinical atom, "" for the house style's default.
    """

    slot: str
    argument: str = ""
    form: str = ""
    case: str = ""
    variant: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Mention:
    """Opens (`open=True`) or closes a clinical mention that spans several segments.

    Written `<<diagnosis:key>>…<</diagnosis>>`; what stands between is labelled on the
    clinical layer.
    """

    open: bool
    atom: str
    key: str = ""


Segment: TypeAlias = str | Placeholder | Mention
"""Running text, a placeholder, or the edge of a clinical mention."""


@dataclasses.dataclass(frozen=True, slots=True)
class Skeleton:
    """A letter before its values.

    Attributes:
      segments: In order; running text includes line breaks and headings.
      case: Id of the case or "llm".
      counts: What its writer counted, such as tries and faults by kind; mostly nothing.
    """

    segments: tuple[Segment, ...]
    case: str
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)
