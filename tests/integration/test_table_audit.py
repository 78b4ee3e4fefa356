"""The audit refutes a fit that forgot its noise, and no fit that did not."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from mustermann.cli.main import run
from mustermann.core.errors import ConfigError
from mustermann.journeys import table_audit
from mustermann.journeys.tables import FitSettings
from mustermann.privacy.mechanisms import GaussianMechanism
from mustermann.tables import persons as module
from mustermann.tables.domain import Column, Domain
from mustermann.tables.independent import IndependentModel


@pytest.fixture
def data(tmp_path):
    draws = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    rows = [f"{a},{b:.0f}" for a, b in zip(draws.integers(0, 90, 400), draws.normal(50, 9, 400),
                                           strict=True)]  # fmt: skip
    path.write_text("a,b\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def audit(data, monkeypatch, capsys):
    def command(*more):
        arguments = ["table", "audit", data, "--epsilon", "1", "--method", "independent", *more]
        monkeypatch.setattr(sys, "argv", ["mustermann", *map(str, arguments)])
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code or 0, out, err

    return command


def test_without_noise_the_lower_bound_exceeds_the_claim(audit, monkeypatch):
    monkeypatch.setattr(GaussianMechanism, "release", lambda self, values: values.astype(float))
    # The coins are the operating system's: a claim far below what 80 guesses prove never flakes.
    code, text, _ = audit("--canaries", 80, "--guesses", 80, "--json", "--epsilon", "0.3")
    record = json.loads(text)
    assert code == 0
    assert record["epsilon_lower"] > record["epsilon_claimed"] > 0.29
    assert record["refuted"]
    assert record["canaries"] == 80


def test_with_noise_it_does_not(audit):
    code, text, _ = audit("--canaries", 80, "--json", "--confidence", "0.999999")
    record = json.loads(text)
    assert code == 0
    assert record["epsilon_lower"] <= record["epsilon_claimed"]
    assert not record["refuted"]
    assert record["guesses"] == 40
    assert record["private"] is False


def test_people_read_sentences(audit):
    code, text, _ = audit("--canaries", 20)
    assert code == 0
    assert "Claimed: epsilon = " in text
    assert "Not private" in text


@pytest.fixture
def persons(data, tmp_path):
    """Three rows for most persons, four for some, of whom three count."""
    lines = data.read_text().splitlines()
    people = [f"p{i // 3 if i < 390 else i // 4}" for i in range(len(lines) - 1)]
    rows = [f"{line},{who}" for line, who in zip(lines[1:], people, strict=True)]
    data.write_text("\n".join([f"{lines[0]},who", *rows]) + "\n")
    path = tmp_path / "S.toml"
    path.write_text('[person]\nid = "who"\nrows = 3\n')
    return "--schema", path


def test_a_canary_is_a_person_where_the_guarantee_is_for_persons(audit, persons, monkeypatch):
    fitted = []
    fit = IndependentModel.fit

    def watched(self, codes, domain, *, ledger, seed):
        fitted.append((codes, ledger.budget))
        fit(self, codes, domain, ledger=ledger, seed=seed)

    monkeypatch.setattr(IndependentModel, "fit", watched)
    code, text, _ = audit(*persons, "--canaries", 80, "--json", "--confidence", "0.999999")
    record, ((codes, budget),) = json.loads(text), fitted
    assert code == 0
    assert (record["canaries"], record["canary_rows"]) == (80, 3)
    assert record["epsilon_claimed"] == pytest.approx(1, rel=1e-3)
    assert record["epsilon_lower"] <= record["epsilon_claimed"]
    # The fit itself pays for one row; a person's three rows then cost what is claimed.
    assert budget.epsilon == pytest.approx(1 / 3)
    # All rows of a canary are there, or none.
    added = codes[record["rows"] :]
    assert len(added) % 3 == 0
    assert np.array_equal(added[::3], added[2::3])
    assert 0 < len(added) < 240
    text = audit(*persons, "--canaries", 20)[1]
    assert "20 canaries of 3 rows" in text


def test_a_person_whose_rows_are_paid_for_as_one_is_found_out(audit, persons, monkeypatch):
    """Noise that hides one row in a fit that claims to hide a hundred alike of a person."""
    monkeypatch.setattr(module, "row_budget", lambda budget, *, rows: budget)
    persons[1].write_text('[person]\nid = "who"\nrows = 100\n')
    more = ("--epsilon", "0.3", "--canaries", 80, "--guesses", 80, "--json")
    assert json.loads(audit(*persons, *more)[1])["refuted"]


@pytest.mark.parametrize("more", [("--guesses", 3), ("--guesses", 400), ("--canaries", 1)])
def test_impossible_numbers_are_refused(audit, more):
    code, out, err = audit(*more)
    assert (code, out) == (2, "")
    assert "guesses" in err


def test_canaries_share_levels_with_as_few_others_as_can_be():
    domain = Domain((Column("a", 40, ordered=True), Column("b", 3, ordered=False)))
    rows = table_audit.make_canaries(domain, 40, seed=0)
    assert len(set(rows[:, 0].tolist())) == 40
    assert np.bincount(rows[:, 1]).max() == 14
    assert np.array_equal(rows, table_audit.make_canaries(domain, 40, seed=0))
    assert not np.array_equal(rows, table_audit.make_canaries(domain, 40, seed=1))


def test_a_wrong_setting_is_known_before_the_data_are_read(tmp_path):
    with pytest.raises(ConfigError):
        table_audit.audit(tmp_path / "none.csv", FitSettings(epsilon=1), guesses=5)
