"""Sections about de-identifiers: the leak rate first, then the seed's tables, then the misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mustermann.documents.coarse import CLASSES, coarse_class
from mustermann.documents.labels import LABELS
from mustermann.metrics.detection import LabelCounts
from mustermann.report import charts
from mustermann.report.blocks import Block, Chart, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.metrics.results import BenchmarkResult, DetectorResult, Group, Miss
    from mustermann.metrics.signature import Score

_MAIN = {
    "leak rate": "leak_rate", "precision": "span_precision", "recall": "span_recall",
    "F1": "span_f1", "F1 with labels": "labelled_f1", "F1 partial": "partial_f1",
    "characters found": "char_recall", "over-redaction": "over_redaction",
}  # fmt: skip
_KEPT = {
    "over-anonymisation": "over_anonymisation", "eponym destruction": "eponym_destruction",
    "look-alikes": "lookalike_redaction", "faithfulness": "faithfulness",
    "boundary IoU": "boundary_iou", "listed names found": "listed_recall",
    "unlisted names found": "unlisted_recall",
}  # fmt: skip
_GROUPED = ("leak_rate", "span_precision", "span_recall", "span_f1", "over_anonymisation")
_WORST = 12


def detection_sections(result: BenchmarkResult) -> list[Section]:
    """Returns everything that a benchmark says, in the order of what a hospital asks first."""
    return [
        detection_section(result),
        Section("By label", list(_by_label(result))),
        Section("By difficulty, style and mode", list(_groups(result))),
        Section("What adversarial letters cost, and why", list(_costs(result))),
        Section("What leaked", [_misses(detector) for detector in result.detectors.values()]),
        Section("Signatures", [_signatures(result)]),
    ]


def detection_section(result: BenchmarkResult, *, title: str = "De-identifiers") -> Section:
    """Returns the main tables: what leaks, what is found, what should have been left alone."""
    detectors = list(result.detectors.values())
    text = (
        f"{result.documents} documents with labels of {result.labels}. The leak rate is the share "
        "of PHI spans that were not wholly covered; brackets hold 95 % intervals from a bootstrap "
        "over documents."
    )
    blocks: list[Block] = [Paragraph(text), _scores(detectors, _MAIN, "Detectors on this corpus.")]
    blocks.append(_scores(detectors, _KEPT, "What must stay, and names that no list can know."))
    if result.differences:
        blocks.append(_differences(result))
    return Section(title, blocks)


def _scores(detectors: Sequence[DetectorResult], names: Mapping[str, str], caption: str) -> Table:
    rows = [(d.name, *(_shown(d.scores[score]) for score in names.values())) for d in detectors]
    return Table(("detector", *names), tuple(rows), caption)


def _shown(score: Score) -> str:
    if score.value is None:
        return "–"
    if score.low is None or score.high is None:
        return f"{score.value:.3f}"
    return f"{score.value:.3f}\n[{score.low:.3f},\u00a0{score.high:.3f}]"


def _differences(result: BenchmarkResult) -> Table:
    rows = tuple(
        (f"{d.left} − {d.right}", d.score, f"{d.value:+.3f}", _interval(d.low, d.high))
        for d in result.differences
    )
    return Table(
        ("pair", "score", "difference", "95 % interval"), rows,
        "Paired over the same documents; an interval without 0 is more than chance.",
    )  # fmt: skip


def _interval(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"


def _by_label(result: BenchmarkResult) -> list[Block]:
    """Returns classes that every detector can be compared in, then labels where any knows them."""
    classes = {d.name: _by_class(d.by_label) for d in result.detectors.values()}
    recall = {
        name: {
            label: found
            for label, counts in known.items()
            if (found := _recall(counts)) is not None
        }
        for name, known in classes.items()
    }
    blocks: list[Block] = [
        Chart(charts.bars(recall, title="Recall by class", axis="recall"), ""),
        _label_table(classes, "Exact spans with their class: recall / F1."),
    ]
    fine = {d.name: d.by_label for d in result.detectors.values() if not {*d.by_label} <= CLASSES}
    if fine:
        blocks.append(_label_table(fine, "Exact spans with their label: recall / F1."))
    return blocks


def _by_class(by_label: Mapping[str, LabelCounts]) -> dict[str, LabelCounts]:
    summed: dict[str, LabelCounts] = {}
    for label, counts in by_label.items():
        name = coarse_class(label)
        summed[name] = summed.get(name, LabelCounts()) + counts
    return summed


def _recall(counts: LabelCounts) -> float | None:
    recall: float | None = counts.record()["recall"]
    return recall


def _label_table(found: Mapping[str, Mapping[str, LabelCounts]], caption: str) -> Table:
    order = {name: index for index, name in enumerate(LABELS)}
    names = sorted(
        {label for known in found.values() for label in known},
        key=lambda name: (order.get(name, len(order)), name),
    )
    rows = []
    for name in names:
        each = [known.get(name) for known in found.values()]
        gold = max(int(counts.gold) for counts in each if counts)
        cells = []
        for counts in each:
            record = counts.record() if counts else {}
            pair = (_number(record.get(key)) for key in ("recall", "f1"))
            cells.append(" / ".join(pair) if counts else "–")
        rows.append((name, str(gold), *cells))
    return Table(("label", "gold", *found), tuple(rows), caption)


def _groups(result: BenchmarkResult) -> list[Block]:
    blocks: list[Block] = []
    for caption, kind in (
        ("By difficulty", "by_difficulty"), ("By style", "by_style"),
        ("With and without adversarial letters", "adversarial"),
        ("By adversarial mode", "by_mode"),
    ):  # fmt: skip
        rows = []
        for detector in result.detectors.values():
            groups: Mapping[str, Group] = getattr(detector, kind)
            for name, group in groups.items():
                record = group.record()
                figures = (_number(record[score]) for score in _GROUPED)
                rows.append((f"{name}, {detector.name}", str(record["documents"]), *figures))
        if rows:
            heads = ("", "letters", *(score.replace("_", " ") for score in _GROUPED))
            blocks.append(Table(heads, tuple(sorted(rows)), caption))
    return blocks or [Paragraph("The corpus does not say how its letters differ.")]


def _costs(result: BenchmarkResult) -> list[Block]:
    """Returns a sentence and two tables for each detector: by mode and by label."""
    blocks: list[Block] = []
    for detector in result.detectors.values():
        costs = detector.mode_costs
        if costs is None:
            continue
        blocks.append(Paragraph(costs.sentence(detector.name)))
        rows = tuple(
            (mode, str(cost.letters), _number(cost.covered), _signed(cost.difference),
             _signed(cost.apart))
            for mode, cost in costs.by_mode.items()
        )  # fmt: skip
        heads = ("mode", "letters", "PHI covered", "to clean letters", "held apart")
        caption = (
            f"{detector.name}: share of PHI spans wholly covered in letters with a mode, its "
            "difference to the letters without any, and what the mode takes with the other modes "
            "of its letters held constant (weighted least squares)."
        )
        blocks.append(Table(heads, rows, caption))
        leaks = tuple(
            (label, _number(cost.clean), _number(cost.adversarial), f"{cost.extra:+.1f}")
            for label, cost in list(costs.by_label.items())[:_WORST]
        )
        caption = f"{detector.name}: the same by label, with the spans that leaked beyond it."
        blocks.append(Table(("label", "clean", "adversarial", "extra leaks"), leaks, caption))
    return blocks or [Paragraph("The corpus has no letters with and without adversarial modes.")]


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _misses(detector: DetectorResult) -> Block:
    rows = tuple(
        (miss.document, miss.label, _context(miss), "in part" if miss.part else "wholly")
        for miss in detector.misses[:_WORST]
    )
    caption = f"The worst of what {detector.name} left in the text."
    return Table(("letter", "label", "context", "leaked"), rows, caption)


def _context(miss: Miss) -> str:
    return f"…{miss.before}【{miss.text}】{miss.after}…".replace("\n", " ⏎ ")


def _signatures(result: BenchmarkResult) -> Block:
    rows = []
    for detector in result.detectors.values():
        rows.append((detector.name, detector.signature))
        rows += [(score, str(found.signature)) for score, found in detector.scores.items()]
    return Table(
        ("score", "signature"), tuple(dict.fromkeys(rows)), "Two figures compare if these agree."
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
