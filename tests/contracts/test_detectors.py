"""Every detector that is installed and needs no model keeps the contract."""

import pytest

from mustermann.core import plugins
from mustermann.core.errors import PluginError
from mustermann.detectors.prediction import clean
from mustermann.detectors.registry import load_detector
from mustermann.documents.coarse import CLASSES
from mustermann.documents.detector import Detector
from mustermann.documents.labels import PHI

TEXT = "Sehr geehrter Herr Dr. Brandt,\nFrau Petra Schütz, geb. am 3.5.1960, wohnt in 89073 Ulm."


def plain_detectors():
    for name in plugins.names("mustermann.detectors"):
        try:
            yield load_detector(name)
        except PluginError:
            continue  # needs a model, or its extra is not installed


@pytest.fixture(params=plain_detectors(), ids=lambda detector: detector.name)
def detector(request):
    return request.param


def test_it_says_what_it_is(detector):
    assert isinstance(detector, Detector)
    assert detector.name
    assert detector.signature.startswith(detector.name)
    assert detector.labels
    assert detector.labels <= PHI or detector.labels <= CLASSES


def test_it_returns_spans_inside_the_text_and_of_its_labels(detector):
    found = list(detector.detect(TEXT))
    assert found
    cleaned = clean(found, length=len(TEXT))
    assert not cleaned.faults
    assert {span.label for span in cleaned.spans} <= detector.labels


def test_equal_texts_give_equal_spans(detector):
    assert list(detector.detect(TEXT)) == list(detector.detect(TEXT))


@pytest.mark.parametrize("text", ["", " \n\t", "😊😊", "\x00\x07"])
def test_odd_texts_give_no_error(detector, text):
    assert all(0 <= span.start < span.end <= len(text) for span in detector.detect(text))
