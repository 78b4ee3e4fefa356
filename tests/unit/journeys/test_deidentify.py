"""`deid run`: what goes out, and what must not."""

import json

import pytest

from mustermann.core.errors import ConfigError
from mustermann.documents.corpus import load_corpus
from mustermann.journeys.deidentify import deidentify

RECORD = {"id": "1", "text": "Frau Petra Schütz kam.", "attributes": {"patient": "Petra Schütz"},
          "spans": [{"start": 5, "end": 17, "label": "PATIENT_NAME"}]}  # fmt: skip


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(RECORD, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def test_found_spans_are_written_on_the_same_text(corpus, tmp_path):
    result = deidentify("rules", corpus, tmp_path / "out")
    (document,) = load_corpus(tmp_path / "out")
    assert document.text == RECORD["text"]
    assert [(s.start, s.end, s.label) for s in document.spans] == [(5, 17, "PATIENT_NAME")]
    assert result.spans == {"PATIENT_NAME": 1}
    assert load_corpus(tmp_path / "out").labels == "mustermann"


def test_nothing_of_a_redacted_letter_gives_the_name_away(corpus, tmp_path):
    deidentify("rules", corpus, tmp_path / "out", mode="label")
    written = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "out").iterdir())
    assert "Schütz" not in written
    (document,) = load_corpus(tmp_path / "out")
    assert document.text == "Frau [PATIENT_NAME] kam."
    assert document.meta["offsets"] == [[5, 17, 5, 19]]


def test_an_unknown_mode_is_refused(corpus, tmp_path):
    with pytest.raises(ConfigError, match=r"keep\|mask\|label\|surrogate"):
        deidentify("rules", corpus, tmp_path / "out", mode="eat")


def test_a_letter_on_which_the_detector_fails_is_not_written(corpus, tmp_path, monkeypatch):
    from mustermann.detectors.rules.detector import RuleDetector

    def broken(self, text):
        raise RuntimeError("broken")

    monkeypatch.setattr(RuleDetector, "detect", broken)
    result = deidentify("rules", corpus, tmp_path / "out")
    assert result.failed == ("1",)
    assert list(load_corpus(tmp_path / "out")) == []


def test_a_surrogate_takes_the_place_of_a_name(corpus, tmp_path):
    deidentify("rules", corpus, tmp_path / "out", mode="surrogate", seed=3)
    (document,) = load_corpus(tmp_path / "out")
    (span,) = document.spans
    assert document.text == f"Frau {document.surface(span)} kam."
    assert "Petra" not in document.text
    assert "Schütz" not in document.text
    assert document.meta["offsets"] == [[5, 17, span.start, span.end]]


def test_without_a_seed_nobody_can_draw_the_same(corpus, tmp_path, monkeypatch):
    drawn = iter((5, 6))
    monkeypatch.setattr("secrets.randbits", lambda bits: next(drawn))
    texts = []
    for name in "ab":
        deidentify("rules", corpus, tmp_path / name, mode="surrogate")
        (document,) = load_corpus(tmp_path / name)
        texts.append(document.text)
    assert texts[0] != texts[1]


@pytest.mark.parametrize(
    ("name", "renamed"),
    [("Schuetz_Petra", True), ("schütz-2", True), ("letter-17", False), ("petrarca", False)],
)
def test_an_id_that_holds_the_name_is_replaced(tmp_path, name, renamed):
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps(RECORD | {"id": name}) + "\n", encoding="utf-8")
    result = deidentify("rules", path, tmp_path / "out", mode="mask")
    (document,) = load_corpus(tmp_path / "out")
    assert (document.id, result.renamed) == (("document-00001", 1) if renamed else (name, 0))
    deidentify("rules", path, tmp_path / "kept", mode="mask", keep_ids=True)
    assert next(iter(load_corpus(tmp_path / "kept"))).id == name


@pytest.mark.parametrize("to", ["text", "brat", "cas-json", "cas-xmi", "jsonl", "i2b2"])
def test_any_format_goes_in_and_out(corpus, tmp_path, to):
    if to.startswith("cas"):
        pytest.importorskip("cassis")
    deidentify("rules", corpus, tmp_path / "first", to=to)
    result = deidentify("rules", tmp_path / "first", tmp_path / "second", mode="label")
    (document,) = load_corpus(tmp_path / "second")
    assert document.text == "Frau [PATIENT_NAME] kam."
    assert load_corpus(tmp_path / "second").format == to
    assert result.spans == {"PATIENT_NAME": 1}
    if to != "jsonl":
        (line,) = (tmp_path / "second" / "offsets.jsonl").read_text("utf-8").splitlines()
        assert json.loads(line)["offsets"] == [[5, 17, 5, 19]]


def test_one_text_file_is_a_corpus(tmp_path):
    (tmp_path / "brief.txt").write_text("Frau Petra Schütz kam.", encoding="utf-8")
    deidentify("rules", tmp_path / "brief.txt", tmp_path / "out", mode="mask")
    text = (tmp_path / "out" / "brief.txt").read_text(encoding="utf-8")
    assert text == "Frau ████████████ kam."
