"""What adversarial modes cost a detector: coverage by mode and by label, against clean letters.

Several modes meet in one letter, so that the plain difference of a mode to the letters without
any holds a part of the others' cost. The cost of a mode held apart comes from a least-squares
fit of the share of spans that leaked, over all letters, each weighted by its spans: a constant,
and an addend for each mode that the letter has.
"""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.metrics.detection import LabelCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTABLE = 0.01
"""Points of coverage below which a mode's cost is not spoken of."""
_NAMED = 3
FEWEST = 5
"""Letters with a mode, and without any, below which its cost is not held apart."""


@dataclasses.dataclass(frozen=True, slots=True)
class LetterCounts:
    """One letter of the corpus, as far as modes are concerned.

    Attributes:
      modes: Names of its modes.
      spans: PHI spans.
      leaked: Those that were not wholly covered.
      by_label: The same by label, after projection.
    """

    modes: tuple[str, ...]
    spans: float
    leaked: float
    by_label: Mapping[str, LabelCounts]


@dataclasses.dataclass(frozen=True, slots=True)
class ModeCost:
    """Coverage in the letters with one mode.

    Attributes:
      letters: How many have it.
      covered: Share of their PHI spans that were wholly covered, None without spans.
      difference: To the letters without any mode.
      apart: What the mode itself adds or takes, the letter's other modes held constant; None
        where too few letters have it, or none lacks what always comes with it.
    """

    letters: int
    covered: float | None
    difference: float | None
    apart: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class LabelCost:
    """Coverage of one label in letters without a mode and in letters with one.

    Attributes:
      clean: Share covered in letters without any mode, None if none has the label.
      adversarial: Share covered in letters with a mode.
      extra: Spans leaked in letters with a mode beyond what the clean share leads to expect.
    """

    clean: float | None
    adversarial: float | None
    extra: float


@dataclasses.dataclass(frozen=True, slots=True)
class ModeCosts:
    """What modes cost one detector.

    Attributes:
      clean_letters: Letters without any mode.
      clean: Share of their PHI spans that were wholly covered.
      adversarial_letters: Letters with at least one mode.
      adversarial: The same share of theirs.
      by_mode: The dearest first.
      by_label: Those with the most extra leaks first.
    """

    clean_letters: int
    clean: float
    adversarial_letters: int
    adversarial: float
    by_mode: Mapping[str, ModeCost]
    by_label: Mapping[str, LabelCost]

    @property
    def difference(self) -> float:
        """Coverage in letters with a mode minus that in letters without."""
        return self.adversarial - self.clean

    def record(self) -> dict[str, Any]:
        """Returns the costs as JSON values."""
        return dataclasses.asdict(self) | {"difference": self.difference}

    def sentence(self, name: str) -> str:
        """Returns in words, from these figures, what modes cost the detector of that name."""
        said = (
            f"{name} covers {self.adversarial:.1%} of the PHI spans of the "
            f"{self.adversarial_letters} letters with a mode, {self.clean:.1%} of the "
            f"{self.clean_letters} without ({100 * self.difference:+.1f} points)."
        )
        apart = [(m, c.apart) for m, c in self.by_mode.items() if c.apart is not None]
        dear = [f"{m} ({100 * cost:+.1f} points)" for m, cost in apart if cost < -NOTABLE]
        if dear:
            said += f" Held apart, the dearest modes are {', '.join(dear[:_NAMED])}."
        elif apart:
            said += f" Held apart, no mode takes more than {100 * NOTABLE:.0f} point."
        extra = [f"{label} ({c.extra:.0f})" for label, c in self.by_label.items() if c.extra >= 1]
        if extra:
            said += (
                " Most spans that leak beyond what clean letters lead to expect: "
                f"{', '.join(extra[:_NAMED])}."
            )
        return said


def mode_costs(letters: Sequence[LetterCounts]) -> ModeCosts | None:
    """Returns what modes cost, None where no letter has one, or none is without."""
    clean = [letter for letter in letters if not letter.modes]
    spoilt = [letter for letter in letters if letter.modes]
    shares = [_covered(part) for part in (clean, spoilt)]
    if shares[0] is None or shares[1] is None:
        return None
    apart = _apart(letters)
    by_mode: dict[str, ModeCost] = {}
    for mode in sorted({mode for letter in spoilt for mode in letter.modes}):
        having = [letter for letter in spoilt if mode in letter.modes]
        covered = _covered(having)
        difference = None if covered is None else covered - shares[0]
        by_mode[mode] = ModeCost(len(having), covered, difference, apart.get(mode))
    dearest = sorted(by_mode, key=lambda mode: (_cost(by_mode[mode]), mode))
    return ModeCosts(
        clean_letters=len(clean), clean=shares[0],
        adversarial_letters=len(spoilt), adversarial=shares[1],
        by_mode={mode: by_mode[mode] for mode in dearest}, by_label=_by_label(clean, spoilt),
    )  # fmt: skip


def _cost(cost: ModeCost) -> float:
    """Returns what a table is sorted by: the cost held apart, else the plain difference."""
    return cost.apart if cost.apart is not None else cost.difference or 0.0


def _covered(letters: Sequence[LetterCounts]) -> float | None:
    spans = sum(letter.spans for letter in letters)
    return 1 - sum(letter.leaked for letter in letters) / spans if spans else None


def _apart(letters: Sequence[LetterCounts]) -> dict[str, float]:
    """Returns what each mode takes from the coverage, the others held constant."""
    counted = [letter for letter in letters if letter.spans]
    having = collections.Counter(mode for letter in counted for mode in letter.modes)
    modes = [m for m in sorted(having) if FEWEST <= having[m] <= len(counted) - FEWEST]
    if not modes:
        return {}
    rows = np.array([[1.0, *(mode in letter.modes for mode in modes)] for letter in counted])
    spans = np.array([letter.spans for letter in counted], dtype=float)
    leaked = np.array([letter.leaked for letter in counted], dtype=float)
    weights = np.sqrt(spans)
    fitted, _, rank, _ = np.linalg.lstsq(rows * weights[:, None], leaked / weights, rcond=None)
    if rank < rows.shape[1]:
        return {}
    return {mode: -float(cost) for mode, cost in zip(modes, fitted[1:], strict=True)}


def _by_label(
    clean: Sequence[LetterCounts], spoilt: Sequence[LetterCounts]
) -> dict[str, LabelCost]:
    left, right = _summed(clean), _summed(spoilt)
    costs: dict[str, LabelCost] = {}
    for label, counts in right.items():
        if not counts.gold:
            continue
        known = left.get(label, LabelCounts())
        expected = known.covered / known.gold if known.gold else None
        covered = counts.covered / counts.gold
        extra = 0.0 if expected is None else (expected - covered) * counts.gold
        costs[label] = LabelCost(expected, covered, extra)
    return dict(sorted(costs.items(), key=lambda item: (-item[1].extra, item[0])))


def _summed(letters: Sequence[LetterCounts]) -> dict[str, LabelCounts]:
    summed: dict[str, LabelCounts] = {}
    for letter in letters:
        for label, counts in letter.by_label.items():
            summed[label] = summed.get(label, LabelCounts()) + counts
    return summed
