"""Reads a case out: `python -m mustermann.letters.cases.wordings FILE`.

A letter shows one wording of each sentence; a wrong ending may hide in the next thousand. This
prints for every unit a few wordings that together show each pair of neighbouring words that many
patients' letters brought, so that a reader sees every ending beside the word that rules it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from mustermann.core.errors import MustermannError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Attributes, Length
from mustermann.letters.cases.grammar import capitalise
from mustermann.letters.cases.library import compile_case, read_case
from mustermann.letters.cases.model import Case
from mustermann.letters.cases.probe import STRUCTURES, STYLES, probe
from mustermann.letters.render import render
from mustermann.letters.segments import Segment, Skeleton
from mustermann.letters.writers import lists, sentences, tidy

PATIENTS = 240
LISTS = ("diagnosen", "medikation")
"""Lists whose lines are authored: laboratory values are no sentences."""

_LENGTHS: tuple[Length, ...] = ("sehr_lang", "sehr_lang", "ausfuehrlich", "mittel", "kurz")
"""The longer a letter, the more comorbidities: short ones show what is said without them."""
_WORD = re.compile(r"[^\W\d_]+|[^\w\s]")
_BULLET = re.compile(r"(?:\d+\.|-) ")


def wordings(
    case: Case, *, patients: int = PATIENTS, modules: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Returns wordings by unit; in each unit they hold every pair of words that was found.

    Args:
      case: Compiled.
      patients: Courses to look through; sexes, stays, styles and ages take turns.
      modules: Whether to read out what the case takes from shared modules instead of its own.
    """
    own = {unit.where for unit in case.parts[-1].said}
    found: dict[str, dict[str, frozenset[tuple[str, str]]]] = {}
    for seed, attributes in enumerate(_patients(case, patients)):
        for where, line in _lines(case, attributes, seed):
            if ((where in own) or where.startswith("list ")) != modules:
                text = _unmarked(_written(line, attributes)).strip()
                found.setdefault(where, {}).setdefault(text, _pairs(text))
    return {where: _cover(texts) for where, texts in sorted(found.items())}


def _patients(case: Case, count: int) -> Iterator[Attributes]:
    sexes, stays = tuple(case.file.fits.sex), tuple(case.file.fits.stays)
    for seed in range(count):
        yield probe(
            case, seed=seed, sex=sexes[seed % len(sexes)],
            stay=stays[seed // len(sexes) % len(stays)], style=STYLES[seed % 3],
            length=_LENGTHS[seed % len(_LENGTHS)], structure=STRUCTURES[seed // 3 % 2],
            full=seed % 4 != 0,
        )  # fmt: skip


def _lines(
    case: Case, attributes: Attributes, seed: int
) -> Iterator[tuple[str, Sequence[Segment]]]:
    for unit, line in sentences(case, attributes, seeds=Seeds(seed)):
        yield unit.where, line
    if attributes.parameters.structure == "narrative":
        return  # its lists are chains of the same words
    for name, line in lists(case, attributes, seeds=Seeds(seed)).items():
        if name in LISTS:
            yield from ((f"list {name}", part) for part in _split(line))


def _split(line: Sequence[Segment]) -> Iterator[list[Segment]]:
    """Yields the lines of a list."""
    row: list[Segment] = []
    for segment in line:
        head, *tail = segment.split("\n") if isinstance(segment, str) else [segment]
        row.append(head)
        for text in tail:
            yield row
            row = [text]
    yield row


def _written(line: Sequence[Segment], attributes: Attributes) -> str:
    skeleton = Skeleton(segments=tuple(tidy(capitalise(line))), case=attributes.course.case)
    return render(skeleton, attributes, id="wording").text


def _unmarked(text: str) -> str:
    """Returns a line of a list without its number or dash; indented details have none."""
    return text[mark.end() :] if (mark := _BULLET.match(text)) else text


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    """Returns neighbouring words and signs; a number is none, so that values do not count."""
    return frozenset(pairwise(["", *_WORD.findall(text), ""]))


def _cover(texts: Mapping[str, frozenset[tuple[str, str]]]) -> tuple[str, ...]:
    """Returns texts that hold every pair: always the one that adds most, few are enough."""
    left = set().union(*texts.values())
    chosen: list[str] = []
    while left:
        best = max(texts, key=lambda text: (len(texts[text] & left), -len(text)))
        chosen.append(best)
        left -= texts[best]
    return tuple(chosen)


def main(arguments: Sequence[str] | None = None) -> int:
    """Reads case files out."""
    parser = argparse.ArgumentParser(prog="wordings", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--patients", type=int, default=PATIENTS)
    parser.add_argument("--modules", action="store_true", help="the shared modules' units instead")
    options = parser.parse_args(arguments)
    try:
        for file in options.files:
            case = compile_case(read_case(file))
            units = wordings(case, patients=options.patients, modules=options.modules)
            for where, texts in units.items():
                sys.stdout.write(f"\n## {where}\n" + "".join(f"- {text}\n" for text in texts))
    except MustermannError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
