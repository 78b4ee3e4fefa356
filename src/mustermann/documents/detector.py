"""What a de-identifier is to us: text in, spans out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.spans import Span


@runtime_checkable
class Detector(Protocol):
    """Finds PHI in a text.

    Attributes:
      name: As on the command line.
      labels: The labels of ours that it claims to find; it is scored on these.
      signature: Name, version and settings in one string; equal signatures give equal
        spans, so predictions are cached under it.
    """

    name: str
    labels: frozenset[str]
    signature: str

    def detect(self, text: str) -> Sequence[Span]:
        """Returns the spans found in `text`, in code points, in any order."""
        ...
