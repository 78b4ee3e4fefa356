"""Sentences and semantic tokens through the command line and the estimator, on a tiny table."""

from __future__ import annotations

import csv
import json
import sys

import pandas as pd
import pytest

from mustermann import SynLM
from mustermann.cli.main import run

NOTES = ("slept well", "slept badly", "did not sleep")
SCHEMA = f"""
[columns.note]
kind = "text"
levels = {json.dumps([*NOTES, "slept"])}
"""
FIT = ("--epsilon", "3", "--set", "layout=sentence", "--set", "recipe=paper", "--set", "steps=3",
       "--set", "augmult=1")  # fmt: skip


@pytest.fixture
def mustermann(monkeypatch, capsys):
    """Returns a function that runs the command line and gives code, stdout and stderr."""

    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["mustermann", *map(str, arguments)])
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code or 0, out, err

    return command


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{20 + i % 60},{('Bonn', 'Bonames')[i % 2]},{NOTES[i % 3]}" for i in range(300)]
    path.write_text("\n".join(["age,city,note", *lines]) + "\n")
    (tmp_path / "s.toml").write_text(SCHEMA)
    return path


@pytest.mark.parametrize(
    "more", [("tokenizer=bpe",), ("tokenizer=unigram",), ("order=random", "augmult=2")], ids=str
)
def test_fit_sample_and_score_sentences(mustermann, data, tmp_path, more):
    model, out = tmp_path / "M", tmp_path / "s.csv"
    chosen = [part for setting in more for part in ("--set", setting)]
    code, text, err = mustermann(
        "table", "fit", data, "--out", model, "--schema", tmp_path / "s.toml", *FIT, *chosen,
        "--json",
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(text)["epsilon"] <= 3
    files = {path.name for path in (model / "synthesiser").iterdir()}
    assert ("tokenizer.json" in files) == more[0].startswith("tokenizer")
    assert json.loads((model / "manifest.json").read_text())

    assert mustermann("table", "sample", model, "-n", 120, "--out", out)[0] == 0
    with out.open() as source:
        rows = list(csv.DictReader(source))
    assert len(rows) == 120
    assert {row["note"] for row in rows} <= {*NOTES, "slept"}
    assert all(20 <= int(row["age"]) <= 79 for row in rows)

    code, text, _ = mustermann("table", "score", model, data, "--json")
    assert code == 0
    assert json.loads(text)["rows"] == 300

    code, _, err = mustermann(
        "table", "sample", model, "-n", 40, "--out", tmp_path / "w.csv",
        "--where", "city=Bonn,age>=60",
    )  # fmt: skip
    assert code == 0, err
    with (tmp_path / "w.csv").open() as source:
        assert {(row["city"], int(row["age"]) >= 60) for row in csv.DictReader(source)} == {
            ("Bonn", True)
        }


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (("tokenizer=bpe",), "layout=sentence"),
        (("order=random",), "layout=sentence"),
        (("layout=sentence", "tokenizer=wordpiece"), "tokenizer"),
        (("layout=sentence", "augmult=4"), "order=random"),
        (("layout=sentence", "tokenizer=bpe", "tokenizer_text=/no/such"), "/no/such"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_line(
    mustermann, data, tmp_path, settings, words
):
    chosen = [part for setting in settings for part in ("--set", setting)]
    code, out, err = mustermann(
        "table", "fit", data, "--out", tmp_path / "M", "--epsilon", 3, *chosen
    )
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert not (tmp_path / "M").exists()


def test_free_text_is_refused_before_it_is_read(mustermann, data, tmp_path):
    (tmp_path / "s.toml").write_text('[columns.note]\nkind = "text"\n')
    code, _, err = mustermann(
        "table", "fit", data, "--out", tmp_path / "M", "--epsilon", 3, "--schema",
        tmp_path / "s.toml",
    )  # fmt: skip
    assert code == 2
    assert "levels" in err
    assert err.count("\n") == 1


def test_private_texts_are_no_list_to_spell(mustermann, data, tmp_path):
    (tmp_path / "s.toml").write_text(SCHEMA + "public = false\n")
    code, _, err = mustermann(
        "table", "fit", data, "--out", tmp_path / "M", "--epsilon", 30, "--schema",
        tmp_path / "s.toml", "--bins", "private", "--method", "independent",
    )  # fmt: skip
    assert code == 2
    assert "public" in err


def test_the_estimator_takes_the_same_settings(data):
    frame = pd.read_csv(data)
    overrides = ("layout=sentence", "tokenizer=bpe", "recipe=paper", "steps=2", "augmult=1")
    model = SynLM(epsilon=3, overrides=overrides).fit(frame)
    rows = model.sample(50)
    assert list(rows.columns) == list(frame.columns)
    assert set(rows["city"]) <= set(frame["city"])
    assert model.score(frame) < 0
