"""A name that one context gives away is found everywhere in its letter, in every form."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.find import Canvas, Find, Stretch
from mustermann.detectors.rules.words import LOWER, START, UPPER
from mustermann.documents.spans import Component

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mustermann.detectors.rules.gazetteer import Gazetteer

_PEOPLE = ("PATIENT_NAME", "RELATIVE_NAME", "STAFF_NAME", "OTHER_PERSON_NAME")
_ARTICLE = re.compile(
    r"\b(?:[Dd](?:ie|er|as|en|em|es)|[Ee]ine?[rnms]?|[Kk]eine?[rnms]?|[IiAa]m|[Zz]u[mr]|[Bb]eim"
    r"|[Vv]om"
    r"|[Ii]ns|[Mm]it|[Oo]hne|\w+(?:er|es|en|em))[ ]$"
)
_WORD = re.compile(rf"{START}[{UPPER}{LOWER}]{{4,}}(?![\w-])")
_SHORTEST = 5
"""Names shorter than this have too many neighbours at distance one."""


def propagate(canvas: Canvas, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields the further occurrences of the names and towns that are on the canvas."""
    words = _words(canvas, gazetteer)
    if not words:
        return
    forms = {form: word for word in words for form in (word, word.upper())}
    longest_first = sorted(forms, key=len, reverse=True)
    one = rf"(?:{'|'.join(map(re.escape, longest_first))})"
    pattern = re.compile(rf"(?<![\w-]){one}(?:[ ]{{1,2}}{one})*(?:s|['’]s?)?(?![\w]|-[^\W\d_])")
    for match in pattern.finditer(canvas.text):
        found = list(_each(match[0], longest_first))
        first = found[0]
        label = words[forms[match[0][first.start : first.end]]]
        if label != "PATIENT_NAME" and _after_article(canvas.text, match.start()):
            continue
        parts = tuple(
            Component(match.start() + part.start, match.start() + part.end, "family")
            for part in found
        )
        yield Find(*match.span(), label, parts if label in _PEOPLE else ())


def _each(text: str, forms: Sequence[str]) -> Iterator[Stretch]:
    """Yields where one of the forms stands, the longest first, without overlap."""
    at = 0
    while at < len(text):
        form = next((form for form in forms if text.startswith(form, at)), "")
        if form:
            yield Stretch(at, at + len(form))
        at += len(form) or 1


def propagate_misspelt(canvas: Canvas, gazetteer: Gazetteer) -> Iterator[Find]:
    """Yields words that are one slip away from the patient's name: Birkenauer, Birkneauer."""
    names = [
        word
        for word, label in _words(canvas, gazetteer).items()
        if label == "PATIENT_NAME" and len(word) >= _SHORTEST
    ]
    if not names:
        return
    for match in _WORD.finditer(canvas.text):
        word = _title_case(match[0])
        if gazetteer.common_noun(word) or word in gazetteer.eponyms:
            continue
        if not any(one_slip(word, name) for name in names):
            continue
        if not _after_article(canvas.text, match.start()):
            part = Component(*match.span(), "family")
            yield Find(*match.span(), "PATIENT_NAME", (part,))


def one_slip(left: str, right: str) -> bool:
    """Returns whether one letter was changed, dropped, added, or two neighbours swapped.

    The first letter must agree: names that differ there are other names.
    """
    if left[:1] != right[:1] or abs(len(left) - len(right)) > 1 or left == right:
        return False
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)
    if at is None:
        return True  # one ends earlier
    return (
        left[at + 1 :] == right[at + 1 :]
        or left[at + 1 :] == right[at:]
        or left[at:] == right[at + 1 :]
        or (left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :])
    )


def _words(canvas: Canvas, gazetteer: Gazetteer) -> dict[str, str]:
    """Returns the words to look for, with their label: the patient's before the staff's."""
    words: dict[str, str] = {}
    for label in reversed(_PEOPLE):
        kinds = {"family", "given"} if label in {"PATIENT_NAME", "RELATIVE_NAME"} else {"family"}
        for find in canvas.finds:
            if find.label != label:
                continue
            for part in find.parts:
                word = canvas.text[part.start : part.end]
                if part.kind in kinds and _searchable(word, gazetteer):
                    words[_title_case(word)] = label
    for find in canvas.finds:
        town = canvas.text[find.start : find.end]
        if find.label == "CITY" and _searchable(town, gazetteer):
            words.setdefault(town, "CITY")
    return words


def _searchable(word: str, gazetteer: Gazetteer) -> bool:
    """Returns whether a word is safe to look for without a context."""
    return len(word) > 2 and not gazetteer.common_noun(_title_case(word))


def _title_case(word: str) -> str:
    if not word.isupper():
        return word
    return re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), word)


def _after_article(text: str, start: int) -> bool:
    return _ARTICLE.search(text[max(0, start - 24) : start]) is not None
