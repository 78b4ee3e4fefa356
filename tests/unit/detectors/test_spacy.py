"""spaCy pipelines through the real loading code."""

import sys

import pytest

from mustermann.core.errors import PluginError
from mustermann.detectors.registry import load_detector

spacy = pytest.importorskip("spacy")


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    nlp = spacy.blank("de")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "PER", "pattern": "Quidde"},
            {"label": "LOC", "pattern": "Bad Aibling"},
            {"label": "MISC", "pattern": "Oktoberfest"},
        ]
    )
    path = tmp_path_factory.mktemp("spacy") / "model"
    nlp.to_disk(path)
    return path


def test_entities_become_coarse_spans(pipeline):
    detector = load_detector(f"spacy:{pipeline}")
    text = "Herr Quidde aus Bad Aibling war auf dem Oktoberfest."
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [
        ("Quidde", "NAME"), ("Bad Aibling", "LOCATION"),
    ]  # fmt: skip
    assert detector.labels == {"NAME", "LOCATION"}
    assert detector.signature.startswith("spacy|")


def test_a_text_longer_than_spacys_limit_is_read(pipeline):
    text = "Husten. " * 126_000 + "Quidde"
    (span,) = load_detector(f"spacy:{pipeline}").detect(text)
    assert span.end == len(text) > 1_000_000


def test_a_missing_pipeline_says_what_to_do():
    with pytest.raises(PluginError, match="spacy download de_none") as caught:
        load_detector("spacy:de_none")
    assert "\n" not in str(caught.value)


def test_a_pipeline_without_entities_is_refused(tmp_path):
    spacy.blank("de").to_disk(tmp_path / "blank")
    with pytest.raises(PluginError, match="finds PHI"):
        load_detector(f"spacy:{tmp_path / 'blank'}")


def test_a_path_is_needed():
    with pytest.raises(PluginError, match="needs something after the colon"):
        load_detector("spacy")


def test_a_missing_library_names_the_extra(pipeline, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(PluginError, match=r"mustermann\[spacy\]"):
        load_detector(f"spacy:{pipeline}")
