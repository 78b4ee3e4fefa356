"""The benchmark journey with detectors that behave and that do not."""

import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.documents.spans import Span
from mustermann.journeys import benchmark as journey
from mustermann.journeys import scoring
from mustermann.journeys.benchmark import benchmark


class Keyword:
    """Finds every "Anna", raises on "BOOM", and counts its calls."""

    name = "keyword"
    labels = frozenset({"PATIENT_NAME"})

    def __init__(self, version="1"):
        self.signature = f"keyword|{version}"
        self.calls = 0

    def detect(self, text):
        self.calls += 1
        if "BOOM" in text:
            raise RuntimeError("boom")
        return [
            Span(i, i + 4, "PATIENT_NAME") for i in range(len(text)) if text.startswith("Anna", i)
        ]


class Nothing(Keyword):
    name = "nothing"

    def detect(self, text):
        return []


RECORDS = [
    {"id": "a", "text": "Anna kam.", "spans": [{"start": 0, "end": 4, "label": "PATIENT_NAME"}],
     "difficulty": "easy", "style": "knapp", "modes": []},
    {"id": "b", "text": "Anna, Otto", "difficulty": "adversarial", "style": "knapp",
     "modes": ["nfd"],
     "spans": [{"start": 0, "end": 4, "label": "PATIENT_NAME"},
               {"start": 6, "end": 10, "label": "STAFF_NAME"}]},
    {"id": "c", "text": "BOOM Anna", "spans": [{"start": 5, "end": 9, "label": "PATIENT_NAME"}],
     "difficulty": "easy", "style": "standard", "modes": []},
]  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    return path


@pytest.fixture
def detectors(monkeypatch):
    made = {"keyword": Keyword(), "nothing": Nothing("2")}
    for module in (journey, scoring):
        monkeypatch.setattr(module, "load_detector", made.__getitem__)
    scoring._loaded.cache_clear()
    yield made
    scoring._loaded.cache_clear()


def run(corpus, tmp_path, *names, **options):
    return benchmark(corpus, names, cache=tmp_path / "cache", replicates=200, **options)


def test_counts_failures_groups_and_misses(corpus, tmp_path, detectors):
    result = run(corpus, tmp_path, "keyword")
    record = result.to_record()["detectors"]["keyword"]
    assert (record["documents"], record["failed"]) == (3, 1)
    assert record["failures"] == [{"document": "c", "message": "RuntimeError: boom"}]
    assert record["span_precision"] == 1.0
    assert record["span_recall"] == pytest.approx(2 / 4)
    assert record["leak_rate"] == pytest.approx(2 / 4)
    assert record["projected"]["span_recall"] == pytest.approx(2 / 3)
    assert set(record["by_difficulty"]) == {"easy", "adversarial"}
    assert record["adversarial"]["without"]["documents"] == 2
    assert record["by_mode"]["nfd"]["span_recall"] == 0.5
    assert [miss["text"] for miss in record["misses"]] == ["Anna", "Otto"]
    costs = record["mode_costs"]
    assert (costs["clean_letters"], costs["adversarial_letters"]) == (2, 1)
    assert costs["by_mode"]["nfd"]["covered"] == 0.5
    assert record["by_label"]["STAFF_NAME"]["recall"] == 0.0


def test_every_score_has_its_signature(corpus, tmp_path, detectors):
    record = run(corpus, tmp_path, "keyword").to_record()["detectors"]["keyword"]
    assert set(record["signatures"]) >= {"leak_rate", "span_f1", "char_recall", "boundary_iou"}
    assert "map:mustermann-" in record["signatures"]["labelled_f1"]
    assert "documents-200" in record["signatures"]["span_f1"]


def test_detectors_are_compared_on_the_same_documents(corpus, tmp_path, detectors):
    result = run(corpus, tmp_path, "keyword", "nothing")
    (recall,) = [d for d in result.differences if d.score == "char_recall"]
    assert (recall.left, recall.right) == ("keyword", "nothing")
    assert recall.value == pytest.approx(8 / 16)
    assert recall.low <= recall.value <= recall.high
    assert not [d for d in result.differences if d.score == "eponym_destruction"]


def test_a_second_run_reads_the_cache_but_for_what_failed(corpus, tmp_path, detectors):
    first = run(corpus, tmp_path, "keyword").to_record()
    assert detectors["keyword"].calls == 3
    second = run(corpus, tmp_path, "keyword").to_record()
    assert detectors["keyword"].calls == 4
    for record in (first, second):
        record["detectors"]["keyword"].pop("seconds")
    assert first == second


def test_a_killed_run_goes_on_where_it_was(corpus, tmp_path, detectors, monkeypatch):
    def killed(self, text):
        if "Otto" in text:
            raise KeyboardInterrupt
        return []

    monkeypatch.setattr(Keyword, "detect", killed)
    with pytest.raises(KeyboardInterrupt):
        run(corpus, tmp_path, "keyword")
    monkeypatch.undo()
    for module in (journey, scoring):
        monkeypatch.setattr(module, "load_detector", detectors.__getitem__)
    assert run(corpus, tmp_path, "keyword").detectors["keyword"].counts.documents == 3
    assert detectors["keyword"].calls == 2


@pytest.mark.parametrize(
    ("names", "labels", "error", "message"),
    [
        ((), "", ConfigError, "none"),
        (("keyword", "keyword"), "", ConfigError, "each once"),
        (("keyword",), "klingon", ConfigError, "klingon"),
    ],
)
def test_wrong_arguments_are_refused(corpus, tmp_path, detectors, names, labels, error, message):
    with pytest.raises(error, match=message):
        run(corpus, tmp_path, *names, labels=labels)


def test_an_empty_corpus_is_refused(tmp_path, detectors):
    path = tmp_path / "empty.jsonl"
    path.write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="found none"):
        run(path, tmp_path, "keyword")


def test_a_record_is_json(corpus, tmp_path, detectors):
    result = run(corpus, tmp_path, "keyword", "nothing")
    json.dumps(result.to_record(), allow_nan=False)
