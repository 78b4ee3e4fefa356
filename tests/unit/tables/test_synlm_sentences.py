"""Fits of sentences end to end: what they spend, that they go on, and what comes back from disk."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.privacy.budget import Budget
from mustermann.privacy.dpsgd import DpSgd
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.mechanisms import Mechanism
from mustermann.tables import fitting, recipe
from mustermann.tables.checkpoint import Checkpoints
from mustermann.tables.domain import Column, Domain
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.synlm import SynLMModel

DOMAIN = Domain(
    (
        Column("a", 3, ordered=False, labels=("red", "reddish", "blue")),
        Column("b", 6, ordered=True, labels=("1", "2", "3", "10", "11", "12")),
        Column("c", 2, ordered=False, labels=("yes", "no")),
    )
)
EVERY = np.array(list(itertools.product(*[range(size) for size in DOMAIN.sizes])))
DESIGNS = {
    "level": {},
    "random": {"order": "random", "augmult": 2},
    "bpe": {"tokenizer": "bpe", "vocabulary": 262},
    "unigram, tied": {"tokenizer": "unigram", "vocabulary": 300, "tied": True},
    "no trie": {"trie": "evaluation"},
}


def rows(count=1000, seed=0):
    """Column b follows a, and c follows both, mostly."""
    draws = np.random.default_rng(seed)
    a = draws.choice(3, count, p=[0.6, 0.3, 0.1])
    b = np.clip(2 * a + draws.integers(0, 2, count), 0, 5)
    c = (b + a + (draws.random(count) < 0.1)) % 2
    return np.stack([a, b, c], axis=1)


def cut(name, *, epsilon, rows):
    """Returns a plan of few steps."""
    numbers = recipe.plan(name, epsilon=epsilon, rows=rows)
    training = dataclasses.replace(numbers.training, steps=20)
    shape = dataclasses.replace(numbers.shape, width=16, layers=1, heads=2)
    field = numbers.field
    if field:
        chains = recipe.Chains(count=100, sweeps=20, kept=3)
        pretraining = dataclasses.replace(field.pretraining, steps=20)
        field = dataclasses.replace(field, chains=chains, pretraining=pretraining)
    return dataclasses.replace(numbers, training=training, shape=shape, field=field, rate=0.1)


@pytest.fixture(autouse=True, scope="module")
def short():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "plan", cut)
        yield


class QuickLedger(Ledger):
    """Calibration takes seconds; here the noise is what it would be near epsilon = 6."""

    def sgd(self, name, *, steps, rate, clip, what):
        return Mechanism(steps=steps, rate=rate, clip=clip, noise=0.7)


def quick(**settings):
    """Returns a fit that is not accounted."""
    return fitted(QuickLedger, **settings)[0]


def fitted(kind=Ledger, **settings):
    model = SynLMModel(layout="sentence", **settings)
    ledger = kind(Budget(epsilon=6.0, delta=1e-5))
    model.fit(rows(), DOMAIN, ledger=ledger, seed=0)
    return model, ledger


@pytest.fixture(scope="module", params=DESIGNS)
def fit(request):
    return fitted(**DESIGNS[request.param])


@pytest.fixture(scope="module")
def cheap():
    return quick(tokenizer="bpe", recipe="paper", steps=1)


def test_it_is_a_distribution_that_has_learnt_something(fit):
    model, _ = fit
    assert np.exp(model.log_likelihood(EVERY)).sum() == pytest.approx(1, abs=1e-5)
    uniform = -np.log(np.prod(DOMAIN.sizes))
    assert model.log_likelihood(rows(seed=1)).mean() > uniform + 0.3


def test_it_pays_for_the_same_releases_out_of_the_same_budget(fit):
    _, ledger = fit
    assert [release.name for release in ledger.releases] == ["marginals", "moments", "training"]
    assert 5.98 < ledger.spent() <= 6.0


def test_it_comes_back_from_files_that_hold_no_code(fit, tmp_path):
    model, _ = fit
    model.save(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    loaded = SynLMModel.load(tmp_path, DOMAIN)
    assert np.array_equal(loaded.log_likelihood(EVERY), model.log_likelihood(EVERY))
    assert np.array_equal(*(next(m.sample(80, seed=3)) for m in (model, loaded)))
    for name in ("random", "guided", "tied"):
        assert getattr(loaded.model, name) == getattr(model.model, name)
    assert loaded.model.lexicon == model.model.lexicon


def test_a_walk_gives_the_likelihood(fit):
    model, _ = fit
    walk, total = model.walk(len(EVERY)), np.zeros(len(EVERY))
    for column in model.order:
        total += np.log(walk.chances()[np.arange(len(EVERY)), EVERY[:, column]])
        walk.take(EVERY[:, column])
    assert total == pytest.approx(model.log_likelihood(EVERY), abs=1e-5)


def test_views_and_steps_reach_the_engine_that_is_accounted(monkeypatch):
    seen = []
    begin = DpSgd.__init__

    def watched(self, module, losses, data, mechanism, optimiser, **settings):
        seen.append((mechanism, settings["views"], type(module)))
        begin(self, module, losses, data, mechanism, optimiser, **settings)

    monkeypatch.setattr(DpSgd, "__init__", watched)
    _, ledger = fitted(order="random", augmult=3, steps=4, recipe="paper")
    [(mechanism, views, kind)] = seen
    assert (mechanism.steps, views, kind) == (4, 3, SentenceTransformer)
    [release] = ledger.releases
    assert release.event == mechanism.event()


def test_orders_are_the_recipes_or_what_is_asked_for():
    for order in ("natural", "random"):
        assert quick(order=order, recipe="paper", steps=1).order == (0, 1, 2)
    greedy, natural = (
        quick(steps=1, order=order).model.order.tolist() for order in ("moments", "natural")
    )
    assert sorted(greedy) == natural == [0, 1, 2]
    column = SynLMModel(order="natural", steps=1)
    ledger = QuickLedger(Budget(epsilon=6.0, delta=1e-5))
    column.fit(rows(), DOMAIN, ledger=ledger, seed=0)
    assert column.order == (0, 1, 2)


def test_a_given_text_is_declared_public(tmp_path):
    text = tmp_path / "public.txt"
    text.write_text("red and blue\n")
    settings = {"tokenizer": "bpe", "tokenizer_text": str(text), "recipe": "paper", "steps": 1}
    _, ledger = fitted(**settings)
    assert "the text that the tokenizer was trained on" in ledger.guarantee().sentence


def test_names_that_are_missing_are_refused_before_anything_is_spent():
    bare = Domain(tuple(dataclasses.replace(c, labels=()) for c in DOMAIN.columns))
    ledger = Ledger(Budget(epsilon=6.0, delta=1e-5))
    with pytest.raises(ConfigError, match="tokenizer=level"):
        SynLMModel(layout="sentence", tokenizer="bpe").fit(rows(), bare, ledger=ledger, seed=0)
    assert not ledger.releases


def test_it_goes_on_from_a_checkpoint_without_the_text_it_was_spelt_by(tmp_path, monkeypatch):
    text = tmp_path / "public.txt"
    text.write_text("reddish red\n")
    settings = {"tokenizer": "bpe", "tokenizer_text": str(text), "recipe": "paper"}
    ledger = Ledger(Budget(epsilon=6.0, delta=1e-5))

    def model():
        checkpoints = Checkpoints(tmp_path / "fit", settings="same")
        if not checkpoints.exists:
            checkpoints.begin()
        made = SynLMModel(layout="sentence", tied=True, **settings)
        made.keep_in(checkpoints)
        return made

    advance = DpSgd.advance

    def stopped(self):
        if self.step == 7:
            raise KeyboardInterrupt
        advance(self)

    with monkeypatch.context() as patch:
        patch.setattr(DpSgd, "advance", stopped)
        with pytest.raises(KeyboardInterrupt):
            model().fit(rows(), DOMAIN, ledger=ledger, seed=0)
    text.write_text("something else\n")
    saved = Checkpoints(tmp_path / "fit", settings="same").saved()
    again = model()
    again.fit(rows(), DOMAIN, ledger=saved.ledger, seed=0)
    assert again.model.lexicon.spellings[0] == tuple(
        tuple(level) for level in saved.record["lexicon"]["spellings"][0]
    )
    assert np.exp(again.log_likelihood(EVERY)).sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        {"lexicon": None},
        {"lexicon": {"tokenizer": "pieces", "words": ["a"], "spellings": [[[0]]]}},
        {"tied": None, "lexicon": {}},
        {"format": 1, "shape": {"width": 3}},
    ],
)
def test_broken_records_are_refused_in_one_line(cheap, tmp_path, change):
    cheap.save(tmp_path)
    record = json.loads((tmp_path / "synlm.json").read_text()) | change
    (tmp_path / "synlm.json").write_text(json.dumps(record))
    with pytest.raises(DataError, match="synlm") as caught:
        SynLMModel.load(tmp_path, DOMAIN)
    assert "\n" not in str(caught.value)


def test_a_model_of_another_table_is_refused(tmp_path):
    quick(recipe="paper", steps=1).save(tmp_path)
    other = Domain((*DOMAIN.columns[:2], Column("c", 9, ordered=False)))
    with pytest.raises(DataError, match="this table"):
        SynLMModel.load(tmp_path, other)
