"""Says what a case file still lacks: `python -m mustermann.letters.cases.lint FILE`.

Errors are faults that make letters wrong; warnings are places where a reader would
notice the machine. With --show it prints a letter instead.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from mustermann.core.errors import MustermannError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Attributes, Length
from mustermann.letters.cases import grammar
from mustermann.letters.cases.grammar import STYLES, If, Node, Text
from mustermann.letters.cases.library import compile_case, read_case
from mustermann.letters.cases.model import Case, Said
from mustermann.letters.cases.probe import LENGTHS, STRUCTURES, probe
from mustermann.letters.config import LengthBands
from mustermann.letters.render import render
from mustermann.letters.writers import CaseWriter, environment

FORMS = 30
"""Effective forms that a sentence should have."""
_MEASURED = re.compile(
    r"(?<![<>\d,])\b\d{2,}(?:,\d+)? ?(?:mg/dl|mg/l|g/dl|mmol/l|U/l|ng/l|ng/ml|mmHg|/min|°C|kg|cm)\b"
)
_TOKEN = re.compile(r"\w+(?:-\w+)*")


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that a case lacks; `level` is error, warning or note."""

    level: str
    place: str
    message: str


def lint(case: Case, *, seeds: int = 6) -> list[Finding]:
    """Returns everything found in a case, errors first.

    Args:
      case: Compiled; a file that does not compile raises before.
      seeds: Letters written for each combination of sex, stay, style, length and structure.
    """
    findings = [
        *_plans(case), *_indications(case), *_places(case), *_literals(case), *_forms(case),
        *_letters(case, seeds), *_dead(case),
    ]  # fmt: skip
    order = ("error", "warning", "note")
    return sorted(findings, key=lambda finding: (order.index(finding.level), finding.place))


def own_units(case: Case) -> list[Said]:
    """Returns the units that stand in the case file itself."""
    return list(case.parts[-1].said)


def _plans(case: Case) -> Iterator[Finding]:
    planned = {key for part in case.parts for said in part.said for key in said.about}
    for line in case.diagnoses:
        if line.spec.plan and line.spec.key not in planned:
            yield Finding("error", f"diagnosis {line.spec.key}", "no plan item is about it")
    known = {line.spec.key for line in case.diagnoses}
    for key in sorted(planned - known):
        yield Finding("error", "plan", f"about {key!r}, which is no diagnosis")
    if sum(line.spec.main for line in case.diagnoses) < 1:
        yield Finding("error", "diagnoses", "none is main = true")


def _indications(case: Case) -> Iterator[Finding]:
    known = {line.spec.key for line in case.diagnoses}
    for drug in case.drugs:
        if not known.intersection(drug.spec.treats):
            yield Finding("error", f"drug {drug.spec.key}", "treats no diagnosis of this case")
        if not drug.spec.atc:
            yield Finding("note", f"drug {drug.spec.key}", "no ATC code")
        if drug.spec.status == "neu" and not drug.spec.reason:
            yield Finding("warning", f"drug {drug.spec.key}", "new without a reason")


def _places(case: Case) -> Iterator[Finding]:
    from mustermann.letters.cases.house import house_rules
    from mustermann.letters.writers import CLOSING, OPENING

    file = house_rules().file
    listed = {name for order in file.orders for name in order.sections} | set(file.narrative)
    listed |= {*OPENING, *CLOSING}
    for place in case.said:
        if place not in listed and place not in case.sections:
            yield Finding("error", f"text.{place}", "no such section: declare it in [sections]")
    for name, section in case.sections.items():
        if section.spec.place not in listed:
            yield Finding("error", f"section {name}", f"unknown place {section.spec.place!r}")
        if name not in case.said:
            yield Finding("warning", f"section {name}", "has no text")


def _literals(case: Case) -> Iterator[Finding]:
    for said in own_units(case):
        for node in said.versions:
            for part in grammar.walk(node):
                if isinstance(part, Text) and (found := _MEASURED.search(part.text)):
                    yield Finding(
                        "warning", said.where, f"measured value in the text: {found[0]!r}"
                    )


def _forms(case: Case) -> Iterator[Finding]:
    for said in own_units(case):
        forms = effective_forms(said, case.phrases)
        if forms < FORMS:
            yield Finding("warning", said.where, f"{forms:.0f} effective forms, wanted {FORMS}")


def effective_forms(said: Said, phrases: Mapping[str, Node]) -> float:
    """Returns exp(entropy) of a unit's wordings, values left out."""
    entropies = [grammar.entropy(node, phrases) for node in said.versions]
    return math.exp(sum(entropies) / len(entropies) + math.log(len(entropies)))


def _letters(case: Case, seeds: int) -> Iterator[Finding]:
    """Writes and renders letters of every kind; reports failures and lengths off the band."""
    bands = LengthBands()
    sizes: dict[Length, list[int]] = {length: [] for length in LENGTHS}
    for number, (attributes, writer) in enumerate(_probes(case, seeds)):
        length = attributes.parameters.length
        try:
            skeleton = writer.write(attributes, seeds=Seeds(number))
            sizes[length].append(len(render(skeleton, attributes, id=case.id).text))
        except MustermannError as error:
            yield Finding("error", f"letter {number}", str(error))
            return
    for length, found in sizes.items():
        low, high = bands.at(length)
        outside = sum(not low <= size <= high for size in found)
        message = f"{min(found)} to {max(found)} characters, {outside} of {len(found)} off the band"
        yield Finding("warning" if outside else "note", f"length {length}", message)


def _probes(case: Case, seeds: int) -> Iterator[tuple[Attributes, CaseWriter]]:
    writer = CaseWriter(cases=lambda name: case)
    kinds = product(case.file.fits.sex, case.file.fits.stays, STYLES, LENGTHS, STRUCTURES)
    for kind, (sex, stay, style, length, structure) in enumerate(kinds):
        for seed in range(seeds):
            yield probe(
                case, seed=1000 * kind + seed, sex=sex, stay=stay, style=style,  # type: ignore[arg-type]
                length=length, structure=structure, full=seed % 2 == 0,
            ), writer  # fmt: skip


def _dead(case: Case) -> Iterator[Finding]:
    """Reports units and branches that no patient of many reaches."""
    envs = [environment(attributes) for attributes, _ in _probes(case, 2)]
    for said in own_units(case):
        holding = [env for env in envs if said.test(env)]
        if not holding:
            yield Finding("warning", said.where, f"never said in {len(envs)} courses")
            continue
        for node in said.versions:
            for part in grammar.walk(node):
                if isinstance(part, If):
                    held = {bool(_holds(part, env)) for env in holding}
                    if len(held - {None}) == 1:
                        word = "always" if True in held else "never"
                        yield Finding("note", said.where, f"{part.source!r} is {word} true")


def _holds(part: If, env: Mapping[str, Any]) -> Any:
    try:
        return part.test(env)
    except MustermannError:
        # A branch inside another branch may read a comorbidity's fact that is not there.
        return None


def trigrams(case: Case, *, letters: int = 40) -> Counter[tuple[str, ...]]:
    """Returns in how many of `letters` letters each trigram of words occurs."""
    counts: Counter[tuple[str, ...]] = Counter()
    writer = CaseWriter(cases=lambda name: case)
    sexes, stays = tuple(case.file.fits.sex), tuple(case.file.fits.stays)
    for seed in range(letters):
        attributes = probe(
            case, seed=seed, sex=sexes[seed % len(sexes)], stay=stays[seed % len(stays)],
            style=STYLES[seed % 3], length=LENGTHS[seed % 4],  # type: ignore[arg-type]
            structure=STRUCTURES[seed % 2],
        )  # fmt: skip
        text = render(writer.write(attributes, seeds=Seeds(seed)), attributes, id=case.id).text
        words = _TOKEN.findall(text.lower())
        counts.update(set(zip(words, words[1:], words[2:], strict=False)))
    return counts


def _report(case: Case, findings: Sequence[Finding], seeds: int) -> str:
    lines = [f"{f.level:8} {f.place}: {f.message}" for f in findings]
    counts = trigrams(case)
    once = sum(count == 1 for count in counts.values())
    units = own_units(case)
    forms = sorted(effective_forms(said, case.phrases) for said in units)
    lines += [
        "",
        f"{len(units)} units of the case's own, median {forms[len(forms) // 2]:.3g} forms",
        f"{len(counts)} trigrams in 40 letters, {once / len(counts):.0%} in one letter only",
        "commonest: " + "; ".join(f"{' '.join(t)} ({n})" for t, n in counts.most_common(12)),
        "rarest: " + "; ".join(" ".join(t) for t, n in counts.most_common()[-8:]),
        f"{seeds} letters a combination; errors {sum(f.level == 'error' for f in findings)}, "
        f"warnings {sum(f.level == 'warning' for f in findings)}",
    ]
    return "\n".join(lines)


def show(case: Case, options: argparse.Namespace) -> str:
    """Returns one letter of the case as text."""
    sex = options.sex or next(iter(case.file.fits.sex))
    stay = options.stay or next(iter(case.file.fits.stays))
    attributes = probe(case, seed=options.show, sex=sex, stay=stay, style=options.style,
                       length=options.length, structure=options.structure)  # fmt: skip
    writer = CaseWriter(cases=lambda name: case)
    text = render(writer.write(attributes, seeds=Seeds(options.show)), attributes, id=case.id).text
    return f"{text}\n\n({len(text)} characters)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Lints or shows a case file; returns 1 where there are errors."""
    parser = argparse.ArgumentParser(prog="lint", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--show", type=int, metavar="SEED", help="print a letter instead")
    parser.add_argument("--style", choices=STYLES, default="standard")
    parser.add_argument("--length", choices=LENGTHS, default="mittel")
    parser.add_argument("--structure", choices=STRUCTURES, default="structured")
    parser.add_argument("--sex", choices=("m", "f"))
    parser.add_argument("--stay", choices=("ambulant", "akut", "lang"))
    options = parser.parse_args(arguments)
    try:
        case = compile_case(read_case(options.file))
        if options.show is not None:
            sys.stdout.write(show(case, options) + "\n")
            return 0
        findings = lint(case, seeds=options.seeds)
        sys.stdout.write(_report(case, findings, options.seeds) + "\n")
    except MustermannError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return int(any(finding.level == "error" for finding in findings))


if __name__ == "__main__":
    sys.exit(main())
