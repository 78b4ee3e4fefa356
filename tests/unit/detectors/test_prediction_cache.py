"""Predictions survive a kill and never meet another detector or text."""

from mustermann.detectors.prediction import Prediction
from mustermann.detectors.prediction_cache import PredictionCache
from mustermann.documents.spans import Span

FOUND = Prediction((Span(0, 3, "CITY"),), {"unsorted": 1})


def test_what_was_put_comes_back_in_another_process(tmp_path):
    PredictionCache(tmp_path, signature="a|1").put("Ulm", FOUND)
    assert PredictionCache(tmp_path, signature="a|1").get("Ulm") == FOUND


def test_another_signature_or_text_finds_nothing(tmp_path):
    PredictionCache(tmp_path, signature="a|1").put("Ulm", FOUND)
    assert PredictionCache(tmp_path, signature="a|2").get("Ulm") is None
    assert PredictionCache(tmp_path, signature="a|1").get("Ulm ") is None


def test_failures_are_tried_again(tmp_path):
    cache = PredictionCache(tmp_path, signature="a|1")
    cache.put("Ulm", Prediction(failure="ValueError: x"))
    assert cache.get("Ulm") is None


def test_a_torn_line_costs_only_itself(tmp_path):
    cache = PredictionCache(tmp_path, signature="a|1")
    cache.put("Ulm", FOUND)
    (file,) = tmp_path.iterdir()
    with file.open("ab") as torn:
        torn.write(b'["0123", "{\\"spa')
    again = PredictionCache(tmp_path, signature="a|1")
    again.put("Bonn", FOUND)
    last = PredictionCache(tmp_path, signature="a|1")
    assert last.get("Ulm") == last.get("Bonn") == FOUND


def test_no_text_is_stored(tmp_path):
    PredictionCache(tmp_path, signature="a|1").put("Herr Quidde aus Ulm", FOUND)
    (file,) = tmp_path.iterdir()
    assert b"Quidde" not in file.read_bytes()
