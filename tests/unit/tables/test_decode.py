"""Sampling draws from exactly the distribution that the likelihood scores."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from scipy import stats

from mustermann.tables import decode
from mustermann.tables.domain import Column, Domain
from mustermann.tables.likelihood import by_column, log_likelihood
from mustermann.tables.transformer import Shape, TableTransformer

DOMAIN = Domain(
    (Column("a", 3, ordered=False), Column("b", 6, ordered=True), Column("c", 2, ordered=False))
)
EVERY = np.array(list(itertools.product(*[range(size) for size in DOMAIN.sizes])))


@pytest.fixture(scope="module")
def model():
    generator = torch.Generator().manual_seed(0)
    made = TableTransformer(
        DOMAIN, Shape(width=16, layers=2, heads=2), order=(2, 0, 1), generator=generator
    )
    with torch.no_grad():
        made.heads.weight.normal_(std=0.5, generator=generator)
        made.heads.bias.normal_(std=0.5, generator=generator)
    return made.eval()


def cells(rows):
    return np.ravel_multi_index(tuple(rows.T), DOMAIN.sizes)


def test_cached_logits_equal_those_of_the_whole_row(model):
    rows = torch.from_numpy(EVERY)
    whole = model(rows)
    walk = decode.Walk(model, len(rows))
    for position, column in enumerate(model.order.tolist()):
        cached = walk.logits()
        assert torch.allclose(cached, whole[:, position, : model.sizes[position]], atol=1e-5)
        walk.take(rows[:, column])


@pytest.mark.parametrize("coupled", [False, True])
def test_frequencies_are_the_exact_probabilities(model, coupled):
    count = 40_000
    rows = np.concatenate(list(decode.sample(model, count, seed=1, coupled=coupled)))
    expected = np.exp(log_likelihood(model, EVERY)) * count
    found = np.bincount(cells(rows), minlength=len(EVERY))
    # Coupling only takes variance away, so the bound of independent rows holds for both.
    assert stats.chisquare(found, expected * found.sum() / expected.sum()).pvalue > 1e-4


def test_coupled_counts_vary_less(model):
    def spread(coupled):
        means = [
            np.concatenate(list(decode.sample(model, 512, seed=seed, coupled=coupled))).mean(0)
            for seed in range(30)
        ]
        return np.std(means, axis=0)

    assert (spread(True) < 0.7 * spread(False)).all()


def test_blocks_add_up_and_do_not_depend_on_the_count(model, monkeypatch):
    monkeypatch.setattr(decode, "BLOCK_ROWS", 100)
    blocks = list(decode.sample(model, 250, seed=3))
    assert [len(block) for block in blocks] == [100, 100, 50]
    longer = np.concatenate(list(decode.sample(model, 1000, seed=3)))
    assert (np.concatenate(blocks) == longer[:250]).all()


def test_a_coupled_block_has_room_in_memory(model, monkeypatch):
    assert decode.block_rows(model) == decode.COUPLED_ROWS
    monkeypatch.setattr(decode, "COUPLED_BYTES", 1)
    assert decode.block_rows(model) == decode.BLOCK_ROWS // 4
    blocks = list(decode.sample(model, 2500, seed=3, coupled=True))
    assert [len(block) for block in blocks] == [1024, 1024, 452]


def test_the_seed_decides(model):
    one, two, other = (next(decode.sample(model, 200, seed=seed)) for seed in (5, 5, 6))
    assert (one == two).all()
    assert (one != other).any()


def test_no_rows(model):
    assert list(decode.sample(model, 0, seed=0)) == []


def test_restricted_draws_weigh_what_was_left(model):
    """Importance weights make the draws follow the conditional distribution."""
    allowed = {1: np.array([True, False, True, False, False, True]), 2: np.array([False, True])}
    uniforms = np.random.default_rng(0).random((20_000, 3))
    drawn = decode.draw(model, uniforms, allowed=allowed)
    assert set(drawn.codes[:, 1]) <= {0, 2, 5}
    assert set(drawn.codes[:, 2]) == {1}
    weights = np.exp(drawn.log_weights)
    found = np.bincount(cells(drawn.codes), weights, minlength=len(EVERY)) / weights.sum()
    kept = allowed[1][EVERY[:, 1]] & allowed[2][EVERY[:, 2]]
    exact = np.where(kept, np.exp(log_likelihood(model, EVERY)), 0)
    assert np.abs(found - exact / exact.sum()).sum() / 2 < 0.02
    # The mean weight is the probability of the condition.
    assert weights.mean() == pytest.approx(exact.sum(), rel=0.02)


def test_given_cells_stay_and_weigh_their_probability(model):
    given = np.eye(3, dtype=bool)[EVERY[:, 0]]
    drawn = decode.draw(model, np.full((len(EVERY), 3), 0.5), allowed={0: given})
    assert (drawn.codes[:, 0] == EVERY[:, 0]).all()
    assert drawn.log_weights == pytest.approx(by_column(model, drawn.codes)[:, 0], abs=1e-5)


def test_what_can_not_be_weighs_nothing(model):
    none = np.zeros(3, dtype=bool)
    drawn = decode.draw(model, np.full((4, 3), 0.5), allowed={0: none})
    assert (drawn.log_weights == -np.inf).all()


@pytest.mark.parametrize(
    ("uniform", "level"), [(0.0, 1), (0.3999, 1), (0.4, 3), (1 - 2**-53, 3), (1 - 1e-9, 3)]
)
def test_inversion_never_picks_a_level_of_no_chance(uniform, level):
    chances = torch.tensor([[0.0, 0.4, 0.0, 0.6, 0.0]], dtype=torch.float64)
    assert decode.invert(chances, torch.tensor([uniform], dtype=torch.float64)).tolist() == [level]


def test_coupled_uniforms_are_even():
    chances = torch.rand(64, 5, dtype=torch.float64)
    uniforms = decode.couple(chances, torch.rand(64, dtype=torch.float64)).sort().values
    gaps = torch.diff(uniforms)
    assert float(uniforms.min()) >= 0
    assert float(uniforms.max()) < 1
    assert float(gaps.max()) < 3 / 64
