"""What a clumsy or hostile user types: one line, the right exit code, nothing lost or left over."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mustermann.cli.main import run
from mustermann.core.errors import ConfigError
from mustermann.documents.corpus import load_corpus
from mustermann.journeys.letters import generate
from mustermann.letters.cases.library import content_digest

TABLE = "a,b,c\n" + "".join(f"{'xyz'[i % 3]},{i % 7},{'uv'[i % 2]}\n" for i in range(120))
DEEP = "[" * 100_000
FILES = {
    "t.csv": TABLE,
    "empty.csv": "",
    "head.csv": "a,b,c\n",
    "ragged.csv": "a,b,c\n1,2\n1,2,3,4\n",
    "twice.csv": "a,a\n1,2\n",
    "bin.csv": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xfe",
    "bin.parquet": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\xff\xfe",
    "bin.toml": b"\x89PNG\xff",
    "empty.parquet": "",
    "broken.toml": "x = = 1",
    "unknown.toml": "nonsense = 1",
    "deep.toml": f"x = {DEEP}",
    "broken.json": '{"a": ',
    "broken.jsonl": '{"a": ',
    "bin.jsonl": b"\x89PNG\xff\n",
    "list.jsonl": "[1]\n",
    "deep.jsonl": DEEP,
    "notext.jsonl": '{"id":"x"}\n',
    "outside.jsonl": '{"id":"1","text":"Hallo","spans":[{"start":0,"end":99,"label":"CITY"}]}\n',
    "plain.jsonl": "".join(
        f'{{"id":"{i}","text":"Herr Nr. {i} kam am 3.4.2020 aus Ulm.","spans":[]}}\n'
        for i in (1, 2)
    ),
    "blank.jsonl": '{"id":"1","text":"","spans":[]}\n{"id":"2","text":"","spans":[]}\n',
    "same.jsonl": '{"id":"1","text":"a","spans":[]}\n' * 2,
    "afile": "mine",
    "adir/keep": "mine",
    "model/table.json": "[]",
    "listed/corpus.jsonl": '{"id":"1","text":"a","spans":[]}\n',
    "listed/manifest.json": "[]",
    "age.csv": "age,sex\n12,m\nold,f\n",
    "columns.csv": "x,y\n1,2\n",
}

FIT = "table fit t.csv --method independent --out o"
DATA_FAULTS = [
    *(
        f"table fit {name} --method independent --out o --epsilon 1"
        for name in ("nope.csv", "empty.csv", "head.csv", "ragged.csv", "twice.csv", "bin.csv",
                     "bin.parquet", "empty.parquet")
    ),
    "table sample nope -n 3 --out o.csv",
    "table sample afile -n 3 --out o.csv",
    "table sample adir -n 3 --out o.csv",
    "table sample model -n 3 --out o.csv",
    "table score nope t.csv",
    "table score model t.csv",
    "table compare nope.csv t.csv",
    "table compare t.csv ragged.csv",
    "table schema empty.csv --out s.toml",
    "table impute nope t.csv --out o.csv",
    "table benchmark nope.csv --epsilon 1 --methods independent",
    *(
        f"letters generate --out o --admissions {name}"
        for name in ("nope.csv", "adir", "empty.csv", "bin.csv", "age.csv", "columns.csv")
    ),
    *(f"letters verify {name}" for name in ("nope", "adir", "afile", "broken.jsonl", "bin.jsonl",
                                            "list.jsonl", "deep.jsonl", "listed")),
    *(f"corpus convert {name} o --to brat" for name in ("nope", "adir", "afile", "broken.jsonl",
                                                        "notext.jsonl", "outside.jsonl",
                                                        "same.jsonl", "deep.jsonl", "listed")),
    "corpus convert adir o --to brat --from conll",
    "corpus stats nope",
    "corpus stats outside.jsonl",
    "corpus stats listed",
    "corpus stats plain.jsonl --against nope",
    "corpus split nope o",
    "corpus split same.jsonl o --shares a=0.5,b=0.5",
    "corpus leakage plain.jsonl nope",
    "deid benchmark nope --detectors rules",
    "deid benchmark outside.jsonl --detectors rules --cache cc",
    "deid benchmark plain.jsonl --detectors crf:nope --cache cc",
    "deid run rules nope --out o",
    "deid run rules broken.jsonl --out o",
    "deid run crf:adir plain.jsonl --out o",
    "deid train nope --out o",
    "deid train plain.jsonl --out o",
]  # fmt: skip
ARGUMENT_FAULTS = [
    *(f"{FIT} --epsilon {value}" for value in ("-1", "0", "nan", "inf", "1e300", "abc")),
    *(f"{FIT} --epsilon 1 --delta {value}" for value in ("1", "2", "0", "-1", "nan")),
    f"{FIT} --epsilon 1 --set discretise.stratgy=uniform",
    f"{FIT} --epsilon 1 --set nothing",
    f"{FIT} --epsilon 1 --schema nope.toml",
    f"{FIT} --epsilon 1 --schema bin.toml",
    f"{FIT} --epsilon 1 --schema broken.toml",
    f"{FIT} --epsilon 1 --schema broken.json",
    f"{FIT} --epsilon 1 --schema adir",
    f"{FIT} --epsilon 1 --bins public",
    f"{FIT} --epsilon 1 --cap-epsilon 3",
    f"{FIT} --epsilon 1 --ledger l.json",
    f"{FIT} --epsilon 1 --seed abc",
    "table fit t.csv",
    *(f"table fit t.csv --epsilon 1 --out {out}" for out in ("adir", "afile", "afile/o", "''")),
    "table sample model -n 0 --out o.csv",
    "table sample model",
    *(f"table sample model -n 3 --out {out}" for out in ("t.csv", "adir", "afile/o.csv", "o.xls")),
    "table sample model -n 3 --out t.csv --where a=x",
    "table impute model t.csv --out head.csv",
    "table schema t.csv --out broken.toml",
    "table schema t.csv --out adir",
    "table schema t.csv --out afile/s.toml",
    "table benchmark t.csv --epsilon abc --methods independent",
    "table benchmark t.csv --epsilon -1 --methods independent",
    *(f"letters generate --out o -n {count}" for count in ("0", "-1", "x")),
    *(f"letters generate -n 2 --out {out}" for out in ("adir", "afile", "afile/o", "''")),
    "letters generate -n 2 --out afile --resume",
    "letters generate --out o",
    *(f"letters generate --out o --ids {ids}" for ids in ("x", "''", "-1", "1.5", "3,,4")),
    *(f"letters generate -n 2 --out o --config {name}"
      for name in ("nope.toml", "bin.toml", "broken.toml", "unknown.toml", "deep.toml", "adir")),
    "letters generate -n 2 --out o --set difficulty.easy=nan",
    "letters generate -n 2 --out o --workers 0",
    "letters generate -n 2 --out o --llm http://127.0.0.1:9/v1",
    *(f"corpus convert plain.jsonl {out} --to brat" for out in ("adir", "afile/o", "plain.jsonl")),
    "corpus convert plain.jsonl o --to brat --labels i2b",
    "corpus stats plain.jsonl --size 1",
    "corpus stats plain.jsonl --report adir",
    "corpus stats plain.jsonl --report afile/r.html",
    *(f"corpus split plain.jsonl o --shares {shares}"
      for shares in ("x", "a=1.5,b=-0.5", "a=nan,b=1", "../a=0.5,b=0.5")),
    "corpus split plain.jsonl o --patient '('",
    "corpus leakage plain.jsonl plain.jsonl --threshold 2",
    "deid benchmark plain.jsonl --detectors ''",
    "deid benchmark plain.jsonl --detectors rules,rules",
    "deid benchmark plain.jsonl --detectors rules --labels i2b",
    "deid benchmark plain.jsonl --detectors rules --cache afile/c",
    "deid benchmark plain.jsonl --detectors rules --cache cc --report adir",
    "deid benchmark plain.jsonl --detectors rules --workers 0",
    *(f"deid run rules plain.jsonl --out {out}" for out in ("adir", "afile/o")),
    "deid run rules plain.jsonl --out o --mode maks",
    *(f"deid train plain.jsonl --out {out}" for out in ("adir", "afile")),
    "deid train plain.jsonl --out o --kind crff",
    *(f"demo --out {out}" for out in ("adir", "afile/o")),
    "demo --seed x",
]  # fmt: skip
NEAR_MISSES = [
    ("lettres generate", "letters"),
    ("letters generat -n 1 --out o", "generate"),
    ("letters generate -n 1 --out o --difficult easy", "--difficulty"),
    ("letters generate -n 1 --out o --difficulty haard", "hard"),
    ("letters generate -n 1 --out o --set dificulty.easy=1", "difficulty"),
    ("letters generate -n 1 --out o --set difficulty.eazy=1", "easy"),
    ("letters generate -n 1 --out o --writer csaes", "cases"),
    ("letters show urosepsi", "urosepsis"),
    (f"{FIT} --epsilom 1", "--epsilon"),
    (f"{FIT} --epsilon 1 --method indepndent", "independent"),
    (f"{FIT} --epsilon 1 --bins privat", "private"),
    (f"{FIT} --epsilon 1 --set discretise.stratgy=uniform", "strategy"),
    ("corpus convert plain.jsonl o --to brta", "brat"),
    ("corpus convert plain.jsonl o --to brat --from bratt", "brat"),
    ("deid benchmark plain.jsonl --detectors ruls --cache cc", "rules"),
    ("deid run ruls plain.jsonl --out o", "rules"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b""
        for path in directory.rglob("*")
        if path.relative_to(directory).parts[0] != "cc"  # The cache may hold what it was paid for.
    }


def typed(line, monkeypatch, capfd):
    monkeypatch.setattr(sys, "argv", ["mustermann", *shlex.split(line)])
    with pytest.raises(SystemExit) as ended:
        run()
    out, err = capfd.readouterr()
    return ended.value.code, out, err


def refused(line, code, place, monkeypatch, capfd):
    before = contents(place)
    found, out, err = typed(line, monkeypatch, capfd)
    assert (found, out) == (code, ""), err
    assert err.startswith("mustermann: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert contents(place) == before
    return err


@pytest.mark.parametrize("line", DATA_FAULTS)
def test_broken_data_ends_with_1(line, place, monkeypatch, capfd):
    refused(line, 1, place, monkeypatch, capfd)


@pytest.mark.parametrize("line", ARGUMENT_FAULTS)
def test_wrong_arguments_end_with_2(line, place, monkeypatch, capfd):
    refused(line, 2, place, monkeypatch, capfd)


@pytest.mark.parametrize(("line", "meant"), NEAR_MISSES)
def test_a_slip_is_answered_with_what_was_meant(line, meant, place, monkeypatch, capfd):
    assert meant in refused(line, 2, place, monkeypatch, capfd).split(":", 1)[1]


def test_a_delta_that_would_publish_a_row_ends_with_3(place, monkeypatch, capfd):
    refused(f"{FIT} --epsilon 1 --delta 0.1", 3, place, monkeypatch, capfd)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a place where nobody may write")
@pytest.mark.parametrize(
    "line",
    [
        "table fit t.csv --epsilon 1 --out /proc/o",
        "table schema t.csv --out /proc/s.toml",
        "letters generate -n 2 --out /proc/o",
        "corpus convert plain.jsonl /proc/o --to brat",
        "corpus split plain.jsonl /proc/o --shares a=0.5,b=0.5",
        "corpus stats plain.jsonl --report /proc/r.html",
        "deid run rules plain.jsonl --out /proc/o",
        "deid benchmark plain.jsonl --detectors rules --cache /proc/c",
        "demo --out /proc/o",
    ],
)
def test_a_place_that_cannot_be_written_to_ends_with_2(line, place, monkeypatch, capfd):
    refused(line, 2, place, monkeypatch, capfd)


@pytest.mark.parametrize("name", ["plain.jsonl", "blank.jsonl", "long.jsonl"])
def test_odd_documents_are_no_fault(name, place, monkeypatch, capfd):
    text = "Herr Müller kam am 3.4.2020 nach Köln. " + "Der Befund blieb ruhig. " * 45_000
    long = (json.dumps({"id": f"{i}", "text": text, "spans": []}) + "\n" for i in (1,))
    (place / "long.jsonl").write_text("".join(long), encoding="utf-8")
    for number, line in enumerate(
        (f"letters verify {name} --json", f"corpus convert {name} o1 --to conll --json",
         f"corpus leakage {name} {name} --json", f"deid run rules {name} --out o3 --json")
    ):  # fmt: skip
        monkeypatch.setattr(sys, "argv", ["mustermann", *shlex.split(line)])
        with contextlib.suppress(SystemExit):
            run()
        out, err = capfd.readouterr()
        assert err == "", (number, line)
        assert isinstance(json.loads(out), dict)


# ---------------------------------------------------------------- signals, pipes, terminals


def started(line, place, **variables):
    return subprocess.Popen(
        [sys.executable, "-m", "mustermann", *shlex.split(line)],
        cwd=place, env=os.environ | variables, text=False,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def once(process, found):
    while process.poll() is None and not found():
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()


def written(directory):
    partial = directory / "corpus.partial"
    return partial.exists() and partial.stat().st_size > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_letters_survive_ctrl_c_typed_twice_and_kill(workers, tmp_path):
    line = f"letters generate -n 110 --seed 5 --workers {workers} --out o"
    process = started(line, tmp_path)
    once(process, lambda: written(tmp_path / "o"))
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert err.strip().count(b"\n") == 0  # click ends the line of ^C.

    process = started(f"{line} --resume", tmp_path)
    size = (tmp_path / "o" / "corpus.partial").stat().st_size
    once(process, lambda: (tmp_path / "o" / "corpus.partial").stat().st_size > size)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    generate(110, tmp_path / "o", seed=5, resume=True)
    generate(110, tmp_path / "whole", seed=5)
    assert contents(tmp_path / "o") == contents(tmp_path / "whole")


def test_letters_of_unknown_origin_are_not_gone_on_with(tmp_path):
    generate(2, tmp_path / "o", seed=5)
    (tmp_path / "o" / "manifest.json").unlink()
    before = (tmp_path / "o" / "corpus.jsonl").read_bytes()
    with pytest.raises(ConfigError, match=r"found some without a manifest\.json"):
        generate(3, tmp_path / "o", seed=5, resume=True)
    assert (tmp_path / "o" / "corpus.jsonl").read_bytes() == before


def test_letters_of_other_cases_are_not_gone_on_with(tmp_path):
    generate(2, tmp_path / "o", seed=5)
    path = tmp_path / "o" / "manifest.json"
    found = json.loads(path.read_text())
    assert found["content_digest"] == content_digest()
    path.write_text(json.dumps(found | {"content_digest": "0123456789abcdef"}))
    before = (tmp_path / "o" / "corpus.jsonl").read_bytes()
    with pytest.raises(ConfigError, match=r"content_digest '0123.*same version of mustermann"):
        generate(3, tmp_path / "o", seed=5, resume=True)
    assert (tmp_path / "o" / "corpus.jsonl").read_bytes() == before


def test_a_run_from_admissions_resumes_to_the_same_bytes(tmp_path):
    rows = "age,sex\n" + "".join(f"{40 + i % 40},{'mf'[i % 2]}\n" for i in range(80))
    (tmp_path / "adm.csv").write_text(rows)
    process = started("letters generate --seed 5 --admissions adm.csv --out o", tmp_path)
    once(process, lambda: written(tmp_path / "o"))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    for name in ("o", "whole"):
        generate(None, tmp_path / name, seed=5, admissions=tmp_path / "adm.csv", resume=True)
    assert contents(tmp_path / "o") == contents(tmp_path / "whole")


def test_one_letter_by_number_is_that_letter(tmp_path):
    generate(20, tmp_path / "all", seed=5)
    generate(None, tmp_path / "one", seed=5, ids=[17])
    lines = (tmp_path / "all" / "corpus.jsonl").read_bytes().splitlines()
    assert (tmp_path / "one" / "corpus.jsonl").read_bytes().splitlines() == [lines[17]]
    assert [document.id for document in load_corpus(tmp_path / "one")] == ["000017"]


def test_a_benchmark_stopped_by_ctrl_c_leaves_a_cache_that_can_be_read(tmp_path):
    document = {"text": "Herr Müller kam am 3.4.2020 nach Köln. " * 60, "spans": []}
    lines = (json.dumps({"id": f"{i}", **document, "text": f"{i} {document['text']}"})
             for i in range(400))  # fmt: skip
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    line = "deid benchmark c.jsonl --detectors rules --cache cc --json"
    process = started(line, tmp_path)
    once(process, lambda: any((tmp_path / "cc").glob("*")))
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=50)
    assert process.returncode == 130
    assert err.strip().count(b"\n") == 0  # click ends the line of ^C.
    out, err = started(line, tmp_path).communicate()
    assert json.loads(out)["documents"] == 400
    assert err == b""


@pytest.mark.parametrize(
    "line", ["letters show urosepsis", "corpus convert plain.jsonl o --to brat"]
)
def test_a_closed_pipe_is_silent(line, place):
    process = started(line, place)
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() in {0, 1}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_json_stays_json_where_the_terminal_lacks_characters(encoding, tmp_path):
    document = {"id": "1", "text": "Łódź → Köln", "spans": []}
    (tmp_path / "Łódź→😀.jsonl").write_text(json.dumps(document))
    process = started(
        "deid benchmark Łódź→😀.jsonl --detectors rules --cache cc --labels mustermann --json",
        tmp_path, PYTHONIOENCODING=encoding, PYTHONUTF8="1",
    )  # fmt: skip
    out, err = process.communicate()
    assert err == b""
    codec = "utf-8" if encoding == "ascii" else encoding  # click gives ASCII terminals UTF-8.
    assert json.loads(out.decode(codec))["corpus"] == "Łódź→😀.jsonl"


def test_nothing_needs_a_home(place):
    variables = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = subprocess.run(
        [sys.executable, "-m", "mustermann", "deid", "run", "rules", "plain.jsonl", "--out", "o"],
        cwd=place, env=variables, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
