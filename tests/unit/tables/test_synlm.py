"""A fit from end to end: what it spends, what it learns, and what comes back from disk."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest

from mustermann.core.errors import DataError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import fitting, recipe
from mustermann.tables.domain import Column, Domain
from mustermann.tables.recipe import Sampling
from mustermann.tables.synlm import SynLMModel

DOMAIN = Domain(
    (Column("a", 3, ordered=False), Column("b", 6, ordered=True), Column("c", 2, ordered=False))
)
EVERY = np.array(list(itertools.product(*[range(size) for size in DOMAIN.sizes])))


def rows(count=1500, seed=0):
    """Column b follows a, and c follows both, mostly."""
    draws = np.random.default_rng(seed)
    a = draws.choice(3, count, p=[0.6, 0.3, 0.1])
    b = np.clip(2 * a + draws.integers(0, 2, count), 0, 5)
    c = (b + a + (draws.random(count) < 0.1)) % 2
    return np.stack([a, b, c], axis=1)


@pytest.fixture(autouse=True, scope="module")
def short():
    """Fewer steps; everything else as in a real fit."""

    def cut(name, *, epsilon, rows):
        numbers = recipe.plan(name, epsilon=epsilon, rows=rows)
        training = dataclasses.replace(numbers.training, steps=25)
        field = numbers.field
        if field:
            chains = recipe.Chains(count=300, sweeps=40, kept=5)
            pretraining = dataclasses.replace(field.pretraining, steps=60)
            field = dataclasses.replace(field, chains=chains, pretraining=pretraining)
        return dataclasses.replace(numbers, training=training, field=field, rate=0.1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitting, "plan", cut)
        yield


def fitted(codes=None, domain=DOMAIN, *, epsilon=5.0, seed=0, ledger=None, **settings):
    model = SynLMModel(**settings)
    ledger = ledger or Ledger(Budget(epsilon=epsilon, delta=1e-5))
    model.fit(rows() if codes is None else codes, domain, ledger=ledger, seed=seed)
    return model, ledger


@pytest.fixture(scope="module")
def fit():
    return fitted()


@pytest.fixture(scope="module")
def saved(fit, tmp_path_factory):
    model, _ = fit
    directory = tmp_path_factory.mktemp("model")
    model.save(directory)
    return model, directory


def test_learns_more_than_the_marginals_and_stays_a_distribution(fit):
    model, _ = fit
    assert np.exp(model.log_likelihood(EVERY)).sum() == pytest.approx(1, abs=1e-5)
    fresh = rows(seed=1)
    independent = sum(
        np.log(np.bincount(rows()[:, c], minlength=n) / 1500 + 1e-9)[fresh[:, c]]
        for c, n in enumerate(DOMAIN.sizes)
    )
    assert model.log_likelihood(fresh).mean() > independent.mean() + 0.3


def test_every_release_is_an_entry_and_the_budget_is_used_up(fit):
    _, ledger = fit
    assert [release.name for release in ledger.releases] == ["marginals", "moments", "training"]
    shares = {share.name: share.share for share in ledger.guarantee().shares}
    assert shares["marginals"] == pytest.approx(0.14, abs=1e-3)
    assert shares["moments"] == pytest.approx(0.2, abs=1e-3)
    assert 4.99 < ledger.spent() <= 5.0


def test_a_noised_count_is_paid_and_what_others_spent_is_left_alone():
    ledger = Ledger(Budget(epsilon=5.0, delta=1e-5))
    ledger.gaussian("bins", share=0.3, sensitivity=1.0, what="bins").release([0.0])
    fitted(ledger=ledger, rows="noised")
    names = [release.name for release in ledger.releases]
    assert names == ["bins", "rows", "marginals", "moments", "training"]
    assert ledger.spent() <= 5.0


def test_the_papers_recipe_trains_only():
    model, ledger = fitted(recipe="paper")
    assert [release.name for release in ledger.releases] == ["training"]
    assert model.model.order.tolist() == [0, 1, 2]
    assert np.exp(model.log_likelihood(EVERY)).sum() == pytest.approx(1, abs=1e-5)


def test_a_budget_that_is_gone_is_refused():
    ledger = Ledger(Budget(epsilon=5.0, delta=1e-5))
    ledger.gaussian("bins", share=0.95, sensitivity=1.0, what="bins").release([0.0])
    with pytest.raises(PrivacyError, match="marginals"):
        fitted(ledger=ledger)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codes", "domain"),
    [
        (np.empty((0, 3), dtype=np.int64), DOMAIN),
        (rows(50)[:, :1], Domain(DOMAIN.columns[:1])),
        (np.zeros((50, 2), dtype=np.int64), Domain((Column("x", 1, ordered=False),) * 2)),
    ],
    ids=["no rows", "one column", "one level"],
)
def test_odd_tables_fit(codes, domain):
    model, _ = fitted(codes, domain)
    (block,) = model.sample(7, seed=0)
    assert block.shape == (7, len(domain))
    assert np.isfinite(model.log_likelihood(block)).all()


def test_samples_come_from_the_seed(fit):
    model, _ = fit
    one, two = (np.concatenate(list(model.sample(500, seed=1))) for _ in range(2))
    assert (one == two).all()
    assert one.shape == (500, 3)


def test_coupling_is_a_setting_and_comes_back_from_disk(fit, tmp_path):
    plain, _ = fit
    coupled = SynLMModel(sample=Sampling(coupled=True))
    coupled._model = plain.model
    coupled.save(tmp_path)
    loaded = SynLMModel.load(tmp_path, DOMAIN)
    assert (next(loaded.sample(300, seed=1)) == next(coupled.sample(300, seed=1))).all()
    assert (next(plain.sample(300, seed=1)) != next(coupled.sample(300, seed=1))).any()


def test_an_unfitted_model_says_so():
    with pytest.raises(DataError, match="fit"):
        SynLMModel().log_likelihood(EVERY)


def test_the_same_likelihood_after_loading(saved):
    model, directory = saved
    loaded = SynLMModel.load(directory, DOMAIN)
    assert (loaded.log_likelihood(EVERY) == model.log_likelihood(EVERY)).all()
    assert sorted(p.name for p in directory.iterdir()) == ["synlm.json", "synlm.safetensors"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("synlm.json", None),
        ("synlm.json", b"{"),
        ("synlm.json", b"[]"),
        ("synlm.json", b'{"format": 99}'),
        ("synlm.json", b'{"format": 1}'),
        ("synlm.json", b'{"format": 1, "shape": {"depth": 3}, "order": [], "sampling": {}}'),
        ("synlm.json", b'{"format": 1, "shape": {}, "order": [0, 0, 1], "sampling": {}}'),
        ("synlm.safetensors", None),
        ("synlm.safetensors", b"\x80\x04K\x01."),
    ],
)
def test_broken_files_are_refused_in_one_line(saved, tmp_path, name, content):
    _, directory = saved
    for path in directory.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        SynLMModel.load(tmp_path, DOMAIN)
    assert str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_weights_of_another_table_are_refused(saved):
    _, directory = saved
    other = Domain((*DOMAIN.columns[:2], Column("c", 9, ordered=False)))
    with pytest.raises(DataError, match="this table"):
        SynLMModel.load(directory, other)


@pytest.mark.parametrize("width", [7, 0, -4, 10**9, "wide"])
def test_an_impossible_shape_is_refused(saved, tmp_path, width):
    _, directory = saved
    record = json.loads((directory / "synlm.json").read_text())
    record["shape"]["width"] = width
    (tmp_path / "synlm.json").write_text(json.dumps(record))
    (tmp_path / "synlm.safetensors").write_bytes((directory / "synlm.safetensors").read_bytes())
    with pytest.raises(DataError):
        SynLMModel.load(tmp_path, DOMAIN)
