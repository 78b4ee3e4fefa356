"""Projection of labels and extents before matching."""

import pytest

from mustermann.core.errors import ConfigError
from mustermann.documents.document import Document
from mustermann.documents.spans import Component, Span
from mustermann.metrics.projection import Projection, guess_label_set, projection

TEXT = "Dr. Weber, Morbus Crohn"
NAME = Span(0, 9, "STAFF_NAME", components=(Component(0, 3, "title"), Component(4, 9, "family")))
OURS = Document("a", TEXT, (NAME, Span(18, 23, "EPONYM")))


def triples(spans):
    return [(s.start, s.end, s.label) for s in spans]


def test_titles_are_split_off_for_grascco():
    compared = Projection("grascco")
    assert triples(compared.predicted(TEXT, [NAME])) == [
        (0, 3, "NAME_TITLE"),
        (4, 9, "NAME_DOCTOR"),
    ]


def test_decoys_are_no_gold():
    assert triples(Projection("mustermann").gold(OURS)) == [(0, 9, "STAFF_NAME")]


def test_coarse_detectors_meet_our_letters_under_the_grascco_policy():
    compared = projection("mustermann", {"NAME", "TITLE", "DATE"})
    assert compared.coarse
    assert triples(compared.gold(OURS)) == [(0, 3, "TITLE"), (4, 9, "NAME")]
    found = [Span(0, 3, "TITLE"), Span(4, 9, "NAME")]
    assert triples(compared.predicted(TEXT, found)) == triples(found)


def test_a_foreign_corpus_keeps_its_spans():
    document = Document("a", TEXT, (Span(4, 9, "NAME_DOCTOR"),))
    assert Projection("grascco").gold(document) == document.spans
    assert triples(Projection("grascco", coarse=True).gold(document)) == [(4, 9, "NAME")]


def test_claims_follow_the_map():
    assert Projection("grascco").claims({"STAFF_NAME", "KVNR"}) == {
        "NAME_DOCTOR",
        "NAME_TITLE",
        "ID",
    }
    assert Projection("mustermann").claims({"KVNR"}) == {"KVNR"}
    assert Projection("grascco", coarse=True).claims({"NAME", "ORG"}) == {"NAME", "ORG"}


def test_signatures_name_map_and_version():
    assert Projection("grascco").signature.startswith("grascco-")
    assert Projection("grascco", coarse=True).signature.endswith("+coarse-1")


def test_label_sets_are_guessed_when_all_fit():
    assert guess_label_set(["STAFF_NAME", "EPONYM"]) == "mustermann"
    assert guess_label_set(["NAME_DOCTOR", "LOCATION_ZIP", "UNKNOWN"]) == "grascco"
    assert guess_label_set(["DOCTOR", "MEDICALRECORD"]) == "i2b2"
    with pytest.raises(ConfigError, match="PERSON"):
        guess_label_set(["PERSON"])
