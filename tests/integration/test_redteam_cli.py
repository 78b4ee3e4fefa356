"""`mustermann letters redteam` from the shell."""

import json

import pytest
from click.testing import CliRunner

from mustermann.cli.main import main


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    out = tmp_path_factory.mktemp("redteam") / "letters"
    done = CliRunner().invoke(
        main, ["letters", "generate", "-n", "6", "--seed", "3", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    return out


def test_a_planted_leak_a_copy_and_a_twin_are_found(corpus, tmp_path):
    lines = (corpus / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    leaking = json.loads(lines[1])
    leaking["text"] += "\nRückfragen an Frau Dr. Annegret Kasulzke, Tel. 030 23125 777."
    twin = json.loads(lines[0]) | {"id": "000099"}
    spoilt = tmp_path / "spoilt.jsonl"
    records = [json.loads(lines[0]), leaking, *map(json.loads, lines[2:]), twin]
    spoilt.write_text("\n".join(json.dumps(r) for r in records), encoding="utf-8")
    page = tmp_path / "redteam.html"
    done = CliRunner().invoke(
        main, ["letters", "redteam", str(spoilt), "--json", "--report", str(page)]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    assert found["letters"] == 7
    assert [(p["first"], p["second"]) for p in found["duplicates"]] == [("000000", "000099")]
    assert found["repeats"]["patient"] == 1
    leaks = [find for find in found["finds"] if find["letter"] == leaking["id"]]
    assert any("Kasulzke" in find["text"] for find in leaks)
    assert "Kasulzke" in page.read_text(encoding="utf-8")


def test_without_detectors_nothing_is_searched(corpus):
    done = CliRunner().invoke(main, ["letters", "redteam", str(corpus), "--detectors", ""])
    assert done.exit_code == 0, done.output
    assert "6 letters, 0 pairs nearly the same" in done.output
    assert "0 unlabelled finds" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["/nowhere"], "nowhere"), (["{corpus}", "--detectors", "no_such"], "no_such")],
)
def test_bad_input_is_one_line(corpus, arguments, said):
    filled = [argument.format(corpus=corpus) for argument in arguments]
    done = CliRunner().invoke(main, ["letters", "redteam", *filled])
    assert done.exit_code != 0
    assert said in done.output + str(done.exception)
