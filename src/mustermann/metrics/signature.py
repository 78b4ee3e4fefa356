"""Signatures: what a score was made of, so that two numbers can be told apart.

In the manner of sacrebleu: a score without its signature does not enter a report.
"""

from __future__ import annotations

import dataclasses

VERSION = "1"
"""Raised whenever a definition in `mustermann.metrics` changes a number."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What a score depends on besides the data.

    Attributes:
      name: The metric.
      match: How gold and predicted spans were paired: "exact", "partial", "chars" …
      map: The label projection with its version, "none" where labels play no part.
      average: How documents were put together; "micro" adds counts first.
      bootstrap: How the interval was made, "none" where there is none.
      version: Of the definitions.
    """

    name: str
    match: str = "none"
    map: str = "none"
    average: str = "micro"
    bootstrap: str = "none"
    version: str = VERSION

    def __str__(self) -> str:
        """Returns name|match|map|average|bootstrap|version."""
        return "|".join(
            f"{field.name}:{getattr(self, field.name)}" if field.name != "name" else self.name
            for field in dataclasses.fields(self)
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A number with what it was made of.

    Attributes:
      value: The score, None where nothing was there to be scored.
      signature: Says how it was computed.
      low: Lower end of its 95 % interval, None without a bootstrap.
      high: Upper end of it.
    """

    value: float | None
    signature: Signature
    low: float | None = None
    high: float | None = None
