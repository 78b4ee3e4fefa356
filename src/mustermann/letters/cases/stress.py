"""Writes letters of a case in every way: `python -m mustermann.letters.cases.stress FILE`.

Every difficulty, length and style, each with so many seeds, which go round through the sexes and
evenly through the ages; each draft is put to every check of `letters.verify`. A case is sound when
no first draft has a fault: no letter is lucky only at the second attempt.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from mustermann.core.errors import MustermannError
from mustermann.letters.attributes.admission import Admission, NoFittingCase
from mustermann.letters.attributes.parameters import DIFFICULTIES, LENGTHS, STYLES
from mustermann.letters.attributes.record import Difficulty, Length, Style
from mustermann.letters.cases.library import SingleCase, compile_case, read_case
from mustermann.letters.cases.model import Case
from mustermann.letters.config import (
    DifficultyMix,
    LengthMix,
    LengthMixes,
    LettersConfig,
    StyleMix,
)
from mustermann.letters.letter import NoLetterError, Workshop, make_letter
from mustermann.letters.writers import CaseWriter


@dataclasses.dataclass(frozen=True, slots=True)
class Stress:
    """What came of a case's letters.

    Attributes:
      letters: How many were asked for.
      dropped: First drafts that were not taken, by the check that objected.
      failures: The same, as "seed, way, patient: reason".
    """

    letters: int
    dropped: Counter[str]
    failures: tuple[str, ...]


def stress(case: Case, *, seeds: int = 50) -> Stress:
    """Returns what comes of `seeds` letters in each of the 48 ways to write one."""
    dropped: Counter[str] = Counter()
    failures: list[str] = []
    letters = 0
    for way, config in _ways():
        workshop = Workshop(
            seed=0, config=config, cases=SingleCase(case), drafts=1,
            writer=CaseWriter(cases=lambda _: case),
        )  # fmt: skip
        for seed, admission in enumerate(_patients(case, seeds)):
            letters += 1
            try:
                make_letter(workshop, seed, admission=admission)
            except NoLetterError as error:
                dropped.update(error.dropped)
                failures.append(f"seed {seed}, {way}, {admission.sex} {admission.age}: {error}")
            except (MustermannError, NoFittingCase) as error:
                failures.append(f"seed {seed}, {way}, {admission.sex} {admission.age}: {error}")
    return Stress(letters, dropped, tuple(failures))


def _ways() -> Iterator[tuple[str, LettersConfig]]:
    for difficulty, length, style in product(DIFFICULTIES, LENGTHS, STYLES):
        yield f"{difficulty} {length} {style}", _only(difficulty, length, style)


def _only(difficulty: Difficulty, length: Length, style: Style) -> LettersConfig:
    lengths = LengthMix(**{name: float(name == length) for name in LENGTHS})
    return LettersConfig(
        difficulty=DifficultyMix(**{name: float(name == difficulty) for name in DIFFICULTIES}),
        style=StyleMix(**{name: float(name == style) for name in STYLES}),
        lengths=LengthMixes(easy=lengths, medium=lengths, hard=lengths, adversarial=lengths),
    )


def _patients(case: Case, seeds: int) -> Iterator[Admission]:
    low, high = case.file.fits.age
    sexes = tuple(sex for sex, weight in case.file.fits.sex.items() if weight > 0)
    for seed in range(seeds):
        age = low + round(seed * (high - low) / max(1, seeds - 1))
        yield Admission(age=age, sex=sexes[seed % len(sexes)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Stresses case files; returns 1 where a first draft had a fault."""
    parser = argparse.ArgumentParser(prog="stress", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seeds", type=int, default=50)
    options = parser.parse_args(arguments)
    sound = True
    for file in options.files:
        try:
            found = stress(compile_case(read_case(file)), seeds=options.seeds)
        except MustermannError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        sound = sound and not found.failures
        drops = ", ".join(f"{count} {check}" for check, count in sorted(found.dropped.items()))
        sys.stdout.write(
            f"{file.stem}: {found.letters} letters, {len(found.failures)} failed; "
            f"by check: {drops or 'none'}\n"
        )
        sys.stdout.writelines(f"  {failure}\n" for failure in found.failures[:10])
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
