"""The grammar of a name: titles, given names, initials, particles, family name, genitive."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules.words import LOWER, PARTICLE, TITLE, TITLE_AFTER, UPPER
from mustermann.documents.spans import Component

if TYPE_CHECKING:
    from mustermann.detectors.rules.find import Canvas
    from mustermann.detectors.rules.gazetteer import Gazetteer

_LETTERS = rf"{UPPER}{LOWER}"
WORD = (
    rf"(?:[dDOL]['’])?(?:[ae]l-|Mc"
    rf"|Mac)?[{UPPER}][{_LETTERS}]*(?:['’](?=[{_LETTERS}]{{2}})[{_LETTERS}]+)?"
    rf"(?:-\n?[{_LETTERS}]{{2,}}){{0,4}}"
)
"""A capitalised word of a name, with hyphens, also over a line break."""
_INITIAL = rf"[{UPPER}][{LOWER}]?\.(?:[ ]?-?[{UPPER}][{LOWER}]?\.)*"
_TOKEN = re.compile(
    rf"(?P<particle>{PARTICLE})(?=[ ][{UPPER}])|(?P<initial>(?!Dr\.|Fr\.|Hr\.|Nr\.|St\.|Zi\.|Pt\."
    rf"|Va\.|Zn\.|Z\.n|Z\.|Tel|Str){_INITIAL})|(?P<word>{WORD})"
)
_GAP = re.compile(r"[ ]{1,2}|(?<=\.)|\n")
_CLOSE = re.compile(r"[ ]?(?:[ ][ ]|[\n\t,;/)]|$|\(|[ ](?:MD|PhD)\b|[ ][–-][ ])")
_PREPOSITIONS = frozenset({"vom", "zu", "zum", "zur"})
_ALSO_GIVEN = frozenset({"Ben", "Bin", "Abu", "Da", "Du", "Di", "La", "Le", "El", "Al", "Della"})
_AFTER = re.compile(TITLE_AFTER)
_NEXT_LINE = re.compile(rf"\n[ ]?(?P<word>{WORD})")
_TITLES = re.compile(rf"{TITLE}(?:[ ]{{0,2}}(?:/[ ]?)?{TITLE}){{0,5}}")
_BEHIND = re.compile(
    rf",?[ ](?P<title>{TITLE_AFTER}(?:,?[ ]{TITLE_AFTER})*|(?<=,[ ]){TITLE}(?![ ]{{0,2}}[{UPPER}]))"
)


@dataclasses.dataclass(frozen=True, slots=True)
class Name:
    """A name as it stands in the text.

    Attributes:
      start: Where it begins, titles included.
      end: Where it ends, genitive included.
      parts: Its components, in order.
      words: The given and family names without the genitive: "Müller".
      surnames: Those of them that are family names.
    """

    start: int
    end: int
    parts: tuple[Component, ...]
    words: tuple[str, ...]
    surnames: tuple[str, ...]

    @property
    def titled(self) -> bool:
        """Whether a title belongs to it."""
        return any(part.kind == "title" for part in self.parts)


class NameParser:
    """Reads a name that begins at a given place."""

    def __init__(self, canvas: Canvas, gazetteer: Gazetteer) -> None:
        self._canvas, self._text, self._known = canvas, canvas.text, gazetteer

    def parse(self, at: int, *, trusted: bool = False, most: int = 4) -> Name | None:
        """Returns the name that begins at `at`, with the titles before it, or None.

        Args:
          at: Where it would begin.
          trusted: Whether the context says that a name must follow; a common noun is then
            believed to be one (Dr. Leber).
          most: The most words that it may have.
        """
        titles: list[Component] = []
        start = at
        if match := _TITLES.match(self._text, at):
            titles = [Component(match.start(), _stripped(self._text, *match.span()), "title")]
            at = self._after_title(match.end())
        tokens = self._tokens(at, most, trusted=trusted, titled=bool(titles))
        if not tokens:
            return None
        return self._name(start if titles else at, titles, tokens)

    def title_behind(self, end: int) -> Component | None:
        """Returns the title that stands behind a name which ends at `end`, or None."""
        match = _BEHIND.match(self._text, end)
        return Component(*match.span("title"), "title") if match else None

    def _after_title(self, end: int) -> int:
        while self._text.startswith(" ", end):
            end += 1
        following = _NEXT_LINE.match(self._text, end)
        if following and not self._known.common_noun(following["word"]):
            return following.start("word")
        return end

    def _tokens(self, at: int, most: int, *, trusted: bool, titled: bool) -> list[Component]:
        tokens: list[Component] = []
        words = 0
        while words < most and (match := _TOKEN.match(self._text, at)):
            kind = str(match.lastgroup)
            if kind == "particle" and not tokens and match[0] in _ALSO_GIVEN:
                kind = "word"
            if (
                kind == "particle"
                and match[0] in _PREPOSITIONS
                and not self._particle(tokens, match)
            ):
                break
            if not self._canvas.free(*match.span()):
                break
            if kind == "word":
                if not self._continues(
                    tokens, match[0], match.end(), trusted=trusted or titled, titled=titled
                ):
                    break
                words += 1
            tokens.append(Component(*match.span(), kind))
            gap = _GAP.match(self._text, match.end())
            if not gap or (gap[0] == "\n" and not self._runs_over(tokens, gap.end())):
                break
            at = gap.end()
        while tokens and tokens[-1].kind == "particle":
            tokens.pop()
        return tokens

    def _particle(self, tokens: list[Component], match: re.Match[str]) -> bool:
        """Returns whether "vom" or "zur" belongs to a name: Petra vom Stein, not Hr. X zur Kur."""
        following = _TOKEN.match(self._text, match.end() + 1)
        if following is None or self._known.common_noun(following[0]):
            return False
        return not tokens or self._known.is_given(self._text[tokens[-1].start : tokens[-1].end])

    def _continues(
        self, tokens: list[Component], word: str, end: int, *, trusted: bool, titled: bool
    ) -> bool:
        """Returns whether `word`, which ends at `end`, may follow the tokens so far."""
        known = self._known
        if known.never_a_name(word) or _AFTER.fullmatch(word) or (len(word) < 2 and not trusted):
            return False
        before = [self._text[t.start : t.end] for t in tokens if t.kind == "word"]
        if not before:
            return trusted or bool(tokens) or not known.common_noun(word)
        if len(word) < 2 or (word.isupper() and len(word) < 4 and not before[0].isupper()):
            return False
        if known.is_given(word):
            return True
        if self._genitive(before[-1]) or self._alone_elsewhere(before[-1]):
            return False
        if known.is_given(before[-1]):
            # "Anna Leber" is a name; "Anna Befund" is not.
            return trusted or not known.common_noun(word)
        if tokens[-1].kind in {"particle", "initial"}:
            return True
        closes = _CLOSE.match(self._text, end) is not None
        if known.common_noun(word):
            return trusted and closes and len(before) == 1
        if known.is_family(before[-1]) and not titled:
            return closes and len(before) <= 2
        return len(before) == 1 or (closes and len(before) <= 3)

    def _genitive(self, word: str) -> bool:
        """Returns whether a word is a name of this text with a genitive -s: Herrn Webers Befund."""
        stem = word[:-1]
        if not word.endswith("s") or self._known.is_given(word) or len(stem) < 3:
            return False
        return re.search(rf"(?<![\w-]){re.escape(stem)}(?![\w-])", self._text) is not None

    def _alone_elsewhere(self, word: str) -> bool:
        """Returns whether the text calls somebody by this word alone: Herr Metz kam."""
        if self._known.is_given(word):
            return False
        pattern = rf"(?:Herrn?|Frau|Hrn?\.|Fr\.|Dr\.) {re.escape(word)}(?=[ ][a-zäöü]|[.,;)!])"
        return re.search(pattern, self._text) is not None

    def _runs_over(self, tokens: list[Component], at: int) -> bool:
        """Returns whether a name that has only given names so far goes on in the next line."""
        words = [self._text[t.start : t.end] for t in tokens if t.kind == "word"]
        following = _TOKEN.match(self._text, at)
        if not all(map(self._known.is_given, words)) or not following:
            return False
        word, kind = following[0], following.lastgroup
        if kind == "initial":
            return not words
        return kind == "particle" or not self._known.common_noun(word)

    def _name(self, start: int, titles: list[Component], tokens: list[Component]) -> Name:
        words = [t for t in tokens if t.kind == "word"]
        surname = self._surname(words)
        parts: list[Component] = list(titles)
        surnames: list[str] = []
        plain: list[str] = []
        end = tokens[-1].end
        for token in tokens:
            kind = {"initial": "initial", "particle": "particle"}.get(token.kind, "given")
            stem = self._text[token.start : token.end]
            if token.kind == "word":
                plain.append(stem)
            if token is surname:
                kind = "family"
                surnames.append(stem)
            parts.append(Component(token.start, token.end, kind))
        if surname and surname is tokens[-1]:
            end = self._apostrophe(surname, parts)
        return Name(start, end, tuple(sorted(parts)), tuple(plain), tuple(surnames))

    def _surname(self, words: list[Component]) -> Component | None:
        """Returns which word is the family name: the last, unless the order is reversed."""
        if not words:
            return None
        shown = [self._text[w.start : w.end] for w in words]
        given = self._known.is_given
        if len(words) > 1 and given(shown[-1]) and not given(shown[0]):
            return words[0]
        return words[-1]

    def _apostrophe(self, surname: Component, parts: list[Component]) -> int:
        """Takes a genitive apostrophe into the name (Voß') and returns where the name ends."""
        end = surname.end
        if self._text[end : end + 1] in {"'", "’"} and self._text[end - 1] in "sßxzSXZ":
            parts.append(Component(end, end + 1, "suffix"))
            return end + 1
        return end


def _stripped(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in " /":
        end -= 1
    return end
