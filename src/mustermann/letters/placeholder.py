"""Reads and writes the text of a skeleton: running text, placeholders, clinical mentions.

A placeholder is `[[slot:argument form=… case=… variant=…]]`; all but the slot may be
missing, in this order or another. A clinical mention is `<<diagnosis:key>>…<</diagnosis>>`.
Everything else is running text, letter for letter. Each fault has its position, so that
a writer (or an LLM) can mend it.

>>> parse("Wir berichten über [[patient form=hon_last case=akk]].")[1]
Placeholder(slot='patient', argument='', form='hon_last', case='akk', variant='')
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Sequence

from mustermann.core.errors import DataError
from mustermann.letters.grammar import SALUTATIONS, WORD, grammar
from mustermann.letters.segments import Mention, Placeholder, Segment
from mustermann.letters.slots import SLOTS

MENTIONS = ("diagnosis", "procedure", "med", "lab")
"""Atoms that a clinical mention may name."""

_KEYS = ("form", "case", "variant")
_TOKEN = re.compile(r"\[\[|\]\]|<<")
_MENTION = re.compile(r"<<(?:/([^<>\n]*)|([^<>:\n]*):([^<>\n]*))>>")
_INNER = re.compile(
    r"\s*(?P<slot>[^\s:=]+)(?::(?P<argument>[^\n]*?))?(?P<rest>(?:\s+[^\s=]+=\S*)*)\s*"
)


class PlaceholderError(DataError):
    """A skeleton breaks the grammar; the message has line and column."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Fault:
    """A place where a skeleton breaks the grammar.

    Attributes:
      offset: Index of the first character of what is wrong.
      message: What was expected and what was found.
    """

    offset: int
    message: str

    def explain(self, text: str, *, name: str = "the skeleton") -> str:
        """Returns the message with line and column, both from 1."""
        line = text.count("\n", 0, self.offset) + 1
        column = self.offset - (text.rfind("\n", 0, self.offset) + 1) + 1
        return f"{name}, line {line}, column {column}: {self.message}"


@dataclasses.dataclass(frozen=True, slots=True)
class Parsed:
    """What stands in a skeleton's text.

    Attributes:
      segments: In order; what is at fault is left out.
      faults: In order of their place.
    """

    segments: tuple[Segment, ...]
    faults: tuple[Fault, ...]


def parse(text: str, *, name: str = "the skeleton") -> tuple[Segment, ...]:
    """Returns the segments of a skeleton's text.

    Args:
      text: The skeleton as its author wrote it.
      name: What messages call it: a case's id, a file.

    Raises:
      PlaceholderError: The first fault, with its line and column.
    """
    parsed = scan(text)
    if parsed.faults:
        raise PlaceholderError(parsed.faults[0].explain(text, name=name))
    return parsed.segments


def scan(text: str) -> Parsed:
    """Returns the segments together with every fault; never raises."""
    return _Scanner(text).run()


def write(segments: Iterable[Segment]) -> str:
    """Returns the text that `parse` reads as these segments.

    Raises:
      PlaceholderError: Running text holds `[[`, `]]` or `<<`, which can't be written.
    """
    parts: list[str] = []
    for segment in segments:
        if isinstance(segment, Placeholder):
            parts.append(_placeholder_text(segment))
        elif isinstance(segment, Mention):
            parts.append(f"<<{segment.atom}:{segment.key}>>" if segment.open
                         else f"<</{segment.atom}>>")  # fmt: skip
        else:
            found = _TOKEN.search(segment)
            if found:
                around = segment[max(0, found.start() - 20) :][:60]
                raise PlaceholderError(
                    f"Expected running text without {found[0]!r}, got {around!r}."
                )
            parts.append(segment)
    return "".join(parts)


def check(placeholder: Placeholder) -> str:
    """Returns what is wrong with a placeholder in one line, "" if nothing."""
    slot = SLOTS.get(placeholder.slot)
    if slot is None:
        return f"Unknown slot {placeholder.slot!r}.{_near(placeholder.slot, SLOTS)}"
    if slot.argument and not placeholder.argument:
        return f"Expected [[{slot.name}:…]], got no argument."
    if placeholder.argument and not slot.argument:
        return f"Expected [[{slot.name}]] without argument, got {placeholder.argument!r}."
    allowed = grammar(slot.name)
    fault = (
        _unknown("form", placeholder.form, allowed.forms, slot.name)
        or _unknown("case", placeholder.case, allowed.cases, slot.name)
    )  # fmt: skip
    if fault or not placeholder.variant:
        return fault
    if allowed.free_variant and WORD.fullmatch(placeholder.variant):
        return ""
    fault = _unknown("variant", placeholder.variant, allowed.variants, slot.name)
    if not fault and placeholder.variant in SALUTATIONS and placeholder.form != "salutation":
        return f"Expected form=salutation with variant={placeholder.variant}."
    return fault


class _Scanner:
    """One pass over a skeleton's text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.segments: list[Segment] = []
        self.faults: list[Fault] = []
        self.open: tuple[str, int] | None = None

    def run(self) -> Parsed:
        at = 0
        while found := _TOKEN.search(self.text, at):
            self._running(at, found.start())
            at = self._mark(found[0], found.start())
        self._running(at, len(self.text))
        if self.open:
            atom, opened = self.open
            self._fault(opened, f"Expected <</{atom}>> before the end, found none.")
        return Parsed(tuple(self.segments), tuple(sorted(self.faults)))

    def _mark(self, mark: str, start: int) -> int:
        """Reads what begins at `start`; returns where it ends."""
        if mark == "]]":
            self._fault(start, "Found ']]' without '[['.")
            return start + 2
        if mark == "<<":
            return self._mention(start)
        end = self.text.find("]]", start + 2)
        again = self.text.find("[[", start + 2)
        if end < 0 or 0 <= again < end:
            self._fault(start, f"Found '[[' without ']]' in {self.text[start : start + 40]!r}.")
            return start + 2
        self._placeholder(start, self.text[start + 2 : end])
        return end + 2

    def _placeholder(self, start: int, inner: str) -> None:
        shape = _INNER.fullmatch(inner)
        if not shape:
            self._fault(start, f"Expected [[slot:argument form=… case=… variant=…]], "
                               f"got {'[[' + inner + ']]'!r}.")  # fmt: skip
            return
        options: dict[str, str] = {}
        for option in re.finditer(r"([^\s=]+)=(\S*)", shape["rest"]):
            key, value = option.groups()
            at = start + 2 + shape.start("rest") + option.start()
            if key not in _KEYS:
                self._fault(at, f"Unknown key {key!r} in [[{inner}]].{_near(key, _KEYS)}")
            elif key in options:
                self._fault(at, f"Key {key!r} stands twice in [[{inner}]].")
            elif not value:
                self._fault(at, f"Expected a value after {key}= in [[{inner}]].")
            options.setdefault(key, value)
        placeholder = Placeholder(
            shape["slot"],
            (shape["argument"] or "").strip(),
            **{key: options.get(key, "") for key in _KEYS},
        )
        fault = check(placeholder)
        if fault:
            self._fault(start, f"{fault} (in [[{inner}]])")
        else:
            self.segments.append(placeholder)

    def _mention(self, start: int) -> int:
        shape = _MENTION.match(self.text, start)
        if not shape:
            self._fault(start, f"Expected <<atom:key>> or <</atom>>, "
                               f"got {self.text[start:start + 40]!r}.")  # fmt: skip
            return start + 2
        closing, atom, key = shape.groups()
        opening = closing is None
        name = atom if opening else closing
        if name not in MENTIONS:
            self._fault(start, f"Unknown atom {name!r}.{_near(name, MENTIONS)}")
        elif opening and self.open:
            self._fault(start, f"Found <<{name}:…>> inside <<{self.open[0]}:…>>.")
        elif opening and not key:
            self._fault(start, f"Expected a key in <<{name}:…>>, got none.")
        elif opening:
            self.open = (name, start)
            self.segments.append(Mention(True, name, key))
        elif self.open and self.open[0] == name:
            self._close(start, name)
        else:
            self._fault(start, f"Found <</{name}>> without <<{name}:…>>.")
        return shape.end()

    def _close(self, start: int, name: str) -> None:
        if isinstance(self.segments[-1], Mention):
            self._fault(start, f"Expected text between <<{name}:…>> and <</{name}>>.")
        self.open = None
        self.segments.append(Mention(False, name))

    def _running(self, start: int, end: int) -> None:
        if start == end:
            return
        text = self.text[start:end]
        if self.segments and isinstance(self.segments[-1], str):
            self.segments[-1] += text
        else:
            self.segments.append(text)

    def _fault(self, offset: int, message: str) -> None:
        self.faults.append(Fault(offset, message))


def _placeholder_text(placeholder: Placeholder) -> str:
    argument = f":{placeholder.argument}" if placeholder.argument else ""
    options = "".join(
        f" {key}={value}" for key in _KEYS if (value := getattr(placeholder, key))
    )  # fmt: skip
    return f"[[{placeholder.slot}{argument}{options}]]"


def _unknown(key: str, value: str, allowed: Sequence[str], slot: str) -> str:
    if not value or value in allowed:
        return ""
    if not allowed:
        return f"Expected no {key} for {slot!r}, got {key}={value}."
    return f"Unknown {key} {value!r} for {slot!r}.{_near(value, allowed)}"


def _near(word: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(word, names, n=1)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Known: {', '.join(names)}." if len(names) <= 20 else ""
