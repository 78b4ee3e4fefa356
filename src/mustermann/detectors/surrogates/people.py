"""Names in place of names: the same person is the same throughout, in sex, case and form."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING

from mustermann.documents.name_parts import name_parts
from mustermann.documents.spans import Component, Span
from mustermann.german.inflection import PARTICLES, genitive_suffix, without_genitive
from mustermann.german.names import ORIGINS, pool
from mustermann.german.transliteration import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mustermann.core.seeds import Draws
    from mustermann.german.names import Sex

_UNSEEN = "\u00ad\u200b-\u200d\u2060\ufeff"
_WORD = re.compile(rf"[^\W\d_][^\W\d_{_UNSEEN}]*(?:['’{_UNSEEN}\u0300-\u036f]+[^\W\d_]+)*\.?")
_MAN = re.compile(r"(?:Herrn?|Hrn?\.|HERRN?|Sohn|Vater|Bruder|Ehemann)\s+(?:\S+\.\s*){0,4}\Z")
_WOMAN = re.compile(r"(?:Frau|Fr\.|FRAU|Tochter|Mutter|Schwester|Ehefrau)\s+(?:\S+\.\s*){0,4}\Z")
UNSEEN = re.compile(f"[{_UNSEEN}]")
"""Characters without width: they would part a name or a date."""
_INITIALS = "ABEFGHJKLMRSTW"
_REACH = 40


class People:
    """The names that stand for a patient's, and for all others in the patient's letters."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._made: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._avoided: set[str] = set()

    def meet(self, text: str, spans: Iterable[Span]) -> None:
        """Takes in the names of a document, before any of them is replaced.

        What is somebody's name becomes nobody's surrogate, and an initial can be told from
        a name that stands further down.
        """
        read = [(span, list(_parts(text, span))) for span in spans]
        for _, parts in read:
            self._avoided.update(_key(text[p.start : p.end]) for p in parts)
        for span, parts in read:
            for part in parts:
                if part.kind == "given":
                    self._given(text, part, _sex_before(text, span.start))
                elif part.kind == "family":
                    self._family(text[part.start : part.end])

    def name(self, text: str, span: Span) -> str:
        """Returns what is written in place of the name in `span`."""
        made: list[str] = []
        last, family = span.start, ""
        for part in _parts(text, span):
            surface = text[part.start : part.end]
            made.append(text[last : part.start])
            last = part.end
            if part.kind == "given":
                family = self._given(text, part, _sex_before(text, span.start))
            elif part.kind == "family":
                family = self._family(surface)
            elif part.kind == "initial":
                made.append(self._initials(surface))
                continue
            elif part.kind == "suffix":
                made.append(_in_case(genitive_suffix(family), surface))
                continue
            else:
                made.append(surface)
                continue
            made.append(family)
        return "".join([*made, text[last : span.end]])

    def _given(self, text: str, part: Component, sex: Sex | None) -> str:
        surface = text[part.start : part.end]
        return _each_part(surface, lambda word: self._word("given", word, _sex(word) or sex))

    def _family(self, surface: str) -> str:
        return _each_part(surface, lambda word: self._word("family", word, None))

    def _word(self, kind: str, word: str, sex: Sex | None) -> str:
        key = kind, _key(word)
        if key not in self._made:
            options = _given_names(sex or _guessed(word)) if kind == "given" else _family_names()
            draws = self._draws.below(f"{kind} {key[1]}")
            ranked = draws.sample("order", options, len(options))
            fresh = (
                name
                for name in ranked
                if _key(name) not in self._taken | self._avoided
                and fold(name)[0].lower() != key[1][:1]
            )
            self._made[key] = next(fresh, ranked[0])
            self._taken.add(_key(self._made[key]))
        return _in_case(self._made[key], word)

    def _initials(self, surface: str) -> str:
        return re.sub(r"[^\W\d_]+", lambda match: self._initial(match[0]), surface)

    def _initial(self, letter: str) -> str:
        """Returns the initial of what stands for a name that began with `letter`."""
        first = fold(letter)[:1].lower()
        for kind in ("given", "family"):
            for (made_kind, key), name in self._made.items():
                if made_kind == kind and key[:1] == first:
                    return name[0]
        others = [initial for initial in _INITIALS if initial.lower() != first]
        return self._draws.choice(f"initial {first}", others)


def _parts(text: str, span: Span) -> Iterator[Component]:
    """Yields the parts of a name: its components, or what is read off the text."""
    parts = [part for part in span.components if part.end > span.start]
    if not parts:
        yield from _read(text, span)
        return
    at = span.start
    for part in sorted(parts):
        yield from _bare(text, at, part.start)
        yield part
        at = part.end
    yield from _bare(text, at, span.end)


def _bare(text: str, start: int, end: int) -> Iterator[Component]:
    """Yields words between components: nobody said what they are, so they are family names."""
    for match in _WORD.finditer(text, start, end):
        yield Component(*match.span(), "family")


def _read(text: str, span: Span) -> Iterator[Component]:
    known = [Component(p.start, p.end, p.kind) for p in name_parts(text, span)]
    start = max((part.end for part in known), default=span.start)
    yield from known
    words = list(_WORD.finditer(text, start, span.end))
    comma = text.find(",", start, span.end)
    full = [m for m in words if not _is_initial(m[0]) and m[0].lower() not in PARTICLES]
    last = full[-1] if full else None
    for match in words:
        if _is_initial(match[0]):
            yield Component(*match.span(), "initial")
        elif match[0].lower() in PARTICLES and match is not last:
            yield Component(*match.span(), "particle")
        else:
            family = match.end() <= comma if comma >= 0 else match is last
            lone = len(full) == 1 and _sex(match[0]) and not _is_family(match[0])
            base = next(
                (w for w in without_genitive(match[0])[1:] if _is_family(w) or _sex(w)), match[0]
            )
            kind = "family" if family and not lone else "given"
            yield Component(match.start(), match.start() + len(base), kind)
            if base != match[0]:
                yield Component(match.start() + len(base), match.end(), "suffix")


def _is_initial(word: str) -> bool:
    return word.endswith(".") and len(word) <= 3


def _each_part(surface: str, replaced: Callable[[str], str]) -> str:
    """Returns a name with each part between hyphens and blanks replaced."""
    surface = UNSEEN.sub("", surface)
    return re.sub(r"[^\W\d_][\w'’\u0300-\u036f¨]*\.?", lambda match: replaced(match[0]), surface)


def _sex_before(text: str, start: int) -> Sex | None:
    before = text[max(0, start - _REACH) : start]
    return "m" if _MAN.search(before) else "f" if _WOMAN.search(before) else None


def _guessed(word: str) -> Sex:
    return "f" if word.lower().endswith(("a", "e", "ı")) else "m"


def _sex(word: str) -> Sex | None:
    return _sexes().get(_key(word))


def _is_family(word: str) -> bool:
    return _key(word) in _forms()


def _key(word: str) -> str:
    """Names a name whatever its case, its umlauts and its sex: Kowalska is Kowalski."""
    shown = UNSEEN.sub("", word).replace("\u00a8", "\u0308")
    folded = fold(unicodedata.normalize("NFC", shown)).lower()
    return _forms().get(folded, folded)


def _in_case(new: str, old: str) -> str:
    return new.upper() if old.isupper() and len(old) > 1 else new


@functools.cache
def _sexes() -> Mapping[str, Sex]:
    """Returns the sex of each given name that only one sex bears."""
    known: dict[str, Sex | None] = {}
    for origin in ORIGINS:
        for (sex, _), group in pool(origin).given.items():
            for name in group:
                key = fold(name).lower()
                known[key] = sex if known.get(key, sex) == sex else None
    return {name: sex for name, sex in known.items() if sex}


@functools.cache
def _forms() -> Mapping[str, str]:
    """Returns the male form of each family name, both folded."""
    return {
        fold(form).lower(): fold(name.male).lower()
        for origin in ORIGINS
        for group in (pool(origin).family, pool(origin).nouns, pool(origin).particles)
        for name in group
        for form in (name.male, name.female)
    }


@functools.cache
def _given_names(sex: Sex) -> tuple[str, ...]:
    groups = (group for (of, _), group in pool("german").given.items() if of == sex)
    names = (name for group in groups for name in group)
    return tuple(sorted(name for name in set(names) if name.isalpha()))


@functools.cache
def _family_names() -> tuple[str, ...]:
    return tuple(sorted({name.male for name in pool("german").family if name.male.isalpha()}))
