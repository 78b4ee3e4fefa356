"""All fits on a data set are paid out of one journal, before any noise is drawn."""

from __future__ import annotations

import json
import sys

import pytest

from mustermann.cli.main import run
from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.estimator import SynLM
from mustermann.tables.independent import IndependentModel

ROWS = "a,b\n" + "".join(f"{i % 7},{'xyz'[i % 3]}\n" for i in range(200))


@pytest.fixture
def fit(monkeypatch, capsys, tmp_path):
    """Returns a function that fits model number n and gives code and stderr."""
    (tmp_path / "t.csv").write_text(ROWS)

    def command(name, *more, epsilon="1"):
        arguments = [
            "table", "fit", tmp_path / "t.csv", "--out", tmp_path / name, "--epsilon", epsilon,
            "--method", "independent", *more,
        ]  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["mustermann", *map(str, arguments)])
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code
        return code or 0, capsys.readouterr().err

    return command


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_fit_beyond_the_cap_is_a_privacy_refusal(fit, tmp_path):
    journal = tmp_path / "t.ledger"
    capped = ("--ledger", journal, "--cap-epsilon", "2.5")
    assert fit("one", *capped)[0] == 0
    assert fit("two", *capped)[0] == 0
    code, err = fit("three", *capped)
    assert code == 3
    assert "the 3 fits would spend epsilon=3" in err
    assert not (tmp_path / "three").exists()
    assert [entry["name"] for entry in entries(journal)] == ["one", "two"]
    assert fit("half", *capped, epsilon="0.5")[0] == 0


def test_deltas_have_a_cap_of_their_own(fit, tmp_path):
    capped = ("--ledger", tmp_path / "t.ledger", "--cap-epsilon", "9", "--cap-delta", "1.5e-5")
    assert fit("one", *capped)[0] == 0
    assert fit("two", *capped)[0] == 3


def test_the_lower_of_two_caps_holds(fit, tmp_path):
    schema = tmp_path / "S.toml"
    schema.write_text("[budget]\ncap_epsilon = 1.5\n")
    journal = ("--schema", schema, "--ledger", tmp_path / "t.ledger")
    assert fit("one", *journal, "--cap-epsilon", "50")[0] == 0
    assert fit("two", *journal, "--cap-epsilon", "50")[0] == 3
    assert fit("three", *journal)[0] == 3


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--ledger", "t.ledger"), "--cap-epsilon"),
        (("--cap-epsilon", "3"), "--ledger"),
        (("--schema", "S.toml"), "--ledger"),
        (("--ledger", "t.ledger", "--cap-epsilon", "-1"), "epsilon"),
    ],
)
def test_a_cap_needs_a_journal_and_a_journal_a_cap(fit, tmp_path, monkeypatch, more, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "S.toml").write_text("[budget]\ncap_epsilon = 1.5\n")
    code, err = fit("one", *more)
    assert code == 2
    assert words in err
    assert not (tmp_path / "t.ledger").exists()


def test_what_is_refused_before_it_begins_costs_nothing(fit, tmp_path):
    journal = tmp_path / "t.ledger"
    capped = ("--ledger", journal, "--cap-epsilon", "9")
    assert fit("one", *capped, "--delta", "0.1")[0] == 3
    assert not journal.exists()


def test_a_fit_that_dies_has_paid(tmp_path, monkeypatch):
    def die(*arguments, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr(IndependentModel, "fit", die)
    journal = tmp_path / "t.ledger"
    frame = pytest.importorskip("pandas").DataFrame({"a": [1, 2] * 50})
    model = SynLM(epsilon=1, method="independent", ledger=journal, cap_epsilon=1.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(frame)
    assert [entry["epsilon"] for entry in entries(journal)] == [1]
    with pytest.raises(PrivacyError, match="cap"):
        model.fit(frame)
    with pytest.raises(ConfigError, match="journal"):
        SynLM(epsilon=1, method="independent", cap_epsilon=2).fit(frame)
