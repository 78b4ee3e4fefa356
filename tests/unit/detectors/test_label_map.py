"""Labels of other tools as coarse classes."""

import pytest

from mustermann.core.errors import ConfigError
from mustermann.detectors.label_map import LabelMap, load_label_map, plain_label
from mustermann.documents.coarse import CLASSES
from mustermann.documents.labels import DECOYS, PHI


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("B-PER", "NAME"), ("I-LOC", "LOCATION"), ("MISC", ""), ("O", ""), ("first name", "NAME"),
        ("date-of-birth", "DATE"), ("NAME_PATIENT", "NAME"), ("LOCATION_ZIP", "LOCATION"),
        ("S-DATE", "DATE"), ("TITLE", "TITLE"), ("FAVOURITE_COLOUR", "OTHER"),
    ],
)  # fmt: skip
def test_labels_of_models(theirs, ours):
    assert load_label_map("ner").label(theirs) == ours


def test_our_own_labels_keep_their_class():
    known = load_label_map("ner")
    assert {known.label(label) for label in PHI} <= CLASSES
    assert {known.label(label) for label in DECOYS} == {""}
    assert all(known.label(f"B-{name}") == name for name in CLASSES)


@pytest.mark.parametrize("name", ["ner", "presidio"])
def test_each_map_says_where_it_is_from(name):
    known = load_label_map(name)
    assert known.signature == f"{name}-{known.version}"
    assert known.source
    assert all(label == plain_label(label) for label in known.labels)


def test_a_class_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="PERSONS"):
        LabelMap(name="x", version="1", source="y", labels={"PER": "PERSONS"})
