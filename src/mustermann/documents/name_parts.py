"""Where the parts of a name begin and end: from its components, or read off the text."""

from __future__ import annotations

import dataclasses
import re

from mustermann.documents.spans import Span

HONORIFIC = re.compile(r"(?:Herrn?|Hrn?\.|Frau|Fr\.)(?=\s)")
"""Before a name, never part of it."""

_TITLE = re.compile(
    r"(?:(?:Univ\.?[- ]?|apl\. ?|ao\. ?|o\. ?|Ass\. ?)?Prof\.|(?:Universitäts)?Professor(?:in)?\b"
    r"|PD\b\.?|(?:Priv\.?[- ]?)?Doz\.|(?:Ass\.)?D?Dr(?:a|s|ª)?(?:\.(?:in\b|a\b)?\.?|(?=\s)|(?<=ª))"
    r"|MUDr\.|Dipl\.-[A-Z]\w*\.?|Mag\.|Prim\.|MBA\b|M\.?Sc\b\.?|OA\b|OÄ\b|CA\b|DGK[SP]\b)\s*",
    re.IGNORECASE,
)
"""One academic title (or rank that is written like one) and the blank after it."""

_TITLE_GOES_ON = re.compile(
    r"(?:(?:med|rer|nat|phil|habil|dent|vet|mult|univ(?:ers?)?|(?-i:h|c))\.|med(?=\s))\s*",
    re.IGNORECASE,
)
"""What may follow a title as part of it: the faculty, "h. c."."""


@dataclasses.dataclass(frozen=True, slots=True)
class NamePart:
    """A part of a name.

    Attributes:
      start: Index of its first character.
      end: Index one past its last character.
      after: Index of the next part: past the blank that follows.
      kind: honorific, title or suffix.
    """

    start: int
    end: int
    after: int
    kind: str


def name_parts(text: str, span: Span) -> tuple[NamePart, ...]:
    """Returns honorific, title and genitive suffix of a name, as far as it has them.

    Args:
      text: What the offsets count.
      span: A name; with components these are used, without them the text is read, and a
        suffix is not told from the name.
    """
    if span.components:
        return tuple(
            NamePart(part.start, part.end, _past_blank(text, part.end, span.end), part.kind)
            for part in span.components
            if part.kind in {"honorific", "title", "suffix"}
        )
    parts: list[NamePart] = []
    at = span.start
    greeting = HONORIFIC.match(text, at, span.end)
    if greeting:
        after = _past_blank(text, greeting.end(), span.end)
        parts.append(NamePart(at, greeting.end(), after, "honorific"))
        at = after
    start = at
    found = _TITLE.match(text, at, span.end)
    while found:
        at = found.end()
        found = _TITLE.match(text, at, span.end) or _TITLE_GOES_ON.match(text, at, span.end)
    if at > start:
        end = start + len(text[start:at].rstrip())
        parts.append(NamePart(start, end, at, "title"))
    return tuple(parts)


def _past_blank(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at
