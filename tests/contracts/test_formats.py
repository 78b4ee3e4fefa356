"""What every corpus format owes; third parties can run it on theirs by adding it to the group."""

import random
from pathlib import Path

import pytest

from mustermann.core import plugins
from mustermann.core.errors import DataError
from mustermann.documents.corpus import load_corpus
from mustermann.documents.document import Document
from mustermann.documents.formats.format import guess_format, load_format
from mustermann.documents.spans import Component, Span

FORMATS = plugins.names("mustermann.formats")
LABELLED = [name for name in FORMATS if name not in {"text", "pdf"}]
LOSSLESS = ["jsonl", "parquet", "hf", "cas-json", "cas-xmi", "docbin", "i2b2"]
GRASCCO = Path(__file__).parents[3] / "shared" / "data" / "grascco" / "grascco_phi_open.jsonl"


def document(name, text, *marked, **more):
    spans = []
    at = 0
    for words in marked:
        start = text.index(words, at)
        at = start + len(words)
        spans.append(Span(start, at, "PATIENT_NAME"))
    return Document(name, text, tuple(spans), **more)


WILD = [
    document("smile", "😊 Frau Voß, geb. 😀 Müller.", "Voß", "Müller"),
    document("crlf", "Herr\r\nCem\r\nÇam,\r\n\r\nwohnhaft in Köln\r\n", "Cem\r\nÇam", "Köln"),
    document("nfd", "Mu\u0308ller und Mu\u0308 ller", "Mu\u0308ller"),
    document("zero", "PLZ \u200b50937 Köln, \ufeffHans", "50937", "Hans"),
    document("bom", "\ufeffHerr Weber", "Weber"),
    document("inside", "49jähr. Pat. xWebery", "49", "Weber"),
    document("edges", "Anna Weber", "Anna", "Weber"),
    document("marks", 'a & b <c> "d" [e] |f| \\n \\ {g} _ * ; # Text= ]]>', "<c>", "\\n"),
    document("blank lines", "\n\n  Anna \n \n\tWeber \n", "Anna", "Weber"),
    document("name/with:odd*signs?", "Anna", "Anna"),
    document("empty", ""),
    document("no spans", "Der Patient ist wach."),
    document("break at edge", "Anna \nWeber\n", "Anna \n", "Weber\n"),
    document("only blanks", " \n\t\n"),
    document("odd blanks", "Anna\u00a0Weber\u2028Köln\u0085x\u3000y", "Anna\u00a0Weber", "Köln"),
    document("one character", "A B C", "A", "B", "C"),
    document("side by side", "AnnaWeber", "Anna", "Weber"),
]
ODD_LABEL = Document("label", "Anna Weber", (Span(0, 4, "First name|[x]_*"), Span(5, 10, "B-1")))
RICH = Document(
    "rich", "Herrn Dr. Cem Çams Hb 9,1 g/dl",
    (Span(6, 18, "PATIENT_NAME", "patient", "hon_first_last gen",
          (Component(0, 5, "honorific"), Component(6, 9, "title"), Component(17, 18, "suffix")),
          {"pool": "listed"}),),
    (Span(19, 30, "LAB", details={"analyte": "hb", "value": "9,1"}),),
    {"difficulty": "easy", "attributes": {"age": 64}},
)  # fmt: skip


def plain(documents):
    return {d.id: (d.text, [(s.start, s.end, s.label) for s in d.spans]) for d in documents}


def round_trip(name, documents, directory):
    directory.mkdir()
    losses = load_format(name).write(iter(documents), directory)
    return list(load_format(name).read(directory)), losses


@pytest.mark.parametrize("name", LABELLED)
@pytest.mark.parametrize("wild", WILD, ids=[d.id for d in WILD])
def test_text_offsets_and_labels_come_back_exactly(name, wild, tmp_path):
    found, losses = round_trip(name, [wild], tmp_path / "out")
    if not losses["white space at an edge"]:
        assert [(d.text, d.spans) for d in found] == [(wild.text, wild.spans)]
    assert [d.id for d in found] == [wild.id]


@pytest.mark.parametrize("name", LABELLED)
def test_a_label_may_be_any_text(name, tmp_path):
    found, _ = round_trip(name, [ODD_LABEL], tmp_path / "out")
    assert [d.spans for d in found] == [ODD_LABEL.spans]


@pytest.mark.parametrize("name", FORMATS)
def test_a_manifest_beside_the_documents_is_not_a_document(name, tmp_path):
    directory = tmp_path / "out"
    directory.mkdir()
    load_format(name).write(iter([RICH]), directory)
    (directory / "manifest.json").write_text('{"kind": "corpus"}')
    assert [d.id for d in load_format(name).read(directory)] == ["rich"]
    assert guess_format(directory).name == name


@pytest.mark.parametrize("name", ["brat", "cas-json", "cas-xmi", "i2b2", "pdf", "text", "tsv3"])
def test_a_document_never_overwrites_another(name, tmp_path):
    directory = tmp_path / "out"
    directory.mkdir()
    with pytest.raises(DataError, match="twice"):
        load_format(name).write(iter([RICH, RICH]), directory)


@pytest.mark.parametrize("name", LABELLED)
def test_many_documents_keep_their_order_or_at_least_their_names(name, tmp_path):
    found, _ = round_trip(name, WILD, tmp_path / "out")
    assert {d.id for d in found} == {d.id for d in WILD}


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_lost_is_counted_and_the_rest_is_there(name, tmp_path):
    (found,), losses = round_trip(name, [RICH], tmp_path / "out")
    if name in LOSSLESS:
        assert not losses
        assert found == RICH
        assert dict(found.meta) == dict(RICH.meta)
        assert found.spans[0].details == RICH.spans[0].details
    else:
        assert losses["meta"] == 2
        lost_layer = "clinical" if name != "brat" else "meta"
        assert losses[lost_layer]


@pytest.mark.parametrize("name", FORMATS)
def test_a_corpus_is_recognised_by_its_files(name, tmp_path):
    directory = tmp_path / "out"
    directory.mkdir()
    load_format(name).write(iter([RICH]), directory)
    assert guess_format(directory).name == name


@pytest.mark.parametrize("name", FORMATS)
def test_garbage_is_named_not_raised(name, tmp_path):
    directory = tmp_path / "out"
    directory.mkdir()
    load_format(name).write(iter([RICH]), directory)
    noise = random.Random(0).randbytes(400)
    for file in directory.rglob("*"):
        if file.is_file() and file.name not in {"TypeSystem.xml", "README.md", "texts.jsonl"}:
            file.write_bytes(noise)
    with pytest.raises(DataError):
        list(load_format(name).read(directory))


@pytest.mark.reference
@pytest.mark.skipif(not GRASCCO.exists(), reason="needs GraSCCo_PHI beside the checkout")
@pytest.mark.parametrize("name", LABELLED)
def test_grascco_survives_every_round_trip(name, tmp_path):
    letters = list(load_corpus(GRASCCO))
    found, _ = round_trip(name, letters, tmp_path / "out")
    assert plain(found) == plain(letters)


CAS = GRASCCO.parent / "cas"


@pytest.mark.reference
@pytest.mark.skipif(not CAS.exists(), reason="needs GraSCCo_PHI beside the checkout")
@pytest.mark.parametrize("name", ["cas-json", "cas-xmi"])
def test_the_published_archive_is_read(name):
    letters = plain(load_corpus(GRASCCO))
    found = plain(load_corpus(CAS, format=name))
    assert len(found) == 5
    for letter, (text, spans) in found.items():
        assert (text, spans) == letters[letter]
