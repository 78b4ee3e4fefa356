from __future__ import annotations

import json

import pytest

from mustermann.core.errors import ConfigError, MustermannError, PrivacyError
from mustermann.journeys import table_benchmark as journey
from mustermann.journeys import table_bins, table_cell, table_split

CONTRACT = {
    "table", "method", "epsilon", "seed", "nll", "nll_raw", "nll_se", "nll_vs_aim",
    "nll_vs_aim_se", "tvd1", "tvd2", "tvd3", "seconds", "peak_mb",
}  # fmt: skip


def settings(**changes) -> journey.BenchmarkSettings:
    given = {"epsilons": (2.0,), "methods": ("aim", "independent"), "seeds": (0,)}
    return journey.BenchmarkSettings(**{"isolate": False, **given, **changes})


def test_records_hold_the_contract_and_differences_to_aim_are_paired(dependent_table) -> None:
    records = journey.benchmark([dependent_table], settings())
    assert [record["method"] for record in records] == ["aim", "independent"]
    for record in records:
        assert set(record) >= CONTRACT
        assert "losses" not in record
    json.dumps(records, allow_nan=False)
    assert records[0]["epsilon_spent"] <= 2.0
    aim, independent = records
    assert (aim["nll_vs_aim"], aim["nll_vs_aim_se"]) == (0.0, 0.0)
    assert independent["nll_vs_aim"] == pytest.approx(independent["nll"] - aim["nll"], abs=1e-5)
    # The columns depend on each other, so independence costs a lot and in nearly every row.
    assert independent["nll_vs_aim"] > 10 * independent["nll_vs_aim_se"] > 0
    # The pseudo-counts are chosen on the validation rows, and the record says so.
    assert aim["pseudo_counts"] in table_cell.PSEUDO_COUNTS
    assert aim["pseudo_counts_private"] is False
    assert aim["nll_raw"] is None or aim["nll_raw"] > 0
    assert aim["nll_public"] > 0


def test_without_aim_there_is_no_difference_to_it(dependent_table) -> None:
    alone = journey.benchmark([dependent_table], settings(methods=("independent",)))[0]
    assert alone["nll_vs_aim"] is None


def test_a_results_file_is_gone_on_from(dependent_table, tmp_path, monkeypatch) -> None:
    results = tmp_path / "results.jsonl"
    wanted = settings(seeds=(0, 1), methods=("independent",))
    first = journey.benchmark([dependent_table], wanted, results=results)
    ran = []

    def count(task):
        ran.append(task.seed)
        return table_cell.measure(task)

    monkeypatch.setattr(journey, "measure", count)
    assert journey.benchmark([dependent_table], wanted, results=results) == first
    assert ran == []
    # The last line is cut off by a crash: that cell alone runs again.
    whole = results.read_text().splitlines()
    results.write_text("\n".join([whole[0], whole[1][:100]]))
    journey.benchmark([dependent_table], wanted, results=results)
    assert ran == [1]
    assert len(results.read_text().splitlines()) == 2
    # Another budget, delta or binning is another cell.
    ran.clear()
    journey.benchmark(
        [dependent_table], settings(methods=("independent",), delta=1e-6), results=results
    )
    journey.benchmark(
        [dependent_table],
        settings(methods=("independent",), bins_strategy="quantile"),
        results=results,
    )
    assert ran == [0, 0]


def test_a_learning_curve_nests_its_rows(dependent_table) -> None:
    data = table_split.prepare(dependent_table, "uniform", None)
    small, large = (table_bins.subset(data.train, count, name="toy") for count in (100, 300))
    keys = [{tuple(row) for row in part.tolist()} for part in (small, large)]
    assert keys[0] <= keys[1]
    records = journey.benchmark(
        [dependent_table], settings(methods=("independent",), rows=(100, 300, 10**6))
    )
    assert [record["rows"] for record in records] == [100, 300, len(data.train)]


def test_bad_settings_are_refused_before_data_is_read(tmp_path) -> None:
    with pytest.raises(ConfigError):
        settings(epsilons=())
    with pytest.raises(ConfigError):
        settings(seeds=(1, 1))
    with pytest.raises(ConfigError):
        settings(rows=(0,))
    missing = tmp_path / "missing.csv"
    with pytest.raises(MustermannError, match="nope"):
        journey.benchmark([missing], settings(methods=("nope",)))
    with pytest.raises(ConfigError, match="different names"):
        journey.benchmark([missing, tmp_path / "missing.csv.gz"], settings())


def test_a_delta_that_allows_to_publish_rows_is_refused(dependent_table) -> None:
    with pytest.raises(PrivacyError, match="1/480"):
        journey.benchmark([dependent_table], settings(delta=0.01))
