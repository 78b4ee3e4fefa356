"""Flair taggers through the real loading code."""

import importlib.util
import sys

import pytest

from mustermann.core.errors import PluginError
from mustermann.detectors.registry import load_detector


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "flair.models", None)
    with pytest.raises(PluginError, match=r"mustermann\[flair\]"):
        load_detector("flair:model")


@pytest.fixture
def tagger(tmp_path):
    if importlib.util.find_spec("flair") is None:
        pytest.skip("flair is not installed")
    from flair.data import Corpus, Sentence
    from flair.embeddings import OneHotEmbeddings
    from flair.models import SequenceTagger
    from flair.trainers import ModelTrainer

    sentences = []
    for word in ("Quidde", "Husten", "Voß", "Fieber"):
        sentence = Sentence(f"Herr {word} kam .")
        if word in {"Quidde", "Voß"}:
            sentence[1:2].add_label("ner", "PER")
        sentences.append(sentence)
    corpus = Corpus(train=sentences, dev=sentences, test=sentences)
    tags = corpus.make_label_dictionary("ner", add_unk=False)
    embeddings = OneHotEmbeddings.from_corpus(corpus, min_freq=1)
    model = SequenceTagger(embeddings, tags, tag_type="ner", use_rnn=False, use_crf=False)
    ModelTrainer(model, corpus).train(
        tmp_path / "run", max_epochs=40, learning_rate=0.5, mini_batch_size=4
    )
    return tmp_path / "run" / "final-model.pt"


def test_entities_become_coarse_spans(tagger):
    detector = load_detector(f"flair:{tagger}")
    text = "Herr Quidde kam .\n\nHerr Husten kam . Herr Voß kam ."
    assert [(text[s.start : s.end], s.label) for s in detector.detect(text)] == [
        ("Quidde", "NAME"), ("Voß", "NAME"),
    ]  # fmt: skip
    assert detector.labels == {"NAME"}
    assert list(detector.detect("")) == []


def test_a_missing_model_is_one_line(tmp_path):
    if importlib.util.find_spec("flair") is None:
        pytest.skip("flair is not installed")
    with pytest.raises(PluginError, match="Expected a Flair tagger") as caught:
        load_detector(f"flair:{tmp_path / 'none.pt'}")
    assert "\n" not in str(caught.value)
