"""Presidio with its German recognisers."""

import sys

import pytest

from mustermann.core.errors import PluginError
from mustermann.detectors.registry import load_detector

pytest.importorskip("presidio_analyzer")
spacy = pytest.importorskip("spacy")

TEXT = (
    "Frau Quidde, geb. am 03.05.1960, PLZ 89073, Tel. 0731 500-45001, a.b@klinik.test, "
    "Versichertennummer A000500015, IBAN DE89 3704 0044 0532 0130 00"
)


@pytest.fixture(scope="module")
def blank():
    return load_detector("presidio")


def found(detector, text=TEXT):
    return [(text[span.start : span.end], span.label) for span in detector.detect(text)]


def test_patterns_are_found_without_a_model(blank):
    assert found(blank) == [
        ("03.05.1960", "DATE"), ("89073", "LOCATION"), ("0731 500-45001", "CONTACT"),
        ("a.b@klinik.test", "CONTACT"), ("A000500015", "ID"),
        ("DE89 3704 0044 0532 0130 00", "ID"),
    ]  # fmt: skip
    assert blank.labels == {"DATE", "LOCATION", "CONTACT", "ID"}


def test_a_word_beside_a_number_decides(blank):
    assert found(blank, "Leukozyten 89073") == []
    assert found(blank, "PLZ 89073") == [("89073", "LOCATION")]


def test_a_pipeline_adds_names(blank, tmp_path):
    nlp = spacy.blank("de")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Quidde"}])
    nlp.to_disk(tmp_path / "model")
    detector = load_detector(f"presidio:{tmp_path / 'model'}")
    assert found(detector) == [("Quidde", "NAME"), *found(blank)]
    assert detector.labels == blank.labels | {"NAME"}
    assert detector.signature != blank.signature


def test_nothing_is_fetched_for_a_mail_address(blank, monkeypatch):
    import socket

    def refuse(*arguments, **names):
        raise AssertionError("the net was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert found(blank, "Mail: x.y@klinikum-nirgends.de") == [
        ("x.y@klinikum-nirgends.de", "CONTACT")
    ]


def test_a_missing_pipeline_is_not_downloaded():
    with pytest.raises(PluginError, match="Expected a spaCy pipeline"):
        load_detector("presidio:de_none")


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "presidio_analyzer.nlp_engine", None)
    with pytest.raises(PluginError, match=r"mustermann\[presidio\]"):
        load_detector("presidio")
