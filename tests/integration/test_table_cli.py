"""`mustermann table` as scripts use it: names, JSON keys, exit codes, one line an error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from mustermann.cli.main import run

ROWS = [("age", "zip", "sick"), *((20 + i % 60, f"0{i % 3}", i % 4 == 0) for i in range(300))]
FIT = ("--epsilon", "3", "--method", "independent")


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
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in ROWS))
    return path


def test_fit_sample_score_compare_and_schema_speak_the_contract(mustermann, data, tmp_path):
    model, out = tmp_path / "M", tmp_path / "s.csv"
    code, text, _ = mustermann("table", "fit", data, "--out", model, *FIT, "--json")
    record = json.loads(text)
    assert code == 0
    assert {"epsilon", "delta", "guarantee", "seconds"} <= set(record)
    assert {"sentence", "end_to_end", "non_private_reads", "shares"} <= set(record["guarantee"])
    assert record["epsilon"] <= 3
    assert record["delta"] == 1e-5

    code, text, _ = mustermann("table", "sample", model, "-n", 500, "--out", out, "--json")
    assert code == 0
    assert json.loads(text)["rows"] == 500
    lines = out.read_text().splitlines()
    assert lines[0] == "age,zip,sick"
    assert len(lines) == 501
    assert json.loads((tmp_path / "s.csv.guarantee.json").read_text()) == record["guarantee"]

    code, text, _ = mustermann("table", "score", model, data, "--json")
    assert code == 0
    assert set(json.loads(text)) == {"nll", "se", "rows"}

    code, text, _ = mustermann("table", "compare", data, out, "--json")
    assert code == 0
    assert {"tvd1", "tvd2", "tvd3", "tstr", "dcr"} <= set(json.loads(text))

    code, text, _ = mustermann("table", "schema", data, "--out", tmp_path / "S.toml", "--json")
    assert code == 0
    assert "[columns.age]" in (tmp_path / "S.toml").read_text()


def test_without_json_people_read_sentences(mustermann, data, tmp_path):
    code, text, _ = mustermann("table", "fit", data, "--out", tmp_path / "M", *FIT)
    assert code == 0
    assert text.startswith("If you add or remove one row")
    assert "not cover" in text
    _, text, _ = mustermann("table", "score", tmp_path / "M", data)
    assert "nats/row (300 rows)" in text
    _, text, _ = mustermann("table", "compare", data, data, "--holdout", data, "--target", "sick")
    assert text.startswith("Not private")
    assert "1-way total variation distance: 0.0000" in text
    assert "accuracy of trees" in text


def test_a_comparison_is_also_a_report_of_one_file(mustermann, data, tmp_path):
    pytest.importorskip("vl_convert")
    mustermann("table", "fit", data, "--out", tmp_path / "M", *FIT)
    mustermann("table", "sample", tmp_path / "M", "-n", 300, "--out", tmp_path / "s.csv")
    page = tmp_path / "r.html"
    code, text, _ = mustermann(
        "table", "compare", data, tmp_path / "s.csv", "--holdout", data, "--target", "sick",
        "--report", page, "--json",
    )  # fmt: skip
    assert code == 0
    assert json.loads(text)["tstr"]["score"] == "accuracy"
    html = page.read_text()
    for words in ("If you add or remove one row", "One-way marginals", "boosted trees", "held-out"):
        assert words in html


def test_samples_are_parquet_where_the_suffix_says_so(mustermann, data, tmp_path):
    import pyarrow.parquet as pq

    mustermann("table", "fit", data, "--out", tmp_path / "M", *FIT)
    mustermann("table", "sample", tmp_path / "M", "-n", 9000, "--out", tmp_path / "s.parquet")
    table = pq.read_table(tmp_path / "s.parquet")
    assert table.num_rows == 9000
    assert [str(kind) for kind in table.schema.types] == ["int64", "string", "bool"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "found no such file"),
        ("", "an empty file"),
        ("a,b\n", "only the header line"),
        ("a,b\n1,2\n3\n", "at line 3"),
        ("a,b\n\0\1\2,3\n", "binary data at line 2"),
    ],
)
def test_bad_data_is_a_foreseen_error(mustermann, tmp_path, content, words):
    path = tmp_path / "bad.csv"
    if content is not None:
        path.write_text(content)
    code, out, err = mustermann("table", "fit", path, "--out", tmp_path / "M", *FIT)
    assert (code, out) == (1, "")
    assert words in err
    assert err.startswith("mustermann: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "M").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--epsilon", "0"), 2),
        (("--epsilon", "-1"), 2),
        (("--epsilon", "much"), 2),
        (("--epsilon", "3", "--delta", "1"), 2),
        (("--epsilon", "3", "--delta", "0.01"), 3),
        (("--epsilon", "3", "--method", "synlmm"), 2),
        (("--epsilon", "3", "--bins", "secret"), 2),
        (("--epsilon", "3", "--bins", "public", "--method", "independent"), 2),
        (("--epsilon", "3", "--method", "independent", "--set", "discretise.bin=3"), 2),
        (("--epsilon", "3", "--schema", "no-such.toml"), 2),
        ((), 2),
    ],
)
def test_a_wrong_argument_has_its_exit_code(mustermann, data, tmp_path, arguments, code):
    if "--method" not in arguments:
        arguments = (*arguments, "--method", "independent")
    found, out, err = mustermann("table", "fit", data, "--out", tmp_path / "M", *arguments)
    assert (found, out) == (code, "")
    assert err
    assert "Traceback" not in err
    assert not (tmp_path / "M").exists()


def test_an_existing_output_is_kept(mustermann, data, tmp_path):
    (tmp_path / "M").mkdir()
    (tmp_path / "M" / "keep").write_text("mine")
    code, _, err = mustermann("table", "fit", data, "--out", tmp_path / "M", *FIT)
    assert code == 2
    assert "exists" in err
    assert (tmp_path / "M" / "keep").read_text() == "mine"


@pytest.mark.parametrize("more", [(), ("--where", "age>=40")])
def test_a_table_that_is_there_is_replaced_only_by_force(mustermann, data, tmp_path, more):
    model, out = tmp_path / "M", tmp_path / "s.csv"
    mustermann("table", "fit", data, "--out", model, *FIT)
    out.write_text("mine")
    sample = ("table", "sample", model, "-n", 5, "--out", out, *more)
    code, printed, err = mustermann(*sample)
    assert (code, printed) == (2, "")
    assert f"{out} exists" in err
    assert "--force" in err
    assert err.count("\n") == 1
    assert out.read_text() == "mine"
    assert not (tmp_path / "s.csv.guarantee.json").exists()
    assert mustermann(*sample, "--force")[0] == 0
    assert len(out.read_text().splitlines()) == 6
    assert mustermann(*sample)[0] == 2


def test_a_new_table_does_not_keep_what_an_older_one_said_of_itself(mustermann, data, tmp_path):
    model, out = tmp_path / "M", tmp_path / "s.csv"
    mustermann("table", "fit", data, "--out", model, *FIT)
    mustermann("table", "sample", model, "-n", 5, "--out", out, "--where", "age>=40")
    assert (tmp_path / "s.csv.sampling.json").exists()
    mustermann("table", "sample", model, "-n", 5, "--out", out, "--force")
    assert (tmp_path / "s.csv.guarantee.json").exists()
    assert not (tmp_path / "s.csv.sampling.json").exists()
    # Imputed rows are those of the data: no guarantee may lie beside them.
    assert mustermann("table", "impute", model, data, "--out", out)[0] == 2
    assert mustermann("table", "impute", model, data, "--out", out, "--force")[0] == 0
    assert not (tmp_path / "s.csv.guarantee.json").exists()


@pytest.mark.parametrize("name", ["S.toml", "S.json"])
def test_a_schema_that_is_there_is_replaced_only_by_force(mustermann, data, tmp_path, name):
    out = tmp_path / name
    out.write_text("mine")
    code, _, err = mustermann("table", "schema", data, "--out", out)
    assert code == 2
    assert "--force" in err
    assert out.read_text() == "mine"
    assert mustermann("table", "schema", data, "--out", out, "--force")[0] == 0
    assert "age" in out.read_text()


@pytest.mark.parametrize("command", ["schema", "impute"])
def test_no_force_replaces_the_table_itself(mustermann, data, tmp_path, command):
    before = data.read_text()
    mustermann("table", "fit", data, "--out", tmp_path / "M", *FIT)
    model = (tmp_path / "M",) if command == "impute" else ()
    code, _, err = mustermann("table", command, *model, data, "--out", data, "--force")
    assert code == 2
    assert "other than the table itself" in err
    assert data.read_text() == before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_read_only_directory_is_refused(mustermann, data, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    code, _, err = mustermann("table", "fit", data, "--out", tmp_path / "locked" / "M", *FIT)
    assert code == 2
    assert err.count("\n") == 1


def test_a_file_in_the_way_of_the_output_is_refused(mustermann, data):
    code, _, err = mustermann("table", "fit", data, "--out", data / "M", *FIT)
    assert code == 2
    assert err.count("\n") == 1


def test_a_column_of_one_value_works(mustermann, tmp_path):
    (tmp_path / "one.csv").write_text("n,s\n" + "7,x\n" * 50)
    code, _, err = mustermann("table", "fit", tmp_path / "one.csv", "--out", tmp_path / "M", *FIT)
    assert (code, err) == (0, "")
    mustermann("table", "sample", tmp_path / "M", "-n", 20, "--out", tmp_path / "s.csv")
    rows = (tmp_path / "s.csv").read_text().splitlines()[1:]
    assert {row.split(",")[0] for row in rows} == {"7"}


def test_a_missing_extra_is_named(mustermann, data, monkeypatch):
    for module in [name for name in sys.modules if name.startswith("mustermann.journeys")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "mustermann.journeys.tables", None)
    monkeypatch.delattr("mustermann.journeys", raising=False)
    code, _, err = mustermann("table", "score", data, data)
    assert code == 1
    assert "pip install 'mustermann[tables,report]'" in err


def test_a_model_that_is_none_is_a_foreseen_error(mustermann, data, tmp_path):
    code, _, err = mustermann("table", "score", tmp_path, data)
    assert code == 1
    assert "table.json" in err


@pytest.mark.parametrize("count", ["0", "-3", "many"])
def test_a_sample_of_no_size_is_refused(mustermann, tmp_path, count):
    code, _, _ = mustermann("table", "sample", tmp_path, "-n", count, "--out", tmp_path / "s.csv")
    assert code == 2


def test_the_size_of_a_sample_has_no_default(mustermann, tmp_path):
    code, _, err = mustermann("table", "sample", tmp_path, "--out", tmp_path / "s.csv")
    assert code == 2
    assert "-n" in err


def test_ctrl_c_in_the_middle_is_one_line_and_leaves_nothing(tmp_path):
    data = tmp_path / "slow.csv"
    data.write_text("a\n" + "1\n" * 3_000_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "mustermann", "table", "fit", str(data), "--out",
         str(tmp_path / "M"), *FIT, "--delta", "1e-9"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and not list(tmp_path.glob(".M.*.partial")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert err.strip() == "mustermann: stopped; what was written so far is whole"
    assert [path.name for path in tmp_path.iterdir()] == ["slow.csv"]
