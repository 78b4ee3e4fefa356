"""The benchmark journey: corpus × detectors → spans → projection → counts → ratios → intervals."""

from __future__ import annotations

import collections
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mustermann.core.errors import ConfigError, DataError
from mustermann.core.files import refuse_unwritable
from mustermann.core.parallel import executor
from mustermann.core.progress import task
from mustermann.core.seeds import Seeds
from mustermann.detectors.prediction_cache import PredictionCache
from mustermann.detectors.registry import load_detector
from mustermann.documents.corpus import load_corpus
from mustermann.documents.mapping import mapping_names
from mustermann.journeys.scoring import Case, Scored, Scorer
from mustermann.metrics.bootstrap import REPLICATES, difference, interval, resample
from mustermann.metrics.detection import RATIOS, Counts, LabelCounts
from mustermann.metrics.mode_costs import LetterCounts, mode_costs
from mustermann.metrics.projection import guess_label_set, projection
from mustermann.metrics.results import (
    BenchmarkResult,
    DetectorResult,
    Difference,
    Failure,
    Group,
)
from mustermann.metrics.signature import Score, Signature
from mustermann.report.build import write_report
from mustermann.report.detection import detection_sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from mustermann.documents.corpus import Corpus
    from mustermann.documents.detector import Detector

WORST = 50
"""Misses that a result keeps."""
COMPARED = ("leak_rate", "span_f1", "char_recall", "over_redaction")
_SERIOUS = ("PATIENT_NAME", "RELATIVE_NAME", "NAME_PATIENT", "NAME_RELATIVE", "PATIENT")


def benchmark(
    path: Path | str, detectors: Sequence[str], *, labels: str = "", cache: Path | None = None,
    workers: int = 1, replicates: int = REPLICATES, seed: int = 0, report: Path | None = None,
) -> BenchmarkResult:  # fmt: skip
    """Returns how detectors do on a corpus.

    Args:
      path: A corpus directory or a `.jsonl` file.
      detectors: Names as on the command line: "rules", "crf:MODEL" …
      labels: The corpus's label set; "" reads the manifest, then guesses from the labels.
      cache: Where predictions are kept, None for the user's cache directory.
      workers: Processes.
      replicates: Of the bootstrap over documents.
      seed: Of the bootstrap.
      report: Where to write the tables as one HTML file.

    Raises:
      DataError: The corpus is missing, broken or empty.
      ConfigError: Its labels fit no known set, a detector is named twice, or `report` can't be
        written to.
      PluginError: A detector is unknown or can't be loaded.
    """
    if len(set(detectors)) < len(detectors) or not detectors:
        raise ConfigError(f"Expected detectors, each once, got {', '.join(detectors) or 'none'}.")
    if report is not None:
        refuse_unwritable(report)
    loaded = {name: load_detector(name) for name in detectors}
    corpus = load_corpus(path)
    labels = label_set(corpus, labels)
    place = cache or default_cache()
    results: dict[str, DetectorResult] = {}
    replicated: dict[str, NDArray[np.float64]] = {}
    for name, detector in loaded.items():
        kept = PredictionCache(place, signature=detector.signature)
        scored = list(_scored(corpus, name, labels, kept, workers))
        if not scored:
            raise DataError(f"Expected documents in {path}, found none.")
        per_document = np.array([item.counts.values() for item in scored])
        replicated[name] = resample(per_document, seeds=Seeds(seed), replicates=replicates)
        results[name] = _result(name, detector, labels, scored, replicated[name])
    result = BenchmarkResult(
        corpus=str(path),
        labels=labels,
        documents=int(next(iter(results.values())).counts.documents),
        detectors=results,
        differences=tuple(_differences(results, replicated)),
    )
    if report:
        lead = f"How well {', '.join(results)} find PHI in {path}, and what they leave alone."
        sections = detection_sections(result)
        write_report(report, title="De-identification benchmark", lead=lead, sections=sections)
    return result


def label_set(corpus: Corpus, given: str) -> str:
    """Returns the label set of a corpus: as given, as its manifest says, or guessed.

    Raises:
      ConfigError: The set is unknown, or the labels fit none.
    """
    name = given or corpus.labels
    if not name:
        return guess_label_set(span.label for document in corpus for span in document.spans)
    if name not in mapping_names():
        raise ConfigError(f"Expected labels {'|'.join(mapping_names())}, got {name!r}.")
    return name


def default_cache() -> Path:
    """Returns where predictions are kept: the user's cache directory."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "mustermann" / "predictions"


def _scored(
    corpus: Corpus, name: str, labels: str, cache: PredictionCache, workers: int
) -> Iterator[Scored]:
    """Yields each document's counts, and keeps each prediction as soon as it is there."""
    waiting: collections.deque[str] = collections.deque()

    def cases() -> Iterator[Case]:
        for document in corpus:
            waiting.append(document.text)
            yield Case(document, cache.get(document.text))

    with task(name) as bar:
        for item in executor(workers).map(Scorer(name, labels), cases()):
            cache.put(waiting.popleft(), item.prediction)
            bar.advance()
            yield item


def _result(
    name: str, detector: Detector, labels: str, scored: list[Scored],
    replicates: NDArray[np.float64],
) -> DetectorResult:  # fmt: skip
    counts = sum((item.counts for item in scored), Counts())
    compared = projection(labels, detector.labels)
    misses = [miss for item in scored for miss in item.misses]
    misses.sort(key=lambda miss: (miss.part, miss.label not in _SERIOUS, -len(miss.text)))
    by_label: dict[str, LabelCounts] = {}
    for item in scored:
        for label, found in item.by_label.items():
            by_label[label] = by_label.get(label, LabelCounts()) + found
    faults = sum(
        (collections.Counter(item.prediction.faults) for item in scored), collections.Counter()
    )
    return DetectorResult(
        name=name,
        signature=detector.signature,
        counts=counts,
        scores=_scores(counts, replicates, compared.signature),
        failures=tuple(
            Failure(item.document, item.prediction.failure)
            for item in scored
            if item.prediction.failure
        ),
        faults=faults,
        by_label=dict(sorted(by_label.items())),
        by_difficulty=_grouped(scored, "difficulty"),
        by_style=_grouped(scored, "style"),
        adversarial=_adversarial(scored),
        by_mode=_grouped(scored, "mode"),
        mode_costs=mode_costs(
            [
                LetterCounts(
                    item.groups["mode"],
                    item.counts.phi_spans,
                    item.counts.phi_leaked,
                    item.by_label,
                )
                for item in scored
                if "mode" in item.groups
            ]
        ),
        misses=tuple(misses[:WORST]),
        seconds=sum(item.seconds for item in scored),
    )


def _scores(
    counts: Counts, replicates: NDArray[np.float64], map_signature: str
) -> dict[str, Score]:
    how = f"documents-{len(replicates)}-percentile"
    scores = {}
    for name, ratio in RATIOS.items():
        ends = interval(replicates, ratio)
        mapped = ratio.labels or name.startswith(("span", "partial"))
        signature = Signature(
            name=name, match=ratio.match, map=map_signature if mapped else "none", bootstrap=how
        )
        low, high = (None if np.isnan(end) else end for end in (ends.low, ends.high))
        scores[name] = Score(value=ratio.of(counts), signature=signature, low=low, high=high)
    return scores


def _grouped(scored: Iterable[Scored], kind: str) -> Mapping[str, Group]:
    groups: dict[str, Counts] = {}
    for item in scored:
        for name in item.groups.get(kind, ()):
            groups[name] = groups.get(name, Counts()) + item.counts
    return {name: Group(groups[name]) for name in sorted(groups)}


def _adversarial(scored: list[Scored]) -> Mapping[str, Group]:
    """Returns all letters, and those that are not adversarial, where there are both."""
    plain = [item.counts for item in scored if item.groups.get("difficulty") != ("adversarial",)]
    if len(plain) in {0, len(scored)}:
        return {}
    everything = sum((item.counts for item in scored), Counts())
    return {"with": Group(everything), "without": Group(sum(plain, Counts()))}


def _differences(
    results: Mapping[str, DetectorResult], replicated: Mapping[str, NDArray[np.float64]]
) -> Iterator[Difference]:
    for left, right in itertools.combinations(results, 2):
        for name in COMPARED:
            values = [results[side].scores[name].value for side in (left, right)]
            if values[0] is None or values[1] is None:
                continue
            ends = difference(replicated[left], replicated[right], RATIOS[name])
            low, high = (None if np.isnan(end) else end for end in (ends.low, ends.high))
            yield Difference(left, right, name, values[0] - values[1], low, high)
