"""Writers make the skeleton of a letter from its attributes; `CaseWriter` from authored cases.

A letter is written in three steps: the lists that every letter owes (diagnoses, drugs),
then sentences by priority until the length drawn from the band is reached, then all in
the order and under the headings of one house.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Protocol, TypeAlias

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.inclusion import present
from mustermann.letters.attributes.record import Attributes, Length, Person
from mustermann.letters.cases import blocks, grammar
from mustermann.letters.cases.grammar import Node, Writing
from mustermann.letters.cases.house import House, draw_house, house_rules
from mustermann.letters.cases.library import load_case
from mustermann.letters.cases.model import ALWAYS, Case, Said, Section
from mustermann.letters.config import LengthBands
from mustermann.letters.segments import Mention, Placeholder, Segment, Skeleton
from mustermann.letters.slots import SLOTS

Line = list[Segment]
OPENING = ("kopf", "anrede", "einleitung")
CLOSING = ("abschluss", "gruss", "anlagen")
_LINES = frozenset({"kopf", "gruss", "anlagen"})
_LISTED = frozenset({"diagnosen", "procedere"})
"""Where a list begins on a line of its own, under its lead."""
_AS_WRITTEN = frozenset({*OPENING, "gruss"})
"""After a salutation German goes on in lower case."""
_LABS: dict[Length, tuple[int, int]] = {
    "kurz": (6, 2), "mittel": (11, 3), "ausfuehrlich": (17, 5), "sehr_lang": (26, 6),
}  # fmt: skip
"""By length: how many analytes, and how many of them with their trend."""
_DETAIL: dict[Length, tuple[tuple[int, int], int]] = {
    "kurz": ((1, 1), 0), "mittel": ((2, 4), 1), "ausfuehrlich": ((9, 99), 2),
    "sehr_lang": ((9, 99), 2),
}  # fmt: skip
"""By length: lines of detail a diagnosis, diagnoses with detail; reasons in the list of drugs."""
_APPENDED = 8
"""So many analytes are worth a table behind the letter."""
_APPENDIX = (
    "Laborwerte im Verlauf", "Anlage: Laborverlauf", "Laborübersicht", "Kumulativer Laborbefund",
    "Labor im Überblick",
)  # fmt: skip
_PRIORITY_AND_TICKET = itemgetter(0, 1)
_GENERAL = 2
"""So much later than its priority says comes a sentence that could stand in any letter."""
_WORDINGS = (6, 30)
"""So many wordings of a sentence are tried where the briefest is wanted; more where those of the
first round make a letter that is still too long."""
_INPATIENT = re.compile(r"[Ss]tationär|[Ee]ntlass|Aufnahme")
"""Headings with these words are for patients who stay the night."""
_HEADING = 18
"""Characters that a heading takes, about."""
_MARGIN = 0.08
"""Share of the band kept free at both ends: names and dates are only estimated here."""
_KIND_WIDTHS = {
    "person": 16, "date": 10, "text": 15, "age": 2, "decoy": 9, "clinical": 22, "login": 6,
}  # fmt: skip
_DEFAULT_WIDTHS = {name: _KIND_WIDTHS[slot.kind] for name, slot in SLOTS.items()}


class RejectedError(DataError):
    """A writer gives a letter up: what it wrote is not fit to be rendered.

    Attributes:
      reasons: Kinds of faults, each once a draft.
      counts: What the writer counted meanwhile, as in `Skeleton.counts`.
    """

    def __init__(
        self, message: str, *, reasons: Sequence[str] = (), counts: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(message)
        self.reasons = tuple(reasons)
        self.counts = dict(counts or {})


class Writer(Protocol):
    """Makes skeletons."""

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the skeleton of a letter; a pure function of both arguments.

        Raises:
          RejectedError: The draft is to be dropped and the next one tried.
        """


Reviser: TypeAlias = Callable[[Mapping[str, Sequence[Line]]], Mapping[str, Sequence[Line]]]
"""Says sentences in other words, section by section; sections that it leaves out stay."""


class CaseWriter:
    """Writes letters from authored cases.

    Args:
      bands: Characters by length.
      cases: Finds the compiled case of a course.
      reviser: Sees the sentences of each section before they are put together.
    """

    def __init__(
        self, *, bands: LengthBands | None = None, cases: Callable[[str], Case] = load_case,
        reviser: Reviser | None = None,
    ) -> None:  # fmt: skip
        self._bands = bands or LengthBands()
        self._cases = cases
        self._reviser = reviser

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the skeleton of a letter from the case that its course names."""
        case = self._cases(attributes.course.case)
        low, high = self._bands.at(attributes.parameters.length)
        letter = _Letter(case, attributes, seeds.child("skeleton"))
        spare = _MARGIN * (high - low)
        top = min(high, low + 1.6 * low) - spare
        target = letter.house.draws.uniform("target", low + spare, top)
        letter.choose(target=target, limit=high - spare)
        if self._reviser:
            letter.revise(self._reviser)
        return Skeleton(segments=tuple(tidy(letter.assemble())), case=case.id)


class _Letter:
    """One letter in the making."""

    def __init__(self, case: Case, attributes: Attributes, seeds: Seeds) -> None:
        self.case, self.attributes, self.seeds = case, attributes, seeds
        self.parameters = attributes.parameters
        self.env = environment(attributes)
        self.house: House = draw_house(
            seeds.draws("house"), style=self.parameters.style, country=self.env["country"],
            structure=self.parameters.structure, specialty=case.file.specialty,
            order=case.file.order,
        )  # fmt: skip
        self.narrative = self.parameters.structure == "narrative"
        self.random = seeds.random("text").random
        self.said: dict[str, list[tuple[int, float, bool, Line]]] = {}
        self.state = Writing(
            random=self.random, style=self.parameters.style, sex=attributes.patient.sex,
            env=self.env, decimals=case.decimals, phrases=case.phrases, words=self.house.words,
        )  # fmt: skip
        self.lists: dict[str, Line] = self._lists()
        self.size = sum(self.width(line) + _HEADING for line in self.lists.values())
        self.appendix: Line = []

    def expand(self, node: Node) -> Line:
        """Returns one expansion of a node."""
        out: Line = []
        node.write(self.state, out)
        return out

    def width(self, line: Iterable[Segment]) -> int:
        """Returns about how many characters the segments will take."""
        total = 0
        for segment in line:
            total += len(segment) if isinstance(segment, str) else self._guess(segment)
        return total

    def choose(self, *, target: float, limit: float) -> None:
        """Writes sentences by priority until `target` characters are reached."""
        pending = self._pending()
        basic = [(unit, place) for priority, _, unit, place in pending if priority == 1]
        for unit, place in basic:
            self._say(unit, place, self._write(unit))
        # What a short letter owes fills its band; those meant to be shorter leave out detail.
        bound = min(target, limit) if self.parameters.length == "kurz" else limit
        if self.size > bound:
            self._shorten(basic, bound, limit)
        for priority, _, unit, place in pending:
            if priority > 1:
                if self.size >= target:
                    break
                self._say(unit, place, self._write(unit), limit)
        if self.parameters.length == "sehr_lang" and self.size < target:
            self._append_labs(limit)

    def revise(self, reviser: Reviser) -> None:
        """Puts what `reviser` makes of each section's sentences in their place."""
        said = {
            name: [line for _, _, _, line in sorted(units, key=lambda unit: unit[:2])]
            for name, units in self.said.items()
        }
        for name, lines in reviser(said).items():
            self.said[name] = [(index, 0.0, False, line) for index, line in enumerate(lines)]

    def open_units(self) -> list[Said]:
        """Returns the units that apply, in the order of their turns."""
        return [unit for _, _, unit, _ in self._pending()]

    def _pending(self) -> list[tuple[int, float, Said, float]]:
        """Returns the units that apply: turn, ticket, unit, place among equals; in order."""
        draw, env = self.seeds.random("order").random, self.env
        pending = []
        for section, units in self.case.said.items():
            open_ = [unit for unit in units if unit.test is ALWAYS or unit.test(env)]
            if section in self.case.varied:
                variants = sorted({unit.variant for unit in open_ if unit.variant})
                chosen = self.house.draws.choice(f"variant {section}", variants or [""])
                open_ = [unit for unit in open_ if unit.variant in ("", chosen)]
            pending += [(_turn(unit), draw(), unit, draw()) for unit in open_]
        pending.sort(key=_PRIORITY_AND_TICKET)
        return pending

    def _say(self, unit: Said, place: float, line: Line, limit: float = math.inf) -> None:
        """Puts a sentence in its section, unless the letter would grow past `limit`."""
        width = self.width(line)
        if not width or self.size + width > limit:
            return
        if unit.section not in self.said and unit.section not in self.lists:
            self.size += _HEADING
        self.said.setdefault(unit.section, []).append((unit.at, place, unit.para, line))
        self.size += width + 2

    def _shorten(self, basic: Sequence[tuple[Said, float]], bound: float, limit: float) -> None:
        """Leaves detail out of the lists, then takes the briefest of some wordings."""
        self.size -= sum(map(self.width, self.lists.values()))
        self.lists = self._lists(brief=True)
        self.size += sum(map(self.width, self.lists.values()))
        if self.size <= bound:
            return
        for wordings in _WORDINGS:
            self.size = sum(self.width(line) + _HEADING for line in self.lists.values())
            self.said.clear()
            for unit, place in basic:
                lines = [self._write(unit) for _ in range(wordings)]
                self._say(unit, place, min(lines, key=self.width))
            if self.size <= limit:
                break

    def _append_labs(self, limit: float) -> None:
        """Puts a table of all values behind the letter, where the text has only some of them."""
        odd, normal = blocks.ranked_labs(self.case, self.attributes.course, 99, random=self.random)
        table = blocks.lab_table([*odd, *normal])
        room = self.size + self.width(table) + _HEADING <= limit
        if room and not self.house.lab_table and len(odd) + len(normal) >= _APPENDED:
            heading = self.house.draws.choice("appendix", _APPENDIX)
            self.appendix = [f"\n{heading}:\n", *table]

    def assemble(self) -> Line:
        """Returns the whole letter in order."""
        parts: list[Line] = []
        gap = "\n" if self.house.blank_lines or self.narrative else ""
        for name in (*OPENING, *self.house.order, *CLOSING):
            framed = name in OPENING or name in CLOSING or name == self.house.order[0]
            if body := self._body(name):
                start: Line = ["\n" if framed and parts else gap] if parts else []
                parts.append(start + self._headed(name, body))
            for section in self.case.sections.values():
                wanted = section.spec.place == name and section.test(self.env)
                body = self._body(section.name, layout=section.spec.layout) if wanted else []
                if body:
                    parts.append([gap, *self._own_heading(section, body)])
        if self.appendix:
            parts.append(self.appendix)
        return blocks.joined(parts, "\n")

    def _guess(self, segment: Placeholder | Mention) -> int:
        if isinstance(segment, Mention):
            return 0
        course = self.attributes.course
        if segment.slot == "diagnosis":
            titles = (d.title if segment.form != "short" else d.short for d in course.diagnoses
                      if d.key == segment.argument)  # fmt: skip
            return len(next(titles, "")) + 8
        if segment.slot == "procedure":
            return len(next((p.title for p in course.procedures if p.key == segment.argument), ""))
        if segment.slot == "lab" and segment.form.startswith("value"):
            return 6
        if segment.slot in {"eponym", "lookalike", "nonpii_id"}:
            return len(segment.argument)
        return _DEFAULT_WIDTHS.get(segment.slot, 14)

    def _write(self, unit: Said) -> Line:
        line = self.expand(unit.versions[int(self.random() * len(unit.versions))])
        return line if unit.section in _AS_WRITTEN else grammar.capitalise(line)

    def _lists(self, *, brief: bool = False) -> dict[str, Line]:
        course, length = self.attributes.course, self.parameters.length
        details, reasons = ((0, 0), 0) if brief else _DETAIL[length]
        if self.narrative and self.house.draws.bernoulli("inline diagnoses", 0.5):
            listed = blocks.inline_diagnoses(course.diagnoses)
        else:
            listed = blocks.diagnoses(self.case, course, self.house, self.expand, details=details)
        found = {"diagnosen": listed, "medikation": self._drugs(reasons)}
        if course.medication_before and length != "kurz" and self.parameters.has_meds:
            found["medikation_aufnahme"] = blocks.drugs_before(
                course, self.house, narrative=self.narrative
            )
        found["labor"] = self._labs(brief=brief)
        return {name: line for name, line in found.items() if line}

    def _drugs(self, reasons: int) -> Line:
        if not self.parameters.has_meds:
            return grammar.capitalise(self.expand(self._phrase("medikation_anlage")))
        course = self.attributes.course
        drugs = blocks.DrugList(self.case, course, self.house, self.expand, reasons=reasons)
        return blocks.joined(drugs.lines(), "\n")

    def _labs(self, *, brief: bool = False) -> Line:
        course = self.attributes.course
        count, trends = (3, 1) if brief else _LABS[self.parameters.length]
        odd, normal = blocks.ranked_labs(self.case, course, count, random=self.random)
        if not odd and not normal:
            return []
        if self.house.lab_table:
            return blocks.lab_table([*odd, *normal])
        expand = self.expand
        separator = self.house.draws.choice("lab separator", (", ", "; "))
        said: Line = []
        if odd:
            chain = blocks.lab_chain(odd, separator=separator, trends=trends)
            later = any(isinstance(part, Placeholder) and part.form == "trend" for part in chain)
            opening = self._phrase("labor_auftakt_verlauf" if later else "labor_auftakt")
            said = [*grammar.capitalise(expand(opening)), *chain, ". "]
        if normal and self.parameters.length != "kurz":
            chain = blocks.lab_chain(normal, separator=separator, trends=0)
            opening = self._phrase("labor_normal" if odd else "labor_unauffaellig")
            said += [*grammar.capitalise(expand(opening)), *chain, ". "]
        last = [lab for lab in (*odd[trends:], *normal) if "entlassung" in lab.values]
        if last and self.parameters.length == "sehr_lang":
            chain = blocks.lab_chain(last, separator=separator, trends=0, time="entlassung")
            said += [*grammar.capitalise(expand(self._phrase("labor_entlassung"))), *chain, ". "]
        # What is left out may be pathological: then nobody says that the rest is normal.
        whole = len(odd) == sum(map(blocks.is_pathological, course.labs.values()))
        rest = self._phrase("labor_rest" if whole else "labor_anlage")
        return [*said, *grammar.capitalise(expand(rest))]

    def _phrase(self, name: str) -> Node:
        return self.case.phrases.get(name, grammar.EMPTY)

    def _body(self, name: str, *, layout: str = "") -> Line:
        """Returns a section's list followed by its sentences."""
        units = sorted(self.said.get(name, ()), key=lambda unit: unit[:2])
        lines = [line for _, _, _, line in units]
        if name == "procedere" and lines and self.house.plan != "prose":
            return blocks.itemised(lines, self.house.plan)
        as_lines = name in _LINES or layout == "lines" or (
            name == "status" and not self.narrative
            and self.house.draws.bernoulli("status in lines", 0.3)
        )  # fmt: skip
        body: Line = list(self.lists.get(name, ()))
        below_list = _has_lines(body)
        for _, _, para, line in units:
            if body:
                body.append("\n" if as_lines or para or below_list else " ")
            below_list = False
            body.extend(line)
        return body

    def _headed(self, name: str, body: Line) -> Line:
        if name in OPENING or name in CLOSING:
            return body
        file = house_rules().file
        if self.narrative:
            leads = self._fitting(file.leads.get(name) or [])
            lead = self.house.draws.choice(f"lead {name}", leads) if leads else ""
            if lead and name in _LISTED and _has_lines(body):
                lead = lead.rstrip() + "\n"
            return [lead, *body] if lead else body
        headings = self._fitting(file.headings.get(name, [name]))
        heading = self.house.draws.choice(f"heading {name}", headings)
        return self._with_heading([heading], body)

    def _fitting(self, words: list[str]) -> list[str]:
        """Returns the headings or leads that fit the stay: nobody discharges an outpatient."""
        if self.attributes.course.stay != "ambulant":
            return words
        return [word for word in words if not _INPATIENT.search(word)] or words

    def _own_heading(self, section: Section, body: Line) -> Line:
        expand = self.expand
        if self.narrative:
            if not section.leads:
                return self._inline(expand(self._pick(section.name, section.headings)), body)
            lead = expand(self._pick(section.name, section.leads))
            return [*grammar.capitalise(lead), " ", *body]
        return self._with_heading(expand(self._pick(section.name, section.headings)), body)

    def _pick(self, section: str, nodes: Sequence[Node]) -> Node:
        return self.house.draws.choice(f"heading {section}", nodes)

    def _inline(self, heading: Line, body: Line) -> Line:
        return [*heading, ": ", *body]

    def _with_heading(self, heading: Line, body: Line) -> Line:
        form = self.house.heading
        if form == "inline" and not _has_lines(body):
            return self._inline(heading, body)
        if form == "capitals":
            heading = [s.upper() if isinstance(s, str) else s for s in heading]
        return [*heading, "\n" if form in {"bare", "capitals"} else ":\n", *body]


def _turn(unit: Said) -> int:
    """Returns when a unit has its turn: what could stand in any letter comes after the case."""
    return unit.priority + (_GENERAL if unit.general and unit.priority > 2 else 0)


def _has_lines(body: Line) -> bool:
    return any(isinstance(segment, str) and "\n" in segment for segment in body)


class _Women:
    """Says who is a woman; people are made only when somebody asks for them."""

    def __init__(self, names: frozenset[str], people: Mapping[str, Person]) -> None:
        self._names, self._people = names, people

    def __contains__(self, name: object) -> bool:
        return name in self._names and self._people[str(name)].sex == "f"


def environment(attributes: Attributes) -> Mapping[str, Any]:
    """Returns what conditions in text may read: facts, presence of drugs, people, atoms."""
    course, parameters = attributes.course, attributes.parameters
    people = present(attributes)
    return {
        **course.facts,
        "lab": {key: lab.values for key, lab in course.labs.items()},
        "dx": frozenset(d.key for d in course.diagnoses),
        "med": frozenset(d.key for d in course.medication
                         if d.status not in {"pausiert", "abgesetzt"}),
        "vor": frozenset(d.key for d in course.medication_before),
        "has": attributes.included,
        "person": people,
        "frau": _Women(people, attributes.people),
        "kin": attributes.people["angehoeriger"].role if "angehoeriger" in people else "",
        "style": parameters.style, "length": parameters.length,
        "structure": parameters.structure, "density": parameters.density,
        "country": "at" if attributes.values.get("klinik_plz", "").startswith("A") else "de",
    }  # fmt: skip


_BLANKS = re.compile(r"(?<![\n ]) +(?=[,.;:)\n])|\n (?=\S|\Z)|(?<![\n ]) {2,}")
_DOTS = re.compile(r"(?<!\.)\.\.(?!\.)")


def tidy(segments: Iterable[Segment]) -> list[Segment]:
    """Returns segments with running text joined, and blanks, commas and full stops not doubled.

    Grammars leave a blank or a comma on both sides of a part that is silent; here they become
    one, blanks across the edges of placeholders and mentions too. An indented line keeps its
    indent.
    """
    merged: list[Segment] = []
    running: list[str] = []
    last = "\n"
    for segment in (*segments, None):
        if type(segment) is str:
            running.append(segment)
            continue
        if text := _tidied("".join(running), last):
            merged.append(text)
            last = text[-1]
        running.clear()
        if segment is not None:
            merged.append(segment)
            last = last if isinstance(segment, Mention) else "x"
    return merged


def _tidied(text: str, last: str) -> str:
    """Returns running text that follows the sign `last`."""
    if _IDLE_COMMA.search(text):
        text = _IDLE_COMMA.sub("", text)
    if text[:1] == " " and last in " \n" and text[:2] != "  ":
        text = text[1:]
    if _DOUBTFUL.search(text):
        text = _BLANKS.sub(_one_blank, text)
    if ".." in text:
        text = _DOTS.sub(".", text)
    if last == "." and text[:1] == "." and text[:2] != "..":
        text = text[1:]
    return text


_IDLE_COMMA = re.compile(r",(?= *[,.;])")
_DOUBTFUL = re.compile(r" [ ,.;:)\n]|\n ")


def _one_blank(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] == "\n":
        return "\n"
    after = match.string[match.end() : match.end() + 1]
    return "" if after and after in ",.;:)\n" else " "


def sentences(case: Case, attributes: Attributes, *, seeds: Seeds) -> Iterator[tuple[Said, Line]]:
    """Yields every unit that applies to a patient, written once, whatever the length allows."""
    letter = _Letter(case, attributes, seeds.child("skeleton"))
    for unit in letter.open_units():
        yield unit, letter.expand(unit.versions[int(letter.random() * len(unit.versions))])


def lists(case: Case, attributes: Attributes, *, seeds: Seeds) -> Mapping[str, Line]:
    """Returns diagnoses, drugs, laboratory values and the like of a patient, by section."""
    return _Letter(case, attributes, seeds.child("skeleton")).lists
