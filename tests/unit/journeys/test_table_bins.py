"""The benchmark's bins: private ones are found once, paid once, and shared by all methods."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mustermann.core.errors import ConfigError
from mustermann.journeys import table_benchmark, table_bins, table_cell, table_split
from mustermann.journeys import tables as tables_journey
from mustermann.journeys.table_benchmark import BenchmarkSettings
from mustermann.journeys.table_store import Store
from mustermann.tables import fitting, recipe

DISCOVERY = ["threshold", "levels", "bounds"]


@pytest.fixture
def clinic(tmp_path):
    """A table of 1,500 rows with a text, an integer and a float."""
    draws = np.random.default_rng(1)
    ward = draws.choice(["A", "B", "C"], 1500, p=[0.6, 0.3, 0.1])
    age = draws.binomial(90, 0.5, 1500)
    value = np.where(ward == "A", 1.0, 9.0) + draws.normal(0, 1, 1500)
    lines = [f"{w},{a},{v:.2f}" for w, a, v in zip(ward, age, value, strict=True)]
    path = tmp_path / "clinic.csv"
    path.write_text("\n".join(["ward,age,value", *lines]) + "\n")
    return path


def settings(**changes):
    given = {"epsilons": (4.0,), "methods": ("aim", "independent"), "seeds": (0,)}
    return BenchmarkSettings(**{"isolate": False, "bins": "private", **given, **changes})


@pytest.fixture
def watched(monkeypatch):
    """Lists the tasks that are measured and the rows of each discovery."""
    seen = {"tasks": [], "found": []}
    measure, discover = table_cell.measure, tables_journey.discover

    def measured(task):
        seen["tasks"].append(task)
        return measure(task)

    def discovered(schema, frame, asked, *, ledger):
        seen["found"].append(len(frame))
        return discover(schema, frame, asked, ledger=ledger)

    monkeypatch.setattr(table_benchmark, "measure", measured)
    monkeypatch.setattr(tables_journey, "discover", discovered)
    return seen


def test_methods_share_one_domain_and_pay_for_it_within_their_budget(clinic, watched) -> None:
    aim, independent = table_benchmark.benchmark([clinic], settings())
    # Found once, on the training rows alone.
    assert watched["found"] == [1200]
    first, second = watched["tasks"]
    assert first.domain == second.domain
    assert all(np.array_equal(getattr(first, n), getattr(second, n)) for n in ("train", "test"))
    for record in (aim, independent):
        assert (record["bins"], record["end_to_end"]) == ("private", True)
        assert 0 < record["epsilon_bins"] < record["epsilon_spent"] <= 4.0
        assert record["epsilon_spent"] == pytest.approx(4.0, rel=0.01)
        assert [share["name"] for share in record["shares"]][:3] == DISCOVERY
    assert [share["name"] for share in independent["shares"]] == [*DISCOVERY, "marginals"]
    assert independent["nll_vs_aim"] == pytest.approx(independent["nll"] - aim["nll"], abs=1e-5)
    # What was entered before the fits is the same in both, and no method entered into it.
    assert [entry["name"] for entry in first.ledger["releases"]] == DISCOVERY[1:]
    assert first.ledger == second.ledger


def test_training_pays_for_the_bins_out_of_the_same_budget(clinic, watched, monkeypatch) -> None:
    def cut(name, *, epsilon, rows):
        numbers = recipe.plan(name, epsilon=epsilon, rows=rows)
        pretraining = dataclasses.replace(numbers.field.pretraining, steps=3)
        chains = recipe.Chains(count=40, sweeps=8, kept=2)
        field = dataclasses.replace(numbers.field, chains=chains, pretraining=pretraining)
        training = dataclasses.replace(numbers.training, steps=3)
        return dataclasses.replace(numbers, field=field, training=training)

    monkeypatch.setattr(fitting, "plan", cut)
    synlm, independent = table_benchmark.benchmark(
        [clinic], settings(methods=("synlm", "independent"))
    )
    first, second = watched["tasks"]
    assert first.domain == second.domain
    names = [share["name"] for share in synlm["shares"]]
    assert names == [*DISCOVERY, "marginals", "moments", "training"]
    assert synlm["epsilon_bins"] == independent["epsilon_bins"]
    assert 3.9 < synlm["epsilon_spent"] <= 4.0


def test_each_budget_seed_and_number_of_rows_finds_its_own(clinic, watched) -> None:
    asked = settings(methods=("independent",), epsilons=(2.0, 4.0), seeds=(0, 1), rows=(600, 900))
    records = table_benchmark.benchmark([clinic], asked)
    assert watched["found"] == [600] * 4 + [900] * 4
    assert all(record["epsilon_spent"] <= record["epsilon"] for record in records)


def test_a_stopped_run_goes_on_with_the_bins_that_it_has_paid_for(
    clinic, tmp_path, watched, monkeypatch
) -> None:
    results = tmp_path / "results.jsonl"
    whole = table_benchmark.benchmark([clinic], settings(), results=results)
    assert table_benchmark.benchmark([clinic], settings(), results=results) == whole
    assert (len(watched["found"]), len(watched["tasks"])) == (1, 2)
    # The last cell is lost: it alone runs again, in the domain of the one that is there.
    results.write_text("".join(results.read_text().splitlines(keepends=True)[:-1]))
    again = table_benchmark.benchmark([clinic], settings(), results=results)
    assert (len(watched["found"]), len(watched["tasks"])) == (1, 3)
    assert watched["tasks"][2].domain == watched["tasks"][0].domain
    assert again[0] == whole[0]
    # Other modes, and other tables of that name, are other cells.
    table_benchmark.benchmark([clinic], settings(bins="nonprivate"), results=results)
    assert len(watched["tasks"]) == 5
    clinic.write_text(clinic.read_text().replace("\nA,", "\nB,", 1))
    table_benchmark.benchmark([clinic], settings(), results=results)
    assert (len(watched["found"]), len(watched["tasks"])) == (2, 7)


def test_a_value_that_only_test_rows_have_is_never_a_level(clinic, watched) -> None:
    lines = clinic.read_text().splitlines()
    whole = table_split.read_whole(clinic, None)
    for row in np.flatnonzero(whole.parts == table_split.TEST):
        lines[row + 1] = "Z" + lines[row + 1][1:]
    clinic.write_text("\n".join(lines) + "\n")
    record = table_benchmark.benchmark([clinic], settings(methods=("independent",)))[0]
    (task,) = watched["tasks"]
    ward = task.domain.columns[0]
    assert "Z" not in ward.labels
    assert set(task.test[:, 0]) == {ward.labels.index("unknown")}
    assert np.isfinite(record["nll"])


def test_public_bins_read_nothing_and_want_a_whole_schema(clinic, tmp_path, watched) -> None:
    asked = settings(bins="public", methods=("independent",))
    with pytest.raises(ConfigError, match="declares every column"):
        table_benchmark.benchmark([clinic], asked)
    schema = tmp_path / "clinic.toml"
    schema.write_text(
        '[columns.ward]\nkind = "categorical"\nlevels = ["A", "B", "C"]\n'
        '[columns.age]\nkind = "integer"\nbounds = [0, 90]\n'
        '[columns.value]\nkind = "float"\nbounds = [-5, 15]\n'
    )
    record = table_benchmark.benchmark([clinic], asked, schemas=[schema])[0]
    assert (record["end_to_end"], record["epsilon_bins"]) == (True, 0.0)
    assert record["epsilon_spent"] <= 4.0
    assert watched["found"] == []


def test_the_default_reads_bins_off_all_rows_and_says_so(clinic) -> None:
    record = table_benchmark.benchmark(
        [clinic], settings(bins="nonprivate", methods=("independent",))
    )[0]
    assert (record["bins"], record["end_to_end"]) == ("nonprivate", False)


def test_an_unknown_mode_is_refused_before_data_is_read(tmp_path) -> None:
    with pytest.raises(ConfigError, match="public, private or nonprivate"):
        table_benchmark.benchmark([tmp_path / "none.csv"], settings(bins="secret"))


def test_the_digest_of_a_table_knows_its_rows_and_settings(clinic) -> None:
    def digest(**changes):
        asked = {"bins": "private", "strategy": "uniform", "delta": 1e-5, "store": Store(None)}
        return table_bins.Cutter(table_split.read_whole(clinic, None), **asked | changes)._digest

    first = digest()
    assert digest() == first
    assert len({first, digest(strategy="quantile"), digest(delta=1e-6)}) == 3
