"""Writers make the skeleton of a letter from its attributes; `CaseWriter` from authored cases.

A letter is written in three steps: the lists that every letter owes (diagnoses, drugs),
then sentences by priority until the length drawn from the band is reached, then all in
the order and under the headings of one house.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Protocol

from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Attributes, Length
from mustermann.letters.cases import blocks, grammar
from mustermann.letters.cases.grammar import Node, Writing
from mustermann.letters.cases.house import House, draw_house, house_rules
from mustermann.letters.cases.library import load_case
from mustermann.letters.cases.model import Case, Said, Section
from mustermann.letters.config import LengthBands
from mustermann.letters.segments import Mention, Placeholder, Segment, Skeleton
from mustermann.letters.slots import SLOTS

Line = list[Segment]
OPENING = ("kopf", "anrede", "einleitung")
CLOSING = ("abschluss", "gruss", "anlagen")
_LINES = frozenset({"kopf", "gruss", "anlagen"})
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
_HEADING = 18
"""Characters that a heading takes, about."""
_MARGIN = 0.08
"""Share of the band kept free at both ends: names and dates are only estimated here."""
_KIND_WIDTHS = {
    "person": 16, "date": 10, "text": 15, "age": 2, "decoy": 9, "clinical": 22, "login": 6,
}  # fmt: skip
_DEFAULT_WIDTHS = {name: _KIND_WIDTHS[slot.kind] for name, slot in SLOTS.items()}


class Writer(Protocol):
    """Makes skeletons."""

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the skeleton of a letter; a pure function of both arguments."""


class CaseWriter:
    """Writes letters from authored cases.

    Args:
      bands: Characters by length.
      cases: Finds the compiled case of a course.
    """

    def __init__(
        self, *, bands: LengthBands | None = None, cases: Callable[[str], Case] = load_case
    ) -> None:
        self._bands = bands or LengthBands()
        self._cases = cases

    def write(self, attributes: Attributes, *, seeds: Seeds) -> Skeleton:
        """Returns the skeleton of a letter from the case that its course names."""
        case = self._cases(attributes.course.case)
        low, high = self._bands.at(attributes.parameters.length)
        letter = _Letter(case, attributes, seeds.child("skeleton"))
        spare = _MARGIN * (high - low)
        top = min(high, low + 1.6 * low) - spare
        target = letter.house.draws.uniform("target", low + spare, top)
        letter.choose(target=target, limit=high - spare)
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
        self.streams: dict[str, Random] = {}
        self.said: dict[str, list[tuple[int, float, bool, Line]]] = {}
        self.lists: dict[str, Line] = self._lists()
        self.size = sum(self.width(line) + _HEADING for line in self.lists.values())

    def state(self, section: str) -> Writing:
        """Returns what nodes of a section need; one stream a section."""
        if section not in self.streams:
            self.streams[section] = self.seeds.random("section", section)
        return Writing(
            random=self.streams[section].random, style=self.parameters.style,
            sex=self.attributes.patient.sex, env=self.env, decimals=self.case.decimals,
            phrases=self.case.phrases, words=self.house.words,
        )  # fmt: skip

    def expander(self, section: str) -> blocks.Expand:
        """Returns a function that writes nodes from the section's stream."""
        state = self.state(section)

        def expand(node: Node) -> Line:
            out: Line = []
            node.write(state, out)
            return out

        return expand

    def width(self, line: Iterable[Segment]) -> int:
        """Returns about how many characters the segments will take."""
        return sum(len(s) if isinstance(s, str) else self._guess(s) for s in line)

    def choose(self, *, target: float, limit: float) -> None:
        """Writes sentences by priority until `target` characters are reached."""
        pending: list[tuple[int, float, Said, float]] = []
        order = self.seeds.random("order")
        for section, units in self.case.said.items():
            open_ = [unit for unit in units if unit.test(self.env)]
            variants = sorted({unit.variant for unit in open_ if unit.variant})
            variant = self.house.draws.choice(f"variant {section}", variants) if variants else ""
            for unit in open_:
                ticket, place = order.random(), order.random()
                if unit.variant in ("", variant):
                    pending.append((unit.priority, ticket, unit, place))
        pending.sort(key=lambda one: one[:2])
        for priority, _, unit, place in pending:
            if priority > 1 and self.size >= target:
                break
            line = self._write(unit)
            width = self.width(line)
            if not width or (priority > 1 and self.size + width > limit):
                continue
            if unit.section not in self.said and unit.section not in self.lists:
                self.size += _HEADING
            self.said.setdefault(unit.section, []).append((unit.at, place, unit.para, line))
            self.size += width + 2

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
        expand = self.expander(unit.section)
        random = self.streams[unit.section].random
        line = expand(unit.versions[int(random() * len(unit.versions))])
        return line if unit.section in _AS_WRITTEN else grammar.capitalise(line)

    def _lists(self) -> dict[str, Line]:
        course, length = self.attributes.course, self.parameters.length
        details, reasons = _DETAIL[length]
        expand = self.expander("diagnosen")
        if self.narrative and self.house.draws.bernoulli("inline diagnoses", 0.5):
            listed = blocks.inline_diagnoses(course.diagnoses)
        else:
            listed = blocks.diagnoses(self.case, course, self.house, expand, details=details)
        drugs = blocks.DrugList(self.case, course, self.house, self.expander("medikation"),
                                reasons=reasons).lines()  # fmt: skip
        found = {"diagnosen": listed, "medikation": blocks.joined(drugs, "\n")}
        if course.medication_before and length != "kurz":
            found["medikation_aufnahme"] = blocks.drugs_before(
                course, self.house, narrative=self.narrative
            )
        found["labor"] = self._labs()
        return {name: line for name, line in found.items() if line}

    def _labs(self) -> Line:
        course = self.attributes.course
        count, trends = _LABS[self.parameters.length]
        odd, normal = blocks.ranked_labs(self.case, course, count)
        if not odd and not normal:
            return []
        if self.house.lab_table:
            return blocks.lab_table([*odd, *normal])
        expand = self.expander("labor")
        separator = self.house.draws.choice("lab separator", (", ", "; "))
        said: Line = []
        if odd:
            chain = blocks.lab_chain(odd, separator=separator, trends=trends)
            said = [*grammar.capitalise(expand(self._phrase("labor_auftakt"))), *chain, ". "]
        if normal and self.parameters.length != "kurz":
            chain = blocks.lab_chain(normal, separator=separator, trends=0)
            said += [*grammar.capitalise(expand(self._phrase("labor_normal"))), *chain, ". "]
        last = [lab for lab in (*odd[trends:], *normal) if "entlassung" in lab.values]
        if last and self.parameters.length == "sehr_lang":
            chain = blocks.lab_chain(last, separator=separator, trends=0, time="entlassung")
            said += [*grammar.capitalise(expand(self._phrase("labor_entlassung"))), *chain, ". "]
        return [*said, *grammar.capitalise(expand(self._phrase("labor_rest")))]

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
        for _, _, para, line in units:
            if body:
                body.append("\n" if as_lines or para or body is self.lists.get(name) else " ")
            body.extend(line)
        return body

    def _headed(self, name: str, body: Line) -> Line:
        if name in OPENING or name in CLOSING:
            return body
        file = house_rules().file
        if self.narrative:
            leads = file.leads.get(name)
            lead = self.house.draws.choice(f"lead {name}", leads) if leads else ""
            return [lead, *body] if lead else body
        heading = self.house.draws.choice(f"heading {name}", file.headings.get(name, [name]))
        return self._with_heading([heading], body)

    def _own_heading(self, section: Section, body: Line) -> Line:
        expand = self.expander(section.name)
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
        many = any(isinstance(segment, str) and "\n" in segment for segment in body)
        if form == "inline" and not many:
            return self._inline(heading, body)
        if form == "capitals":
            heading = [s.upper() if isinstance(s, str) else s for s in heading]
        return [*heading, "\n" if form in {"bare", "capitals"} else ":\n", *body]


class _Present:
    """Says of any name whether it is there."""

    def __init__(self, *sources: Any) -> None:
        self._sources = sources

    def __contains__(self, name: object) -> bool:
        return any(name in source for source in self._sources)


def environment(attributes: Attributes) -> Mapping[str, Any]:
    """Returns what conditions in text may read: facts, presence of drugs, people, atoms."""
    course, parameters = attributes.course, attributes.parameters
    return {
        **course.facts,
        "lab": {key: lab.values for key, lab in course.labs.items()},
        "dx": frozenset(d.key for d in course.diagnoses),
        "med": frozenset(d.key for d in course.medication
                         if d.status not in {"pausiert", "abgesetzt"}),
        "vor": frozenset(d.key for d in course.medication_before),
        "has": attributes.included,
        "person": attributes.people,
        "frau": frozenset(name for name, one in attributes.people.items() if one.sex == "f"),
        "style": parameters.style, "length": parameters.length,
        "structure": parameters.structure, "density": parameters.density,
        "country": "at" if attributes.values.get("klinik_plz", "").startswith("A") else "de",
    }  # fmt: skip


_SPACES = re.compile(r"(?<=\S) {2,}|(?<=\S) +(?=[,.;:)\n])")
_DOTS = re.compile(r"\.\.(?!\.)")


def tidy(segments: Iterable[Segment]) -> list[Segment]:
    """Returns segments with running text joined, and blanks and full stops not doubled."""
    merged: list[Segment] = []
    for segment in segments:
        if isinstance(segment, str) and merged and isinstance(merged[-1], str):
            merged[-1] += segment
        elif segment != "":
            merged.append(segment)
    return [_tidied(s) if isinstance(s, str) else s for s in merged]


def _tidied(text: str) -> str:
    if ".." in text:
        text = _DOTS.sub(".", text)
    if "  " in text or " ." in text or " ," in text or " \n" in text:
        text = _SPACES.sub(lambda match: " " if match.end() < len(text)
                           and text[match.end()] not in ",.;:)\n" else "", text)  # fmt: skip
    return text
