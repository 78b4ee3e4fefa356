"""The tables that `mustermann deid benchmark` prints."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mustermann.metrics.regimes import RegimesResult
    from mustermann.metrics.results import BenchmarkResult, DetectorResult, Group
    from mustermann.metrics.signature import Score

_MAIN = {
    "leak": "leak_rate", "P": "span_precision", "R": "span_recall", "F1": "span_f1",
    "F1 labelled": "labelled_f1", "F1 partial": "partial_f1", "token F1": "token_f1",
    "char P": "char_precision", "char R": "char_recall", "over-redaction": "over_redaction",
}  # fmt: skip
_DECOYS = {
    "over-anonymisation": "over_anonymisation", "eponym destruction": "eponym_destruction",
    "look-alikes": "lookalike_redaction", "numbers": "nonpii_redaction",
    "faithfulness": "faithfulness", "boundary IoU": "boundary_iou",
    "listed names": "listed_recall", "unlisted names": "unlisted_recall",
}  # fmt: skip
_WORST = 10
_WIDE = 200


def print_tables(result: BenchmarkResult) -> None:
    """Prints leak rates first, then P/R/F1, decoys, labels, groups, costs, differences, misses."""
    console = _console()
    console.print(f"{escape(result.corpus)}: {result.documents} documents, labels {result.labels}")
    detectors = result.detectors.values()
    console.print(_scores("Detectors", detectors, _MAIN))
    console.print(_scores("What must stay, and names by pool", detectors, _DECOYS))
    console.print(_labels(result))
    for title, kind in (
        ("By difficulty", "by_difficulty"), ("By style", "by_style"),
        ("Adversarial letters", "adversarial"), ("By adversarial mode", "by_mode"),
    ):  # fmt: skip
        table = _groups(title, kind, detectors)
        if table.row_count:
            console.print(table)
    costs = _costs(detectors)
    if costs.row_count:
        console.print(costs)
        for detector in detectors:
            if detector.mode_costs:
                console.print(escape(detector.mode_costs.sentence(detector.name)))
    if result.differences:
        console.print(_differences(result))
    for detector in detectors:
        _print_misses(console, detector)


def _console() -> Console:
    """Returns a console that is wide enough for every column where nobody's window limits it."""
    return Console() if sys.stdout.isatty() or "COLUMNS" in os.environ else Console(width=_WIDE)


def print_regimes(result: RegimesResult) -> None:
    """Prints mean ± deviation of each regime, on the public documents and on the hold-out."""
    console = _console()
    for title, figures in (
        ("Public documents, out of fold", result.public),
        ("Synthetic letters held out", result.holdout),
    ):
        names = list(next(iter(figures.values())))
        table = Table("trained on", *names, title=title, title_justify="left")
        for regime, scores in figures.items():
            cells = [
                "–" if spread.mean is None else f"{spread.mean:.3f} ± {spread.std:.3f}"
                for spread in scores.values()
            ]
            table.add_row(regime, *cells)
        console.print(table)


def _scores(title: str, detectors: Iterable[DetectorResult], columns: Mapping[str, str]) -> Table:
    table = Table("detector", *columns, title=title, title_justify="left")
    for detector in detectors:
        cells = [_shown(detector.scores[name]) for name in columns.values()]
        table.add_row(escape(detector.name), *cells)
    return table


def _shown(score: Score) -> str:
    if score.value is None:
        return "–"
    if score.low is None or score.high is None:
        return f"{score.value:.3f}"
    return f"{score.value:.3f}\n[dim]{score.low:.3f}–{score.high:.3f}[/dim]"


def _labels(result: BenchmarkResult) -> Table:
    names = sorted({label for d in result.detectors.values() for label in d.by_label})
    columns = [f"{d} {what}" for d in result.detectors for what in ("R", "F1")]
    table = Table("label", "gold", *map(escape, columns), title="By label", title_justify="left")
    for label in names:
        found = [d.by_label.get(label) for d in result.detectors.values()]
        gold = max(counts.gold for counts in found if counts)
        cells: list[str] = []
        for counts in found:
            record = counts.record() if counts else {}
            cells += [_number(record.get("recall")), _number(record.get("f1"))]
        table.add_row(label, str(gold), *cells)
    return table


def _groups(title: str, kind: str, detectors: Iterable[DetectorResult]) -> Table:
    table = Table(
        "group", "detector", "letters", "leak", "P", "R", "F1", "char R", "over-anonymisation",
        title=title, title_justify="left",
    )  # fmt: skip
    names = ("leak_rate", "span_precision", "span_recall", "span_f1", "char_recall",
             "over_anonymisation")  # fmt: skip
    rows: list[tuple[str, Sequence[str]]] = []
    for detector in detectors:
        groups: Mapping[str, Group] = getattr(detector, kind)
        for name, group in groups.items():
            record = group.record()
            cells = [_number(record[score]) for score in names]
            rows.append((name, [escape(detector.name), str(record["documents"]), *cells]))
    for name, row in sorted(rows, key=lambda item: item[0]):
        table.add_row(escape(name), *row)
    return table


def _costs(detectors: Iterable[DetectorResult]) -> Table:
    table = Table(
        "mode", "detector", "letters", "PHI covered", "to clean letters", "held apart",
        title="What adversarial modes cost", title_justify="left",
    )  # fmt: skip
    rows = [
        (mode, detector.name, cost)
        for detector in detectors if detector.mode_costs
        for mode, cost in detector.mode_costs.by_mode.items()
    ]  # fmt: skip
    for mode, name, cost in sorted(rows, key=lambda row: row[:2]):
        figures = (_number(cost.covered), _signed(cost.difference), _signed(cost.apart))
        table.add_row(escape(mode), escape(name), str(cost.letters), *figures)
    return table


def _differences(result: BenchmarkResult) -> Table:
    table = Table("left", "right", "score", "left − right", "95 %", title="Paired differences",
                  title_justify="left")  # fmt: skip
    for item in result.differences:
        ends = "–" if item.low is None else f"{item.low:+.3f} … {item.high:+.3f}"
        table.add_row(escape(item.left), escape(item.right), item.score, f"{item.value:+.3f}", ends)
    return table


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _print_misses(console: Console, detector: DetectorResult) -> None:
    if detector.failures:
        first = detector.failures[0]
        console.print(f"{escape(detector.name)} failed on {len(detector.failures)} documents, "
                      f"first {escape(first.document)}: {escape(first.message)}")  # fmt: skip
    if detector.faults:
        faults = ", ".join(f"{count} {kind}" for kind, count in detector.faults.items())
        console.print(f"{escape(detector.name)} broke its contract: {faults}")
    if not detector.misses:
        return
    console.print(f"\nWorst leaks of {escape(detector.name)}:")
    for miss in detector.misses[:_WORST]:
        before, text, after = (
            escape(" ".join(part.split()))
            for part in (miss.before[-30:], miss.text, miss.after[:30])
        )
        console.print(
            f"  {escape(miss.document)} {miss.label}: …{before} [bold]{text}[/bold] {after}…"
        )
