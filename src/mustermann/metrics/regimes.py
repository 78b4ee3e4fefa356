"""Training regimes side by side: mean and deviation over seeds."""

from __future__ import annotations

import dataclasses
import statistics
from typing import TYPE_CHECKING, Any, Literal

from mustermann.metrics.detection import RATIOS, Counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Regime = Literal["synthetic", "public", "both"]
REGIMES: tuple[Regime, ...] = ("synthetic", "public", "both")
SCORES = {
    "span_f1": "labelled_f1", "span_precision": "labelled_precision",
    "span_recall": "labelled_recall", "token_f1": "token_f1", "char_f1": "char_f1",
    "char_recall": "char_recall", "over_redaction": "over_redaction", "leak_rate": "leak_rate",
}  # fmt: skip
"""Figures of a regime by the ratio that they are; spans must agree in extent and class."""


@dataclasses.dataclass(frozen=True, slots=True)
class Spread:
    """A figure over seeds.

    Attributes:
      mean: Of the seeds.
      std: Sample standard deviation, 0 for one seed.
      values: One a seed, in the order of the seeds.
    """

    mean: float | None
    std: float | None
    values: tuple[float | None, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class RegimesResult:
    """How a tagger does by what it was trained on.

    Attributes:
      public: Figures on the public documents, out of fold, by regime.
      holdout: Figures on synthetic letters that no regime trained on, by regime.
      seeds: How many draws.
    """

    public: Mapping[Regime, Mapping[str, Spread]]
    holdout: Mapping[Regime, Mapping[str, Spread]]
    seeds: int

    def to_record(self) -> dict[str, Any]:
        """Returns the result as JSON values."""

        def plain(figures: Mapping[Regime, Mapping[str, Spread]]) -> dict[str, Any]:
            return {
                regime: {
                    name: {"mean": spread.mean, "std": spread.std}
                    for name, spread in scores.items()
                }
                for regime, scores in figures.items()
            }

        by_seed = {
            regime: {name: list(spread.values) for name, spread in scores.items()}
            for regime, scores in self.public.items()
        }
        return {
            "regimes": plain(self.public),
            "synthetic_holdout": plain(self.holdout),
            "by_seed": by_seed,
            "seeds": self.seeds,
        }


def summarise(
    outcomes: Iterable[tuple[tuple[Regime, int], Mapping[str, Counts]]],
) -> RegimesResult:
    """Returns mean and deviation over seeds; the folds of one seed are added up first.

    Args:
      outcomes: Counts on "public" and "holdout" by regime and seed, one entry a fold.
    """
    summed: dict[tuple[str, Regime, int], Counts] = {}
    for (regime, seed), counts in outcomes:
        for place, more in counts.items():
            key = (place, regime, seed)
            summed[key] = summed.get(key, Counts()) + more
    seeds = sorted({seed for _, _, seed in summed})

    def figures(place: str) -> dict[Regime, dict[str, Spread]]:
        return {
            regime: {
                name: _spread([RATIOS[ratio].of(summed[place, regime, seed]) for seed in seeds])
                for name, ratio in SCORES.items()
            }
            for regime in REGIMES
        }

    return RegimesResult(figures("public"), figures("holdout"), len(seeds))


def _spread(values: list[float | None]) -> Spread:
    known = [value for value in values if value is not None]
    if not known:
        return Spread(None, None, tuple(values))
    deviation = statistics.stdev(known) if len(known) > 1 else 0.0
    return Spread(statistics.fmean(known), deviation, tuple(values))
