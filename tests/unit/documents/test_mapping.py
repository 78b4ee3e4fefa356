import json
from itertools import pairwise
from pathlib import Path

import pytest

from mustermann.core.errors import ConfigError
from mustermann.documents.document import Document
from mustermann.documents.labels import DECOYS, LABELS
from mustermann.documents.mapping import (
    LabelMapping,
    Policy,
    load_mapping,
    map_document,
    map_spans,
    mapping_names,
)
from mustermann.documents.spans import Piece, Span, SpanWriter

NAMED = (
    Piece("Frau", "honorific", inside=False), Piece(" ", inside=False),
    Piece("PD Dr. med.", "title"), Piece(" "), Piece("Ute", "given"), Piece(" "),
    Piece("Webers", "family"), Piece("'", "suffix"),
)  # fmt: skip


@pytest.fixture
def document():
    writer = SpanWriter()
    writer.entity(NAMED, "STAFF_NAME", slot="oberarzt")
    for label, text in [
        ("WARD", "4A"), ("WARD", "3 Süd"), ("WARD", "Station A33"), ("AGE", "89"), ("AGE", "90"),
        ("DATE_BIRTH", "3.4.1960"), ("DATE_PARTIAL", "2019"), ("KVNR", "A000500015"),
        ("EPONYM", "Parkinson"), ("IP", "10.0.0.7"), ("MOBILE", "0172 9980752"),
    ]:  # fmt: skip
        writer.write(" ")
        writer.entity((Piece(text),), label)
    return Document(id="x", text=writer.text(), spans=writer.spans())


def mapped(document, name):
    made = map_document(document, load_mapping(name))
    return [(span.label, made.surface(span)) for span in made.spans]


def test_grascco(document):
    assert mapped(document, "grascco") == [
        ("NAME_TITLE", "PD Dr. med."), ("NAME_DOCTOR", "Ute Webers'"), ("ID", "4A"),
        ("LOCATION_HOSPITAL", "3 Süd"), ("ID", "Station A33"), ("AGE", "89"), ("AGE", "90"),
        ("DATE", "3.4.1960"), ("DATE", "2019"), ("ID", "A000500015"),
        ("CONTACT_PHONE", "0172 9980752"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["grascco", "gemtex"])
@pytest.mark.parametrize(
    ("text", "slot", "target"),
    [
        ("Kornmarkt", "praxis", "LOCATION_HOSPITAL"),
        ("Gemeinschaftspraxis Domblick", "", "LOCATION_HOSPITAL"),
        ("Praxis Dr. Quidde", "", "LOCATION_HOSPITAL"), ("MVZ Nord", "", "LOCATION_HOSPITAL"),
        ("Suchtberatung Wegweiser", "organisation", "LOCATION_ORGANIZATION"),
        ("Molkerei Wiesengrund", "", "LOCATION_ORGANIZATION"),
    ],
)  # fmt: skip
def test_a_practice_is_a_hospital_where_the_guideline_has_one_label_for_both(
    name, text, slot, target
):
    span = Span(0, len(text), "ORGANIZATION", slot=slot)
    assert [made.label for made in map_spans(text, (span,), load_mapping(name))] == [target]


def test_gemtex_tells_birth_and_death(document):
    assert ("DATE_BIRTH", "3.4.1960") in mapped(document, "gemtex")
    assert ("DATE", "2019") in mapped(document, "gemtex")


def test_i2b2_leaves_titles_out(document):
    assert mapped(document, "i2b2")[:3] == [
        ("DOCTOR", "Ute Webers'"), ("DEPARTMENT", "4A"), ("DEPARTMENT", "3 Süd"),
    ]  # fmt: skip
    assert ("HEALTHPLAN", "A000500015") in mapped(document, "i2b2")
    assert ("IPADDR", "10.0.0.7") in mapped(document, "i2b2")


def test_hipaa_counts_ages_over_89_and_lets_a_year_stand(document):
    assert mapped(document, "hipaa") == [
        ("HIPAA_2", "4A"), ("HIPAA_2", "3 Süd"), ("HIPAA_2", "Station A33"), ("HIPAA_3", "90"),
        ("HIPAA_3", "3.4.1960"), ("HIPAA_9", "A000500015"), ("HIPAA_15", "10.0.0.7"),
        ("HIPAA_4", "0172 9980752"),
    ]  # fmt: skip


def test_our_own_labels_map_to_themselves(document):
    assert map_document(document, load_mapping("mustermann")) == document


@pytest.mark.parametrize("name", mapping_names())
def test_each_mapping_covers_all_labels_and_no_decoy_becomes_phi(name):
    mapping = load_mapping(name)
    assert set(mapping.labels) == set(LABELS)
    assert mapping.name == name
    assert mapping.source
    assert mapping.signature == f"{name}-{mapping.version}"
    if name != "mustermann":
        assert not any(mapping.labels[label] for label in DECOYS)
    assert "" not in mapping.targets


def custom(**policy):
    labels = {label: label for label in LABELS}
    return LabelMapping(name="x", target="x", version="1", source="x", labels=labels,
                        policy=Policy(**policy))  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        ({}, "PD Dr. med. Ute Webers'"),
        ({"honorific": "inside"}, "Frau PD Dr. med. Ute Webers'"),
        ({"title": "outside"}, "Ute Webers'"),
        ({"suffix": "outside"}, "PD Dr. med. Ute Webers"),
        ({"title": "outside", "suffix": "outside"}, "Ute Webers"),
    ],
)
def test_the_policy_states_where_a_name_begins_and_ends(document, policy, text):
    made = map_document(document, custom(**policy))
    assert made.surface(made.spans[0]) == text
    for part in made.spans[0].components:
        assert part.kind == "honorific" or made.spans[0].start <= part.start


def test_neighbouring_spans_are_one_or_two_as_the_policy_says():
    text = "Cem Çam \n Eda Çam"
    spans = [Span(0, 7, "PATIENT_NAME"), Span(10, 17, "PATIENT_NAME")]
    assert len(map_spans(text, spans, custom())) == 2
    assert map_spans(text, spans, custom(adjacent="joined")) == (Span(0, 17, "PATIENT_NAME"),)
    other = [spans[0], Span(10, 17, "RELATIVE_NAME")]
    assert len(map_spans(text, other, custom(adjacent="joined"))) == 2


@pytest.mark.parametrize(
    ("name", "title", "rest"),
    [
        ("Herr PD Dr. med. Weber", "PD Dr. med.", "Weber"), ("Dr.Leitner", "Dr.", "Leitner"),
        ("Frau Prof. Dr. h. c. Ute Voß", "Prof. Dr. h. c.", "Ute Voß"),
        ("Dr.med. Medick", "Dr.med.", "Medick"),
        ("Univ.-Prof. DDr. Rein", "Univ.-Prof. DDr.", "Rein"),
        ("Dr. rer. nat. Chu", "Dr. rer. nat.", "Chu"),
        ("PD. Dr. H. C. Andersen", "PD. Dr.", "H. C. Andersen"),
        ("Frau Medau", "", "Medau"), ("Fred Prior", "", "Fred Prior"), ("M. Natz", "", "M. Natz"),
        ("Prim. Univ. Prof. Dr.Dr. Vogt", "Prim. Univ. Prof. Dr.Dr.", "Vogt"),
        ("Dr.a med. univ. Zip", "Dr.a med. univ.", "Zip"), ("Dr Weber", "Dr", "Weber"),
        ("Prof. Dr. med Anna Alt", "Prof. Dr. med", "Anna Alt"), ("Dra. Ana", "Dra.", "Ana"),
        ("DR. MED. WEBER", "DR. MED.", "WEBER"), ("Drost", "", "Drost"),
    ],
)  # fmt: skip
def test_a_predicted_name_is_split_by_its_text(name, title, rest):
    spans = map_spans(name, [Span(0, len(name), "STAFF_NAME")], load_mapping("grascco"))
    cut = [(span.label, name[span.start : span.end]) for span in spans]
    assert cut == ([("NAME_TITLE", title)] if title else []) + [("NAME_DOCTOR", rest)]


GRASCCO = Path(__file__).parents[4] / "shared/data/grascco/grascco_phi_open.jsonl"


@pytest.mark.reference
@pytest.mark.skipif(not GRASCCO.exists(), reason="needs the reference data beside the checkout")
def test_titles_are_split_off_where_real_annotators_did():
    mapping = load_mapping("grascco")
    agreed = total = 0
    for line in GRASCCO.read_text(encoding="utf-8").splitlines():
        letter = json.loads(line)
        gold = sorted(letter["spans"], key=lambda span: span["start"])
        assert {span["label"] for span in gold} <= mapping.targets | {None}
        for title, name in pairwise(gold):
            between = letter["text"][title["end"] : name["start"]]
            if title["label"] != "NAME_TITLE" or between.strip() or "NAME" not in name["label"]:
                continue
            whole = Span(title["start"], name["end"], "STAFF_NAME")
            first = map_spans(letter["text"], [whole], mapping)[0]
            agreed += (first.label, first.end) == ("NAME_TITLE", title["end"])
            total += 1
    assert total > 80
    assert agreed / total > 0.95


def test_a_prediction_that_is_only_a_title_becomes_a_title():
    spans = map_spans("Dr. med.", [Span(0, 8, "STAFF_NAME")], load_mapping("grascco"))
    assert [span.label for span in spans] == ["NAME_TITLE"]
    assert map_spans("Dr. med.", [Span(0, 8, "STAFF_NAME")], load_mapping("i2b2")) == ()


def test_a_foreign_label_is_left_out():
    assert map_spans("abc", [Span(0, 3, "PER")], load_mapping("grascco")) == ()


def test_an_unknown_mapping_names_the_known_ones():
    with pytest.raises(ConfigError, match="Known: gemtex, grascco, hipaa, i2b2, mustermann"):
        load_mapping("grasco")


def test_a_table_with_a_gap_is_refused():
    with pytest.raises(ConfigError, match="no line for"):
        LabelMapping(name="x", target="x", version="1", source="x", labels={"CITY": "C"})
    with pytest.raises(ConfigError, match="unknown label CITTY"):
        LabelMapping(name="x", target="x", version="1", source="x",
                     labels={**dict.fromkeys(LABELS, ""), "CITTY": "C"})  # fmt: skip
