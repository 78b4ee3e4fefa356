"""An encoder is fine-tuned, stops, and loads back."""

import json

import pytest

from mustermann.core.errors import ConfigError, PluginError
from mustermann.detectors.registry import load_detector
from mustermann.detectors.training.example import Example
from mustermann.detectors.training.hf import HuggingFaceSettings, train_hf
from mustermann.documents.spans import Span

pytest.importorskip("transformers")
pytest.importorskip("torch")

NAMES = ("Weber", "Krause", "Lorenz", "Brandt", "Jung", "Sommer")
WORDS = ["Herr", "kam", "mit", "Husten", ".", *NAMES, "am", "Mai"]


def examples():
    return [Example(f"Herr {n} kam mit Husten.", (Span(5, 5 + len(n), "NAME"),)) for n in NAMES]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory, encoder_writer):
    directory = tmp_path_factory.mktemp("encoder") / "encoder"
    encoder_writer(directory, WORDS)
    return directory


@pytest.fixture(scope="module")
def model(tmp_path_factory, encoder):
    settings = HuggingFaceSettings(encoder=str(encoder), epochs=40, patience=3, rate=0.01, batch=3)
    return train_hf(examples(), tmp_path_factory.mktemp("hf") / "model", settings=settings, seed=1)


def test_it_learns_and_loads_back(model):
    detector = load_detector(f"hf:{model}")
    text = "Herr Lorenz kam mit Husten."
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [("Lorenz", "NAME")]
    assert detector.labels == {"NAME"}


def test_the_card_says_when_it_stopped(model):
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert card["f1_by_epoch"][card["best_epoch"]] == max(card["f1_by_epoch"])
    assert len(card["f1_by_epoch"]) == card["best_epoch"] + 4 < 40


def test_equal_seeds_give_equal_models(encoder, tmp_path):
    settings = HuggingFaceSettings(encoder=str(encoder), epochs=2)
    made = [train_hf(examples(), tmp_path / name, settings=settings, seed=7) for name in "ab"]
    first, second = ((path / "model.safetensors").read_bytes() for path in made)
    assert first == second


def test_an_encoder_is_needed(tmp_path):
    with pytest.raises(ConfigError, match="--set encoder="):
        train_hf(examples(), tmp_path / "model", settings=HuggingFaceSettings())


def test_a_missing_encoder_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    settings = HuggingFaceSettings(encoder=str(tmp_path / "none"))
    with pytest.raises(PluginError, match="Expected a token classifier"):
        train_hf(examples(), tmp_path / "model", settings=settings)
    assert not (tmp_path / "model").exists()
