import json

import pytest

from mustermann.core.errors import ConfigError
from mustermann.detectors.llm import CHUNK, LlmDetector
from mustermann.documents.labels import PHI
from mustermann.llm.answer import AnswerError
from mustermann.llm.request import Reply


class Scripted:
    model = "scripted"

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def ask(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        return Reply(text=answer if isinstance(answer, str) else json.dumps({"finds": answer}))


def find(label, text, before="", after=""):
    return {"label": label, "text": text, "before": before, "after": after}


TEXT = "Frau Voß und Herr Voß kamen am 03.04.2026 nach Köln."


def test_quotes_become_exact_spans():
    model = Scripted([find("CITY", "Köln"), find("RELATIVE_NAME", "Voß", "und Herr"),
                      find("PATIENT_NAME", "Voß", "Frau")])  # fmt: skip
    spans = LlmDetector("", model=model).detect(TEXT)
    assert [(TEXT[s.start : s.end], s.start, s.label) for s in spans] == [
        ("Voß", 5, "PATIENT_NAME"), ("Voß", 18, "RELATIVE_NAME"), ("Köln", 47, "CITY"),
    ]  # fmt: skip


def test_what_is_not_in_the_text_or_no_label_is_counted():
    detector = LlmDetector("", model=Scripted([find("CITY", "Bonn"), find("TOWN", "Köln")]))
    assert detector.detect(TEXT) == []
    assert (detector.unlocated, detector.unknown) == (1, 1)


def test_a_long_text_goes_in_parts_and_offsets_hold():
    text = "Ohne Befund.\n" * (CHUNK // 8) + "Köln\n"
    model = Scripted(*([[find("CITY", "Köln")]] * 9))
    spans = LlmDetector("", model=model).detect(text)
    assert [(s.start, s.end) for s in spans] == [(len(text) - 5, len(text) - 1)]
    assert "".join(request.messages[1].text for request in model.requests) == text


def test_an_answer_of_no_use_fails():
    with pytest.raises(AnswerError):
        LlmDetector("", model=Scripted("nein", "nein")).detect(TEXT)


def test_the_schema_names_every_label():
    model = Scripted([])
    LlmDetector("", model=model).detect(TEXT)
    schema = json.dumps(model.requests[0].schema)
    assert all(f'"{label}"' in schema for label in PHI)


@pytest.mark.parametrize("spec", ["", "m", "@http://h/v1", "m@"])
def test_a_spec_without_model_or_server_is_refused(spec):
    with pytest.raises(ConfigError, match="MODEL@URL"):
        LlmDetector(spec)
