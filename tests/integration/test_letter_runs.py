"""Runs of the letter half: order and grouping, rows that are given, what the manifest counts."""

import json
from datetime import date

import pytest

from mustermann.documents.corpus import load_corpus
from mustermann.journeys.letters import Job, generate
from mustermann.letters.attributes.admission import Admission
from mustermann.letters.config import LettersConfig

COUNT = 8


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    generate(COUNT, out, seed=21)
    return out


def lines(directory):
    return (directory / "corpus.jsonl").read_bytes().splitlines()


def test_letters_do_not_depend_on_order_or_company(whole):
    job = Job(seed=21, config=LettersConfig(), admissions=None)
    backward = [made.line.rstrip(b"\n") for made in job(range(COUNT - 1, -1, -1))]
    assert backward[::-1] == lines(whole)
    assert [made.line.rstrip(b"\n") for made in job([5])] == [lines(whole)[5]]


def test_some_ids_are_those_letters_of_the_run(whole, tmp_path):
    generate(COUNT, tmp_path / "o", seed=21, ids=[1, 4, 6])
    assert lines(tmp_path / "o") == [lines(whole)[number] for number in (1, 4, 6)]


def test_the_manifest_counts_what_is_there(whole):
    manifest = json.loads((whole / "manifest.json").read_text(encoding="utf-8"))
    counts, documents = manifest["counts"], list(load_corpus(whole))
    assert counts["letters"] == len(documents) == COUNT
    assert counts["characters"] == sum(len(document.text) for document in documents)
    for group in ("difficulty", "style", "structure", "length"):
        assert sum(counts[group].values()) == COUNT
    spans = [span for document in documents for span in document.spans]
    assert sum(counts["labels"].values()) == len(spans)
    phones = [span for span in spans if span.label in {"PHONE", "MOBILE", "FAX"}]
    drama = sum(span.details["number"] == "fictional" for span in phones)
    assert counts["phones"].get("fictional", 0) == drama
    assert sum(counts["phones"].values()) == len(phones)
    assert manifest["seed"] == 21
    assert manifest["config"]["difficulty"]["easy"] == 0.25
    assert manifest["versions"]["mustermann"]


def test_a_letter_agrees_with_the_row_that_it_was_given():
    rows = (
        Admission(age=71, sex="f", specialty="Kardiologie", icd="I21.4", length_of_stay=6),
        Admission(age=44, sex="m", length_of_stay=4),
        Admission(age=83, sex="f"),
    )
    job = Job(seed=4, config=LettersConfig(), admissions=rows)
    for made, row in zip(job(range(len(rows))), rows, strict=True):
        record = json.loads(made.line)
        attributes = record["attributes"]
        codes = [line["icd"] for line in attributes["course"]["diagnoses"]]
        assert attributes["age"] == row.age
        assert attributes["patient"]["sex"] == row.sex
        assert row.specialty in (None, "", attributes["course"]["specialty"])
        assert row.icd in (None, "", *codes)
        first, last = (
            date.fromisoformat(attributes["dates"][slot]) for slot in ("aufnahme", "entlassung")
        )
        assert row.length_of_stay in (None, (last - first).days)
