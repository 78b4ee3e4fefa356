"""A spaCy pipeline learns a simple rule, stops, and loads back."""

import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.detectors.registry import load_detector
from mustermann.detectors.training.example import Example
from mustermann.detectors.training.spacy import SpacySettings, train_spacy
from mustermann.documents.spans import Span

pytest.importorskip("spacy")

NAMES = ("Weber", "Krause", "Lorenz", "Schütz", "Brandt", "Voß", "Jung", "Sommer")
SETTINGS = SpacySettings(epochs=60, patience=2, dropout=0.0, batch=2)


def examples():
    for name in NAMES:
        text = f"Herr {name} kam mit Husten.\nAnamnese: Herr {name} raucht nicht.\n"
        again = text.rindex(name)
        yield Example(
            text,
            (Span(5, 5 + len(name), "NAME"), Span(again, again + len(name), "NAME")),
        )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    out = tmp_path_factory.mktemp("spacy") / "model"
    return train_spacy(list(examples()), out, settings=SETTINGS, seed=3)


def test_it_learns_and_loads_back(model):
    detector = load_detector(f"spacy:{model}")
    text = "Herr Lorenz kam mit Fieber."
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [("Lorenz", "NAME")]
    assert detector.labels == {"NAME"}


def test_the_card_says_when_it_stopped(model):
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    scores = card["f1_by_epoch"]
    assert scores[card["best_epoch"]] == max(scores)
    assert len(scores) == card["best_epoch"] + 1 + SETTINGS.patience < SETTINGS.epochs
    assert (card["documents"], card["held_out"]) == (7, 1)


def test_too_few_or_unlabelled_documents_are_refused(tmp_path):
    with pytest.raises(DataError, match="at least two documents"):
        train_spacy([Example("Husten.", ())], tmp_path / "model")
    with pytest.raises(DataError, match="without a span"):
        train_spacy([Example("Husten.", ())] * 4, tmp_path / "model")


def test_an_existing_directory_is_refused(model):
    with pytest.raises(ConfigError, match="exists"):
        train_spacy(list(examples()), model)
