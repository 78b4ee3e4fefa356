"""Both trainings learn, and leave torch's global stream as they found it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mustermann.privacy.mechanisms import Mechanism
from mustermann.tables.domain import Column, Domain
from mustermann.tables.likelihood import log_likelihood
from mustermann.tables.recipe import Training
from mustermann.tables.training import pretrain, train_privately
from mustermann.tables.transformer import Shape, TableTransformer

DOMAIN = Domain((Column("a", 4, ordered=False), Column("b", 8, ordered=True)))
FEW = Training(steps=30, peak=1e-2)
NOISELESS = 1e-6


def rows(count=400):
    draws = np.random.default_rng(0)
    a = draws.integers(0, 4, count)
    return np.stack([a, 2 * a + draws.integers(0, 2, count)], axis=1)


def made(dropout=0.0):
    generator = torch.Generator().manual_seed(0)
    shape = Shape(width=16, layers=1, heads=2, dropout=dropout)
    return TableTransformer(DOMAIN, shape, order=(0, 1), generator=generator)


def nll(model):
    return -log_likelihood(model, rows()).mean()


def test_pretraining_learns_how_columns_hang_together():
    model = made()
    before = nll(model)
    pretrain(model, rows(), FEW, batch=64, draws=np.random.default_rng(0))
    assert before == pytest.approx(np.log(32), abs=1e-4)
    # The best there is: 4 equal values of a, then 2 of b.
    assert np.log(8) <= nll(model) + 0.05 < np.log(32) - 0.5


def test_pretraining_follows_its_draws():
    one, two = made(), made()
    for model in (one, two):
        pretrain(model, rows(), FEW, batch=16, draws=np.random.default_rng(1))
    assert nll(one) == nll(two)


@pytest.mark.parametrize("views", [1, 2])
def test_private_training_learns_where_there_is_next_to_no_noise(views):
    model = made(dropout=0.1 if views > 1 else 0.0)
    mechanism = Mechanism(steps=FEW.steps, rate=0.5, clip=1.0, noise=NOISELESS)
    train_privately(model, rows(), FEW, mechanism=mechanism, records=400.0, views=views, seed=0)
    assert nll(model) < np.log(32) - 0.3


def test_noise_comes_from_no_seed():
    found = set()
    for _ in range(2):
        model = made()
        mechanism = Mechanism(steps=2, rate=1.0, clip=1.0, noise=1.0)
        training = Training(steps=2, peak=1e-2)
        train_privately(
            model, rows(), training, mechanism=mechanism, records=400.0, views=1, seed=0
        )
        found.add(nll(model))
    assert len(found) == 2


def test_the_global_stream_is_put_back():
    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    mechanism = Mechanism(steps=2, rate=0.1, clip=1.0, noise=1.0)
    training = Training(steps=2, peak=1e-2)
    train_privately(
        made(dropout=0.5), rows(), training, mechanism=mechanism, records=400.0, views=2, seed=0
    )
    assert torch.equal(torch.rand(2), wanted)
