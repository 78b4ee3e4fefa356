"""The table benchmark as a page: likelihoods and distances of all methods, drawn and listed."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from mustermann.report import charts
from mustermann.report.blocks import Callout, Chart, Paragraph, Section, Table
from mustermann.report.build import write_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mustermann.report.blocks import Block

_LEAD = (
    "Each method was fitted to the same discretised training rows under the same privacy "
    "budget. Likelihoods are exact, on rows that no method has seen; distances compare as "
    "many synthetic rows as there are training rows with the training rows."
)
_WARNING = (
    "The fits are private, this page is not: likelihoods and distances are computed on real "
    "rows without noise, and the pseudo-counts of “aim” are chosen on validation rows."
)
_BINS = {
    "nonprivate": "Bins and levels were read off all rows, which no budget covers.",
    "public": "Bins and levels are those of the schema.",
    "private": "Bins and levels were found within each budget, once for all methods: the NLL of "
    "different budgets and seeds is that of different levels.",
}
_HEADERS = (
    "method", "epsilon", "rows", "fits", "NLL", "spread", "NLL − AIM", "± s.e.", "AIM raw",
    "TVD 1", "TVD 2", "TVD 3", "seconds", "peak MiB",
)  # fmt: skip


def write(path: Path, results: Sequence[dict[str, Any]]) -> None:
    """Writes the report of a benchmark's records.

    Raises:
      ConfigError: `path` can't be written to.
      PluginError: The `[report]` extra is not installed.
    """
    warning = Section("What this is", [Callout(_WARNING, "warning")])
    names = dict.fromkeys(record["table"] for record in results)
    sections = [
        _section(name, [record for record in results if record["table"] == name]) for name in names
    ]
    write_report(path, title="Private tables: benchmark", lead=_LEAD, sections=[warning, *sections])


def summarise(results: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns one record for each table, method, budget and number of rows: means over seeds.

    `nll_spread` is the standard deviation over seeds, None for one seed; `nll_vs_aim_se` the
    mean of the standard errors over test rows, which seeds share.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in results:
        names = ("table", "rows", "epsilon", "method")
        groups.setdefault(tuple(record[name] for name in names), []).append(record)
    means = (
        "nll", "nll_raw", "nll_se", "nll_vs_aim", "nll_vs_aim_se", "tvd1", "tvd2", "tvd3",
        "tvd1_floor", "tvd2_floor", "tvd3_floor", "seconds", "peak_mb",
    )  # fmt: skip
    summary = []
    for (table, rows, epsilon, method), records in groups.items():
        losses = [record["nll"] for record in records]
        summary.append(
            {"table": table, "rows": rows, "epsilon": epsilon, "method": method}
            | {"bins": records[0]["bins"]}
            | {name: _mean(record[name] for record in records) for name in means}
            | {
                "fits": len(records),
                "nll_spread": statistics.stdev(losses) if len(losses) > 1 else None,
            }
        )
    return summary


def rows_of_text(summary: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Returns the summary as the cells of a table, under `headers`."""
    return [
        (
            record["method"], f"{record['epsilon']:g}", str(record["rows"]), str(record["fits"]),
            _text(record["nll"]), _text(record["nll_spread"]), _text(record["nll_vs_aim"]),
            _text(record["nll_vs_aim_se"]), _text(record["nll_raw"]),
            *(_text(record[name], digits=4) for name in ("tvd1", "tvd2", "tvd3")),
            f"{record['seconds']:.1f}", f"{record['peak_mb']:.0f}",
        )
        for record in summary
    ]  # fmt: skip


def headers() -> tuple[str, ...]:
    """Returns the column heads of `rows_of_text`."""
    return _HEADERS


def _section(name: str, results: Sequence[dict[str, Any]]) -> Section:
    summary = summarise(results)
    first = summary[0]
    floor = ", ".join(_text(first[f"tvd{ways}_floor"], digits=4) for ways in (1, 2, 3))
    blocks: list[Block] = [
        Table(
            _HEADERS,
            tuple(rows_of_text(summary)),
            "Means over seeds; NLL in nats a row, lower is better. A bootstrap resample of the "
            f"{first['rows']} training rows has the distances {floor}. {_BINS[first['bins']]}",
        ),
        *_charts(summary),
    ]
    if all(record["nll_vs_aim"] is None for record in summary):
        blocks.insert(0, Paragraph("AIM was not among the methods: no differences to it."))
    return Section(name, blocks)


def _charts(summary: Sequence[dict[str, Any]]) -> list[Block]:
    """Returns the likelihood over budgets, and over rows where there are several numbers."""
    most = max(record["rows"] for record in summary)
    full = [record for record in summary if record["rows"] == most]
    blocks: list[Block] = [
        Chart(
            _drawn(full, x="epsilon", title=f"{most} training rows"),
            "Negative log-likelihood of held-out rows over the budget.",
        )
    ]
    if len({record["rows"] for record in summary}) > 1:
        for epsilon in dict.fromkeys(record["epsilon"] for record in summary):
            chosen = [record for record in summary if record["epsilon"] == epsilon]
            blocks.append(
                Chart(
                    _drawn(chosen, x="rows", title=f"epsilon {epsilon:g}"),
                    "Learning curve: the same over the number of training rows.",
                )
            )
    return blocks


def _drawn(records: Sequence[dict[str, Any]], *, x: str, title: str) -> dict[str, Any]:
    points = [
        {x: record[x], "nats a row": record["nll"], "method": record["method"],
         "spread": record["nll_spread"] or 0.0}
        for record in records
    ]  # fmt: skip
    return charts.lines(
        points, x=x, y="nats a row", series="method", error="spread", title=title, log_x=True
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None


def _text(value: float | None, *, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
