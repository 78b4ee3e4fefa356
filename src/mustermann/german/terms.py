"""Medical terms with names of people or places inside, which are no personal data."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable
from typing import Protocol

from mustermann.german.pools import entries, read_toml


@dataclasses.dataclass(frozen=True, slots=True)
class Term:
    """A term with the names inside it: "Morbus Parkinson", ("Parkinson",)."""

    text: str
    names: tuple[str, ...]


class Titled(Protocol):
    """Something with a title, such as a diagnosis."""

    @property
    def title(self) -> str:
        """The words of it."""


@functools.cache
def eponyms() -> tuple[Term, ...]:
    """Returns diseases, signs, scores and operations that bear names."""
    return _terms("eponyms")


@functools.cache
def lookalikes() -> tuple[Term, ...]:
    """Returns instruments, tests and structures that bear names of people or places."""
    return _terms("lookalikes")


def eponym_names_in(titled: Iterable[Titled]) -> tuple[str, ...]:
    """Returns the eponyms' names that occur in the titles, in order, each once."""
    known = _eponym_names()
    words = (word for item in titled for word in re.findall(r"[^\W\d_]+", item.title))
    return tuple(dict.fromkeys(word for word in words if word in known))


@functools.cache
def _eponym_names() -> frozenset[str]:
    return frozenset(name for term in eponyms() for name in term.names)


def _terms(kind: str) -> tuple[Term, ...]:
    return tuple(
        Term(re.sub(r"[{}]", "", text), tuple(re.findall(r"\{(.*?)\}", text)))
        for text in entries(read_toml("terms.toml")[kind])
    )
