from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from mustermann.cli.table_benchmark import benchmark, simulate
from mustermann.journeys import table_benchmark, table_cell


@pytest.fixture
def table(tmp_path, monkeypatch):
    draws = np.random.default_rng(0)
    path = tmp_path / "toy.csv"
    lines = [f"{a},{b}" for a, b in draws.integers(0, 4, (400, 2))]
    path.write_text("\n".join(["a,b", *lines]) + "\n")
    monkeypatch.setattr(table_benchmark, "measure_alone", table_cell.measure)
    return path


def test_json_is_one_object_with_the_results(table) -> None:
    arguments = [str(table), "--epsilon", "1,3", "--methods", "aim,independent", "--seeds", "0"]
    found = CliRunner().invoke(benchmark, [*arguments, "--json"])
    assert found.exit_code == 0, found.output
    results = json.loads(found.stdout)["results"]
    assert [(r["epsilon"], r["method"]) for r in results] == [
        (1.0, "aim"), (1.0, "independent"), (3.0, "aim"), (3.0, "independent"),
    ]  # fmt: skip


def test_private_bins_are_asked_for_by_name(table) -> None:
    arguments = [str(table), "--epsilon", "3", "--methods", "aim,independent", "--seeds", "0"]
    found = CliRunner().invoke(benchmark, [*arguments, "--bins", "private", "--json"])
    assert found.exit_code == 0, found.output
    for record in json.loads(found.stdout)["results"]:
        assert record["bins"] == "private"
        assert record["end_to_end"]
        assert record["epsilon_spent"] <= 3
    found = CliRunner().invoke(benchmark, [*arguments, "--bins", "private"])
    assert "private bins" in found.stdout
    assert CliRunner().invoke(benchmark, [*arguments, "--bins", "secret"]).exit_code == 2


def test_text_has_a_line_a_method(table) -> None:
    arguments = [str(table), "--epsilon", "2", "--methods", "independent", "--seeds", "0,1"]
    found = CliRunner().invoke(benchmark, arguments)
    assert found.exit_code == 0, found.output
    assert found.stdout.count("independent") == 1
    assert "toy" in found.stdout


@pytest.mark.parametrize("epsilons", ["one", "1;3"])
def test_lists_that_are_none_are_refused(table, epsilons) -> None:
    found = CliRunner().invoke(benchmark, [str(table), "--epsilon", epsilons])
    assert found.exit_code == 2
    assert "expected values like 1,3,10" in found.output


def test_simulate_says_what_it_is(table, monkeypatch) -> None:
    from mustermann.journeys import table_simulation
    from mustermann.tables.scaling import Simulation

    def fake(setting, **given):
        rate = setting.rate or 0.1
        return Simulation(
            setting=setting, rate=rate, batch=32.0, noise=1.0, simulated_batch=8.0,
            simulated_noise=0.25, nll=1.0 + rate, nll_se=0.1, seconds=0.5,
        )  # fmt: skip

    monkeypatch.setattr(table_simulation.scaling, "simulate", fake)
    arguments = [str(table), "--epsilon", "1", "--rates", "0.2,0.05"]
    found = json.loads(CliRunner().invoke(simulate, [*arguments, "--json"]).stdout)
    assert (found["kind"], found["private"]) == ("simulation", False)
    assert [record["rate"] for record in found["results"]] == [0.05, 0.2]
    assert all(record["private"] is False for record in found["results"])
    assert "not private" in CliRunner().invoke(simulate, arguments).stdout
