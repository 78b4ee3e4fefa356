import json

import pytest
from click.testing import CliRunner

from mustermann.cli.main import main
from mustermann.core.errors import ConfigError, DataError
from mustermann.documents.corpus import load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.spans import Span

LETTERS = [
    Document(f"Fall{i // 2}_{i % 2}", f"Frau Ä{i}, {i} Jahre", (Span(5, 6, "PATIENT_NAME"),),
             meta={"difficulty": ("easy", "hard")[i // 2 % 2]})
    for i in range(40)
]  # fmt: skip
PATIENT = r"^[^_]+"


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def corpus(tmp_path):
    write_corpus(LETTERS, tmp_path / "a")
    return tmp_path / "a"


def test_splits_are_corpora_that_share_no_patient(corpus, tmp_path):
    result = run("corpus", "split", corpus, tmp_path / "s", "--patient", PATIENT, "--json")
    found = json.loads(result.output)
    assert found["documents"] == {"train": 32, "dev": 4, "test": 4}
    assert found["patients"] == 20
    assert all(pair["shared_patients"] == 0 for pair in found["leakage"].values())
    parts = {name: list(load_corpus(tmp_path / "s" / name)) for name in found["documents"]}
    assert sorted(d.id for part in parts.values() for d in part) == sorted(d.id for d in LETTERS)
    listing = json.loads((tmp_path / "s" / "split.json").read_text())
    assert {n: sorted(ids) for n, ids in listing["documents"].items()} == {
        name: sorted(d.id for d in part) for name, part in parts.items()
    }
    assert load_corpus(tmp_path / "s" / "dev").manifest["split"]["name"] == "dev"


def test_the_same_seed_gives_the_same_bytes(corpus, tmp_path):
    for name in ("one", "two"):
        run("corpus", "split", corpus, tmp_path / name, "--seed", 7)
    for part in ("train", "dev", "test"):
        one, two = (tmp_path / name / part / "corpus.jsonl" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


def test_two_shares_with_other_names(corpus, tmp_path):
    result = run("corpus", "split", corpus, tmp_path / "s", "--shares", "a=0.5,b=0.5")
    assert "a " in result.output
    assert len(list(load_corpus(tmp_path / "s" / "b"))) == 20


@pytest.mark.parametrize("shares", ["a", "a=x", "a=0.5", "../a=0.5,b=0.5", "=1"])
def test_shares_that_make_no_sense_are_refused(corpus, tmp_path, shares):
    with pytest.raises(ConfigError):
        run("corpus", "split", corpus, tmp_path / "s", "--shares", shares)
    assert not (tmp_path / "s").exists()


def test_leakage_of_a_corpus_against_itself_is_everything(corpus):
    found = json.loads(run("corpus", "leakage", corpus, corpus, "--json").output)
    assert found["leaks"] is False
    assert found["shared_ids"] == 40
    with_patients = run("corpus", "leakage", corpus, corpus, "--patient", PATIENT)
    assert "leaks; shared patients 20" in with_patients.output


def test_a_missing_corpus_is_a_foreseen_error(corpus, tmp_path):
    with pytest.raises(DataError, match="found nothing"):
        run("corpus", "leakage", corpus, tmp_path / "none")
