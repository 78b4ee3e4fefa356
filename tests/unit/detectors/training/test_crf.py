"""A field learns a simple rule, loads back, and says what it is."""

import json

import pytest

from mustermann.core.errors import ConfigError, DataError, PluginError
from mustermann.detectors.crf import CrfDetector
from mustermann.detectors.prediction import clean
from mustermann.detectors.registry import load_detector
from mustermann.detectors.training.crf import CrfSettings, train_crf
from mustermann.detectors.training.example import Example
from mustermann.documents.spans import Span

NAMES = ("Weber", "Krause", "Lorenz", "Schütz", "Brandt", "Voß", "Jung", "Sommer")


def examples():
    for number, name in enumerate(NAMES):
        text = f"Herr {name} kam am {number + 1}.3.2024 mit Husten."
        at = text.index(" kam am ") + 8
        yield Example(text, (Span(5, 5 + len(name), "NAME"), Span(at, at + 8, "DATE")))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train_crf(
        examples(), tmp_path_factory.mktemp("crf") / "model", settings=CrfSettings(rarest=1)
    )


def test_it_finds_names_and_dates_it_never_saw(model):
    text = "Herr Quidde kam am 9.3.2024 mit Fieber."
    found = CrfDetector(model).detect(text)
    assert [(text[s.start : s.end], s.label) for s in found] == [
        ("Quidde", "NAME"),
        ("9.3.2024", "DATE"),
    ]


def test_it_keeps_the_contract(model):
    detector = load_detector(f"crf:{model}")
    assert detector.labels == {"NAME", "DATE"}
    assert detector.signature.startswith("crf|")
    for text in ("", "\n\n", "😊", "³² ½", "A" * 3000):
        assert not clean(detector.detect(text), length=len(text)).faults


def test_equal_examples_give_equal_models(model, tmp_path):
    again = train_crf(examples(), tmp_path / "again", settings=CrfSettings(rarest=1))
    assert CrfDetector(again).signature == CrfDetector(model).signature


def test_the_card_says_what_went_in(model):
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert card["documents"] == 8
    assert card["spans"] == {"DATE": 8, "NAME": 8}
    assert card["settings"]["rarest"] == 1


def test_a_missing_model_says_how_to_get_one(tmp_path):
    with pytest.raises(PluginError, match="deid train"):
        CrfDetector(tmp_path)


def test_a_model_of_other_features_is_refused(model, tmp_path):
    for file in model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.json").write_text('{"features": "0", "labels": []}', encoding="utf-8")
    with pytest.raises(PluginError, match="Train it again"):
        CrfDetector(tmp_path)


def test_nothing_to_learn_is_refused(tmp_path):
    with pytest.raises(DataError, match="without a span"):
        train_crf([Example("Husten.", ())], tmp_path / "model")


def test_an_existing_directory_is_refused(model):
    with pytest.raises(ConfigError, match="exists"):
        train_crf(examples(), model)
