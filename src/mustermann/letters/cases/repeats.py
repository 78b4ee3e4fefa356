"""Where a case says the same again: `python -m mustermann.letters.cases.repeats FILE`.

A trigram of words is worn when another of a corpus's letters of this case will have it, too.
The units are listed by how many worn trigrams they bring to a letter: the first ones gain most
from another version or from alternatives inside.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

from mustermann.core.errors import MustermannError
from mustermann.core.seeds import Seeds
from mustermann.letters.attributes.record import Length
from mustermann.letters.cases.grammar import STYLES
from mustermann.letters.cases.library import compile_case, read_case
from mustermann.letters.cases.model import Case, Said
from mustermann.letters.cases.probe import LENGTHS, STRUCTURES, probe
from mustermann.letters.segments import Mention, Segment
from mustermann.letters.writers import sentences

LETTERS = 15
"""So many other letters of the same case a corpus of 1,000 has, at about 60 cases."""
USED = {1: 1.0, 2: 0.8, 3: 0.55, 4: 0.3}
"""By priority: the share of letters that have room for a unit, about."""

_TOKEN = re.compile(r"\w+(?:-\w+)*")


@dataclasses.dataclass(frozen=True, slots=True)
class Worn:
    """How often a unit says the same again.

    Attributes:
      unit: The unit.
      trigrams: Mean number of trigrams that it brings to a letter.
      worn: Of these, how many another letter will have.
      worst: Its most frequent trigrams, each with the share of letters that have it.
    """

    unit: Said
    trigrams: float
    worn: float
    worst: tuple[tuple[str, float], ...]


def repeats(case: Case, *, patients: int = 80) -> list[Worn]:
    """Returns the case's own units, those that say most again first."""
    counts: dict[str, Counter[tuple[str, ...]]] = {}
    said: Counter[str] = Counter()
    units = {unit.where: unit for unit in case.parts[-1].said}
    values = count()
    sexes, stays = tuple(case.file.fits.sex), tuple(case.file.fits.stays)
    for seed in range(patients):
        attributes = probe(
            case, seed=seed, sex=sexes[seed % len(sexes)], stay=stays[seed % len(stays)],
            style=STYLES[seed % 3], length=_length(seed),  # type: ignore[arg-type]
            structure=STRUCTURES[seed % 2], full=seed % 2 == 0,
        )  # fmt: skip
        for unit, line in sentences(case, attributes, seeds=Seeds(seed)):
            if unit.where in units:
                words = _TOKEN.findall(_plain(line, values).lower())
                found = set(zip(words, words[1:], words[2:], strict=False))
                counts.setdefault(unit.where, Counter()).update(found)
                said[unit.where] += 1
    judged = [_worn(units[where], counts[where], said[where], patients) for where in counts]
    return sorted(judged, key=lambda worn: -worn.worn)


def _worn(unit: Said, counts: Counter[tuple[str, ...]], said: int, patients: int) -> Worn:
    used = USED[unit.priority]
    worn = 0.0
    for letters in counts.values():
        # This letter's own use is taken out of the share of the others.
        share = used * (letters - 1) / max(patients - 1, 1)
        worn += used * letters / patients * (1 - (1 - share) ** LETTERS)
    total = used * sum(counts.values()) / patients
    worst = tuple((" ".join(t), used * n / patients) for t, n in counts.most_common(3))
    return Worn(unit, total, worn, worst)


def _length(seed: int) -> Length:
    return LENGTHS[2 + seed % 2]


def _plain(line: Sequence[Segment], values: Iterator[int]) -> str:
    """Returns a line as words; each placeholder is a word that never comes again."""
    parts = (part if isinstance(part, str) else f" value{next(values)} "
             for part in line if not isinstance(part, Mention))  # fmt: skip
    return "".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Lists units by what they say again."""
    parser = argparse.ArgumentParser(prog="repeats", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--top", type=int, default=20)
    options = parser.parse_args(arguments)
    try:
        for file in options.files:
            sys.stdout.write(_report(file, options.top))
    except MustermannError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _report(file: Path, top: int) -> str:
    found = repeats(compile_case(read_case(file)))
    total, worn = (sum(values) for values in zip(*((w.trigrams, w.worn) for w in found),
                                                 strict=True))  # fmt: skip
    lines = [f"{file.stem}: {worn:.0f} of {total:.0f} trigrams of a letter worn, "
             f"{1 - worn / total:.0%} new"]  # fmt: skip
    for w in found[:top]:
        worst = "; ".join(f"{words} {share:.0%}" for words, share in w.worst)
        lines.append(f"  {w.worn:5.1f} of {w.trigrams:4.0f}  {w.unit.where.partition(', ')[2]} "
                     f"(p{w.unit.priority}, {len(w.unit.versions)} versions): {worst}")  # fmt: skip
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
