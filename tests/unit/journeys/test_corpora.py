import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.documents.corpus import load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.spans import Span
from mustermann.journeys.corpora import convert, statistics

LETTERS = [
    Document(f"{i}", f"Frau Weber, PLZ 5093{i}, geht nach Hause",
             (Span(5, 10, "PATIENT_NAME"), Span(16, 21, "ZIP")), meta={"difficulty": "easy"})
    for i in range(9)
]  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    write_corpus(LETTERS, tmp_path / "a")
    return tmp_path / "a"


def test_labels_are_mapped_on_the_way(corpus, tmp_path):
    convert(corpus, tmp_path / "b", to="i2b2", labels="i2b2")
    found = next(iter(load_corpus(tmp_path / "b")))
    assert [s.label for s in found.spans] == ["PATIENT", "ZIP"]
    with pytest.raises(ConfigError, match="mapping"):
        convert(corpus, tmp_path / "c", to="i2b2", labels="none")


def test_losses_and_the_manifest_go_along(tmp_path):
    write_corpus(LETTERS, tmp_path / "a")
    (tmp_path / "a" / "manifest.json").write_text(json.dumps({"kind": "corpus", "seed": 5}))
    result = convert(tmp_path / "a", tmp_path / "b", to="conll")
    assert result.losses == {"meta": 9}
    manifest = json.loads((tmp_path / "b" / "manifest.json").read_text())
    assert manifest == {"kind": "corpus", "seed": 5, "losses": {"meta": 9}}
    again = convert(tmp_path / "b", tmp_path / "c", to="brat")
    assert json.loads((tmp_path / "c" / "manifest.json").read_text())["seed"] == 5
    assert again.documents == 9


def test_annotations_set_aside_are_counted(tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    (folder / "a.txt").write_text("Anna Weber")
    (folder / "a.ann").write_text("T1\tNAME 0 10\tAnna Weber\nT2\tGIVEN 0 4\tAnna\n")
    assert convert(folder, tmp_path / "out", to="jsonl").set_aside == 1


def test_half_a_character_is_a_foreseen_error(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "x \\ud800", "spans": []}\n')
    with pytest.raises(DataError, match=r"U\+D800 at 2"):
        convert(tmp_path / "a.jsonl", tmp_path / "b", to="brat")
    assert not (tmp_path / "b").exists()


def test_both_corpora_are_measured_at_the_smaller_size(corpus, tmp_path):
    write_corpus(LETTERS[:4], tmp_path / "b")
    record = statistics(corpus, against=tmp_path / "b").to_record()
    assert record["documents"] == 9
    assert record["against"]["documents"] == 4
    assert record["size_matched"]["size"] == record["against"]["size_matched"]["size"] == 4
    assert record["floor"]["size"] == 4
    assert record["floor"]["same"]["js"] < 0.5
    assert record["by_difficulty"]["easy"]["documents"] == 9
    assert record["labels"] == {"PATIENT_NAME": 9, "ZIP": 9}
    json.dumps(record, allow_nan=False)


def test_the_report_is_written(corpus, tmp_path):
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    statistics(corpus, report=tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text()
    assert "Beside published corpora" in html
    assert "5093" in html


def test_one_document_is_no_corpus(tmp_path):
    write_corpus(LETTERS[:1], tmp_path / "a")
    with pytest.raises(DataError, match="at least two"):
        statistics(tmp_path / "a")
