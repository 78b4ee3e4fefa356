"""A field learns a simple rule, loads back, and says what it is."""

import json

import pytest

from mustermann.core.errors import ConfigError, DataError, PluginError
from mustermann.detectors import tagging
from mustermann.detectors.crf import CrfDetector
from mustermann.detectors.prediction import clean
from mustermann.detectors.registry import load_detector
from mustermann.detectors.training.crf import CrfSettings, train_crf
from mustermann.detectors.training.example import Example, split
from mustermann.documents.spans import Span

NAMES = ("Weber", "Krause", "Lorenz", "Schütz", "Brandt", "Voß", "Jung", "Sommer")


def examples():
    for number, name in enumerate(NAMES):
        text = f"Herr {name} kam am {number + 1}.3.2024 mit Husten."
        at = text.index(" kam am ") + 8
        yield Example(text, (Span(5, 5 + len(name), "NAME"), Span(at, at + 8, "DATE")))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return train_crf(
        examples(),
        tmp_path_factory.mktemp("crf") / "model",
        settings=CrfSettings(rarest=1, held_out=0),
    )


def test_it_finds_names_and_dates_it_never_saw(model):
    text = "Herr Quidde kam am 9.3.2024 mit Fieber."
    found = CrfDetector(model).detect(text)
    assert [(text[s.start : s.end], s.label) for s in found] == [
        ("Quidde", "NAME"),
        ("9.3.2024", "DATE"),
    ]


def test_it_keeps_the_contract(model):
    detector = load_detector(f"crf:{model}")
    assert detector.labels == {"NAME", "DATE"}
    assert detector.signature.startswith("crf|")
    for text in ("", "\n\n", "😊", "³² ½", "A" * 3000):
        assert not clean(detector.detect(text), length=len(text)).faults


def test_equal_examples_give_equal_models(model, tmp_path):
    again = train_crf(examples(), tmp_path / "again", settings=CrfSettings(rarest=1, held_out=0))
    assert CrfDetector(again).signature == CrfDetector(model).signature


def test_the_card_says_what_went_in(model):
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert card["documents"] == 8
    assert card["spans"] == {"DATE": 8, "NAME": 8}
    assert card["settings"]["rarest"] == 1


def test_a_domain_keeps_its_own_convention_against_many(tmp_path):
    def example(number, domain):
        text = f"Herr {NAMES[number % 8]} kam auf Station {number % 7}."
        at = text.index("Station ") + 8
        name = Span(5, 5 + len(NAMES[number % 8]), "NAME")
        spans = (name,) if domain else (name, Span(at, at + 1, "ID"))
        return Example(text, spans, domain)

    examples = [example(number, "") for number in range(40)]
    examples += [example(number, "public") for number in range(6)]
    settings = CrfSettings(rarest=1, held_out=0)
    model = train_crf(examples, tmp_path / "model", settings=settings)
    text = "Herr Quidde kam auf Station 5."
    letter, public = CrfDetector(model), CrfDetector(model, domain="public")
    assert [span.label for span in letter.detect(text)] == ["NAME", "ID"]
    assert [span.label for span in public.detect(text)] == ["NAME"]
    assert letter.signature != public.signature
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    assert card["domains"] == ["public"]


def noisy(count):
    """Yields letters whose names are learnt by heart sooner than by rule."""
    for number in range(count):
        name = f"{NAMES[number % len(NAMES)]}{'aeiou'[number % 5]}"
        ward = f"Station {number % 7}"
        text = f"{'Herr' if number % 3 else 'Pat.'} {name} lag auf {ward}, {name} hustet."
        label = "ID" if number % 4 else "NAME"
        at = text.index(ward)
        yield Example(text, (Span(5, 5 + len(name), "NAME"), Span(at, at + len(ward), label)))


def test_it_stops_at_the_best_step_on_what_is_held_out(tmp_path):
    settings = CrfSettings(rarest=1, held_out=0.25, patience=3, iterations=60)
    model = train_crf(noisy(40), tmp_path / "model", settings=settings, seed=3)
    card = json.loads((model / "model.json").read_text(encoding="utf-8"))
    scores, best = card["f1_by_step"], card["best_step"]
    assert (card["documents"], card["held_out"]) == (30, 10)
    assert max(scores) > scores[0]
    assert scores[best - 1] == max(scores)
    assert len(scores) == best + 3
    held_out = split(list(noisy(40)), share=0.25, seed=3).held_out
    assert tag_f1(CrfDetector(model), held_out) == pytest.approx(max(scores), abs=1e-4)


def tag_f1(detector, examples):
    """Returns the F1 of the tags, counted here once more."""
    match = found = gold = 0
    for example in examples:
        words = tagging.tokens(example.text)
        wanted = tagging.tags(words, example.spans)
        given = tagging.tags(words, detector.detect(example.text))
        match += sum(a == b != "O" for a, b in zip(wanted, given, strict=True))
        found += sum(tag != "O" for tag in given)
        gold += sum(tag != "O" for tag in wanted)
    return 2 * match / (found + gold)


def test_a_seed_draws_what_is_held_out(tmp_path):
    def signature(name, seed):
        settings = CrfSettings(rarest=1, iterations=10)
        model = train_crf(noisy(20), tmp_path / name, settings=settings, seed=seed)
        return CrfDetector(model).signature

    assert signature("a", 1) == signature("b", 1) != signature("c", 2)


@pytest.mark.parametrize("bad", [{"held_out": 1.0}, {"patience": 0}, {"iterations": 0}])
def test_settings_that_leave_nothing_to_do_are_refused(bad):
    with pytest.raises(ConfigError, match="Expected"):
        CrfSettings(**bad)


def test_a_missing_model_says_how_to_get_one(tmp_path):
    with pytest.raises(PluginError, match="deid train"):
        CrfDetector(tmp_path)


def test_a_model_of_other_features_is_refused(model, tmp_path):
    for file in model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.json").write_text('{"features": "0", "labels": []}', encoding="utf-8")
    with pytest.raises(PluginError, match="Train it again"):
        CrfDetector(tmp_path)


def test_nothing_to_learn_is_refused(tmp_path):
    with pytest.raises(DataError, match="without a span"):
        train_crf([Example("Husten.", ())], tmp_path / "model")


def test_an_existing_directory_is_refused(model):
    with pytest.raises(ConfigError, match="exists"):
        train_crf(examples(), model)
