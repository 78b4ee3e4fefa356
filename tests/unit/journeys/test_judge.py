import json
import re

import pytest

from mustermann.core.errors import DataError
from mustermann.documents.corpus import write_corpus
from mustermann.documents.document import Document
from mustermann.journeys.judge import judge
from mustermann.llm.request import RefusedError, Reply
from mustermann.llm.settings import LlmSettings, LlmTuning
from mustermann.metrics.judge import NAMES

LLM = LlmSettings(url="http://127.0.0.1:9/v1", model="m", tuning=LlmTuning(concurrency=2))


class Reader:
    """Scores a letter by the number in its text; refuses or babbles where that is 0 or 9."""

    model = "reader"

    def __init__(self):
        self.requests = []

    def ask(self, request):
        self.requests.append(request)
        number = int(re.search(r"Brief (\d)", request.messages[1].text)[1])
        if number == 0:
            raise RefusedError("too long")
        if number == 9:
            return Reply(text="Nein.")
        return Reply(text=json.dumps({"contradictions": []} | dict.fromkeys(NAMES, number)))


def corpus(path, numbers):
    levels = ("easy", "hard")
    documents = [
        Document(f"id-{path.name}-{n}", f"Brief {n}", meta={"difficulty": levels[n % 2]})
        for n in numbers
    ]
    write_corpus(documents, path)
    return path


def test_letters_are_scored_and_what_is_of_no_use_is_counted(tmp_path):
    result = judge(corpus(tmp_path / "a", [0, 2, 3, 9]), llm=LLM, model=Reader())
    record = result.to_record()
    assert (record["documents"], record["failed"]) == (2, 2)
    assert set(record["dimensions"]) == set(NAMES)
    assert record["dimensions"]["structure"] == {"mean": 2.5, "std": 0.5, "kappa": 1.0}
    assert record["by_difficulty"]["hard"]["structure"] == 3


def test_the_judge_reads_each_letter_three_times_blind_and_mixed(tmp_path):
    paths = [corpus(tmp_path / name, numbers) for name, numbers in (("a", [1, 2]), ("b", [3, 4]))]
    reader = Reader()
    result = judge(paths[0], llm=LLM, against=paths[1], model=reader)
    assert result.against.dimensions["structure"].mean == 3.5
    texts = [request.messages[1].text for request in reader.requests]
    assert len(texts) == 12 and not any("id-" in text for text in texts)
    order = [int(text[-1]) > 2 for text in texts]
    assert order != sorted(order)
    rubrics = {request.messages[0].text for request in reader.requests}
    assert len(rubrics) == 3 and {r.temperature for r in reader.requests} == {0.0}


def test_a_limit_draws_the_same_letters_each_time(tmp_path):
    path = corpus(tmp_path / "a", range(1, 9))
    drawn = []
    for _ in range(2):
        reader = Reader()
        assert judge(path, llm=LLM, limit=3, runs=1, model=reader).corpus.documents == 3
        drawn.append(sorted(request.messages[1].text for request in reader.requests))
    assert drawn[0] == drawn[1]


def test_a_corpus_without_a_single_score_is_an_error(tmp_path):
    with pytest.raises(DataError, match="unusable"):
        judge(corpus(tmp_path / "a", [9]), llm=LLM, model=Reader())
