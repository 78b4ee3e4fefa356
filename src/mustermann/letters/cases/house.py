"""House style: what one hospital does alike in a whole letter, and other hospitals do otherwise.

Abbreviations, headings, the order of sections, the layout of lists. The rules stand in
`library/house.toml`; a letter draws one `House` from them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Literal

from mustermann.core.config import read_toml, strict, validate
from mustermann.core.errors import ConfigError
from mustermann.core.seeds import Draws
from mustermann.letters.attributes.record import Structure, Style

LIBRARY = Path(__file__).parent / "library"
HeadingForm = Literal["colon", "bare", "inline", "capitals"]
ListForm = Literal["plain", "numbered", "bullets"]
PlanForm = Literal["bullets", "numbered", "lines", "prose"]
MarkForm = Literal["brackets", "dash", "column"]

_ABBREVIATE: dict[str, float] = {"standard": 0.55, "akademisch": 0.2, "knapp": 0.95}
"""Probability by style that a house abbreviates a phrase."""


@strict
@dataclasses.dataclass(frozen=True)
class WordEntry:
    """A phrase and its abbreviations; `at` where Austrian houses have their own.

    Attributes:
      long: As authors write it.
      short: Abbreviation.
      at: Austrian form.
      rate: Factor on the probability of abbreviating.
      like: Another phrase; a house abbreviates both or none.
    """

    long: str
    short: str
    at: str = ""
    rate: float = 1.0
    like: str = ""


@strict
@dataclasses.dataclass(frozen=True)
class Order:
    """An order of sections; `specialties` empty for all.

    Attributes:
      sections: Names in order.
      weight: How often.
      specialties: Where it is used.
      name: For cases that ask for it.
    """

    sections: list[str]
    weight: float = 1.0
    specialties: list[str] = dataclasses.field(default_factory=list)
    name: str = ""


@strict
@dataclasses.dataclass(frozen=True)
class HouseFile:
    """Contents of `house.toml`."""

    words: list[WordEntry]
    synonyms: list[list[list[str]]]
    analytes: dict[str, list[str]]
    headings: dict[str, list[str]]
    leads: dict[str, list[str]]
    orders: list[Order]
    narrative: list[str]


OUTPUT_ONLY = ">"
"""Begins a synonym that a house may write, but that never stands for the others."""


@dataclasses.dataclass(frozen=True, slots=True)
class Synonyms:
    """Phrases that mean the same in any sentence; a house has one column of each group.

    Attributes:
      groups: Each a table: a row holds interchangeable phrases, a column belongs together.
    """

    groups: Sequence[Sequence[Sequence[str]]]

    def entries(self) -> list[tuple[int, tuple[str, ...]]]:
        """Returns the rows with their group's number, each again as it begins a sentence."""
        found = []
        for number, group in enumerate(self.groups):
            for row in group:
                found.append((number, tuple(row)))
                capital = tuple(_capital(form) for form in row)
                if capital != tuple(row):
                    found.append((number, capital))
        return found

    def columns(self, draw: Callable[[], float]) -> list[int]:
        """Returns the column that a house takes of each group; `draw` gives uniform floats."""
        return [int(draw() * len(group[0])) for group in self.groups]


def _capital(form: str) -> str:
    mark = OUTPUT_ONLY if form.startswith(OUTPUT_ONLY) else ""
    plain = form.removeprefix(OUTPUT_ONLY)
    return mark + plain[:1].upper() + plain[1:]


_NOT_SPLIT = "".join(f"(?<!- {word} )" for word in ("und", "oder", "bis"))
"""The second half of "Puls- und Blutdruckkontrolle", "zwei- bis dreimal" is no word of its own."""


class Lexicon:
    """Finds the phrases of an index in text."""

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = dict(index)
        self._pattern = re.compile(
            rf"(?<![\w-]){_NOT_SPLIT}({_any_of(sorted(self._index))})(?![\w-])"
        )

    def split(self, text: str) -> list[str | int]:
        """Returns the text in pieces, entries as their index."""
        pieces = self._pattern.split(text)
        return [self._index[p] if i % 2 else p for i, p in enumerate(pieces) if p]


def _any_of(phrases: Sequence[str]) -> str:
    """Returns a pattern for the longest of the phrases, which are sorted; "" may be one.

    Phrases share what they begin with: an alternation of hundreds would try each at every place.
    """
    longer = [phrase for phrase in phrases if phrase]
    if not longer:
        return ""
    branches = [
        re.escape(first) + _any_of([phrase[1:] for phrase in those])
        for first, those in groupby(longer, key=lambda phrase: phrase[0])
    ]
    pattern = branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"
    return f"(?:{pattern})?" if len(longer) < len(phrases) else pattern


class Words(Lexicon):
    """The lexicon of abbreviations; `free` knows the synonyms, too.

    Titles of diagnoses and drugs are split by the abbreviations alone: they have official names.

    Attributes:
      entries: Abbreviations in order; their index stands in parsed grammar.
      synonyms: Their entries follow those of the abbreviations.
      longs: Of each entry, what stands where no house decides.
      free: The lexicon for sentences.

    Raises:
      ConfigError: A phrase stands twice, or is said to be like one that does not stand there.
    """

    def __init__(
        self, entries: Sequence[WordEntry], synonyms: Sequence[Sequence[Sequence[str]]] = ()
    ) -> None:
        self.entries, self.synonyms = tuple(entries), Synonyms(synonyms)
        known = {entry.long for entry in self.entries}
        for entry in self.entries:
            if entry.like and entry.like not in known:
                raise ConfigError(
                    f"Expected like to name a phrase of house.toml, got {entry.like!r}."
                )
        rows = self.synonyms.entries()
        self.longs = (
            *(entry.long for entry in self.entries),
            *(row[0].removeprefix(OUTPUT_ONLY) for _, row in rows),
        )
        index = {entry.long: number for number, entry in enumerate(self.entries)}
        super().__init__(index)
        for number, (_, row) in enumerate(rows, start=len(self.entries)):
            for form in row:
                if form.startswith(OUTPUT_ONLY):
                    continue
                if index.setdefault(form, number) != number:
                    raise ConfigError(f"Expected each phrase once in house.toml, got {form!r}.")
        self.free = Lexicon(index)


@dataclasses.dataclass(frozen=True, slots=True)
class HouseRules:
    """The rules with their compiled lexicon."""

    file: HouseFile
    lexicon: Words


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What one letter's house does.

    Attributes:
      words: The form of each lexicon entry.
      heading: Form of headings.
      blank_lines: Whether a blank line stands between sections.
      order: Sections in order.
      diagnoses: Layout of the diagnosis list.
      icd: Whether codes stand behind diagnoses.
      split_diagnoses: Whether main and secondary diagnoses have their own words.
      plan: Layout of the plan.
      marks: How changes of medication are marked.
      lab_table: Laboratory as a table instead of a chain.
      draws: For whatever else is alike in a letter, by name.
    """

    words: tuple[str, ...]
    heading: HeadingForm
    blank_lines: bool
    order: tuple[str, ...]
    diagnoses: ListForm
    icd: bool
    split_diagnoses: bool
    plan: PlanForm
    marks: MarkForm
    lab_table: bool
    draws: Draws


@cache
def house_rules() -> HouseRules:
    """Returns the rules of the library."""
    path = LIBRARY / "house.toml"
    file = validate(HouseFile, read_toml(path), where=str(path))
    return HouseRules(file, Words(file.words, file.synonyms))


def draw_house(
    draws: Draws, *, style: Style, structure: Structure, specialty: str, order: str = "",
    country: str = "de",
) -> House:  # fmt: skip
    """Returns a house style that fits style, structure and specialty."""
    rules = house_rules()
    narrative = structure == "narrative"
    icd_rate = 0.55 if style == "akademisch" else 0.3
    return House(
        words=(
            *_words(Random(draws.bits("words")), style, country),  # noqa: S311
            *_synonyms(Random(draws.bits("synonyms"))),  # noqa: S311
        ),
        heading=draws.weighted(
            "heading", ("colon", "bare", "inline", "capitals"), (46, 20, 18, 16)
        ),
        blank_lines=draws.bernoulli("blank lines", 0.75),
        order=tuple(rules.file.narrative) if narrative else _order(draws, specialty, order),
        diagnoses=draws.weighted("diagnoses", ("plain", "numbered", "bullets"), (21, 8, 8)),
        icd=draws.bernoulli("icd", icd_rate),
        split_diagnoses=draws.bernoulli("split diagnoses", 0.3),
        plan=draws.weighted("plan", ("bullets", "numbered", "lines", "prose"),
                            (1, 1, 1, 9) if narrative else (5, 2, 3, 2)),
        marks=draws.weighted("marks", ("brackets", "dash", "column"), (4, 4, 2)),
        lab_table=not narrative and draws.bernoulli("lab table", 0.15 if style == "knapp" else 0.4),
        draws=draws,
    )  # fmt: skip


def _words(random: Random, style: Style, country: str) -> tuple[str, ...]:
    """Returns the house's form of every entry, all from one stream: most of them are not asked."""
    chances = _chances(style, country)
    draw = random.random
    draws = [draw() for _ in chances]
    return tuple(short if draws[like] < chance else long for long, short, chance, like in chances)


def _synonyms(random: Random) -> list[str]:
    """Returns the house's form of every row of synonyms."""
    synonyms = house_rules().lexicon.synonyms
    columns = synonyms.columns(random.random)
    return [row[columns[group]] for group, row in _rows()]


@cache
def _rows() -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Returns the rows of synonyms as they are written."""
    return tuple(
        (group, tuple(form.removeprefix(OUTPUT_ONLY) for form in row))
        for group, row in house_rules().lexicon.synonyms.entries()
    )


@cache
def _chances(style: Style, country: str) -> tuple[tuple[str, str, float, int], ...]:
    """Returns each entry's long and short form, the chance of the short one, whose draw it is."""
    rate = _ABBREVIATE[style]
    entries = house_rules().lexicon.entries
    places = {entry.long: place for place, entry in enumerate(entries)}
    found = []
    for entry in entries:
        like = places[entry.like or entry.long]
        if country == "at" and entry.at:
            found.append((entry.at, entry.at, 0.0, like))
        else:
            found.append((entry.long, entry.short, rate * entry.rate if entry.short else 0.0, like))
    return tuple(found)


def _order(draws: Draws, specialty: str, name: str) -> tuple[str, ...]:
    orders = house_rules().file.orders
    named = [order for order in orders if name and order.name == name]
    fitting = named or [o for o in orders if not o.specialties or specialty in o.specialties]
    weights = [order.weight * (3 if order.specialties else 1) for order in fitting]
    return tuple(draws.weighted("order", fitting, weights).sections)
