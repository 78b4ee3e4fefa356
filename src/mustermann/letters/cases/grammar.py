r"""The text grammar of cases: parsed once into nodes that write segments.

    {a|b|c}  {3*a|b}  {a|}        alternatives, with weight, optional
    {er//sie}                     by the patient's sex
    {?copd and age > 70: a|b}     by condition; the second branch may be missing
    {%knapp: a|%akademisch: b|c}  by style; what has no tag serves the other styles
    {~a}                          left out where the style is knapp
    {&, a|b|c}  {&und a|b|c}      all parts in random order, joined; also {&; …} and {&. …}
    {>name}                       a phrase of the case or of a shared module
    $name  $name.field  ${expr}  ${expr:1}      values, with decimal comma
    [[slot form=… case=…]]  <<diagnosis:key>>…<</diagnosis>>

`\` before a sign takes its meaning away.
"""

from __future__ import annotations

import dataclasses
import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, NoReturn, Protocol

from mustermann.core.errors import ConfigError
from mustermann.letters import placeholder
from mustermann.letters.cases.expressions import (
    Environment,
    Expression,
    compile_expression,
    names_in,
)
from mustermann.letters.segments import Mention, Placeholder, Segment

STYLES = ("standard", "akademisch", "knapp")
JOINS = {",": (", ", ", "), ";": ("; ", "; "), ".": (". ", ". "), "und": (", ", " und ")}
_PLACEHOLDER = re.compile(r"\[\[([^\[\]]+)\]\]")
_MENTION = re.compile(r"<<(/?)([a-z]+)(?::([^<>]+))?>>")
_VARIABLE = re.compile(r"\$([^\W\d]\w*(?:\.[^\W\d]\w*)*)|\$\{([^{}:]+)(?::(\d))?\}")
_TAG = re.compile(r"%([a-z]+(?:,[a-z]+)*):\s?")
_WEIGHT = re.compile(r"(\d+(?:\.\d+)?)\*")
_SHUFFLE = re.compile(r"&(,|;|\.|und)\s")
_ENDED = re.compile(r"(?:^|[^\W\d_]{4}(?<!evtl)(?<!inkl)(?<!insb)|\))[.!?] $")
"""A sentence has ended: not after z.B., Dr. or tgl., which are shorter."""
_PLAIN = re.compile(r"[^\\{}|/$\[<]+")


class Lexicon(Protocol):
    """Knows which phrases have an abbreviation."""

    def split(self, text: str) -> list[str | int]:
        """Returns the text in pieces; an integer stands for an entry of the lexicon."""


@dataclasses.dataclass(slots=True)
class Writing:
    """What a node needs to write: the letter's facts and choices so far.

    Attributes:
      random: Uniform floats in [0, 1), the section's own stream.
      style: "standard", "akademisch" or "knapp".
      sex: Of the patient.
      env: Facts by name.
      decimals: Digits after the comma by fact.
      phrases: Shared phrases by name.
      words: The form that this letter's house gives each entry of the lexicon.
    """

    random: Callable[[], float]
    style: str
    sex: str
    env: Environment
    decimals: Mapping[str, int | None]
    phrases: Mapping[str, Node]
    words: Sequence[str]


class Node(Protocol):
    """A piece of grammar."""

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends one expansion to `out`."""

    def children(self) -> Sequence[Node]:
        """Returns the nodes right below."""


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """Words that stand as they are."""

    text: str

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the words."""
        out.append(self.text)

    def children(self) -> Sequence[Node]:
        """Returns nothing."""
        return ()


@dataclasses.dataclass(frozen=True, slots=True)
class Word:
    """A phrase that the house abbreviates or writes out."""

    entry: int
    text: str

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the house's form."""
        out.append(state.words[self.entry])

    def children(self) -> Sequence[Node]:
        """Returns nothing."""
        return ()


@dataclasses.dataclass(frozen=True, slots=True)
class Chain:
    """Nodes one after the other."""

    parts: tuple[Node, ...]

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends each part."""
        for part in self.parts:
            # Half of all parts are words: asking costs less than calling.
            if type(part) is Text:
                out.append(part.text)
            else:
                part.write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns the parts."""
        return self.parts


@dataclasses.dataclass(frozen=True, slots=True)
class Choice:
    """One of several, drawn by weight among those that the style allows.

    Attributes:
      options: Every alternative, for the linter.
      weights: Of each option, before the style narrows them.
      by_style: Options and running totals of their weights, by style.
    """

    options: tuple[Node, ...]
    weights: tuple[float, ...]
    by_style: Mapping[str, tuple[tuple[Node, ...], tuple[float, ...]]]

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends one option."""
        options, totals = self.by_style[state.style]
        option = options[0]
        if len(options) > 1:
            option = options[bisect_right(totals, state.random() * totals[-1])]
        if type(option) is Text:
            out.append(option.text)
        else:
            option.write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns the options."""
        return self.options


@dataclasses.dataclass(frozen=True, slots=True)
class BySex:
    """`{er//sie}`."""

    male: Node
    female: Node

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the form for the patient's sex."""
        (self.female if state.sex == "f" else self.male).write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns both forms."""
        return (self.male, self.female)


@dataclasses.dataclass(frozen=True, slots=True)
class If:
    """`{?condition: then|other}`."""

    test: Expression
    source: str
    then: Node
    other: Node

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the branch that holds."""
        (self.then if self.test(state.env) else self.other).write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns both branches."""
        return (self.then, self.other)


@dataclasses.dataclass(frozen=True, slots=True)
class Unless:
    """`{~…}`: silent where the style is knapp."""

    inner: Node

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the inner node, or nothing."""
        if state.style != "knapp":
            self.inner.write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns the inner node."""
        return (self.inner,)


@dataclasses.dataclass(frozen=True, slots=True)
class Shuffle:
    """`{&, a|b|c}`: every part that says something, in random order."""

    parts: tuple[Node, ...]
    join: str
    last: str

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the parts, joined."""
        said: list[list[Segment]] = []
        for part in self.parts:
            piece: list[Segment] = []
            part.write(state, piece)
            if any(piece):
                said.append(piece)
        for index in range(len(said) - 1, 0, -1):
            other = int(state.random() * (index + 1))
            said[index], said[other] = said[other], said[index]
        for index, piece in enumerate(said):
            if index:
                out.append(self.last if index == len(said) - 1 else self.join)
                if self.join == ". ":
                    piece = capitalise(piece)
            out.extend(piece)

    def children(self) -> Sequence[Node]:
        """Returns the parts."""
        return self.parts


@dataclasses.dataclass(frozen=True, slots=True)
class Phrase:
    """`{>name}`: written afresh each time."""

    name: str

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends an expansion of the named phrase."""
        state.phrases[self.name].write(state, out)

    def children(self) -> Sequence[Node]:
        """Returns nothing: the phrase is looked up when the letter is written."""
        return ()


@dataclasses.dataclass(frozen=True, slots=True)
class Begin:
    """A phrase that begins a sentence inside a text."""

    phrase: Phrase

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends an expansion of the phrase, its first letter large."""
        piece: list[Segment] = []
        self.phrase.write(state, piece)
        out.extend(capitalise(piece))

    def children(self) -> Sequence[Node]:
        """Returns the phrase."""
        return (self.phrase,)


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """`$name` or `${expression}`."""

    read: Expression
    source: str
    decimals: int | None

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the value as a German reader writes it."""
        digits = state.decimals.get(self.source) if self.decimals is None else self.decimals
        out.append(as_written(self.read(state.env), digits))

    def children(self) -> Sequence[Node]:
        """Returns nothing."""
        return ()


@dataclasses.dataclass(frozen=True, slots=True)
class Atom:
    """A placeholder or the edge of a mention, passed through."""

    segment: Placeholder | Mention

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the segment."""
        out.append(self.segment)

    def children(self) -> Sequence[Node]:
        """Returns nothing."""
        return ()


@dataclasses.dataclass(frozen=True, slots=True)
class Indirect:
    """A placeholder whose argument is a fact: `[[med:$drug.key]]`."""

    segment: Placeholder
    argument: Value

    def write(self, state: Writing, out: list[Segment]) -> None:
        """Appends the placeholder with its argument filled in."""
        piece: list[Segment] = []
        self.argument.write(state, piece)
        out.append(dataclasses.replace(self.segment, argument=str(piece[0])))

    def children(self) -> Sequence[Node]:
        """Returns the argument."""
        return (self.argument,)


EMPTY = Text("")


def as_written(value: Any, decimals: int | None = None) -> str:
    """Returns a fact as text: numbers with decimal comma, whole ones without."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if decimals is not None:
        return f"{value:.{decimals}f}".replace(".", ",")
    whole = int(value)
    return str(whole) if value == whole else repr(value).replace(".", ",")


def capitalise(segments: Sequence[Segment]) -> list[Segment]:
    """Returns the segments with the first letter large, unless a sign forbids it."""
    out = list(segments)
    for index, segment in enumerate(out):
        if not isinstance(segment, str):
            return out
        bare = segment.lstrip()
        if bare:
            if bare[0].islower() and not _SMALL.match(bare):
                start = len(segment) - len(bare)
                out[index] = segment[:start] + bare[0].upper() + bare[1:]
            return out
    return out


_SMALL = re.compile(
    r"(?:pH|hCG|fT\d|hs-|pT\d|pN\d|cT\d|mRS|p[CO]+2|c[MC]CT|cMRT|i\. ?v|s\. ?c|p\. ?o|e[A-Z]"
    r"|cv[A-Z])"
)


def parse(text: str, *, lexicon: Lexicon, where: str) -> Node:
    """Returns the node for a grammar.

    Raises:
      ConfigError: Braces do not match, or an expression, placeholder or tag is wrong;
        the message has the place.
    """
    return _Parser(text, lexicon, where).whole()


def walk(node: Node) -> Iterator[Node]:
    """Yields the node and all below it, from left to right."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        waiting.extend(reversed(part.children()))


def names(node: Node) -> set[str]:
    """Returns the facts that a node may read."""
    found: set[str] = set()
    for part in walk(node):
        if isinstance(part, If | Value):
            found |= names_in(part.source)
    return found


class _Parser:
    """Recursive descent over one grammar."""

    def __init__(self, text: str, lexicon: Lexicon, where: str) -> None:
        self.text, self.lexicon, self.where, self.at = text, lexicon, where, 0

    def whole(self) -> Node:
        node = self.sequence(inside=False)
        if self.at < len(self.text):
            self.fail("a closing brace without an opening one")
        return node

    def fail(self, found: str) -> NoReturn:
        near = self.text[max(0, self.at - 15) : self.at + 25]
        raise ConfigError(f"{self.where}: found {found} at character {self.at}, near {near!r}.")

    def sequence(self, *, inside: bool) -> Node:
        parts: list[Node] = []
        plain: list[str] = []
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "\\" and self.at + 1 < len(self.text):
                plain.append(self.text[self.at + 1])
                self.at += 2
            elif sign == "}" or (inside and (sign == "|" or self.text.startswith("//", self.at))):
                break
            elif sign in "{$[<" and (node := self.special(sign)) is not None:
                ended = type(node) is Phrase and bool(plain) and _ENDED.search("".join(plain))
                self.flush(plain, parts)
                parts.append(Begin(node) if isinstance(node, Phrase) and ended else node)
            else:
                match = _PLAIN.match(self.text, self.at)
                plain.append(match[0] if match else sign)
                self.at += len(plain[-1])
        self.flush(plain, parts)
        return parts[0] if len(parts) == 1 else Chain(tuple(parts)) if parts else EMPTY

    def flush(self, plain: list[str], parts: list[Node]) -> None:
        if not plain:
            return
        text = "".join(plain)
        plain.clear()
        for piece in self.lexicon.split(text):
            parts.append(Text(piece) if isinstance(piece, str) else Word(piece, text))

    def special(self, sign: str) -> Node | None:
        if sign == "{":
            return self.group()
        if sign == "$":
            return self.value()
        pattern = _PLACEHOLDER if sign == "[" else _MENTION
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        if sign == "<":
            return Atom(Mention(open=not match[1], atom=match[2], key=match[3] or ""))
        holder = placeholder.parse(match[0], name=self.where)[0]
        if not isinstance(holder, Placeholder):
            self.fail("text where a placeholder was expected")
        if "$" not in holder.argument:
            return Atom(holder)
        inner = _Parser(holder.argument, self.lexicon, self.where).value()
        return Indirect(holder, inner)

    def value(self) -> Value:
        match = _VARIABLE.match(self.text, self.at)
        if match is None:
            self.fail("a $ without a name (write \\$ for the sign)")
        self.at = match.end()
        source = match[1] or match[2]
        decimals = int(match[3]) if match[3] else None
        return Value(compile_expression(source, where=self.where), source, decimals)

    def group(self) -> Node:
        self.at += 1
        kind = self.text[self.at : self.at + 1]
        if kind == "?":
            return self.condition()
        if kind == ">":
            end = self.text.find("}", self.at)
            if end < 0:
                self.fail("no closing brace")
            name, self.at = self.text[self.at + 1 : end].strip(), end + 1
            return Phrase(name)
        if kind == "~":
            self.at += 1
            return Unless(self.choice())
        if kind == "&":
            return self.shuffle()
        return self.choice()

    def condition(self) -> Node:
        colon = self.text.find(":", self.at)
        if colon < 0:
            self.fail("a condition without a colon")
        source = self.text[self.at + 1 : colon]
        self.at = colon + 1
        if self.text.startswith(" ", self.at):
            self.at += 1
        branches = self.branches()
        if len(branches) > 2:
            self.fail("more than two branches of a condition (nest them in braces)")
        other = branches[1] if len(branches) == 2 else EMPTY
        test = compile_expression(source, where=self.where)
        return If(test, source, branches[0], other)

    def shuffle(self) -> Node:
        match = _SHUFFLE.match(self.text, self.at)
        if match is None:
            self.fail("an order group without a joint (one of , ; . und)")
        self.at = match.end()
        join, last = JOINS[match[1]]
        return Shuffle(tuple(self.branches()), join, last)

    def branches(self) -> list[Node]:
        found = [self.sequence(inside=True)]
        while self.text.startswith("|", self.at):
            self.at += 1
            found.append(self.sequence(inside=True))
        self.close()
        return found

    def close(self) -> None:
        if not self.text.startswith("}", self.at):
            self.fail("no closing brace")
        self.at += 1

    def choice(self) -> Node:
        options: list[tuple[Node, float, tuple[str, ...]]] = [self.option()]
        if self.text.startswith("//", self.at):
            self.at += 2
            female = self.sequence(inside=True)
            self.close()
            return BySex(options[0][0], female)
        while self.text.startswith("|", self.at):
            self.at += 1
            options.append(self.option())
        self.close()
        return self.weighted(options)

    def option(self) -> tuple[Node, float, tuple[str, ...]]:
        styles: tuple[str, ...] = ()
        weight = 1.0
        if match := _TAG.match(self.text, self.at):
            styles = tuple(match[1].split(","))
            if not set(styles) <= set(STYLES):
                self.fail(f"a style that is none of {', '.join(STYLES)}")
            self.at = match.end()
        if match := _WEIGHT.match(self.text, self.at):
            weight, self.at = float(match[1]), match.end()
        return self.sequence(inside=True), weight, styles

    def weighted(self, options: Sequence[tuple[Node, float, tuple[str, ...]]]) -> Node:
        free = [option for option in options if not option[2]]
        rest = _totals(free or [(EMPTY, 1.0, ())])
        by_style = dict.fromkeys(STYLES, rest)
        if len(free) < len(options):
            tagged = {s: [o for o in options if s in o[2]] for s in STYLES}
            by_style |= {style: _totals(own) for style, own in tagged.items() if own}
        return Choice(
            tuple(node for node, _, _ in options), tuple(w for _, w, _ in options), by_style
        )


def _totals(
    options: Sequence[tuple[Node, float, tuple[str, ...]]],
) -> tuple[tuple[Node, ...], tuple[float, ...]]:
    """Returns the options with the running totals of their weights."""
    return (tuple(node for node, _, _ in options),
            tuple(accumulate(weight for _, weight, _ in options)))  # fmt: skip


def entropy(node: Node, phrases: Mapping[str, Node], style: str = "standard") -> float:
    """Returns the entropy in nats of the wordings that a node writes, values left out."""
    if isinstance(node, Choice):
        options, totals = node.by_style[style]
        weights = [b - a for a, b in zip((0.0, *totals), totals, strict=False)]
        shares = [weight / totals[-1] for weight in weights]
        own = -sum(share * math.log(share) for share in shares if share)
        return own + sum(
            share * entropy(option, phrases, style)
            for share, option in zip(shares, options, strict=True)
        )
    if isinstance(node, Shuffle):
        said = [part for part in node.parts if part is not EMPTY]
        return math.lgamma(len(said) + 1) + sum(entropy(part, phrases, style) for part in said)
    if isinstance(node, Phrase):
        return entropy(phrases[node.name], phrases, style) if node.name in phrases else 0.0
    if isinstance(node, If | BySex):
        return sum(entropy(child, phrases, style) for child in node.children()) / 2
    if isinstance(node, Unless) and style == "knapp":
        return 0.0
    return sum(entropy(child, phrases, style) for child in node.children())
