"""Commands with a language model, over HTTP, against a scripted server that writes well or not."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from mustermann.cli.main import main
from mustermann.core.errors import MustermannError
from mustermann.documents.corpus import load_corpus
from mustermann.metrics.judge import NAMES

pytest.importorskip("openai")


def rewritten(prompt):
    """Returns what a good model makes of the writer's prompt."""
    text = prompt.split("Vorlage:\n")[1].split("\n\nDiese Platzhalter")[0]
    sentences = ("\n" + text).split("\n- ")[1:]
    return {"sentences": [re.sub(r"\.$", " weiterhin.", sentence) for sentence in sentences]}


def scripted(messages):
    """Returns the answer of a good model, whoever asks."""
    system, last = messages[0]["content"], messages[1]["content"]
    if "reviews German discharge letters" in system:
        return {"contradictions": []} | dict.fromkeys(NAMES, 4)
    if "implausible" in system:
        return {"identifiers": [], "implausible": []}
    if "Kennzeichen" in system:
        names = re.findall(r"(?:Herrn?|Frau) ([A-ZÄÖÜ][a-zäöüß]+)", last)
        return {"finds": [{"label": "PATIENT_NAME", "text": name} for name in names]}
    return rewritten(last)


class GoodServer:
    def __init__(self):
        self.asked, self.left, self.lock = 0, None, threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer.lock:
                    outer.asked += 1
                    dead = outer.left is not None and outer.left <= 0
                    outer.left = None if outer.left is None else outer.left - 1
                self.close_connection = True
                if dead:
                    return
                message = {"role": "assistant", "content": json.dumps(scripted(body["messages"]))}
                answer = json.dumps({
                    "id": "1", "object": "chat.completion", "created": 1, "model": "good",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
                }).encode()  # fmt: skip
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def server():
    good = GoodServer()
    yield good
    good.http.shutdown()
    good.http.server_close()


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def generate(out, *words, count=3):
    fixed = ("--writer", "llm", "--model", "good", "--seed", 3)
    short = ("--set", "lengths.easy.kurz=1", "--difficulty", "easy")
    return run("letters", "generate", "-n", count, "--out", out, *fixed, *short, *words)


def content(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_letters_are_written_verified_and_repeated_offline(server, tmp_path):
    cache = tmp_path / "answers.jsonl"
    price = ("--llm-set", "output_price=1000000")
    result = generate(tmp_path / "a", "--llm", server.url, "--llm-cache", cache, "--json", *price)
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    assert said["written"] == 3
    assert said["tokens"] == {"prompt": 10 * server.asked, "completion": 5 * server.asked}
    assert said["cost"] == 5 * server.asked
    verified = json.loads(run("letters", "verify", tmp_path / "a", "--json").output)
    assert verified["total_faults"] == 0
    manifest = load_corpus(tmp_path / "a").manifest
    assert (manifest["writer"], manifest["model"]) == ("llm", "good")
    assert manifest["counts"]["writer"]["tries"] == server.asked
    assert manifest["counts"]["writer"]["completion_tokens"] == 5 * server.asked
    assert server.url not in json.dumps(manifest)
    asked = server.asked
    result = generate(tmp_path / "b", "--offline", "--llm-cache", cache)
    assert result.exit_code == 0, result.output
    assert server.asked == asked
    assert content(tmp_path / "b") == content(tmp_path / "a")


def test_workers_share_the_cache_and_change_no_byte(server, tmp_path):
    cache = tmp_path / "answers.jsonl"
    assert generate(tmp_path / "a", "--llm", server.url, "--llm-cache", cache).exit_code == 0
    result = generate(tmp_path / "b", "--offline", "--llm-cache", cache, "--workers", 2)
    assert result.exit_code == 0, result.output
    assert content(tmp_path / "b") == content(tmp_path / "a")


def test_a_server_that_dies_leaves_a_run_that_goes_on(server, tmp_path):
    whole = generate(tmp_path / "whole", "--llm", server.url)
    assert whole.exit_code == 0
    server.left = 2 * server.asked // 3
    words = ("--llm", server.url, "--llm-set", "retries=0", "--llm-set", "backoff_s=0")
    stopped = generate(tmp_path / "a", *words)
    assert isinstance(stopped.exception, MustermannError)
    message = str(stopped.exception)
    assert "--resume" in message and "connection failed" in message and "\n" not in message
    server.left = None
    resumed = generate(tmp_path / "a", *words, "--resume")
    assert resumed.exit_code == 0, resumed.output
    assert content(tmp_path / "a") == content(tmp_path / "whole")


def test_another_model_may_not_go_on_with_a_run(server, tmp_path):
    server.left = 3
    words = ("--llm", server.url, "--llm-set", "retries=0")
    generate(tmp_path / "a", *words)
    result = generate(tmp_path / "a", *words, "--resume", "--model", "other")
    assert "model" in str(result.exception)


def test_an_attack_is_counted(server, tmp_path):
    result = generate(tmp_path / "a", "--llm", server.url, "--attack", count=1)
    assert result.exit_code == 0, result.output
    assert load_corpus(tmp_path / "a").manifest["counts"]["writer"]["attacked"] == 1


def test_skeletons_are_kept_checked_and_used_for_other_people(server, tmp_path):
    assert generate(tmp_path / "a", "--llm", server.url).exit_code == 0
    bank = tmp_path / "bank.jsonl"
    words = ("letters", "skeletons", "import", tmp_path / "a", bank, "--json")
    assert json.loads(run(*words).output) == {"added": 3, "known": 0, "refused": []}
    assert json.loads(run(*words).output) == {"added": 0, "known": 3, "refused": []}
    listed = json.loads(run("letters", "skeletons", "list", bank, "--json").output)["skeletons"]
    assert [entry["model"] for entry in listed] == ["good"] * 3
    words = ("letters", "skeletons", "write", bank, "-n", 6, "--out", tmp_path / "b", "--seed", 9)
    assert run(*words).exit_code == 0
    verified = json.loads(run("letters", "verify", tmp_path / "b", "--json").output)
    assert (verified["letters"], verified["total_faults"]) == (6, 0)
    old, new = load_corpus(tmp_path / "a"), load_corpus(tmp_path / "b")
    names = [{d.meta["attributes"]["patient"]["family"] for d in corpus} for corpus in (old, new)]
    assert len(names[1] - names[0]) >= 4
    known = bank.read_text()
    for document in old:
        for span in document.spans:
            if span.label in {"PATIENT_NAME", "STREET", "KVNR", "DATE_BIRTH"}:
                assert document.surface(span) not in known


def test_a_bad_skeleton_is_named_with_its_place(server, tmp_path):
    generate(tmp_path / "a", "--llm", server.url, count=1)
    bank = tmp_path / "bank.jsonl"
    run("letters", "skeletons", "import", tmp_path / "a", bank)
    record = json.loads(bank.read_text())
    record["text"] += "\nAm 03.04.2019 sahen wir [[niemand]]."
    bank.write_text(json.dumps(record))
    said = run("letters", "skeletons", "lint", bank).output
    assert "Unknown slot 'niemand'" in said and "'03.04.2019'" in said and "line " in said
    assert "1 skeletons, 1 with faults" in said


def test_a_corpus_without_skeletons_cannot_be_imported(tmp_path):
    run("letters", "generate", "-n", 1, "--out", tmp_path / "a")
    result = run("letters", "skeletons", "import", tmp_path / "a", tmp_path / "bank.jsonl")
    assert "--writer llm" in str(result.exception)


def test_corpora_are_judged(server, tmp_path):
    run("letters", "generate", "-n", 2, "--out", tmp_path / "a")
    words = ("corpus", "judge", tmp_path / "a", "--llm", server.url, "--model", "good")
    record = json.loads(run(*words, "--json", "--runs", 2).output)
    assert set(record["dimensions"]) == set(NAMES)
    assert set(record["dimensions"]["structure"]) == {"mean", "std", "kappa"}
    assert record["dimensions"]["structure"]["mean"] == 4.0
    assert server.asked == 4
    table = run(*words, "--runs", 1, "--against", tmp_path / "a").output
    assert table.count("structure") == 2


def test_the_detector_runs_and_is_benchmarked(server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    run("letters", "generate", "-n", 1, "--out", tmp_path / "a", "--difficulty", "easy")
    spec = f"llm:good@{server.url}"
    result = run("deid", "run", spec, tmp_path / "a", "--out", tmp_path / "b", "--json")
    assert json.loads(result.output)["documents"] == 1, result.output
    result = run("deid", "benchmark", tmp_path / "a", "--detectors", spec, "--json")
    figures = json.loads(result.output)["detectors"][spec]
    assert figures["failed"] == 0 and figures["char_recall"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [(("--llm", "nowhere"), "base URL"), ((), "base URL"), (("--offline",), "--llm-cache"),
     (("--llm", "http://127.0.0.1:9/v1", "--llm-set", "retries=0"), "refused"),
     (("--llm", "http://127.0.0.1:9/v1", "--llm-set", "tiems=0"), "Unknown setting")],
)  # fmt: skip
def test_what_cannot_work_is_said_in_one_line(tmp_path, words, message):
    result = generate(tmp_path / "a", *words)
    assert isinstance(result.exception, MustermannError)
    assert message in str(result.exception) and "\n" not in str(result.exception)


def test_options_of_a_model_without_it_are_refused(tmp_path):
    result = run("letters", "generate", "-n", 1, "--out", tmp_path / "a", "--model", "m")
    assert "--writer llm" in str(result.exception)


def test_single_letters_of_a_run_may_be_asked_for(tmp_path):
    result = run("letters", "generate", "-n", 10, "--ids", "3,5", "--out", tmp_path / "a")
    assert result.exit_code == 0, result.exception
    assert [document.id for document in load_corpus(tmp_path / "a")] == ["000003", "000005"]
