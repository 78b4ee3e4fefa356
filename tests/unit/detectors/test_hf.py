"""Token classifiers of `transformers`: a local model through the real loading code."""

import json
import sys

import pytest

from mustermann.core.errors import PluginError
from mustermann.detectors.prediction import clean
from mustermann.detectors.registry import load_detector

pytest.importorskip("transformers")
pytest.importorskip("torch")


WORDS = ["Herr", "Frau", "kam", "mit", "Husten", "Quidde", "Voß", ".", ",", "Anna"]


@pytest.fixture(scope="module")
def model(tmp_path_factory, spotter_writer):
    directory = tmp_path_factory.mktemp("spotter") / "model"
    return spotter_writer(directory, WORDS, {"Quidde", "Voß", "Anna"})


def test_it_finds_what_the_model_tags(model):
    detector = load_detector(f"hf:{model}")
    text = "Herr Quidde kam mit Husten. Frau Voß, Anna kam."
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [
        ("Quidde", "NAME"), ("Voß", "NAME"), ("Anna", "NAME"),
    ]  # fmt: skip
    assert detector.labels == {"NAME"}


@pytest.mark.parametrize("filler", [0, 10, 61, 62, 63, 700, 3000])
def test_a_name_at_the_end_of_a_long_letter_is_found(model, filler):
    text = "Husten. " * filler + "Herr Quidde"
    (span,) = load_detector(f"hf:{model}").detect(text)
    assert (span.start, span.end) == (len(text) - 6, len(text))


def test_every_name_of_a_long_letter_is_found_once(model):
    text = "Frau Voß kam mit Husten. " * 120
    found = load_detector(f"hf:{model}").detect(text)
    assert [span.start for span in found] == [25 * i + 5 for i in range(120)]


def test_odd_texts_give_no_error(model):
    detector = load_detector(f"hf:{model}")
    for text in ("", " \n", "😊 Voß", "\x00", "A" * 5000):
        assert not clean(detector.detect(text), length=len(text)).faults


def test_the_signature_follows_the_weights(model, tmp_path, spotter_writer):
    other = spotter_writer(tmp_path / "other", WORDS, {"Voß"})
    signatures = {load_detector(f"hf:{path}").signature for path in (model, model, other)}
    assert len(signatures) == 2


def test_a_missing_model_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(PluginError, match="Expected a token classifier") as caught:
        load_detector(f"hf:{tmp_path / 'none'}")
    assert "\n" not in str(caught.value)


def test_a_model_that_tags_no_phi_is_refused(model, tmp_path):
    for file in model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    config["id2label"] = {"0": "O", "1": "B-MISC", "2": "I-MISC"}
    config["label2id"] = {tag: int(i) for i, tag in config["id2label"].items()}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(PluginError, match="tags PHI"):
        load_detector(f"hf:{tmp_path}")


def test_a_missing_library_names_the_extra(model, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(PluginError, match=r"mustermann\[hf\]"):
        load_detector(f"hf:{model}")
