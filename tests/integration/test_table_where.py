"""`table sample --where` and `table impute` as scripts use them."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

from mustermann.cli.main import run

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def mustermann(monkeypatch, capsys):
    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["mustermann", "table", *map(str, arguments)])
        code = 0
        try:
            run()
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code or 0, out, err

    return command


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    draws = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("t") / "t.csv"
    with path.open("w", newline="") as file:
        sink = csv.writer(file, lineterminator="\n")
        sink.writerow(["age", "sex", "diagnosis"])
        for _ in range(300):
            diagnosis = draws.choice(["", "J18.9", "I50.1"])
            sink.writerow([draws.integers(18, 99), draws.choice(["F", "M"]), diagnosis])
    return path


@pytest.fixture(scope="module", params=["independent", "aim", "synlm"])
def model(request, table, tmp_path_factory):
    from mustermann.journeys.tables import FitSettings, fit_to

    out = tmp_path_factory.mktemp("m") / "M"
    if request.param == "aim":
        pytest.importorskip("mbi")
    if request.param == "synlm":
        untrained(table, out)
    else:
        fit_to(table, out, FitSettings(epsilon=5, method=request.param))
    return out


def untrained(table, out):
    """Writes a SynLM model of random weights in place of a trained one: fits take long."""
    import torch

    from mustermann.journeys.tables import FitSettings, fit_to
    from mustermann.tables import storage
    from mustermann.tables.model import TableModel
    from mustermann.tables.recipe import Sampling
    from mustermann.tables.transformer import Shape, TableTransformer

    fit_to(table, out, FitSettings(epsilon=5, method="independent"))
    domain = TableModel.load(out).discretiser.domain
    transformer = TableTransformer(
        domain, Shape(width=16, layers=1, heads=2), order=[2, 0, 1],
        generator=torch.Generator().manual_seed(0),
    )  # fmt: skip
    storage.write(storage.Stored(transformer, Sampling()), out / "synthesiser")
    record = json.loads((out / "table.json").read_text()) | {"method": "synlm"}
    (out / "table.json").write_text(json.dumps(record))


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_row_meets_the_conditions_and_the_output_says_what_it_is_worth(
    mustermann, model, tmp_path
):
    out = tmp_path / "s.csv"
    where = "sex=F,age>=65,diagnosis!=J18.9"
    code, text, _ = mustermann(
        "sample", model, "-n", 700, "--out", out, "--where", where, "--json"
    )  # fmt: skip
    record = json.loads(text)
    rows = read(out)
    assert code == 0
    assert len(rows) == record["rows"] == 700
    assert {row["sex"] for row in rows} == {"F"}
    assert min(int(row["age"]) for row in rows) >= 65
    assert {row["diagnosis"] for row in rows} == {"I50.1"}
    assert record["exact"] is True
    assert record["effective_rows"] == 700
    assert json.loads((tmp_path / "s.csv.sampling.json").read_text())["where"] == where
    assert (tmp_path / "s.csv.guarantee.json").is_file()


def test_people_read_what_the_rows_are_worth(mustermann, model, tmp_path):
    out = tmp_path / "s.csv"
    _, text, _ = mustermann("sample", model, "-n", 5, "--out", out, "--where", "diagnosis=")
    assert "All meet diagnosis=; exact." in text
    assert {row["diagnosis"] for row in read(out)} == {""}


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("sexx=F", "Did you mean 'sex'"),
        ("diagnosis=J18", "Did you mean 'J18.9'"),
        ("age>200", "found none. Its values go from"),
        ("sex=F,sex=M", "found none"),
        ("age>=x", "character 1"),
    ],
)
def test_a_condition_that_can_not_be_met_is_one_line(mustermann, model, tmp_path, where, words):
    out = tmp_path / "s.csv"
    code, text, err = mustermann("sample", model, "-n", 5, "--out", out, "--where", where)
    assert (code, text) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_impute_fills_gaps_and_leaves_the_rest(mustermann, model, table, tmp_path):
    out = tmp_path / "full.csv"
    code, text, _ = mustermann("impute", model, table, "--out", out, "--json")
    record = json.loads(text)
    before, after = read(table), read(out)
    gaps = [row["diagnosis"] == "" for row in before]
    assert code == 0
    assert record["cells"] == sum(gaps)
    assert record["rows"] == record["exact_rows"] == sum(gaps)
    assert record["private"] is False
    for old, new, gap in zip(before, after, gaps, strict=True):
        assert new["diagnosis"] in ("J18.9", "I50.1")
        assert {**new, "diagnosis": ""} == {**old, "diagnosis": ""}
        assert gap or new == old


def test_impute_redraws_named_columns(mustermann, model, table, tmp_path):
    out = tmp_path / "full.csv"
    code, text, _ = mustermann("impute", model, table, "--out", out, "--columns", "sex,age")
    before, after = read(table), read(out)
    assert code == 0
    assert "600 cells in 300 rows filled" in text
    assert "Not private" in text
    assert [row["diagnosis"] for row in after] == [row["diagnosis"] for row in before]
    assert [row["age"] for row in after] != [row["age"] for row in before]


def test_a_row_beyond_the_constraints_is_not_scored(mustermann, table, tmp_path):
    schema = tmp_path / "S.toml"
    schema.write_text('[[constraints]]\nforbid = "sex=M,age>=65"\n')
    fit = ("--epsilon", 3, "--method", "independent", "--schema", schema)
    assert mustermann("fit", table, "--out", tmp_path / "M", *fit)[0] == 0
    code, _, err = mustermann("score", tmp_path / "M", table)
    assert code == 1
    assert "never sex=M,age>=65" in err
    out = tmp_path / "s.csv"
    assert mustermann("sample", tmp_path / "M", "-n", 400, "--out", out)[0] == 0
    assert not [row for row in read(out) if row["sex"] == "M" and int(row["age"]) >= 65]
    assert mustermann("score", tmp_path / "M", out)[0] == 0
