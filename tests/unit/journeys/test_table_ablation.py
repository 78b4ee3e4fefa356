from __future__ import annotations

import json

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.journeys import table_ablation as journey
from mustermann.journeys.table_ablation import AblationSettings, ablate
from mustermann.tables.ablation import VARIANTS, Outcome


def outcome(losses, **figures):
    usual = {
        "free": None, "over_orders": None, "parameters": 1000, "tokens": 6, "steps": 4,
        "batch": 100.0, "noise": 2.0, "simulated_batch": 8.0, "seconds": 3.0,
        "training_seconds": 2.0,
    }  # fmt: skip
    return Outcome(losses=losses, **usual | figures)


@pytest.fixture
def table(tmp_path):
    draws = np.random.default_rng(0)
    path = tmp_path / "toy.csv"
    lines = [f"{a},{b}" for a, b in draws.integers(0, 4, (400, 2))]
    path.write_text("\n".join(["a,b", *lines]) + "\n")
    return path


@pytest.fixture
def scripted(monkeypatch):
    """Runs whose losses are known: level 1.0, random 1.5, bpe 1.0 on every other row and 1.2."""
    seen = []

    def fake(trial):
        seen.append(trial)
        count = len(trial.test)
        wobble = np.resize([0.1, -0.1], count)
        return {
            "level": outcome(np.ones(count), free=np.full(count, 9.0)),
            "random": outcome(1.5 + wobble, over_orders=1.6 + wobble),
            "bpe": outcome(1.0 + wobble),
            "level-no-trie": outcome(np.full(count, 0.5) + wobble, free=np.full(count, 7.0)),
            "gpt2": outcome(None),
        }[trial.variant]

    monkeypatch.setattr(journey.ablation, "run", fake)
    return seen


def test_findings_say_what_was_measured(table, scripted):
    runs = ("level", "random", "bpe", "level-no-trie", "gpt2")
    settings = AblationSettings(epsilon=2, runs=runs, seeds=(0, 1), isolate=False)
    found = ablate(table, settings).to_record()
    json.dumps(found, allow_nan=False)
    assert (found["kind"], found["private"], found["table"]) == ("simulation", False, "toy")
    assert [(r["run"], r["seed"]) for r in found["results"]] == [
        (run, seed) for run in runs for seed in (0, 1)
    ]
    held = {f["better"] + " < " + f["worse"]: f["holds"] for f in found["findings"]}
    assert held == {
        "level:losses < random:losses": True,
        "level:losses < bpe:losses": None,
        "level:losses < level-no-trie:free": True,
        "level:losses < level-no-trie:losses": False,
    }
    first = found["findings"][0]
    assert first["difference"] == pytest.approx(0.5)
    assert found["results"][-1]["nll"] is None
    assert found["results"][0]["seconds_a_step"] == 0.5
    assert found["results"][0]["peak_mb"] > 10
    assert len(journey.sentences(found["findings"])) == 4


def test_all_runs_see_the_same_rows_and_budget(table, scripted):
    settings = AblationSettings(epsilon=2, runs=("level", "random"), steps=9, isolate=False)
    ablate(table, settings)
    one, two = scripted
    assert np.array_equal(one.train, two.train)
    assert np.array_equal(one.test, two.test)
    assert (one.budget, one.steps, one.recipe) == (two.budget, 9, "paper")
    assert all(column.labels for column in one.domain.columns)


def test_finished_runs_are_not_done_again(table, scripted, tmp_path):
    file = tmp_path / "runs.jsonl"
    settings = AblationSettings(epsilon=2, runs=("level", "random"), isolate=False)
    first = ablate(table, settings, results=file).to_record()
    assert len(scripted) == 2
    more = AblationSettings(epsilon=2, runs=("level", "random", "gpt2"), isolate=False)
    second = ablate(table, more, results=file).to_record()
    assert [trial.variant for trial in scripted] == ["level", "random", "gpt2"]
    assert second["results"][:2] == first["results"]
    assert second["findings"] == first["findings"]
    ablate(
        table, AblationSettings(epsilon=2, runs=("level",), steps=3, isolate=False), results=file
    )
    assert len(scripted) == 4


def test_a_run_in_a_process_of_its_own_is_the_same(table):
    settings = {"epsilon": 3, "delta": 1e-4, "runs": ("level",), "steps": 1, "batch": 8}
    alone = ablate(table, AblationSettings(**settings)).results[0]
    here = ablate(table, AblationSettings(**settings, isolate=False)).results[0]
    assert (alone["tokens"], alone["parameters"]) == (here["tokens"], here["parameters"])
    assert alone["nll"] == pytest.approx(here["nll"], abs=0.5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"runs": ("sentence",)}, "random-k4"),
        ({"runs": ()}, "runs"),
        ({"runs": ("level", "level")}, "runs"),
        ({"seeds": ()}, "seeds"),
        ({"recipe": "mine"}, "recipe"),
    ],
)
def test_wrong_settings_are_refused(change, words):
    with pytest.raises(ConfigError, match=words):
        AblationSettings(**{"epsilon": 1.0} | change)


def test_a_delta_that_allows_to_publish_a_row_is_refused(table):
    with pytest.raises(PrivacyError, match="delta"):
        ablate(table, AblationSettings(epsilon=1.0, delta=0.5))


def test_every_claim_is_about_runs_that_there_are():
    for claim in journey.CLAIMS:
        for run, figure in (claim.better, claim.worse):
            assert VARIANTS[run].scored
            assert figure in ("losses", "free", "over_orders")
