"""`mustermann deid …` as scripts use it."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from mustermann.cli.deid import deid

LETTER = "Frau Petra Schütz, geb. am 03.05.1960, kam. Morbus Crohn."
RECORD = {
    "id": "1",
    "text": LETTER,
    "spans": [
        {"start": 5, "end": 17, "label": "PATIENT_NAME"},
        {"start": 27, "end": 37, "label": "DATE_BIRTH"},
        {"start": 51, "end": 56, "label": "EPONYM"},
    ],
}
CONTRACT = {
    "span_precision", "span_recall", "span_f1", "char_recall", "char_precision", "leak_rate",
    "over_redaction", "over_anonymisation", "eponym_destruction", "faithfulness", "boundary_iou",
    "documents", "failed", "by_label", "by_difficulty", "projected",
}  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "letters.jsonl"
    path.write_text(json.dumps(RECORD, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def invoke(*arguments):
    return CliRunner().invoke(deid, [str(a) for a in arguments], catch_exceptions=False)


def test_benchmark_prints_the_keys_of_the_contract(corpus, tmp_path):
    result = invoke(
        "benchmark", corpus, "--detectors", "rules", "--json", "--cache", tmp_path / "c"
    )
    assert result.exit_code == 0
    rules = json.loads(result.stdout)["detectors"]["rules"]
    assert rules.keys() >= CONTRACT
    assert rules["projected"].keys() == {"span_precision", "span_recall", "span_f1"}
    assert (rules["leak_rate"], rules["eponym_destruction"], rules["span_f1"]) == (0.0, 0.0, 1.0)


def test_benchmark_prints_tables(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = invoke("benchmark", corpus, "--detectors", "rules", "--cache", tmp_path / "c")
    for word in ("leak", "PATIENT_NAME", "eponym destruction", "rules"):
        assert word in result.stdout


def test_what_adversarial_letters_cost_is_printed_and_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    clean = [{**RECORD, "id": f"a{n}", "modes": [], "difficulty": "easy"} for n in range(6)]
    hidden = LETTER.replace("Schütz", "schütz").replace("Frau ", "frau ").replace("geb. am ", "am ")
    spans = [{"start": 5, "end": 17, "label": "PATIENT_NAME"},
             {"start": 22, "end": 32, "label": "DATE_BIRTH"}]  # fmt: skip
    spoilt = {**RECORD, "text": hidden, "spans": spans, "modes": ["typo_names"],
              "difficulty": "adversarial"}  # fmt: skip
    path = tmp_path / "letters.jsonl"
    path.write_text(
        "".join(
            json.dumps(record) + "\n"
            for record in [*clean, *[spoilt | {"id": f"b{n}"} for n in range(6)]]
        ),
        encoding="utf-8",
    )
    report = tmp_path / "report.html"
    common = ("benchmark", path, "--detectors", "rules", "--cache", tmp_path / "c")
    result = invoke(*common, "--report", report)
    sentence = "rules covers 50.0% of the PHI spans of the 6 letters with a mode, 100.0% of the 6"
    assert sentence in " ".join(result.stdout.split())
    assert "What adversarial modes cost" in result.stdout
    html = report.read_text(encoding="utf-8")
    assert sentence in html
    assert "typo_names" in html
    costs = json.loads(invoke(*common, "--json").stdout)["detectors"]["rules"]["mode_costs"]
    assert costs["by_mode"]["typo_names"]["apart"] == pytest.approx(-0.5)


def test_two_workers_give_the_same(corpus, tmp_path):
    outputs = []
    for workers in (1, 2):
        result = invoke(
            "benchmark", corpus, "--detectors", "rules", "--json", "--workers", workers,
            "--cache", tmp_path / f"c{workers}",
        )  # fmt: skip
        record = json.loads(result.stdout)
        record["detectors"]["rules"].pop("seconds")
        outputs.append(record)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.jsonl", "--detectors", "rules"], 1, "missing.jsonl"),
        (["LETTERS", "--detectors", "rulse"], 2, "Did you mean 'rules'"),
        (["LETTERS", "--detectors", "rules", "--labels", "none"], 2, "Expected labels"),
        (["LETTERS", "--detectors", ","], 2, "Expected detectors"),
    ],
)
def test_mistakes_give_one_line_and_a_code(corpus, arguments, code, message):
    arguments = [str(corpus) if a == "LETTERS" else a for a in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "mustermann", "deid", "benchmark", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_benchmark_writes_a_report(corpus, tmp_path):
    pytest.importorskip("altair")
    path = tmp_path / "report.html"
    invoke(
        "benchmark", corpus, "--detectors", "rules", "--cache", tmp_path / "c", "--report", path
    )  # fmt: skip
    text = path.read_text(encoding="utf-8")
    assert "PATIENT_NAME" in text
    assert "eponym destruction" in text


def test_run_labels_and_redacts(corpus, tmp_path):
    result = invoke("run", "rules", corpus, "--out", tmp_path / "out", "--mode", "label", "--json")
    assert json.loads(result.stdout)["spans"] == {"DATE_BIRTH": 1, "PATIENT_NAME": 1}
    (line,) = (tmp_path / "out" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["text"].startswith("Frau [PATIENT_NAME], geb. am [DATE_BIRTH]")


def test_a_trained_tagger_can_be_benchmarked(corpus, tmp_path):
    trained = invoke("train", corpus, "--out", tmp_path / "model", "--set", "rarest=1")
    name = trained.stdout.strip()
    assert name == f"crf:{tmp_path / 'model'}"
    result = invoke("benchmark", corpus, "--detectors", name, "--json", "--cache", tmp_path / "c")
    record = json.loads(result.stdout)["detectors"][name]
    assert record["failed"] == 0
    assert set(record["by_label"]) == {"DATE", "NAME"}


def test_run_writes_surrogates_in_another_format(corpus, tmp_path):
    result = invoke(
        "run", "rules", corpus, "--out", tmp_path / "out", "--mode", "surrogate", "--to", "brat",
        "--seed", 5, "--json",
    )  # fmt: skip
    record = json.loads(result.stdout)
    assert (record["documents"], record["renamed"]) == (1, 0)
    text = (tmp_path / "out" / "1.txt").read_text(encoding="utf-8")
    assert text.endswith("kam. Morbus Crohn.")
    assert "Schütz" not in text
    assert "03.05.1960" not in text
    (line,) = (tmp_path / "out" / "offsets.jsonl").read_text(encoding="utf-8").splitlines()
    assert [old for *old, _, _ in json.loads(line)["offsets"]] == [[5, 17], [27, 37]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kind", "bert"], "Expected --kind crf|spacy|hf"),
        (["--kind", "hf"], "--set encoder="),
        (["--kind", "spacy", "--set", "epoch=3"], "Did you mean 'epochs'"),
        (["--kind", "crf", "--set", "l3=1"], "Known: l1, l2"),
    ],
)
def test_training_mistakes_are_one_line(corpus, tmp_path, arguments, message):
    done = subprocess.run(
        [sys.executable, "-m", "mustermann", "deid", "train", str(corpus), "--out",
         str(tmp_path / "model"), *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_trained_pipeline_can_be_benchmarked(tmp_path):
    pytest.importorskip("spacy")
    letters = tmp_path / "letters.jsonl"
    lines = [json.dumps(RECORD | {"id": str(i)}, ensure_ascii=False) for i in range(4)]
    letters.write_text("\n".join(lines) + "\n", encoding="utf-8")
    trained = invoke(
        "train", letters, "--out", tmp_path / "model", "--kind", "spacy", "--set", "epochs=2"
    )
    name = trained.stdout.strip()
    assert name == f"spacy:{tmp_path / 'model'}"
    result = invoke("benchmark", letters, "--detectors", name, "--json", "--cache", tmp_path / "c")
    assert json.loads(result.stdout)["detectors"][name]["failed"] == 0
