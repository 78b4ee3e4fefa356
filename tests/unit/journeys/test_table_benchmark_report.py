from __future__ import annotations

import pytest

from mustermann.journeys import table_benchmark as journey
from mustermann.journeys import table_benchmark_report as report


def test_the_summary_takes_means_over_seeds() -> None:
    base = dict.fromkeys(
        ("nll_raw", "nll_se", "nll_vs_aim", "nll_vs_aim_se", "tvd1", "tvd2", "tvd3", "tvd1_floor",
         "tvd2_floor", "tvd3_floor", "seconds", "peak_mb"), 1.0,
    )  # fmt: skip
    base |= {"table": "t", "rows": 10, "epsilon": 1.0, "method": "m", "bins": "private"}
    first, *_ = summary = report.summarise(
        [base | {"seed": 0, "nll": 2.0}, base | {"seed": 1, "nll": 4.0, "nll_raw": None}]
    )
    assert len(summary) == 1
    assert (first["nll"], first["fits"], first["nll_raw"]) == (3.0, 2, 1.0)
    assert first["nll_spread"] == pytest.approx(2**0.5)
    assert len(report.rows_of_text(summary)[0]) == len(report.headers())


def test_the_report_is_one_file_with_all_methods(dependent_table, tmp_path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    records = journey.benchmark(
        [dependent_table],
        journey.BenchmarkSettings(
            epsilons=(2.0,), methods=("independent",), seeds=(0,), rows=(200, 400), isolate=False
        ),
    )
    path = tmp_path / "report.html"
    report.write(path, records)
    html = path.read_text()
    assert "independent" in html
    assert "not: likelihoods" in html
    assert "read off all rows, which no budget covers" in html
