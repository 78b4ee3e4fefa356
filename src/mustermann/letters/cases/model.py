"""Cases and modules as they are used: grammar parsed, expressions compiled, names checked."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mustermann.core.errors import ConfigError
from mustermann.german import names as person_names
from mustermann.letters.cases import grammar
from mustermann.letters.cases.expressions import (
    NAMESPACES,
    Expression,
    compile_expression,
    names_in,
)
from mustermann.letters.cases.format import (
    CaseFile,
    Change,
    Content,
    DiagnosisSpec,
    DrugSpec,
    EventSpec,
    LabSpec,
    ModuleFile,
    PlanItem,
    ProcedureSpec,
    SectionSpec,
    Unit,
    Variable,
)
from mustermann.letters.cases.grammar import Node
from mustermann.letters.cases.house import Words
from mustermann.letters.cases.variables import Sampler, compile_variable

_PLACEHOLDER = re.compile(r"\[\[.*?\]\]")
_CAPITALISED = re.compile(r"\b[A-ZÄÖÜ]\w+")

ALWAYS: Expression = lambda env: True  # noqa: E731
BUILTIN = frozenset({
    "age", "months", "winter", "sex", "stay", "days", "elective", "tag", "lab", "has", "med", "dx",
    "vor", "person", "frau", "kin", "style", "length", "structure", "country", "density",
})  # fmt: skip
"""Names that every case may read; the last nine only in text."""
RESERVED = BUILTIN | NAMESPACES
"""Names that no fact may take: what stands there first would be read instead."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A variable with its sampler; `guard` is the comorbidity that must be there."""

    name: str
    draw: Sampler
    guard: str
    decimals: int | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A unit of text ready to be written.

    Attributes:
      section: Where it belongs.
      versions: Its independently written versions.
      priority: 1 to 4.
      test: Whether it applies.
      at: Order within the section.
      para: Whether it starts a paragraph.
      variant: Letter of the variant, "" for all.
      about: Diagnoses that it is a plan for.
      where: Place for messages.
      general: Whether it says nothing of the illness, a comorbidity, or of who the patient is.
    """

    section: str
    versions: tuple[Node, ...]
    priority: int
    test: Expression
    at: int
    para: bool
    variant: str
    about: tuple[str, ...]
    where: str
    general: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisLine:
    """A diagnosis with its grammars."""

    spec: DiagnosisSpec
    test: Expression
    title: Node
    icd: Node
    short: Node
    side: Node
    details: tuple[Node, ...]
    guard: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Drug:
    """A drug with its grammars; `own` where it is the case's and not a module's."""

    spec: DrugSpec
    test: Expression
    strength: Node
    scheme: Node
    before: tuple[Node, Node] | None
    reason: Node
    until: Node
    own: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DrugChange:
    """A rule for drugs of others, with its grammars."""

    spec: Change
    test: Expression
    strength: Node
    scheme: Node
    reason: Node
    until: Node


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A further section with its headings."""

    name: str
    spec: SectionSpec
    headings: tuple[Node, ...]
    leads: tuple[Node, ...]
    test: Expression


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A compiled case file or module."""

    id: str
    content: Content
    facts: tuple[Fact, ...]
    override: tuple[Fact, ...]
    events: tuple[tuple[str, EventSpec, Expression, Sampler], ...]
    diagnoses: tuple[DiagnosisLine, ...]
    procedures: tuple[tuple[ProcedureSpec, Expression, Node, Node], ...]
    drugs: tuple[Drug, ...]
    changes: tuple[DrugChange, ...]
    sections: tuple[Section, ...]
    said: tuple[Said, ...]
    phrases: Mapping[str, Node]
    reads: tuple[Reads, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Reads:
    """The facts and phrases that one place of a file reads."""

    where: str
    names: frozenset[str]
    phrases: frozenset[str]


class Compiler:
    """Compiles one file's content.

    Args:
      lexicon: Abbreviations.
      name: File name for messages.
      guard: Comorbidity that all of it depends on, "" for none.
      own: Whether it is the case itself.
    """

    def __init__(self, *, lexicon: Words, name: str, guard: str = "", own: bool = False) -> None:
        self.lexicon, self.name, self.guard, self.own = lexicon, name, guard, own

    def node(self, text: str, place: str) -> Node:
        """Returns the parsed grammar of what has an official name or is a list's."""
        return grammar.parse(text, lexicon=self.lexicon, where=f"{self.name}, {place}")

    def sentence(self, text: str, place: str) -> Node:
        """Returns the parsed grammar of a sentence: the house has its synonyms."""
        return grammar.parse(text, lexicon=self.lexicon.free, where=f"{self.name}, {place}")

    def test(self, condition: str, place: str) -> Expression:
        """Returns the condition, together with the file's guard."""
        if not condition and not self.guard:
            return ALWAYS
        both = " and ".join(f"({part})" for part in (self.guard, condition) if part)
        return compile_expression(both, where=f"{self.name}, {place}")

    def fact(self, name: str, variable: Variable) -> Fact:
        """Returns a compiled fact."""
        if name in RESERVED:
            raise ConfigError(
                f"Expected a fact whose name is free in {self.name}, let.{name}, found one that "
                f"the language has. Choose another name."
            )
        draw = compile_variable(variable, where=f"{self.name}, let.{name}")
        decimals = None if variable.pick is not None else variable.decimals
        return Fact(name=name, draw=draw, guard=self.guard, decimals=decimals)

    def part(self, content: CaseFile | ModuleFile) -> Part:
        """Returns the compiled file."""
        said = (*self._units(content.text), *self._plan(content.plan))
        phrases = {n: self.sentence(t, f"phrases.{n}") for n, t in content.phrases.items()}
        return Part(
            id=content.id,
            content=content,
            facts=tuple(self.fact(name, v) for name, v in content.let.items()),
            override=tuple(self.fact(name, v) for name, v in content.override.items()),
            events=tuple(self._event(name, spec) for name, spec in content.events.items()),
            diagnoses=tuple(self._diagnosis(spec) for spec in content.diagnoses),
            procedures=tuple(self._procedure(spec) for spec in content.procedures),
            drugs=tuple(self._drug(spec) for spec in content.medication),
            changes=tuple(self._change(spec) for spec in content.changes),
            sections=tuple(self._section(name, spec) for name, spec in content.sections.items()),
            said=said,
            phrases=phrases,
            reads=_all_reads(said, phrases),
        )

    def _event(self, name: str, spec: EventSpec) -> tuple[str, EventSpec, Expression, Sampler]:
        given = [way for way in (spec.day, spec.ago, spec.follow) if way is not None]
        if len(given) != 1:
            raise ConfigError(
                f"Expected one of day, ago, follow in {self.name}, events.{name}, got {len(given)}."
            )
        offset = given[0]
        variable = Variable(range=offset) if isinstance(offset, tuple) else offset
        place = f"events.{name}"
        return (name, spec, self.test(spec.when, place),
                compile_variable(variable, where=f"{self.name}, {place}"))  # fmt: skip

    def _diagnosis(self, spec: DiagnosisSpec) -> DiagnosisLine:
        place = f"diagnosis {spec.key}"
        return DiagnosisLine(
            spec=spec, test=self.test(spec.when, place), title=self.node(spec.title, place),
            icd=self.node(spec.icd, place), short=self.node(spec.short or spec.title, place),
            side=self.node(spec.side, place),
            details=tuple(self.node(line, place) for line in spec.details), guard=self.guard,
        )  # fmt: skip

    def _procedure(self, spec: ProcedureSpec) -> tuple[ProcedureSpec, Expression, Node, Node]:
        place = f"procedure {spec.key}"
        return (spec, self.test(spec.when, place), self.node(spec.title, place),
                self.node(spec.ops, place))  # fmt: skip

    def _drug(self, spec: DrugSpec) -> Drug:
        place = f"drug {spec.key}"
        before = tuple(self.node(text, place) for text in spec.before or ())
        return Drug(
            spec=spec, test=self.test(spec.when, place), strength=self.node(spec.strength, place),
            scheme=self.node(spec.scheme, place), reason=self.node(spec.reason, place),
            until=self.node(spec.until, place), own=self.own,
            before=(before[0], before[1]) if before else None,
        )  # fmt: skip

    def _change(self, spec: Change) -> DrugChange:
        place = f"change {spec.group}"
        return DrugChange(
            spec=spec, test=self.test(spec.when, place), strength=self.node(spec.strength, place),
            scheme=self.node(spec.scheme, place), reason=self.node(spec.reason, place),
            until=self.node(spec.until, place),
        )  # fmt: skip

    def _section(self, name: str, spec: SectionSpec) -> Section:
        place = f"section {name}"
        return Section(
            name=name, spec=spec, test=self.test(spec.when, place),
            headings=tuple(self.node(text, place) for text in spec.heading),
            leads=tuple(self.node(text, place) for text in spec.lead),
        )  # fmt: skip

    def _units(self, text: Mapping[str, Sequence[Unit]]) -> list[Said]:
        said = []
        for section, units in text.items():
            for number, unit in enumerate(units, start=1):
                place = f"text.{section} no. {number}"
                at = number * 10 if unit.at is None else unit.at
                said.append(self._said(section, unit, place, at))
        return said

    def _said(self, section: str, unit: Unit, place: str, at: int) -> Said:
        versions = [unit.say] if isinstance(unit.say, str) else unit.say
        if not versions or not 1 <= unit.p <= 4:
            raise ConfigError(f"Expected text and a priority of 1 to 4 in {self.name}, {place}.")
        nodes = tuple(self.sentence(text, place) for text in versions)
        return Said(
            section=section, versions=nodes, priority=unit.p, test=self.test(unit.when, place),
            at=at, para=unit.para, variant=unit.variant, about=(), where=f"{self.name}, {place}",
            general=not self.own and not self.guard and not any(map(_has_atoms, nodes)),
        )  # fmt: skip

    def _plan(self, items: Sequence[PlanItem]) -> list[Said]:
        said = []
        for number, item in enumerate(items, start=1):
            unit = Unit(say=item.say, p=item.p, when=item.when)
            one = self._said("procedere", unit, f"plan no. {number}", item.at)
            said.append(dataclasses.replace(one, about=tuple(item.about)))
        return said


def _all_reads(said: Sequence[Said], phrases: Mapping[str, Node]) -> tuple[Reads, ...]:
    # A module is part of every case: what it reads is looked up once.
    return (
        *(_reads(unit.where, unit.versions) for unit in said),
        *(_reads(f"phrase {name!r}", (node,)) for name, node in phrases.items()),
    )


def _reads(where: str, nodes: Sequence[Node]) -> Reads:
    names: set[str] = set()
    phrases: set[str] = set()
    for node in nodes:
        for part in grammar.walk(node):
            if isinstance(part, grammar.If | grammar.Value):
                names |= names_in(part.source)
            elif isinstance(part, grammar.Phrase):
                phrases.add(part.name)
    return Reads(where, frozenset(names), frozenset(phrases))


def _has_atoms(node: Node) -> bool:
    return any(isinstance(part, grammar.Atom) for part in grammar.walk(node))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case with the modules that it draws on.

    Attributes:
      file: As authored.
      parts: Shared and optional modules, then comorbidities, then the case itself.
      comorbidities: Prevalence by module.
      absent: Comorbidities that the case leaves out; as facts they are false.
      excludes: Comorbidities that a comorbidity rules out.
      facts: Slots in order of drawing; in each the last definition whose guard holds counts.
      labs: Merged analytes with the comorbidity they depend on, in order.
      sections: Further sections by name.
      said: Units by section.
      phrases: By name.
      decimals: Digits by fact.
      varied: Sections of which a letter uses one variant.
      drugs: Of all parts, the case's own last.
      diagnoses: Of all parts, the case's own first.
      names_said: Words of names that the case's or a module's texts say as ordinary words.
    """

    file: CaseFile
    parts: tuple[Part, ...]
    comorbidities: Mapping[str, Expression]
    absent: tuple[str, ...]
    excludes: Mapping[str, frozenset[str]]
    facts: tuple[tuple[Fact, ...], ...]
    labs: Mapping[str, tuple[LabLayer, ...]]
    sections: Mapping[str, Section]
    said: Mapping[str, tuple[Said, ...]]
    phrases: Mapping[str, Node]
    decimals: Mapping[str, int | None]
    varied: frozenset[str]
    drugs: tuple[Drug, ...]
    diagnoses: tuple[DiagnosisLine, ...]
    names_said: frozenset[str]

    @property
    def id(self) -> str:
        """Id of the case."""
        return self.file.id


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabLayer:
    """One file's say about an analyte; later layers replace what they name.

    Attributes:
      spec: As authored.
      guard: Comorbidity that it depends on.
      test: Whether the analyte is measured, None where the layer does not say.
      fields: Samplers by field: aufnahme, verlauf, entlassung, low, high.
    """

    spec: LabSpec
    guard: str
    test: Expression | None
    fields: Mapping[str, Sampler]


def link(
    file: CaseFile, *, own: Part, modules: Sequence[tuple[ModuleFile, Part]], codes: Sequence[str]
) -> Case:
    """Returns a case together with the modules it uses.

    Args:
      file: As authored.
      own: The file compiled.
      modules: All there are.
      codes: Every ICD code that the case's own diagnoses may have.

    Raises:
      ConfigError: A name, phrase or section is unknown, or defined twice.
    """
    used = [(module, part) for module, part in modules if _is_used(file, module, codes)]
    parts = (*(part for _, part in used), own)
    comorbid = {m.id: m for m, _ in used if m.kind == "comorbidity"}
    said = _by_section(file, parts)
    case = Case(
        file=file,
        parts=parts,
        comorbidities={name: _prevalence(file, m) for name, m in comorbid.items()},
        absent=tuple(m.id for m, _ in modules if m.kind == "comorbidity" and m.id not in comorbid),
        excludes=_exclusions(comorbid),
        facts=_layers(parts),
        labs=_labs(parts, comorbid),
        sections={section.name: section for part in parts for section in part.sections},
        said=said,
        varied=frozenset(name for name, units in said.items() if any(u.variant for u in units)),
        drugs=tuple(drug for part in parts for drug in part.drugs),
        diagnoses=tuple(line for part in reversed(parts) for line in part.diagnoses),
        phrases={name: node for part in parts for name, node in part.phrases.items()},
        decimals={fact.name: fact.decimals for part in parts for fact in part.facts},
        names_said=_names_said(file).union(*(_names_said(module) for module, _ in used)),
    )
    check_names(case)
    return case


def _names_said(file: CaseFile | ModuleFile) -> frozenset[str]:
    """Returns the words outside placeholders that some name has, too."""
    return person_names.words().intersection(
        _CAPITALISED.findall(_PLACEHOLDER.sub(" ", repr(file)))
    )


def _is_used(file: CaseFile, module: ModuleFile, codes: Sequence[str]) -> bool:
    if module.id in file.without:
        return False
    if module.id not in file.comorbidities and any(
        code.startswith(tuple(module.clashes)) for code in codes
    ):
        return False
    return module.kind != "optional" or module.id in file.uses


def _prevalence(file: CaseFile, module: ModuleFile) -> Expression:
    given = file.comorbidities.get(module.id, module.prevalence)
    return compile_expression(str(given), where=f"prevalence of {module.id}")


def _exclusions(modules: Mapping[str, ModuleFile]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, module in modules.items():
        for other in module.excludes:
            found[name].add(other)
            found.setdefault(other, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


def _layers(parts: Sequence[Part]) -> tuple[tuple[Fact, ...], ...]:
    slots: dict[str, list[Fact]] = {}
    for part in parts:
        for fact in part.facts:
            if fact.name in slots:
                raise ConfigError(
                    f"Fact {fact.name!r} of {part.id} is defined elsewhere too: use [override]."
                )
            slots[fact.name] = [fact]
    for part in parts:
        for fact in part.override:
            if fact.name not in slots:
                raise ConfigError(
                    f"Expected a fact of another file to override, got {fact.name!r}."
                )
            slots[fact.name].append(fact)
    return tuple(tuple(layers) for layers in slots.values())


def _labs(
    parts: Sequence[Part], comorbid: Mapping[str, ModuleFile]
) -> dict[str, tuple[LabLayer, ...]]:
    found: dict[str, list[LabLayer]] = {}
    for part in parts:
        for key, spec in part.content.labs.items():
            where = f"{part.id}, labs.{key}"
            fields = {
                field: compile_variable(value, where=where, whole=False)
                for field in ("aufnahme", "verlauf", "entlassung", "low", "high")
                if (value := getattr(spec, field)) is not None
            }
            test = None if spec.when is None else (
                compile_expression(spec.when, where=where) if spec.when else ALWAYS
            )  # fmt: skip
            guard = part.id if part.id in comorbid else ""
            layer = LabLayer(spec=spec, guard=guard, test=test, fields=fields)
            found.setdefault(key, []).append(layer)
    return {key: tuple(layers) for key, layers in found.items()}


def _by_section(file: CaseFile, parts: Sequence[Part]) -> dict[str, tuple[Said, ...]]:
    found: dict[str, list[Said]] = {}
    for part in parts:
        for said in part.said:
            names = {f"text.{said.section}", f"{part.id}.text.{said.section}"}
            if part.id == file.id or not names.intersection(file.without):
                found.setdefault(said.section, []).append(said)
    return {section: tuple(units) for section, units in found.items()}


def check_names(case: Case) -> None:
    """Raises ConfigError when text, a condition or an event reads what no part defines."""
    known = set(BUILTIN) | set(case.comorbidities) | set(case.absent) | set(case.decimals)
    phrases = set(case.phrases)
    for part in case.parts:
        for reads in part.reads:
            if unknown := sorted(reads.names - known):
                raise ConfigError(f"Unknown name {unknown[0]!r} in {reads.where}.")
            if unknown := sorted(reads.phrases - phrases):
                raise ConfigError(f"Unknown phrase {unknown[0]!r} in {reads.where}.")
    for part in case.parts:
        for place, condition in _conditions(part):
            unknown = sorted(names_in(condition) - known) if condition else []
            if unknown:
                raise ConfigError(f"Unknown name {unknown[0]!r} in {condition!r} in {place}.")
    earlier: set[str] = set()
    for part in case.parts:
        for name, spec, _, _ in part.events:
            if spec.after and spec.after not in earlier:
                raise ConfigError(
                    f"Expected an event that stands before it in {part.id}, events.{name}.after, "
                    f"found {spec.after!r}."
                )
            earlier.add(name)


def _conditions(part: Part) -> list[tuple[str, str]]:
    content = part.content
    lists: tuple[Iterable[Any], ...] = (
             content.diagnoses, content.procedures, content.medication, content.changes,
             content.plan, content.events.values(), content.sections.values(),
             *content.text.values())  # fmt: skip
    found = [(part.id, str(item.when)) for items in lists for item in items]
    for name, variable in content.let.items():
        found.append((f"{part.id}, let.{name}", variable.calc or ""))
    return found
