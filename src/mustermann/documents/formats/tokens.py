"""The tokenizer of token-based formats, and how spans sit on its tokens.

A token is a run of letters (with combining marks), a run of digits, or one other visible
character. "49jähr." is three tokens, so that an age stays its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.documents.spans import Span

TOKEN = re.compile(r"(?:[^\W\d_][\u0300-\u036f]*)+|\d+|\S")


def token_ranges(text: str) -> list[tuple[int, int]]:
    """Returns the tokens of a text as half-open ranges of code points."""
    return [match.span() for match in TOKEN.finditer(text)]


def covered(
    spans: Sequence[Span], ranges: Sequence[tuple[int, int]]
) -> tuple[list[tuple[int, int] | None], list[Span]]:
    """Returns which tokens each span covers, and the spans that do not fit token borders.

    A span that cuts a token covers it whole; one that touches no token gets None. A token that
    two spans claim is the first one's.
    """
    covers: list[tuple[int, int] | None] = []
    misaligned, at, free = [], 0, 0
    for span in spans:
        while at < len(ranges) and ranges[at][1] <= span.start:
            at += 1
        first, last = max(at, free), max(at, free)
        while last < len(ranges) and ranges[last][0] < span.end:
            last += 1
        exact = first < last and (ranges[first][0], ranges[last - 1][1]) == (span.start, span.end)
        if not exact:
            misaligned.append(span)
        covers.append((first, last) if first < last else None)
        free = max(free, last)
    return covers, misaligned
