"""A surface: a value as it goes into the text, before anybody knows where."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from mustermann.documents.spans import Piece

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What one placeholder writes.

    Attributes:
      pieces: In order; those inside make up the labelled span.
      label: A PHI, decoy or clinical label; "" writes text without a label.
      details: What is known of the value.
      form: Form, case and variant that were used, as `Span.form` records them.
      opens: Whether it starts with a word that takes a capital at the start of a sentence.
      tail: Surfaces written straight after it, with labels of their own.
    """

    pieces: tuple[Piece, ...]
    label: str = ""
    details: Mapping[str, str] = dataclasses.field(default_factory=lambda: NOTHING)
    form: str = ""
    opens: bool = False
    tail: tuple[Surface, ...] = ()

    @property
    def text(self) -> str:
        """What is written, outside pieces and tail included."""
        return "".join(piece.text for piece in self.pieces) + "".join(t.text for t in self.tail)


def plain(
    text: str, label: str = "", *, details: Mapping[str, str] = NOTHING, form: str = ""
) -> Surface:
    """Returns a surface of one piece."""
    return Surface(pieces=(Piece(text),), label=label, details=details, form=form)
