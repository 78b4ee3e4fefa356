"""What holds for the table transformer on any small domain."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mustermann.tables import decode
from mustermann.tables.denoise import denoise
from mustermann.tables.domain import Column, Domain
from mustermann.tables.likelihood import by_column, log_likelihood
from mustermann.tables.moments import greedy_order, make_features
from mustermann.tables.transformer import Shape, TableTransformer

SHAPE = Shape(width=8, layers=1, heads=2)


@st.composite
def models(draw):
    columns = draw(st.lists(st.tuples(st.integers(1, 7), st.booleans()), min_size=1, max_size=4))
    domain = Domain(
        tuple(Column(str(i), size, ordered=ordered) for i, (size, ordered) in enumerate(columns))
    )
    order = draw(st.permutations(range(len(columns))))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    model = TableTransformer(domain, SHAPE, order=order, generator=generator)
    with torch.no_grad():
        model.heads.weight.normal_(generator=generator)
        model.heads.bias.normal_(generator=generator)
    return domain, model.eval()


def every_row(domain):
    return np.array(list(itertools.product(*[range(size) for size in domain.sizes])))


@settings(deadline=None, max_examples=25)
@given(models())
def test_the_probabilities_of_all_rows_sum_to_one(made):
    domain, model = made
    total = np.exp(log_likelihood(model, every_row(domain))).sum()
    assert total == pytest.approx(1, abs=1e-4)


@settings(deadline=None, max_examples=25)
@given(models(), st.integers(0, 2**32 - 1))
def test_cached_steps_give_what_the_whole_row_gives(made, seed):
    domain, model = made
    draws = np.random.default_rng(seed)
    rows = np.stack([draws.integers(0, size, 5) for size in domain.sizes], axis=1)
    walk, whole = decode.Walk(model, 5), by_column(model, rows)
    for column in model.order.tolist():
        logs = walk.logits().double().log_softmax(dim=1).numpy()
        levels = rows[:, column]
        assert logs[np.arange(5), levels] == pytest.approx(whole[:, column], abs=1e-5)
        walk.take(torch.from_numpy(levels))


@settings(deadline=None, max_examples=25)
@given(models(), st.integers(0, 2**32 - 1), st.booleans())
def test_every_drawn_row_is_in_the_domain(made, seed, coupled):
    domain, model = made
    (rows,) = decode.sample(model, 20, seed=seed, coupled=coupled)
    assert rows.shape == (20, len(domain))
    assert ((rows >= 0) & (rows < domain.sizes)).all()


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.booleans(),
    st.floats(0, 1e5),
    st.floats(1, 1e6),
)
def test_denoised_counts_are_probabilities_whatever_the_noise_gave(noisy, ordered, std, records):
    (marginal,) = denoise([np.array(noisy)], ordered=[ordered], records=records, std=std)
    assert (marginal.probabilities > 0).all()
    assert marginal.probabilities.sum() == pytest.approx(1)
    assert (marginal.errors >= 0).all()


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.lists(st.floats(1e-6, 1), min_size=1, max_size=12), min_size=1, max_size=4),
    st.booleans(),
)
def test_features_have_mean_zero_and_finite_length(weights, ordered):
    marginals = [np.array(w) / sum(w) for w in weights]
    found = make_features(
        marginals, ordered=[ordered] * len(marginals), frequencies=4, damping=0.05, slack=1.15
    )
    assert np.isfinite(found.radius)
    for p, table in zip(marginals, found.tables, strict=True):
        assert np.abs(p @ table).max(initial=0) < 1e-8


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_an_order_names_each_column_once(k, seed):
    strengths = np.random.default_rng(seed).random((k, k))
    assert sorted(greedy_order(strengths + strengths.T)) == list(range(k))
