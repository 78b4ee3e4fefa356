import json

import pytest

from mustermann.llm.cache import CachedModel
from mustermann.llm.request import LlmError, Message, Reply, Request


class Counting:
    model = "m"

    def __init__(self):
        self.asked = 0

    def ask(self, request):
        self.asked += 1
        return Reply(text=f"{request.messages[-1].text} {self.asked}", prompt_tokens=3)


def request(text="hallo", **more):
    return Request(messages=(Message("user", text),), **more)


def test_what_was_asked_before_is_answered_from_the_file(tmp_path):
    behind = Counting()
    first = CachedModel(tmp_path / "c.jsonl", model="m", behind=behind)
    answers = [first.ask(request("a")), first.ask(request("b")), first.ask(request("a"))]
    again = CachedModel(tmp_path / "c.jsonl", model="m")
    assert [again.ask(request(t)) for t in "aba"] == answers
    assert behind.asked == 2
    assert (first.replayed, first.recorded, again.replayed) == (1, 2, 3)


@pytest.mark.parametrize(
    "other", [request("x"), request(temperature=0.5), request(seed=1), request(schema={"a": 1})]
)
def test_another_prompt_or_parameter_is_another_answer(tmp_path, other):
    cache = CachedModel(tmp_path / "c.jsonl", model="m", behind=Counting())
    cache.ask(request())
    with pytest.raises(LlmError, match="found none"):
        CachedModel(tmp_path / "c.jsonl", model="m").ask(other)


def test_another_model_is_another_answer(tmp_path):
    CachedModel(tmp_path / "c.jsonl", model="m", behind=Counting()).ask(request())
    with pytest.raises(LlmError, match="'n'"):
        CachedModel(tmp_path / "c.jsonl", model="n").ask(request())


def test_a_torn_line_is_passed_over_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "c.jsonl"
    CachedModel(path, model="m", behind=Counting()).ask(request("a"))
    path.write_bytes(path.read_bytes()[:-20])
    torn = CachedModel(path, model="m", behind=Counting())
    answer = torn.ask(request("b"))
    again = CachedModel(path, model="m")
    assert again.ask(request("b")) == answer
    with pytest.raises(LlmError):
        again.ask(request("a"))


def test_the_file_holds_neither_prompt_nor_key(tmp_path, monkeypatch):
    monkeypatch.setenv("MUSTERMANN_LLM_KEY", "s3cret")
    CachedModel(tmp_path / "c.jsonl", model="m", behind=Counting()).ask(request("Frau Voß"))
    text = (tmp_path / "c.jsonl").read_text()
    record = json.loads(text)
    assert "s3cret" not in text
    assert set(record) == {"key", "model", "prompt", "parameters", "reply"}
    assert len(record["prompt"]) == 32
