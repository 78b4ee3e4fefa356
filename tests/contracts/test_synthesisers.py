"""What every synthesiser keeps to; parametrised over the plugins that are installed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mustermann.core import plugins
from mustermann.core.errors import PluginError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables.domain import Column, Domain
from mustermann.tables.model import synthesiser_type

DOMAIN = Domain(
    (
        Column("a", 3, ordered=False),
        Column("b", 5, ordered=True),
        Column("constant", 1, ordered=False),
        Column("c", 2, ordered=False),
    )
)
GROUP = "mustermann.synthesisers"


def rows(count=2000):
    draws = np.random.default_rng(0)
    a = draws.choice(3, count, p=[0.6, 0.3, 0.1])
    b = np.minimum(a + draws.integers(0, 3, count), 4)
    return np.column_stack([a, b, np.zeros(count, int), b > 2]).astype(np.int64)


# Training takes its steps however few the rows are.
SLOW = {"synlm", "synlm-paper"}
METHODS = [
    pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
    for name in plugins.names(GROUP)
]


@pytest.fixture(scope="module", params=METHODS)
def fitted(request):
    try:
        method = synthesiser_type(request.param)
    except PluginError as missing:
        pytest.skip(str(missing))
    ledger = Ledger(Budget(epsilon=8.0, delta=1e-5))
    model = method()
    model.fit(rows(), DOMAIN, ledger=ledger, seed=0)
    return model, ledger


def test_it_is_named_like_its_plugin(fitted):
    model, _ = fitted
    assert model.name in plugins.names(GROUP)


def test_it_spends_the_budget_and_no_more(fitted):
    guarantee = fitted[1].guarantee()
    assert 7.5 < guarantee.epsilon <= 8.0
    assert guarantee.shares
    assert all(share.what for share in guarantee.shares)


def test_its_likelihoods_are_those_of_a_distribution(fitted):
    every = np.array(list(itertools.product(*(range(size) for size in DOMAIN.sizes))))
    likelihoods = np.exp(fitted[0].log_likelihood(every))
    assert likelihoods.shape == (30,)
    assert likelihoods.sum() == pytest.approx(1, abs=1e-4)
    assert (likelihoods > 0).all()


def test_its_samples_are_levels_of_their_columns_in_the_number_asked_for(fitted):
    for count in (1, 137):
        blocks = list(fitted[0].sample(count, seed=0))
        drawn = np.concatenate(blocks)
        assert drawn.shape == (count, 4)
        assert drawn.dtype == np.int64
        assert (drawn >= 0).all()
        assert (drawn < DOMAIN.sizes).all()


def test_its_samples_follow_its_likelihoods(fitted):
    model, _ = fitted
    drawn = np.concatenate(list(model.sample(4000, seed=1)))
    cells, counts = np.unique(drawn, axis=0, return_counts=True)
    likely = np.exp(model.log_likelihood(cells))
    frequent = counts >= 50
    assert counts[frequent] / 4000 == pytest.approx(likely[frequent], rel=0.4)


def test_a_seed_fixes_its_samples(fitted):
    first, again, other = (
        np.concatenate(list(fitted[0].sample(200, seed=seed))) for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_it_learns_from_rows(fitted):
    unseen = rows(3000)[2000:]
    uniform = -np.log(np.prod(DOMAIN.sizes))
    assert fitted[0].log_likelihood(unseen).mean() > uniform + 0.3


def test_it_comes_back_from_files_that_hold_no_code(fitted, tmp_path):
    model, _ = fitted
    model.save(tmp_path)
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} <= {
        ".json", ".safetensors",
    }  # fmt: skip
    again = type(model).load(tmp_path, DOMAIN)
    assert again.log_likelihood(rows(50)) == pytest.approx(model.log_likelihood(rows(50)))
    assert np.array_equal(*(np.concatenate(list(m.sample(50, seed=5))) for m in (model, again)))
