"""Statistics of a text corpus, as published tables have them.

They reproduce the published column for GraSCCo (SPARCLING, table of corpora). Intervals are a
bootstrap over documents; Self-BLEU has none, since a document drawn twice would meet itself.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from mustermann.core.seeds import Seeds
from mustermann.metrics.bootstrap import REPLICATES, interval, resample
from mustermann.metrics.lexical import trigram_novelty
from mustermann.metrics.profile import CorpusProfile, corpus_profile
from mustermann.metrics.self_bleu import (
    ALL_PAIRS_UP_TO,
    mean_of_pairs,
    pairwise_bleu,
    self_bleu,
    texygen_bleu,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from mustermann.documents.document import Document
    from mustermann.metrics.bootstrap import Interval

    Ratio = Callable[[NDArray[np.float64]], NDArray[np.float64]]

VERSION = "v2"
NOT_BOOTSTRAPPED = ("self_bleu", "self_bleu_texygen")
"""Means over pairs, not over documents."""

DRAWS = 20
_MEANS = {"ttr": "ttr", "mtld": "mtld", "trigram_novelty": "novelty", "smog": "smog",
          "fkgl": "fkgl", "wiener": "wiener", "amstad": "amstad"}  # fmt: skip
_RATES = {"spans_per_1k": "spans", "decoys_per_1k": "decoys", "clinical_per_1k": "clinical"}


@dataclasses.dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What stands in a table of corpora. Means are over documents.

    Attributes:
      documents: How many.
      mean_chars: Mean length in characters.
      std_chars: Population standard deviation of the length.
      tokens: Words in all.
      spans: PHI spans in all (tiers 1 and 2, and every span of a foreign label set).
      spans_per_1k: PHI spans per 1,000 words, over the whole corpus.
      decoys_per_1k: Decoys per 1,000 words.
      clinical_per_1k: Spans of the clinical layer per 1,000 words.
      ttr: Type-token ratio.
      mtld: Measure of textual lexical diversity, in words.
      trigram_novelty: Share of a document's trigrams that no other document has.
      self_bleu: Mean pairwise BLEU-4.
      self_bleu_texygen: Mean BLEU-4 of each document against all others together.
      smog: McLaughlin's grade, in school years.
      fkgl: Flesch-Kincaid grade level, in school years.
      wiener: First Wiener Sachtextformel, in school years.
      amstad: Flesch reading ease after Amstad.
      signature: Names the definitions; figures under two signatures do not compare.
    """

    documents: int
    mean_chars: float
    std_chars: float
    tokens: int
    spans: int
    spans_per_1k: float
    decoys_per_1k: float
    clinical_per_1k: float
    ttr: float
    mtld: float
    trigram_novelty: float
    self_bleu: float
    self_bleu_texygen: float
    smog: float
    fkgl: float
    wiener: float
    amstad: float
    signature: str


@dataclasses.dataclass(frozen=True, slots=True)
class SizeMatched:
    """Figures that depend on the size of a corpus, at another size.

    Attributes:
      size: How many documents each draw has.
      draws: How many subsets were drawn; 1 where the corpus has just this size.
      trigram_novelty: Mean over the draws.
      trigram_novelty_std: Standard deviation over the draws.
      self_bleu: Mean over the draws; its expectation does not depend on size.
      self_bleu_std: Standard deviation over the draws.
      self_bleu_texygen: Mean over the draws.
      self_bleu_texygen_std: Standard deviation over the draws.
    """

    size: int
    draws: int
    trigram_novelty: float
    trigram_novelty_std: float
    self_bleu: float
    self_bleu_std: float
    self_bleu_texygen: float
    self_bleu_texygen_std: float


@dataclasses.dataclass(frozen=True, slots=True)
class MeasuredCorpus:
    """A corpus with its figures.

    Attributes:
      name: Of its file or directory.
      profile: Measures by document.
      statistics: Figures of the whole corpus.
      intervals: Their 95 % intervals where a bootstrap over documents gives one.
      difficulties: Means by difficulty.
      matched: Size-dependent figures at another size, None where no size was given.
    """

    name: str
    profile: CorpusProfile
    statistics: CorpusStatistics
    intervals: Mapping[str, Interval]
    difficulties: Mapping[str, Mapping[str, float]]
    matched: SizeMatched | None

    def to_record(self) -> dict[str, Any]:
        """Returns the figures as JSON values, those of the whole corpus on top."""
        return dataclasses.asdict(self.statistics) | {
            "intervals": {name: [one.low, one.high] for name, one in self.intervals.items()},
            "not_bootstrapped": list(NOT_BOOTSTRAPPED),
            "by_difficulty": {name: dict(found) for name, found in self.difficulties.items()},
            "labels": dict(sorted(self.profile.labels.items())),
            "size_matched": dataclasses.asdict(self.matched) if self.matched else None,
        }


def measured(
    name: str, profile: CorpusProfile, *, size: int | None = None, seed: int = 0
) -> MeasuredCorpus:
    """Returns all figures of a profile; `size` asks for those at another size too."""
    return MeasuredCorpus(
        name, profile, profile_statistics(profile, seed=seed),
        statistics_intervals(profile, seed=seed), by_difficulty(profile),
        size_matched(profile, size, seed=seed) if size else None,
    )  # fmt: skip


def corpus_statistics(documents: Iterable[Document], *, seed: int = 0) -> CorpusStatistics:
    """Returns the statistics of a corpus; `seed` draws pairs where it has over 2,000 documents."""
    return profile_statistics(corpus_profile(documents), seed=seed)


def profile_statistics(profile: CorpusProfile, *, seed: int = 0) -> CorpusStatistics:
    """Returns the statistics of a profile; `seed` draws pairs beyond 2,000 documents."""
    measures = profile.measures
    total = int(measures["tokens"].sum())
    rates = {name: 1_000 * measures[of].sum() / max(1, total) for name, of in _RATES.items()}
    return CorpusStatistics(
        documents=len(profile),
        mean_chars=_mean(measures["chars"]),
        std_chars=float(measures["chars"].std()) if len(profile) else 0.0,
        tokens=total,
        spans=int(measures["spans"].sum()),
        self_bleu=self_bleu(profile.table, seed=seed),
        self_bleu_texygen=_mean(texygen_bleu(profile.table)),
        signature=_signature(len(profile), seed),
        **{name: float(value) for name, value in rates.items()},
        **{name: _mean(measures[of]) for name, of in _MEANS.items()},
    )


def statistics_intervals(profile: CorpusProfile, *, seed: int = 0) -> dict[str, Interval]:
    """Returns the 95 % interval of each figure that a bootstrap over documents can give.

    10,000 replicates, percentiles. A document's novelty is held as it is in the whole corpus.
    """
    if len(profile) < 2:
        return {}
    measures = profile.measures
    novelty = measures["novelty"]
    known = ~np.isnan(novelty)
    columns: dict[str, NDArray[np.float64]] = {
        **measures, "one": np.ones(len(profile)), "squares": measures["chars"] ** 2,
        "novelty": np.where(known, novelty, 0.0), "known": known.astype(np.float64),
    }  # fmt: skip
    at = {name: column for column, name in enumerate(columns)}
    counts = np.stack(list(columns.values()), axis=1)
    sums = resample(counts, seeds=Seeds(seed).child("corpus statistics"))

    def over(top: str, bottom: str, factor: float = 1.0) -> Interval:
        with np.errstate(invalid="ignore", divide="ignore"):
            return interval(sums, lambda s: factor * s[:, at[top]] / s[:, at[bottom]])

    def deviation(s: NDArray[np.float64]) -> NDArray[np.float64]:
        mean = s[:, at["chars"]] / len(profile)
        spread: NDArray[np.float64] = s[:, at["squares"]] / len(profile) - mean**2
        return np.sqrt(np.maximum(0.0, spread))

    found = {"mean_chars": over("chars", "one"), "std_chars": interval(sums, deviation)}
    found |= {name: over(of, "tokens", 1_000) for name, of in _RATES.items()}
    found |= {name: over(of, "known" if of == "novelty" else "one") for name, of in _MEANS.items()}
    return {name: one for name, one in found.items() if np.isfinite(one.low)}


def by_difficulty(profile: CorpusProfile) -> dict[str, dict[str, float]]:
    """Returns means by difficulty, {} where no document states one.

    Novelty is against the whole corpus.
    """
    names = [name for name in dict.fromkeys(profile.difficulties) if name]
    known = ("easy", "medium", "hard", "adversarial")
    order = [name for name in known if name in names] + sorted(set(names) - set(known))
    return {name: _figures(profile.measures, profile.rows(name)) for name in order}


def size_matched(
    profile: CorpusProfile, size: int, *, draws: int = DRAWS, seed: int = 0
) -> SizeMatched:
    """Returns novelty and Self-BLEU of drawn subsets of `size` documents (at least 2)."""
    size = min(size, len(profile))
    count = 1 if size == len(profile) else draws
    pairs = pairwise_bleu(profile.table) if len(profile) <= ALL_PAIRS_UP_TO else None
    seeds = Seeds(seed).child("size-matched", size)
    found = []
    for draw in range(count):
        rows = np.sort(seeds.generator(draw).permutation(len(profile))[:size])
        part = profile.table.subset(rows)
        bleu = self_bleu(part, seed=seed) if pairs is None else mean_of_pairs(pairs[rows][:, rows])
        found.append((_mean(trigram_novelty(part)), bleu, _mean(texygen_bleu(part))))
    means, spreads = np.mean(found, axis=0).tolist(), np.std(found, axis=0).tolist()
    return SizeMatched(
        size, count, means[0], spreads[0], means[1], spreads[1], means[2], spreads[2]
    )


def _figures(
    measures: Mapping[str, NDArray[np.float64]], rows: NDArray[np.int64]
) -> dict[str, Any]:
    chosen = {name: values[rows] for name, values in measures.items()}
    words = max(1.0, chosen["tokens"].sum())
    return {
        "documents": len(rows),
        "mean_chars": _mean(chosen["chars"]),
        **{name: float(1_000 * chosen[of].sum() / words) for name, of in _RATES.items()},
        **{name: _mean(chosen[of]) for name, of in _MEANS.items()},
    }


def _signature(documents: int, seed: int) -> str:
    pairs = "all" if documents <= ALL_PAIRS_UP_TO else f"20000-seed-{seed}"
    return (
        f"corpus|tokens:word-hyphen-lower|textstat-0.7-de|self-bleu:pairs-{pairs}"
        f"|bootstrap:{REPLICATES}|{VERSION}"
    )


def _mean(values: NDArray[np.float64]) -> float:
    """Returns the mean without NaN, 0 for nothing."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else 0.0
