"""Training journeys on a corpus small enough to learn in a second."""

import json

import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.documents.corpus import load_corpus
from mustermann.journeys import training
from mustermann.journeys.training import regimes, train

NAMES = (
    "Weber",
    "Krause",
    "Lorenz",
    "Brandt",
    "Jung",
    "Sommer",
    "Schulz",
    "Peters",
    "Conrad",
    "Meiser",
)


def record(number, label, patient=None):
    name = NAMES[number % len(NAMES)]
    text = f"Herr {name} kam am {number % 28 + 1}.3.2024 mit Husten."
    made = {"id": f"{number:06}", "text": text,
            "difficulty": "adversarial" if number % 4 == 0 else "easy",
            "spans": [{"start": 5, "end": 5 + len(name), "label": label}]}  # fmt: skip
    return made | ({"patient": patient} if patient else {})


def write(path, records):
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "HOLDOUT", 4)
    letters = write(tmp_path / "letters.jsonl", [record(n, "PATIENT_NAME") for n in range(16)])
    public = write(
        tmp_path / "public.jsonl", [record(n, "NAME_PATIENT", f"p{n // 2}") for n in range(8)]
    )
    return letters, public


def run(corpora, tmp_path, **options):
    return regimes(*corpora, folds=2, seeds=(0, 1), limit=8, cache=tmp_path / "c" / "p", **options)


def test_a_trained_detector_loads_back(corpora, tmp_path):
    model = train(corpora[0], tmp_path / "model", limit=10)
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert (card["documents"], card["held_out"]) == (8, 2)
    assert card["f1_by_step"][card["best_step"] - 1] == max(card["f1_by_step"])
    assert card["labels"] == ["NAME"]


@pytest.mark.parametrize(
    ("options", "message"), [({"kind": "oracle"}, "oracle"), ({"overrides": ["l3=1"]}, "l1|l2")]
)
def test_unknown_settings_are_refused(corpora, tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        train(corpora[0], tmp_path / "model", **options)


def test_regimes_learn_this_easy_corpus(corpora, tmp_path):
    result = run(corpora, tmp_path)
    for figures in (result.public, result.holdout):
        assert figures["both"]["span_f1"].mean == 1.0
    assert result.seeds == 2


def test_only_both_tells_public_documents_from_letters(corpora, tmp_path, monkeypatch):
    seen = {}

    def noted(examples, out, **options):
        domains = frozenset(example.domain for example in examples)
        seen[domains] = seen.get(domains, 0) + 1
        return real(examples, out, **options)

    real = training.train_crf
    monkeypatch.setattr(training, "train_crf", noted)
    run(corpora, tmp_path)
    # Two seeds: one synthetic and two public models each without a domain, two of both.
    assert seen == {frozenset({""}): 6, frozenset({"", "public"}): 4}


def test_a_second_run_trains_nothing(corpora, tmp_path, monkeypatch):
    first = run(corpora, tmp_path).to_record()

    def never(*args, **kwargs):
        raise AssertionError("trained again")

    monkeypatch.setattr(training, "train_crf", never)
    assert run(corpora, tmp_path).to_record() == first


def test_no_patient_is_in_two_folds(corpora):
    from mustermann.core.seeds import Seeds
    from mustermann.metrics.projection import Projection

    plain = [
        training._plain(d, Projection("grascco", coarse=True)) for d in load_corpus(corpora[1])
    ]
    folds = training._folds(plain, 2, Seeds(0))
    owner = {}
    for document, fold in zip(plain, folds, strict=True):
        assert owner.setdefault(document.patient, fold) == fold
    assert set(folds) == {0, 1}


def test_an_ablation_leaves_letters_out(corpora, tmp_path):
    with pytest.raises(DataError, match="synthetic letters"):
        run(corpora, tmp_path, without=("easy",))
