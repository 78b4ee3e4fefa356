"""Files that other tools and other machines made."""

import json

import pytest

from mustermann.core.errors import DataError
from mustermann.documents.corpus import load_corpus
from mustermann.documents.document import Document
from mustermann.documents.formats.format import load_format
from mustermann.documents.formats.overlaps import disjoint_document
from mustermann.documents.spans import Span


def read(name, path):
    return list(load_format(name).read(path))


def found(document):
    return [(s.start, s.end, s.label, document.surface(s)) for s in document.spans]


def brat(folder, text, annotations, name="a", encoding="utf-8"):
    (folder / f"{name}.txt").write_bytes(text.encode(encoding))
    (folder / f"{name}.ann").write_bytes(annotations.encode(encoding))
    return read("brat", folder)


def test_brat_offsets_under_crlf_count_both_characters(tmp_path):
    (document,) = brat(tmp_path, "Frau\r\nWeber", "T1\tNAME 6 11\tWeber\r\n")
    assert found(document) == [(6, 11, "NAME", "Weber")]


def test_brat_offsets_of_a_text_whose_line_ends_were_changed_are_put_right(tmp_path):
    (document,) = brat(
        tmp_path, "Frau\r\nWeber\r\naus\r\nKöln", "T1\tNAME 5 10\tWeber\nT2\tCITY 15 19\tKöln\n"
    )
    assert document.text == "Frau\nWeber\naus\nKöln"
    assert found(document) == [(5, 10, "NAME", "Weber"), (15, 19, "CITY", "Köln")]


def test_brat_offsets_in_utf_16_units_are_put_right(tmp_path):
    (document,) = brat(tmp_path, "😊 Frau Weber", "T1\tNAME 8 13\tWeber\n")
    assert found(document) == [(7, 12, "NAME", "Weber")]


def test_brat_files_in_utf_16_are_read(tmp_path):
    (document,) = brat(tmp_path, "Frau Đorđević", "T1\tNAME 5 13\tĐorđević\n", encoding="utf-16")
    assert found(document) == [(5, 13, "NAME", "Đorđević")]


def test_brat_words_that_do_not_fit_are_an_error_that_says_where(tmp_path):
    with pytest.raises(DataError, match=r"'Weber'.*T7.*a\.ann"):
        brat(tmp_path, "Frau Meier", "T7\tNAME 0 4\tWeber\n")


def test_a_discontinuous_annotation_becomes_one_span_each_and_is_counted(tmp_path):
    (document,) = brat(tmp_path, "Anna und Eva Weber", "T1\tNAME 0 4;13 18\tAnna Weber\n")
    assert found(document) == [(0, 4, "NAME", "Anna"), (13, 18, "NAME", "Weber")]
    assert document.meta["discontinuous"] == 1


def test_fragments_over_a_line_break_are_one_span(tmp_path):
    (document,) = brat(tmp_path, "Anna\nWeber", "T1\tNAME 0 4;5 10\tAnna Weber\n")
    assert found(document) == [(0, 10, "NAME", "Anna\nWeber")]
    assert "discontinuous" not in document.meta


def test_foreign_notes_relations_and_attributes_change_nothing(tmp_path):
    (document,) = brat(
        tmp_path, "Anna Weber",
        "T1\tNAME 0 4\tAnna\n#1\tAnnotatorNotes T1\t{\"label\": \"X\", \"start\": 3}\n"
        "#2\tAnnotatorNotes T1\t{broken\nR1\tOf Arg1:T1 Arg2:T1\nA1\tNegated T1\n*\tEquiv T1 T1\n",
    )  # fmt: skip
    assert found(document) == [(0, 4, "NAME", "Anna")]


def test_a_text_without_annotations_is_a_document_and_the_other_way_round_an_error(tmp_path):
    (tmp_path / "b.txt").write_text("nichts")
    documents = brat(tmp_path, "Anna", "T1\tNAME 0 4\tAnna\n")
    assert [(d.id, len(d.spans)) for d in documents] == [("a", 1), ("b", 0)]
    (tmp_path / "c.ann").write_text("")
    with pytest.raises(DataError, match=r"c\.txt"):
        read("brat", tmp_path)


def test_of_overlapping_annotations_the_longest_is_kept_and_the_others_are_set_aside():
    spans = [
        {"start": 0, "end": 4, "label": "GIVEN"}, {"start": 0, "end": 10, "label": "NAME"},
        {"start": 0, "end": 10, "label": "NAME"}, {"start": 12, "end": 12, "label": "EMPTY"},
        {"start": 11, "end": 15, "label": "CITY"},
    ]  # fmt: skip
    document = disjoint_document({"id": "a", "text": "Anna Weber Köln", "spans": spans})
    assert found(document) == [(0, 10, "NAME", "Anna Weber"), (11, 15, "CITY", "Köln")]
    reasons = sorted((s["label"], s["reason"]) for s in document.meta["set_aside"])
    assert reasons == [("EMPTY", "empty"), ("GIVEN", "overlaps"), ("NAME", "repeated")]


@pytest.mark.parametrize(
    "span",
    [{"start": "0", "end": 2, "label": "X"}, {"start": 0}, {"start": 0, "end": 99, "label": "X"}],
)
def test_annotations_that_are_none_are_errors(span):
    with pytest.raises(DataError):
        disjoint_document({"id": "a", "text": "Anna", "spans": [span]})


@pytest.mark.parametrize(
    "tags",
    [
        "Anna B-N\nWeber I-N\n\nKöln B-C\n",
        "Anna B-N\nWeber E-N\n\nKöln S-C\n",
        "Anna I-N\nWeber I-N\n\nKöln I-C\n",
        "\ufeffAnna\tX\tB-N\r\nWeber\tX\tI-N\r\n\r\nKöln\tX\tB-C\r\n",
    ],
)
def test_bio_bioes_and_iob1_give_the_same_spans(tmp_path, tags):
    (tmp_path / "corpus.conll").write_bytes(tags.encode())
    (document,) = read("conll", tmp_path)
    assert found(document) == [(0, 10, "N", "Anna Weber"), (11, 15, "C", "Köln")]


def test_a_no_break_space_in_a_foreign_token_is_kept(tmp_path):
    (tmp_path / "corpus.conll").write_text("5\u00a0mg O\nWeber B-N\n")
    (document,) = read("conll", tmp_path)
    assert document.text == "5\u00a0mg Weber"


def test_bioes_marks_ends_and_single_tokens(tmp_path):
    document = Document("a", "Anna Maria Weber Köln", (Span(0, 16, "N"), Span(17, 21, "C")))
    load_format("bioes").write(iter([document]), tmp_path)
    lines = (tmp_path / "corpus.bioes").read_text().split("\n")
    assert [line.split()[-1] for line in lines[2:] if line] == ["B-N", "I-N", "E-N", "S-C"]


def test_a_tsv_with_several_layers_is_read_by_its_phi_layer(tmp_path):
    (tmp_path / "a.tsv").write_text(
        "#FORMAT=WebAnno TSV 3.3\n#T_SP=type.POS|pos|coarse\n#T_SP=webanno.custom.PHI|kind\n\n\n"
        "#Text=Frau Weber\n1-1\t0-4\tFrau\tNN\tN\t_\t\n1-2\t5-10\tWeber\tNE\tN\tNAME\\_PATIENT\t\n"
    )
    (document,) = read("tsv3", tmp_path)
    assert found(document) == [(5, 10, "NAME_PATIENT", "Weber")]


def test_i2b2_with_an_entity_is_refused_in_any_encoding(tmp_path):
    evil = (
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><deIdi2b2><TEXT>&a;</TEXT></deIdi2b2>'
    )
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "a.xml").write_bytes(evil.encode(encoding))
        with pytest.raises(DataError, match="document type"):
            read("i2b2", tmp_path)


def test_i2b2_as_it_was_published_is_read(tmp_path):
    (tmp_path / "110-01.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n'
        "<TEXT><![CDATA[\nDr. Weber & Co]]></TEXT>\n"
        '<TAGS>\n<NAME id="P0" start="5" end="10" text="Weber" TYPE="DOCTOR" comment="" />\n'
        "</TAGS>\n</deIdi2b2>\n"
    )
    (document,) = read("i2b2", tmp_path)
    assert document.id == "110-01"
    assert found(document) == [(5, 10, "DOCTOR", "Weber")]


def test_an_archive_with_folders_is_read(tmp_path):
    pytest.importorskip("cassis")
    letter = Document("Brief_1", "Frau Voß", (Span(5, 8, "NAME_PATIENT"),))
    for name in ("cas-json", "cas-xmi"):
        inner = tmp_path / name / "release" / "annotation"
        inner.mkdir(parents=True)
        load_format(name).write(iter([letter]), inner)
        assert read(name, tmp_path / name) == [letter]


def test_presidio_samples_that_overlap_are_read(tmp_path):
    sample = {"full_text": "Anna Weber", "spans": [
        {"entity_type": kind, "entity_value": "Anna Weber"[:end], "start_position": 0,
         "end_position": end} for kind, end in (("PERSON", 10), ("GIVEN", 4))
    ]}  # fmt: skip
    (tmp_path / "samples.json").write_text(json.dumps([sample]))
    (document,) = read("presidio", tmp_path)
    assert found(document) == [(0, 10, "PERSON", "Anna Weber")]


def test_an_entity_in_a_docbin_has_no_white_space_at_its_edges(tmp_path):
    pytest.importorskip("spacy")
    import spacy
    from spacy.tokens import DocBin

    document = Document("a", "Anna \n Weber", (Span(0, 7, "NAME"),))
    losses = load_format("docbin").write(iter([document]), tmp_path)
    (doc,) = DocBin().from_disk(tmp_path / "corpus.spacy").get_docs(spacy.blank("de").vocab)
    assert [(e.text, e.label_) for e in doc.ents] == [("Anna", "NAME")]
    assert losses == {"misaligned": 1}
    assert read("docbin", tmp_path) == [document]


def test_a_pdf_shows_the_letter_and_says_what_its_font_lacks(tmp_path):
    pytest.importorskip("fpdf")
    pypdf = pytest.importorskip("pypdf")
    text = "Frau Ayşe Çam, geb. Đorđević\r\nMu\u0308llerstraße 5\tKöln 😊"
    losses = load_format("pdf").write(iter([Document("a", text)]), tmp_path)
    assert losses == {"characters without a glyph": 1}
    shown = "".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "a.pdf").pages)
    for words in ("Frau Ayşe Çam, geb. Đorđević", "Müllerstraße 5"):
        assert words in shown
    assert [d.text for d in read("pdf", tmp_path)] == [text]


def test_equal_letters_give_equal_pdfs(tmp_path):
    pytest.importorskip("fpdf")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        load_format("pdf").write(iter([Document("a", "Frau Weber")]), tmp_path / name)
    assert (tmp_path / "one/a.pdf").read_bytes() == (tmp_path / "two/a.pdf").read_bytes()


def test_all_files_of_a_folder_are_read_and_named_after_them(tmp_path):
    for name in ("dev", "train"):
        (tmp_path / f"{name}.conll").write_text("-DOCSTART- -X- -X- O\n\nAnna B-N\n" * 2)
    documents = list(load_corpus(tmp_path))
    assert [d.id for d in documents] == ["dev-0", "dev-1", "train-0", "train-1"]
    assert all(found(d) == [(0, 4, "N", "Anna")] for d in documents)


def test_docbins_of_other_makers_are_read_by_their_entities(tmp_path):
    pytest.importorskip("spacy")
    import spacy
    from spacy.tokens import DocBin
    from spacy.tokens import Span as Entity

    for name in ("dev", "train"):
        doc = spacy.blank("de")("Frau Weber kommt")
        doc.set_ents([Entity(doc, 1, 2, label="PER")])
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    documents = list(load_corpus(tmp_path))
    assert [d.id for d in documents] == ["dev-0", "train-0"]
    assert all(found(d) == [(5, 10, "PER", "Weber")] for d in documents)


def test_parquet_of_another_name_and_of_another_kind(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    letter = Document("a", "Frau Weber", (Span(5, 10, "NAME"),))
    load_format("parquet").write(iter([letter]), tmp_path)
    (tmp_path / "corpus.parquet").rename(tmp_path / "part-0.parquet")
    assert list(load_corpus(tmp_path)) == [letter]
    pq.write_table(pa.table({"id": ["a"], "meta": ["{"]}), tmp_path / "part-0.parquet")
    with pytest.raises(DataError, match="part-0"):
        list(load_corpus(tmp_path))
