import json

import pytest
from click.testing import CliRunner

from mustermann.cli.main import main
from mustermann.documents.corpus import load_corpus, write_corpus
from mustermann.documents.document import Document
from mustermann.documents.spans import Span

LETTERS = [Document(f"{i}", f"Frau Ä {i}", (Span(5, 6, "PATIENT_NAME"),)) for i in range(3)]

KEYS = """mean_chars std_chars tokens spans_per_1k ttr mtld trigram_novelty self_bleu smog fkgl
frechet mmd js jaccard"""


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


@pytest.mark.parametrize("target", ["brat", "cas-json", "conll", "parquet"])
def test_there_and_back(tmp_path, target):
    write_corpus(LETTERS, tmp_path / "a")
    there = run("corpus", "convert", tmp_path / "a", tmp_path / "b", "--to", target, "--json")
    assert json.loads(there.output) == {"documents": 3, "losses": {}, "set_aside": 0}
    assert run("corpus", "convert", tmp_path / "b", tmp_path / "c", "--to", "jsonl").exit_code == 0
    assert list(load_corpus(tmp_path / "c")) == LETTERS


def test_stats_have_the_keys_of_the_contract(tmp_path):
    write_corpus(LETTERS, tmp_path / "a")
    found = json.loads(
        run("corpus", "stats", tmp_path / "a", "--against", tmp_path / "a", "--json").output
    )
    assert found["documents"] == 3
    assert set(KEYS.split()) <= set(found)
    assert found["js"] == 0
    assert found["jaccard"] == 1
