"""Names by context: what stands before or behind a name says that it is one, and whose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mustermann.detectors.rules import contexts
from mustermann.detectors.rules.names import WORD, Name, NameParser
from mustermann.detectors.rules.roles import Mention
from mustermann.detectors.rules.words import HONORIFIC, PARTICLE, TITLE, UPPER
from mustermann.documents.spans import Component

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mustermann.detectors.rules.find import Canvas
    from mustermann.detectors.rules.gazetteer import Gazetteer

_ADDRESS = re.compile(r"(?:Herrn?|Frau|Patient\w*|Fr\.|Hr\.)[ ]$")
_HONOURED = re.compile(rf"{HONORIFIC}[ ]")
_TITLES_END = re.compile(rf"(?:{TITLE}[ ]{{0,2}})+$")
_FUNCTIONS = re.compile(rf"(?:(?:{contexts.FUNCTION}|gez|i\. ?[AV])\b\.?[ ])+")
_DONOR = re.compile(r"[Ss]pende|fälschlich|[Ff]remdbefund|Mitpatient")
_PAIR = re.compile(rf"(?<![\w.-])(?P<given>{WORD})(?=[ ](?:{PARTICLE}[ ])?[{UPPER}])")


class People:
    """Finds the mentions of persons in one text."""

    def __init__(self, canvas: Canvas, gazetteer: Gazetteer) -> None:
        self._canvas, self._text, self._known = canvas, canvas.text, gazetteer
        self._parser = NameParser(canvas, gazetteer)
        self._families: set[str] = set()

    def mentions(self) -> Iterator[Mention]:
        """Yields mentions, surest contexts first; they may overlap."""
        for mention in (*self._born(), *self._patients()):
            self._families.update(mention.name.surnames)
            yield mention
        yield from self._relatives()
        yield from self._titled()
        yield from self._honoured()
        yield from self._staff()
        yield from self._signatures()
        yield from self._addressees()
        yield from self._listed()

    def _born(self) -> Iterator[Mention]:
        """A name before a date of birth: Jonte Birkenau, geb. 4.2.61."""
        for match in contexts.BIRTH.finditer(self._text):
            start = max(0, match.start() - 90)
            left = self._text[start : match.start()].rstrip(" \t,;(\n")
            line = left.rfind("\n") + 1
            reversed_name = contexts.BACKWARD_COMMA.search(left, line)
            if reversed_name:
                name = self._reversed(reversed_name, start)
            else:
                name = self._before(start + line, left[line:])
            if name:
                foreign = _DONOR.search(self._text, start, match.start())
                yield Mention(name, "other" if foreign else "patient")
        for match in contexts.MAIDEN.finditer(self._text):
            name = self._parser.parse(match.start("name"), trusted=True, most=1)
            if name:
                yield Mention(name, "patient")

    def _before(self, start: int, left: str) -> Name | None:
        """Returns the longest name that ends where `left` ends."""
        match = contexts.BACKWARD.search(left)
        at = match.start() if match else len(left)
        titles = _TITLES_END.search(left[:at])
        offsets = [titles.start()] if titles else []
        offsets += [at + gap.end() for gap in re.finditer(r"^|[ ]+", left[at:])]
        for offset in offsets:
            name = self._parser.parse(
                start + offset,
                trusted=_ADDRESS.search(left[:offset]) is not None,
            )
            if name and name.end >= start + len(left):
                return name
        return None

    def _reversed(self, match: re.Match[str], shift: int = 0) -> Name | None:
        """Returns the name of a "Family, Given" match, or None where it is none."""
        family, given = match["family"], match["given"]
        words = (*family.split(), *given.split())
        backwards = self._known.is_given(words[0]) and not self._known.is_given(words[-1])
        if backwards or any(self._known.never_a_name(word) for word in words):
            return None
        start, end = match.start("family") + shift, match.end("given") + shift
        if not self._canvas.free(start, end):
            return None
        parts = (
            Component(start, match.end("family") + shift, "family"),
            Component(match.start("given") + shift, end, "given"),
        )
        return Name(start, end, parts, words, (family.split()[-1],))

    def _patients(self) -> Iterator[Mention]:
        for match in contexts.LABELLED.finditer(self._text):
            yield from self._patient_at(match.end(), labelled=True)
        for match in contexts.PATIENT.finditer(self._text):
            yield from self._patient_at(match.end(), labelled=False)

    def _patient_at(self, at: int, *, labelled: bool) -> Iterator[Mention]:
        comma = contexts.LAST_FIRST.match(self._text, at)
        if comma:
            given = comma["given"].split()[0]
            name = self._reversed(comma)
            if name and (labelled or self._known.is_given(given) or comma["family"].isupper()):
                yield Mention(name, "patient")
                return
        honoured = _HONOURED.match(self._text, at)
        name = self._parser.parse(honoured.end() if honoured else at, trusted=bool(honoured))
        if name is None:
            return
        several = len(name.parts) > 1
        if (
            labelled
            or (several and self._likely(name))
            or self._known.is_given(name.words[0] if name.words else "")
        ):
            yield Mention(name, "patient")

    def _likely(self, name: Name) -> bool:
        """Returns whether no word of a name is a common noun, or its first is a given name."""
        if name.words and self._known.is_given(name.words[0]):
            return True
        return not any(map(self._known.common_noun, name.words))

    def _relatives(self) -> Iterator[Mention]:
        for match in contexts.RELATIVE_NAME.finditer(self._text):
            honoured = _HONOURED.match(self._text, match.end())
            name = self._parser.parse(
                honoured.end() if honoured else match.end(), trusted=bool(honoured)
            )
            if name and name.words and (honoured or self._is_relative(match, name)):
                yield Mention(name, "relative")

    def _is_relative(self, match: re.Match[str], name: Name) -> bool:
        """Returns whether a name after "Sohn" is one: in brackets, by its given or family name."""
        if self._known.is_given(name.words[0]):
            return True
        bracketed = match[0].endswith("(") and self._text[name.end : name.end + 1] == ")"
        if bracketed and len(name.words) > 1:
            return not any(map(self._known.common_noun, name.words))
        shared = any(word in self._families for word in name.surnames)
        return shared and not self._known.common_noun(name.words[0])

    def _titled(self) -> Iterator[Mention]:
        end = -1
        for match in contexts.TITLED.finditer(self._text):
            if match.start() < end:
                continue
            name = self._parser.parse(match.start(), trusted=True)
            if name is None:
                continue
            end = name.end
            yield Mention(name, "staff")
            yield from self._behind(name)
            if re.match(r"Dr(?:e?s)\.", self._text[name.start : name.end]):
                yield from self._others(name.end)

    def _behind(self, name: Name) -> Iterator[Mention]:
        """A title behind a name, apart from it: Béla Horn PhD."""
        title = self._parser.title_behind(name.end)
        if title:
            yield Mention(Name(title.start, title.end, (title,), (), ()), "staff")

    def _others(self, at: int) -> Iterator[Mention]:
        """The further names of a list that begins with a plural title: Drs. Mohn und Kessel."""
        while match := contexts.PLURAL.match(self._text, at):
            name = self._parser.parse(match.end(), trusted=True)
            if name is None:
                return
            yield Mention(name, "staff")
            at = name.end

    def _honoured(self) -> Iterator[Mention]:
        for match in contexts.HONORED.finditer(self._text):
            comma = contexts.LAST_FIRST.match(self._text, match.end())
            if comma and (
                comma["family"].isupper() or self._known.is_given(comma["given"].split()[0])
            ):
                name = self._reversed(comma)
            else:
                name = self._parser.parse(match.end(), trusted=True)
            if name is None:
                continue
            reach = max(0, match.start() - 80)
            reach = max(reach, self._text.rfind("\n", reach, match.start()) + 1)
            line = self._text[reach : match.start()]
            staff = match["function"] or contexts.SALUTATION.search(line) or name.titled
            yield Mention(name, "staff" if staff else "person")
        for match in contexts.ADDRESSED.finditer(self._text):
            name = self._parser.parse(match.end(), most=2)
            if name and self._text[name.end : name.end + 1] in {",", "!"}:
                yield Mention(name, "staff")

    def _staff(self) -> Iterator[Mention]:
        for match in contexts.FUNCTIONAL.finditer(self._text):
            name = self._parser.parse(match.end())
            if name is None:
                continue
            bare = len(name.parts) == 1
            enough = match["mark"] == ":" or match["word"] in contexts.SHORT
            if (not bare and self._likely(name)) or (enough and self._likely(name)):
                yield Mention(name, "staff")
        for match in contexts.DONE_BY.finditer(self._text):
            name = self._parser.parse(match.end(), trusted=True)
            if name and len(name.words) > 1 and not self._known.common_noun(name.words[0]):
                yield Mention(name, "staff")
        for match in (*contexts.TEAM.finditer(self._text), *contexts.BRACKET.finditer(self._text)):
            name = self._parser.parse(match.end())
            if name and len(name.words) > 1 and self._stands_alone(match, name):
                yield Mention(name, "staff")
        for match in contexts.DEGREE.finditer(self._text):
            name = self._before(match.start(), self._text[match.start() : match.end("name")])
            if name:
                yield Mention(name, "staff")
                yield from self._behind(name)

    def _stands_alone(self, match: re.Match[str], name: Name) -> bool:
        """Returns whether a name in brackets, or after "durch", has no common noun in it."""
        if match.re is contexts.BRACKET:
            return contexts.SERVICE.match(self._text, name.end) is not None
        closed = self._text[name.end : name.end + 1] in {")", ",", ".", ";", "\n", " ", ""}
        return closed and not any(map(self._known.common_noun, name.words))

    def _signatures(self) -> Iterator[Mention]:
        """Names that stand alone in the lines under the greeting."""
        zone_end = 0
        for greeting in contexts.GREETING.finditer(self._text):
            if greeting.start() < zone_end:
                continue
            zone_end = min(len(self._text), greeting.end() + 700)
            for chunk in contexts.CHUNK.finditer(self._text, greeting.end(), zone_end):
                lead = len(chunk[0]) - len(chunk[0].lstrip())
                start = chunk.start() + lead
                words = _FUNCTIONS.match(self._text, start)
                name = self._parser.parse(words.end() if words else start, trusted=True)
                if name is None or not name.words or self._known.common_noun(name.words[0]):
                    continue
                rest = self._text[name.end : chunk.end()].strip()
                if len(name.parts) > 1 and (not rest or rest[0] in ",("):
                    yield Mention(name, "staff")
                    yield from self._behind(name)

    def _addressees(self) -> Iterator[Mention]:
        """Names on a line of their own above a street or a town."""
        places = {
            self._text.rfind("\n", 0, find.start)
            for find in self._canvas.finds
            if find.label in {"STREET", "ZIP"}
        }
        for match in contexts.BLOCK_NAME.finditer(self._text):
            if match.end() in places or self._text.find("\n", match.end() + 1) in places:
                name = self._parser.parse(match.start("name"))
                if name and name.end == match.end("name") and self._likely(name):
                    yield Mention(name, "person", sure=False)

    def _listed(self) -> Iterator[Mention]:
        """A listed given name and a capitalised word that is no common noun."""
        for match in _PAIR.finditer(self._text):
            if not self._known.is_given(match["given"]) or self._known.common_noun(match["given"]):
                continue
            name = self._parser.parse(match.start())
            if name and len(name.words) > 1 and not any(map(self._known.common_noun, name.words)):
                yield Mention(name, "person", sure=False)
