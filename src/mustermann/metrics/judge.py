"""Six qualities of a letter on a scale from 1 to 5: the rubric, agreement of readers, tables.

Who reads (people or language models) makes no difference here. Scores of different readers
compare only where the same letters were read blind and mixed.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.metrics.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

LOWEST, HIGHEST = 1, 5


@dataclasses.dataclass(frozen=True, slots=True)
class Dimension:
    """A quality of a letter.

    Attributes:
      name: As in results.
      worst: What a letter with 1 looks like.
      middle: The same of 3; 2 and 4 lie between.
      best: The same of 5.
    """

    name: str
    worst: str
    middle: str
    best: str


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(
        "structure",
        "No recognisable order: raw log or running text, findings and plan mixed; addressee, "
        "stay or diagnoses cannot be found.",
        "The usual sections are there, but one is missing, doubled or in an odd place; the reader "
        "must search for one thing.",
        "Head, stay, diagnoses, history, findings, course, medication and procedure each in their "
        "place; main message found in 30 seconds; layout fits the specialty.",
    ),
    Dimension(
        "clinical_realism",
        "Reads invented: impossible drug, dose, value or treatment; generic phrases without "
        "clinical detail.",
        "Plausible case with one or two choices that a specialist would query, or language that "
        "no physician writes.",
        "A specialist would take it for a real letter of the field: right tests, values, doses, "
        "wording and typical omissions; comorbidities and incidental findings as in life.",
    ),
    Dimension(
        "internal_consistency",
        "Two statements of clinical weight exclude each other (side, organ, drug despite allergy, "
        "name or sex). One such fault caps this quality at 2.",
        "Only minor mismatch: count, size, a diagnosis without a trace, a drug without indication.",
        "Every diagnosis has a finding or therapy, every drug an indication; numbers, side, sex, "
        "name and staging agree everywhere.",
    ),
    Dimension(
        "temporal_consistency",
        "Impossible dates in two or more places: event after the letter, before birth, outside "
        "the stay. One hard fault caps this quality at 2.",
        "The order can be followed; an age, an interval or one date is off or vague.",
        "All dates, ages, intervals and follow-ups can be checked and agree; the order of events "
        "is medically sensible.",
    ),
    Dimension(
        "care_trajectory",
        "Steps do not follow from one another: no reason for admission, tests without question, "
        "therapy without diagnosis.",
        "Complaint, finding, therapy and result can be reconstructed, but one decision is "
        "unexplained or the length of stay unmotivated.",
        "Complaint, question, finding, decision, response, state at discharge, with reasons, "
        "alternatives and complications; discharge answers the reason for admission.",
    ),
    Dimension(
        "discharge_plan",
        "No plan, or only 'as before' or 'further controls'.",
        "Medication with doses or clear appointments, not both; durations, targets or who is "
        "responsible are missing.",
        "Medication with strength, scheme, duration and what changed and why; who does what by "
        "when with which target; pending results; what to look out for and when to return.",
    ),
)
"""The rubric. A letter owes only what its type owes: a report of one visit no full plan."""

NAMES = tuple(dimension.name for dimension in DIMENSIONS)


@dataclasses.dataclass(frozen=True, slots=True)
class DimensionScore:
    """One quality over a corpus.

    Attributes:
      mean: Of the letters' means over readings.
      std: Population standard deviation of these means.
      kappa: Mean quadratically weighted κ over pairs of readings, None where it is undefined:
        fewer than two readings, or every score the same.
    """

    mean: float
    std: float
    kappa: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCorpus:
    """What the readings of a corpus say.

    Attributes:
      documents: Letters with every reading.
      failed: Letters of which a reading is missing; they do not count.
      dimensions: Each quality by name.
      by_difficulty: Means of each quality by difficulty, where letters have one.
      signature: How the numbers came about.
    """

    documents: int
    failed: int
    dimensions: Mapping[str, DimensionScore]
    by_difficulty: Mapping[str, Mapping[str, float]]
    signature: Signature

    @property
    def overall(self) -> float:
        """Returns the mean over the six qualities."""
        return sum(score.mean for score in self.dimensions.values()) / len(self.dimensions)

    def to_record(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        return {
            "documents": self.documents, "failed": self.failed, "overall": self.overall,
            "dimensions": {n: dataclasses.asdict(s) for n, s in self.dimensions.items()},
            "by_difficulty": {n: dict(means) for n, means in self.by_difficulty.items()},
            "signature": str(self.signature),
        }  # fmt: skip


def weighted_kappa(left: NDArray[np.int64], right: NDArray[np.int64]) -> float:
    """Returns Cohen's κ with quadratic weights of two readings; NaN where chance explains all.

    Args:
      left: Scores from 1 to 5, integer of shape (letters,).
      right: The same letters read again.

    Source: Cohen 1968, Weighted kappa: nominal scale agreement with provision for scaled
    disagreement or partial credit.
    """
    size = HIGHEST - LOWEST + 1
    observed = np.zeros((size, size))
    np.add.at(observed, (left - LOWEST, right - LOWEST), 1.0)
    expected = np.outer(observed.sum(1), observed.sum(0)) / max(observed.sum(), 1)
    steps = np.arange(size)
    weights = (steps[:, None] - steps[None, :]) ** 2
    chance = float((weights * expected).sum())
    return 1 - float((weights * observed).sum()) / chance if chance else math.nan


def judged(
    scores: NDArray[np.int64],
    *,
    difficulties: Sequence[str] = (),
    failed: int = 0,
    judge: str = "",
) -> JudgedCorpus:
    """Returns what readings say of a corpus.

    Args:
      scores: From 1 to 5, integer of shape (readings, letters, qualities), in the order of
        `DIMENSIONS`; at least one letter.
      difficulties: Of each letter, "" where it has none; empty for a corpus without any.
      failed: Letters that were left out.
      judge: Who read, for the signature.
    """
    per_letter = scores.mean(axis=0)
    dimensions = {
        name: DimensionScore(
            float(per_letter[:, index].mean()),
            float(per_letter[:, index].std()),
            _agreement(scores[:, :, index]),
        )
        for index, name in enumerate(NAMES)
    }
    groups = np.array(difficulties or [""] * scores.shape[1])
    by_difficulty = {
        group: dict(zip(NAMES, per_letter[groups == group].mean(axis=0).tolist(), strict=True))
        for group in sorted(set(groups.tolist()) - {""})
    }
    return JudgedCorpus(
        documents=scores.shape[1],
        failed=failed,
        dimensions=dimensions,
        by_difficulty=by_difficulty,
        signature=Signature(
            name="judge", match=f"{judge or 'unnamed'}-{len(scores)}", average="macro"
        ),
    )


def _agreement(readings: NDArray[np.int64]) -> float | None:
    """Returns the mean κ over pairs of readings (of shape (readings, letters))."""
    pairs = [weighted_kappa(a, b) for a, b in itertools.combinations(readings, 2)]
    defined = [kappa for kappa in pairs if not math.isnan(kappa)]
    return sum(defined) / len(defined) if defined else None
