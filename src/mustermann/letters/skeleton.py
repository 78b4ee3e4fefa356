"""Makes a skeleton from its text, and finds literal values that a writer left in it."""

from __future__ import annotations

import re

from mustermann.letters.placeholder import Fault, PlaceholderError, parse
from mustermann.letters.segments import Skeleton

_MONTH = "Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
LITERALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("a date", re.compile(r"(?<![\d.,/])\d{1,2}\.\s?(?:\d{1,2}\.|(?:" + _MONTH + r")\b)"
                          r"\s?(?:\d{4}|\d{2})?(?![\d,])")),
    ("a date", re.compile(r"(?<![\d./-])\d{4}-\d{2}-\d{2}(?!\d)")),
    ("a date", re.compile(r"(?<![\d./,])(?:0?[1-9]|1[0-2])/(?:19|20)?\d\d"
                          r"(?![\d/])(?! ?(?:SSW|SSL))")),
    ("a year", re.compile(r"(?<![\d.,/-])(?:19|20)\d\d(?![\d.,/%-])"
                          r"(?! ?(?:(?:[mnpµ]?g|[mµn]?l|k?cal|I?E|U|[mc]?m|ms|Hz|c?Gy|[mk]?mol)\b"
                          r"|/))")),
    ("an age", re.compile(r"\b\d{1,3}(?=[- ]?jähr|[- ]?jr\.| Jahre alt| J\.)")),
    ("a name", re.compile(r"\b(?:Herrn?|Frau|Hrn?\.|Fr\.|Dr\.(?: ?med\.)?|Prof\.|PD)"
                          r" (?!(?:Kolleg|Doktor|Professor|Patient|und\b|Dr\.|Prof\.))"
                          r"[A-ZÄÖÜ][a-zäöüß]+")),
    ("a telephone number", re.compile(r"\b0\d{2,4}[ /-]{1,3}\d{3,}")),
    ("an e-mail address", re.compile(r"\b[\w.+-]+@[\w-]+\.\w+")),
    ("a web address", re.compile(r"\b(?:https?://|www\.)\S+")),
    ("a long number", re.compile(r"\b[A-Z]?\d{6,}\b")),
)  # fmt: skip
"""What looks like a value of a patient, with its name; in running text it is a fault."""


def from_text(text: str, *, case: str) -> Skeleton:
    """Returns the skeleton that `text` writes.

    Args:
      text: With placeholders and clinical mentions.
      case: Id of the case or "llm".

    Raises:
      PlaceholderError: The text breaks the grammar; the message has line and column.
    """
    return Skeleton(parse(text, name=f"case {case!r}"), case)


def literals(text: str) -> tuple[Fault, ...]:
    """Returns where a skeleton's text holds a name, number or date outside a placeholder.

    Args:
      text: A skeleton that an LLM wrote. Authored cases pass laboratory values of their
        own through facts, so they are not held to this.
    """
    hidden = re.sub(r"\[\[[^\[\]]*\]\]|<<[^<>]*>>", lambda match: "\0" * len(match[0]), text)
    faults = [
        Fault(match.start(), f"Found {kind} outside a placeholder: {match[0]!r}.")
        for kind, pattern in LITERALS
        for match in pattern.finditer(hidden)
    ]
    return tuple(sorted(faults))


def require_no_literals(text: str, *, name: str = "the skeleton") -> None:
    """Passes if no literal value stands in the text.

    Raises:
      PlaceholderError: The first literal, with its line and column.
    """
    found = literals(text)
    if found:
        raise PlaceholderError(found[0].explain(text, name=name))
