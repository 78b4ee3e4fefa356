"""What a check is, and what it finds."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.letters.verify.evidence import Evidence

Severity = Literal["error", "warning"]


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with one letter.

    Attributes:
      check: Name of the check that found it.
      document: Id of the letter.
      start: Where it begins, in code points, 0 where it concerns the whole letter.
      end: Where it ends.
      message: What was expected and what was found, in one line.
      severity: An error drops a letter; a warning is counted.
    """

    check: str
    document: str
    start: int
    end: int
    message: str
    severity: Severity = "error"


class Check(Protocol):
    """Looks at one letter.

    Attributes:
      name: As in reports and counts.
      severity: Of all that it finds.
    """

    name: str
    severity: Severity

    def faults(self, evidence: Evidence) -> Iterator[Fault]:
        """Yields what is wrong; nothing when the letter has no claim of this kind."""
        ...
