"""Sections about a synthetic table: what is promised, and how it looks beside the real one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from mustermann.report import charts
from mustermann.report.blocks import Callout, Chart, Paragraph, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.privacy.guarantee import Guarantee

FEW = 20
"""A number with at most so many different values is drawn value by value."""
BARS = 12
BINS = 40


def guarantee_section(guarantee: Guarantee, *, unit: str = "") -> Section:
    """Returns what is promised, in one sentence, and what each share of the budget paid for.

    Args:
      guarantee: Of the model.
      unit: What one row is, where that needs saying ("one person's year").
    """
    blocks: list[Any] = [
        Callout(
            guarantee.sentence, "promise" if guarantee.end_to_end else "warning",
            details=(
                ("epsilon", f"{guarantee.epsilon:.4g}"), ("delta", f"{guarantee.delta:g}"),
                ("neighbours", guarantee.neighbours + (f" ({unit})" if unit else "")),
                ("accountant", f"{guarantee.accountant}, dp-accounting "
                               f"{guarantee.accountant_version}"),
            ),
        ),
        Table(
            ("Release", "Share of the budget", "Noise", "What"),
            tuple((s.name, f"{s.share:.1%}", s.event, s.what) for s in guarantee.shares),
            "Every look at the private rows that the budget paid for.",
        ),
    ]  # fmt: skip
    return Section("What is promised", blocks)


def marginals_section(real: pa.Table, synthetic: pa.Table) -> Section:
    """Returns a picture a column, real beside synthetic; the real side is not private."""
    pictures = [
        Chart(_picture(name, real[name], synthetic[name]), "") for name in real.column_names
    ]
    note = (
        "Grey is the real table, blue the synthetic one. The grey figures are computed from the "
        "private rows without noise: this section is not private, keep it in the house."
    )
    return Section("One-way marginals", [Paragraph(note), *pictures])


def distances_section(
    rows: Sequence[tuple[str, Mapping[str, float | None]]], *, caption: str = ""
) -> Section:
    """Returns total variation distances, one row a comparison."""
    names = ("tvd1", "tvd2", "tvd3")
    table = Table(
        ("", "1-way", "2-way", "3-way"),
        tuple((label, *(_figure(found.get(name)) for name in names)) for label, found in rows),
        caption
        or "Mean total variation distance of marginals (0 is equal, 1 is disjoint). "
        "The floor is what a resample of the real rows would have. Not private.",
    )
    return Section("How close", [table])


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _picture(name: str, real: pa.ChunkedArray, synthetic: pa.ChunkedArray) -> dict[str, Any]:
    numeric = pa.types.is_integer(real.type) or pa.types.is_floating(real.type)
    values = [np.array(side.drop_null().to_pylist()) for side in (real, synthetic)]
    if numeric and all(map(len, values)) and max(len(np.unique(v)) for v in values) > FEW:
        return _histogram(name, values[0].astype(float), values[1].astype(float))
    counts = [Counter(_label(v) for v in side.to_pylist()) for side in (real, synthetic)]
    names = sorted(counts[0] | counts[1], key=_natural) if numeric else list(
        dict.fromkeys(level for level, _ in (counts[0] + counts[1]).most_common())
    )  # fmt: skip
    shown, rest = names[:BARS], names[BARS:]
    shares = [_shares(found, shown, rest) for found in counts]
    levels = [*shown, "(others)"] if rest else shown
    return charts.marginal(levels, *shares, title=name, ordered=False)


def _shares(counts: Counter[str], shown: Sequence[str], rest: Sequence[str]) -> list[float]:
    total = max(1, sum(counts.values()))
    shares = [counts[name] / total for name in shown]
    return [*shares, sum(counts[name] for name in rest) / total] if rest else shares


def _histogram(name: str, real: Any, synthetic: Any) -> dict[str, Any]:
    low, high = min(real.min(), synthetic.min()), max(real.max(), synthetic.max())
    edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
    shares = [np.histogram(side, edges)[0] / len(side) for side in (real, synthetic)]
    levels = [f"{(a + b) / 2:.4g}" for a, b in pairwise(edges)]
    return charts.marginal(levels, *(s.tolist() for s in shares), title=name, ordered=True)


def _label(value: object) -> str:
    if value is None:
        return "(missing)"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _natural(label: str) -> tuple[int, float, str]:
    try:
        return (0, float(label), label)
    except ValueError:
        return (1, 0.0, label)
