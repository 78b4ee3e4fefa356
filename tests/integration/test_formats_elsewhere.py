"""A converted corpus is opened by the tools that it was converted for."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from mustermann.cli.main import main
from mustermann.core.seeds import Seeds
from mustermann.documents.corpus import write_corpus
from mustermann.documents.document import Document
from mustermann.documents.spans import Component, Span

NAMES = ["Cem Çam", "Ljubica Đorđević", "Anna Müller", "Sophie Voß", "Jörg Weiß", "Łukasz Wałęsa"]
TOWNS = ["Köln", "Aachen", "Bonn", "Kerpen", "Hürth"]


def letter(number):
    draws = Seeds(number).random("letter")
    name, town = draws.choice(NAMES), draws.choice(TOWNS)
    day = f"{draws.randrange(1, 28)}.3.2026"
    parts = [("😊 Betrifft Herrn ", ""), (name, "PATIENT_NAME"), (", wohnhaft in ", ""),
             (town, "CITY"), (".\nAufnahme am ", ""), (day, "DATE_EVENT"),
             (f", der {draws.randrange(30, 90)}-jährige Patient ist wach.\n", "")]  # fmt: skip
    text, spans = "", []
    for words, label in parts:
        if label:
            inner = (Component(len(text), len(text) + len(name.split()[0]), "given"),)
            spans.append(
                Span(len(text), len(text) + len(words), label, "slot", "form",
                     inner if label == "PATIENT_NAME" else (), {"pool": "listed"})
            )  # fmt: skip
        text += words
    return Document(f"{number:03}", text, tuple(spans), meta={"difficulty": "easy"})


LETTERS = [letter(number) for number in range(24)]


@pytest.fixture
def convert(tmp_path):
    write_corpus(LETTERS, tmp_path / "corpus")

    def converted(target, source=tmp_path / "corpus"):
        out = tmp_path / f"{target}-{source.name}"
        result = CliRunner().invoke(
            main,
            ["corpus", "convert", str(source), str(out), "--to", target],
            catch_exceptions=False,
        )
        assert result.exit_code == 0, result.output
        return out

    return converted


def labelled(document):
    return [(s.start, s.end, s.label, document.surface(s)) for s in document.spans]


@pytest.mark.slow
def test_spacy_debugs_and_reads_the_splits(convert, tmp_path):
    pytest.importorskip("spacy")
    split = ["corpus", "split", str(tmp_path / "corpus"), str(tmp_path / "s"), "--shares",
             "train=0.75,dev=0.25"]  # fmt: skip
    assert CliRunner().invoke(main, split, catch_exceptions=False).exit_code == 0
    parts = {name: convert("docbin", tmp_path / "s" / name) for name in ("train", "dev")}
    config = tmp_path / "config.cfg"

    def spacy(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "spacy", *map(str, arguments)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    made = spacy("init", "config", config, "--lang", "de", "--pipeline", "ner")
    assert made.returncode == 0, made.stderr
    paths = [f"--paths.{name}={part / 'corpus.spacy'}" for name, part in parts.items()]
    found = spacy("debug", "data", config, "--verbose", "--no-format", *paths)
    report = found.stdout + found.stderr
    assert "Corpus is loadable" in report, report
    assert "18 training docs" in report
    assert "6 evaluation docs" in report
    assert "3 label(s)" in report
    assert "invalid" not in report.replace("No invalid", "")


def test_a_docbin_holds_entities_with_our_offsets(convert):
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import DocBin

    docs = list(
        DocBin().from_disk(convert("docbin") / "corpus.spacy").get_docs(spacy.blank("de").vocab)
    )
    assert [[(e.start_char, e.end_char, e.label_, e.text) for e in doc.ents] for doc in docs] == [
        labelled(document) for document in LETTERS
    ]


@pytest.mark.parametrize("target", ["cas-json", "cas-xmi"])
def test_cassis_reads_the_annotations(convert, target):
    cassis = pytest.importorskip("cassis")
    folder = convert(target)
    for document in LETTERS:
        if target == "cas-json":
            with (folder / f"{document.id}.json").open("rb") as file:
                cas = cassis.load_cas_from_json(file)
        else:
            with (folder / "TypeSystem.xml").open("rb") as file:
                types = cassis.load_typesystem(file)
            with (folder / f"{document.id}.xmi").open("rb") as file:
                cas = cassis.load_cas_from_xmi(file, typesystem=types)
        assert cas.sofa_string == document.text
        found = [(a.kind, a.get_covered_text()) for a in cas.select("webanno.custom.PHI")]
        assert found == [(s.label, document.surface(s)) for s in document.spans]
        sentences = list(cas.select("de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"))
        assert len(sentences) == 2


def test_cas_offsets_on_disk_count_utf_16_units(convert):
    pytest.importorskip("cassis")
    import json

    document = LETTERS[0]
    record = json.loads((convert("cas-json") / f"{document.id}.json").read_text())
    phi = [f for f in record["%FEATURE_STRUCTURES"] if f["%TYPE"] == "webanno.custom.PHI"]
    units = document.text.encode("utf-16-le")
    words = [units[2 * f["begin"] : 2 * f["end"]].decode("utf-16-le") for f in phi]
    assert words == [document.surface(s) for s in document.spans]
    assert phi[0]["begin"] == document.spans[0].start + 1


def test_presidio_evaluator_reads_the_samples(convert, tmp_path):
    presidio = pytest.importorskip("presidio_evaluator")
    spacy = pytest.importorskip("spacy")
    spacy.blank("de").to_disk(tmp_path / "blank")
    samples = presidio.InputSample.read_dataset_json(
        convert("presidio") / "samples.json", token_model_version=str(tmp_path / "blank")
    )
    assert [s.full_text for s in samples] == [d.text for d in LETTERS]
    for sample, document in zip(samples, LETTERS, strict=True):
        assert [
            (s.start_position, s.end_position, s.entity_type, s.entity_value) for s in sample.spans
        ] == labelled(document)
        assert {tag for tag in sample.tags if tag != "O"} == {s.label for s in document.spans}


def test_datasets_loads_the_folder_with_the_features_of_its_card(convert, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    folder = convert("hf")
    found = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert found.num_rows == len(LETTERS)
    assert list(found.features) == ["id", "text", "spans", "clinical", "meta"]
    for row, document in zip(found, LETTERS, strict=True):
        text = row["text"]
        assert [
            (s["start"], s["end"], s["label"], text[s["start"] : s["end"]]) for s in row["spans"]
        ] == labelled(document)
    assert found[0]["spans"][0]["components"][0]["kind"] == "given"


def test_datasets_loads_the_chat_transcripts(convert, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    file = convert("chat") / "chat.jsonl"
    found = datasets.load_dataset(
        "json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert [m["role"] for m in found[0]["messages"]] == ["system", "user", "assistant"]
    assert found[0]["messages"][1]["content"] == LETTERS[0].text
