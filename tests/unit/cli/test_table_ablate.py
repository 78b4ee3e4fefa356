from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mustermann.cli.table_ablate import ablate
from mustermann.core.errors import ConfigError


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "toy.csv"
    lines = [f"{i % 7},{'red' if i % 3 else 'reddish'}" for i in range(400)]
    path.write_text("\n".join(["n,colour", *lines]) + "\n")
    return path


ASKED = ("--epsilon", "3", "--delta", "1e-4", "--steps", "1", "--batch", "8")


def test_json_is_one_object_that_says_what_it_is(table):
    found = CliRunner().invoke(ablate, [str(table), *ASKED, "--runs", "level", "--json"])
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    assert (record["kind"], record["private"], record["table"]) == ("simulation", False, "toy")
    [result] = record["results"]
    assert result["run"] == "level"
    assert result["nll"] > 0
    assert record["findings"] == []


def test_people_read_a_table_and_the_findings(table, monkeypatch):
    from mustermann.journeys import table_ablation

    monkeypatch.setattr(table_ablation, "_alone", table_ablation._measure)
    found = CliRunner().invoke(ablate, [str(table), *ASKED, "--runs", "level,bpe"])
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[0].startswith("Simulations, not private")
    assert "parameters" in lines[1]
    assert lines[2].split()[0] == "level"
    assert "level tokens are better than semantic ones (BPE)" in lines[-1]


def test_unknown_runs_are_refused(table):
    found = CliRunner().invoke(ablate, [str(table), *ASKED, "--runs", "levle"])
    assert isinstance(found.exception, ConfigError)
    assert "levle" in str(found.exception)
