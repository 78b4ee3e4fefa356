"""`deid run`: what goes out, and what must not."""

import json

import pytest

from mustermann.core.errors import ConfigError
from mustermann.documents.corpus import load_corpus
from mustermann.journeys.deidentify import deidentify

RECORD = {"id": "1", "text": "Frau Petra Schütz kam.", "attributes": {"patient": "Petra Schütz"},
          "spans": [{"start": 5, "end": 17, "label": "PATIENT_NAME"}]}  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(RECORD, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def test_found_spans_are_written_on_the_same_text(corpus, tmp_path):
    result = deidentify("rules", corpus, tmp_path / "out")
    (document,) = load_corpus(tmp_path / "out")
    assert document.text == RECORD["text"]
    assert [(s.start, s.end, s.label) for s in document.spans] == [(5, 17, "PATIENT_NAME")]
    assert result.spans == {"PATIENT_NAME": 1}
    assert load_corpus(tmp_path / "out").labels == "mustermann"


def test_nothing_of_a_redacted_letter_gives_the_name_away(corpus, tmp_path):
    deidentify("rules", corpus, tmp_path / "out", mode="label")
    written = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "out").iterdir())
    assert "Schütz" not in written
    (document,) = load_corpus(tmp_path / "out")
    assert document.text == "Frau [PATIENT_NAME] kam."
    assert document.meta["offsets"] == [[5, 17, 5, 19]]


def test_an_unknown_mode_is_refused(corpus, tmp_path):
    with pytest.raises(ConfigError, match=r"keep\|mask\|label"):
        deidentify("rules", corpus, tmp_path / "out", mode="eat")


def test_a_letter_on_which_the_detector_fails_is_not_written(corpus, tmp_path, monkeypatch):
    from mustermann.detectors.rules.detector import RuleDetector

    def broken(self, text):
        raise RuntimeError("broken")

    monkeypatch.setattr(RuleDetector, "detect", broken)
    result = deidentify("rules", corpus, tmp_path / "out")
    assert result.failed == ("1",)
    assert list(load_corpus(tmp_path / "out")) == []
