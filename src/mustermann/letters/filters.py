"""Adversarial transformations of the written text, as filters of the span writer.

Each sees one piece before it is written, so labels stay exact whatever it does. Each
counts what it changed. A filter keeps state: make fresh ones for every letter.
"""

from __future__ import annotations

import abc
import random
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping

from mustermann.core.seeds import Seeds
from mustermann.documents.labels import CLINICAL

NAMES = frozenset({"PATIENT_NAME", "RELATIVE_NAME", "STAFF_NAME", "OTHER_PERSON_NAME"})
_UPPERED = frozenset({"given", "particle", "family", "suffix"})
_NO_NOISE = frozenset(
    {"rechts", "links", "rechte", "rechten", "rechter", "rechtes", "linke", "linken", "linker",
     "linkes", "beidseits", "keine", "keinen", "keiner", "nicht", "ohne"}
)  # fmt: skip
"""A slip in one of these would change what the letter says."""

_CONFUSED = (
    ("rn", "m"), ("m", "rn"), ("l", "1"), ("i", "l"), ("e", "c"), ("o", "0"), ("h", "b"),
    ("cl", "d"), ("ü", "ii"), ("ß", "B"), ("f", "t"), ("tt", "ü"),
)  # fmt: skip
"""What scanners confuse."""

_WORD = re.compile(r"(?<![\w.@/-])[a-zäöüß]{5,}(?![\w@/-])")
_CLOSED = re.compile(r"(?<=[a-zäöüß][.,;]) (?=[A-Za-zÄÖÜäöü])")
_BLANK = re.compile(r" ")
_UNIT = re.compile(r"(?<=\d) (?=[a-zµ%°])")
_LONG = re.compile(r"(?<=[a-zäöüß]{6})(?=[a-zäöüß]{6})")
_BREAKABLE = re.compile(r"(?<=[-/@])(?=\w)")


class Change(abc.ABC):
    """A filter with a name, a random stream of its own and a count.

    Attributes:
      name: Of the mode.
      count: How many pieces or places it has changed.
    """

    name = ""

    def __init__(self, stream: random.Random) -> None:
        self.count = 0
        self._stream = stream

    def __call__(self, text: str, *, label: str, kind: str) -> str:
        """Returns what is written instead of `text`; see `spans.Filter`."""
        changed = self.change(text, label, kind)
        if changed != text:
            self.count += 1
        return changed

    @abc.abstractmethod
    def change(self, text: str, label: str, kind: str) -> str:
        """Returns the changed piece."""

    def _sometimes(
        self, probability: float, made: Callable[[str], str]
    ) -> Callable[[re.Match[str]], str]:
        """Returns a replacement for `re.sub` that acts on a share of the matches."""

        def replace(match: re.Match[str]) -> str:
            return made(match[0]) if self._stream.random() < probability else match[0]

        return replace


class MissingBlanks(Change):
    """Drops blanks after titles, initials, abbreviations and commas: "Dr.Leitner"."""

    name = "missing_blanks"

    def __init__(self, stream: random.Random) -> None:
        super().__init__(stream)
        self._last = ""

    def change(self, text: str, label: str, kind: str) -> str:
        """Drops the blank after a title or initial, and 1 in 25 after a dot or comma."""
        last, self._last = self._last, kind
        if label in NAMES:
            if kind == "title":
                return text.replace(". ", ".")
            if text == " " and last in {"title", "initial"}:
                return ""
            return text
        return text if label else _CLOSED.sub(self._sometimes(0.04, lambda _: ""), text)


class SplitNames(Change):
    """Breaks the line inside names, at a blank or after a hyphen."""

    name = "split_names"

    def change(self, text: str, label: str, kind: str) -> str:
        """Breaks 3 of 10 names at each place where that is possible."""
        if label not in NAMES:
            return text
        if text == " ":
            return "\n" if self._stream.random() < 0.3 else text
        if kind == "family" and "-" in text:
            return re.sub(r"(?<=-)(?=\w)", self._sometimes(0.3, lambda _: "\n"), text)
        return text


class UpperNames(Change):
    """Writes family names in capitals, in half of the letters given names too."""

    name = "upper_names"

    def __init__(self, stream: random.Random) -> None:
        super().__init__(stream)
        self._kinds = _UPPERED if stream.random() < 0.5 else _UPPERED - {"given"}

    def change(self, text: str, label: str, kind: str) -> str:
        """Upper-cases the components; "ß" becomes "SS"."""
        if label in NAMES and kind in self._kinds:
            return unicodedata.normalize("NFC", text.upper())
        return text


class EmailLower(Change):
    """Writes e-mail addresses in lower case."""

    name = "email_lower"

    def change(self, text: str, label: str, kind: str) -> str:
        """Lower-cases an address."""
        return text.lower() if label == "EMAIL" else text


class OcrNoise(Change):
    """Confuses letters as a scanner does, in lower-case words of running text only.

    Numbers, values, drugs (German capitalises them), clinical mentions, sides and
    negations stay as they are.
    """

    name = "ocr_noise"

    def change(self, text: str, label: str, kind: str) -> str:
        """Confuses one place in 1 of 60 words."""
        return text if label else _WORD.sub(self._sometimes(1 / 60, self._confuse), text)

    def _confuse(self, word: str) -> str:
        fitting = [(right, wrong) for right, wrong in _CONFUSED if right in word[1:]]
        if word in _NO_NOISE or not fitting:
            return word
        right, wrong = self._stream.choice(fitting)
        return word[0] + word[1:].replace(right, wrong, 1)


class Nbsp(Change):
    """Writes no-break spaces inside values and before units."""

    name = "nbsp"

    def change(self, text: str, label: str, kind: str) -> str:
        """Replaces half of the blanks in values, and those between number and unit."""
        if not label:
            return _UNIT.sub("\u00a0", text)
        return _BLANK.sub(self._sometimes(0.5, lambda _: "\u00a0"), text)


class Zwsp(Change):
    """Puts zero-width spaces where a word processor offers a line break."""

    name = "zwsp"

    def change(self, text: str, label: str, kind: str) -> str:
        """Puts one after a hyphen, slash or @ in PHI and decoys, and into some long words."""
        if label in CLINICAL:
            return text
        if label:
            return _BREAKABLE.sub("\u200b", text)
        return _LONG.sub(self._sometimes(0.02, lambda _: "\u200b"), text)


class Nfd(Change):
    """Decomposes letters: "ü" becomes "u" and a combining mark."""

    name = "nfd"

    def change(self, text: str, label: str, kind: str) -> str:
        """Returns the canonical decomposition."""
        return unicodedata.normalize("NFD", text)


class Crlf(Change):
    """Ends lines as Windows does."""

    name = "crlf"

    def change(self, text: str, label: str, kind: str) -> str:
        """Puts a carriage return before each line feed."""
        return text.replace("\n", "\r\n")


FILTERS: Mapping[str, type[Change]] = {
    change.name: change
    for change in (
        MissingBlanks, SplitNames, UpperNames, EmailLower, OcrNoise, Nbsp, Zwsp, Nfd, Crlf,
    )
}  # fmt: skip
"""By mode, in the order in which they are applied: words first, code points last."""


def make_filters(modes: Iterable[str], seeds: Seeds) -> tuple[Change, ...]:
    """Returns fresh filters for the text modes among `modes`, in the order of `FILTERS`.

    Args:
      modes: Names of adversarial modes; those that are no filters are passed over.
      seeds: The letter's node; each filter has a stream of its own below it.
    """
    wanted = frozenset(modes)
    return tuple(
        change(seeds.random("filter", name)) for name, change in FILTERS.items() if name in wanted
    )


def counts(filters: Iterable[Change]) -> dict[str, int]:
    """Returns how many pieces each filter has changed."""
    return {change.name: change.count for change in filters}
