"""The client against a scripted server on loopback: what it sends, retries, refuses and says."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mustermann.llm.client import OpenAiModel, ask_all, open_model, served_model
from mustermann.llm.request import LlmError, Message, RefusedError, Request
from mustermann.llm.settings import LlmSettings, LlmTuning

pytest.importorskip("openai")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
CHAT = {
    "id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": '{"n": 1}'}}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
}  # fmt: skip


def ok(**changes):
    return 200, json.dumps(CHAT | changes).encode(), {}


def error(status, message="because", **headers):
    return status, json.dumps({"error": {"message": message}}).encode(), headers


HANG, CLOSE, TEAR = "hang", "close", "tear"


class Server:
    """Answers each request with the next line of its script; the last one is repeated."""

    def __init__(self, *script):
        self.script, self.bodies, self.keys = list(script), [], []
        self.busy = self.most = 0
        self.free = threading.Event()
        lock, outer = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def do_GET(self):
                self.answer(200, b'{"object": "list", "data": [{"id": "first"}]}', {})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with lock:
                    outer.bodies.append(body)
                    outer.keys.append(self.headers["authorization"])
                    step = outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                    outer.busy += 1
                    outer.most = max(outer.most, outer.busy)
                if step == HANG:
                    outer.free.wait(5)
                elif step == TEAR:
                    self.answer(200, ok()[1][:40], {})
                elif step != CLOSE:
                    self.answer(*step)
                with lock:
                    outer.busy -= 1
                self.close_connection = True

            def answer(self, status, body, headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def serve():
    servers = []

    def start(*script):
        servers.append(Server(*script))
        return servers[-1]

    yield start
    for server in servers:
        server.free.set()
        server.http.shutdown()
        server.http.server_close()


def client(server, **tuning):
    slept = []
    settings = LlmSettings(url=server.url, model="m", tuning=LlmTuning(**{"retries": 2} | tuning))
    model = OpenAiModel(settings, sleep=slept.append)
    return model, slept


def request(**more):
    return Request(messages=(Message("user", "Wie viele?"),), **more)


def test_an_answer_comes_with_its_tokens(serve):
    model, slept = client(serve(ok()))
    reply = model.ask(request())
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ('{"n": 1}', 7, 3)
    assert not reply.cut and not slept


def test_temperature_seed_and_schema_go_to_the_server(serve):
    server = serve(ok())
    client(server)[0].ask(request(temperature=0.3, seed=5, max_tokens=9, schema=SCHEMA))
    sent = server.bodies[0]
    assert (sent["temperature"], sent["seed"], sent["max_tokens"]) == (0.3, 5, 9)
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    "trouble",
    [error(429), error(500), error(503), HANG, CLOSE, TEAR, (200, b"not json", {}),
     (200, b"{}", {}), ok(choices=[])],
    ids=str,
)  # fmt: skip
def test_passing_trouble_is_waited_out(serve, trouble):
    server = serve(trouble, ok())
    model, slept = client(server, timeout_s=0.3)
    assert model.ask(request()).text == '{"n": 1}'
    assert len(slept) == 1 and model.retries == 1


@pytest.mark.parametrize(
    ("trouble", "message"),
    [(error(429), "HTTP 429"), (error(500, "out of memory"), "HTTP 500, out of memory"),
     (HANG, "no answer within 0.3 s"), (CLOSE, "connection failed"), (TEAR, "no chat completion"),
     ((200, b"{}", {}), "holds no text")],
    ids=str,
)  # fmt: skip
def test_lasting_trouble_ends_in_one_line(serve, trouble, message):
    server = serve(trouble)
    model, slept = client(server, timeout_s=0.3)
    with pytest.raises(LlmError, match=message) as caught:
        model.ask(request())
    assert "after 3 tries" in str(caught.value) and "\n" not in str(caught.value)
    assert len(server.bodies) == 3 and len(slept) == 2


def test_pauses_double_within_their_jitter_and_heed_the_server(serve):
    model, slept = client(serve(error(500)), retries=4, backoff_s=1.0)
    with pytest.raises(LlmError):
        model.ask(request())
    for pause, grown in zip(slept, (1, 2, 4, 8), strict=True):
        assert grown / 2 <= pause <= grown
    model, slept = client(serve(error(429, retry_after="7"), ok()), backoff_s=0.1)
    model.ask(request())
    assert slept == [7.0]


@pytest.mark.parametrize(
    ("status", "hint", "kind"),
    [(401, "MUSTERMANN_LLM_KEY", LlmError), (404, "/v1", LlmError), (400, "because", RefusedError)],
)
def test_what_waiting_does_not_mend_is_raised_at_once(serve, status, hint, kind):
    server = serve(error(status))
    model, slept = client(server)
    with pytest.raises(kind, match=hint):
        model.ask(request())
    assert len(server.bodies) == 1 and not slept


def test_a_text_that_is_too_long_is_refused_with_what_to_do(serve):
    server = serve(error(400, "the request exceeds the available context size"))
    with pytest.raises(RefusedError, match="longer context"):
        client(server)[0].ask(request(schema=SCHEMA))
    assert len(server.bodies) == 1


def test_a_server_that_refuses_schemas_is_told_in_words(serve):
    server = serve(error(400, "response_format is not supported"), ok())
    model, _ = client(server)
    assert model.ask(request(schema=SCHEMA)).text == '{"n": 1}'
    assert model.instructs
    assert "response_format" not in server.bodies[1]
    assert "Schema" in server.bodies[1]["messages"][-1]["content"]
    model.ask(request(schema=SCHEMA))
    assert "response_format" not in server.bodies[2]


def test_the_key_comes_from_the_environment_and_is_in_no_message(serve, monkeypatch):
    monkeypatch.setenv("MUSTERMANN_LLM_KEY", "s3cret")
    server = serve(error(401, "bad key"))
    model, _ = client(server)
    with pytest.raises(LlmError) as caught:
        model.ask(request())
    assert server.keys == ["Bearer s3cret"]
    assert "s3cret" not in str(caught.value) and "s3cret" not in repr(model.__dict__["_settings"])


def test_no_more_than_so_many_requests_run_at_a_time_and_answers_keep_their_order(serve):
    server = serve(*[ok(choices=[{"index": 0, "finish_reason": "length", "message": {
        "role": "assistant", "content": str(n)}}]) for n in range(6)])  # fmt: skip
    model, _ = client(server, concurrency=2)
    replies = ask_all(model, [request(seed=n) for n in range(6)], concurrency=6)
    by_seed = {body["seed"]: index for index, body in enumerate(server.bodies)}
    assert [int(reply.text) for reply in replies] == [by_seed[n] for n in range(6)]
    assert server.most <= 2 and all(reply.cut for reply in replies)


def test_a_dead_server_is_named(serve):
    settings = LlmSettings(url="http://127.0.0.1:9/v1", model="m", tuning=LlmTuning(retries=0))
    with pytest.raises(LlmError, match=r"127\.0\.0\.1:9.*refused"):
        open_model(settings).ask(request())
    with pytest.raises(LlmError, match="list of models"):
        served_model("http://127.0.0.1:9/v1", LlmTuning())


def test_the_first_model_on_a_server_is_the_default(serve):
    assert served_model(serve(ok()).url, LlmTuning()) == "first"
