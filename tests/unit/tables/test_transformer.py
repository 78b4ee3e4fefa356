"""The transformer: a proper distribution over rows, causal in its own order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from mustermann.tables.domain import Column, Domain
from mustermann.tables.likelihood import by_column, log_likelihood
from mustermann.tables.transformer import Shape, TableTransformer, smooth_basis

DOMAIN = Domain(
    (
        Column("a", 3, ordered=False),
        Column("b", 6, ordered=True),
        Column("c", 1, ordered=False),
        Column("d", 2, ordered=False),
    )
)
SMALL = Shape(width=16, layers=2, heads=2)
EVERY = np.array(list(itertools.product(*[range(size) for size in DOMAIN.sizes])))


def made(order=(1, 3, 0, 2), *, shape=SMALL, seed=0, trained=True):
    generator = torch.Generator().manual_seed(seed)
    model = TableTransformer(DOMAIN, shape, order=order, generator=generator)
    if trained:
        with torch.no_grad():
            model.heads.weight.normal_(generator=generator)
            model.heads.bias.normal_(generator=generator)
    return model.eval()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 3, 0, 2)])
def test_probabilities_of_all_rows_sum_to_one(order):
    assert np.exp(log_likelihood(made(order), EVERY)).sum() == pytest.approx(1, abs=1e-5)


def test_a_new_model_gives_all_rows_the_same_chance():
    logs = log_likelihood(made(trained=False), EVERY)
    assert logs == pytest.approx(np.full(len(EVERY), -np.log(len(EVERY))), abs=1e-5)


def test_starts_from_marginals_as_independent_columns():
    model = made()
    rng = np.random.default_rng(0)
    marginals = [rng.dirichlet(np.ones(size)) for size in DOMAIN.sizes]
    model.start_from(marginals)
    wanted = sum(np.log(p[EVERY[:, c]]) for c, p in enumerate(marginals))
    assert log_likelihood(model, EVERY) == pytest.approx(wanted, abs=1e-5)


def test_a_position_sees_only_columns_before_it():
    model = made()
    logs = by_column(model, EVERY[:1])
    for position, column in enumerate(model.order.tolist()):
        changed = EVERY[:1].copy()
        changed[0, column] = DOMAIN.sizes[column] - 1
        moved = by_column(model, changed) != logs
        before = model.order[:position].tolist()
        assert not moved[0, before].any()


def test_a_later_column_depends_on_an_earlier_one():
    model = made()
    first, last = int(model.order[0]), int(model.order[2])
    one, two = np.zeros((1, 4), int), np.zeros((1, 4), int)
    two[0, first] = 3
    assert by_column(model, one)[0, last] != by_column(model, two)[0, last]


def test_order_is_kept_and_rows_stay_in_the_tables_order():
    model = made((1, 3, 0, 2))
    assert model.sizes == (6, 2, 3, 1)
    assert model.order.tolist() == [1, 3, 0, 2]
    assert model.order[model.place].tolist() == [0, 1, 2, 3]
    # Column c has one level: its log-probability is 0 wherever it stands.
    assert by_column(model, EVERY)[:, 2] == pytest.approx(0)


def test_losses_are_negative_log_likelihoods():
    model = made()
    losses = model.losses(torch.from_numpy(EVERY)).detach().numpy()
    assert -losses == pytest.approx(log_likelihood(model, EVERY), abs=1e-4)


def test_log_likelihood_of_no_rows():
    assert log_likelihood(made(), np.empty((0, 4), dtype=np.int64)).shape == (0,)


def test_the_global_stream_is_left_alone_and_steers_nothing():
    torch.manual_seed(1)
    one = made()
    after = torch.rand(1)
    torch.manual_seed(1)
    assert torch.equal(after, torch.rand(1))
    for a, b in zip(one.parameters(), made().parameters(), strict=True):
        assert torch.equal(a, b)


def test_dropout_acts_in_training_only():
    model = made(shape=Shape(width=16, layers=1, heads=2, dropout=0.5))
    rows = torch.from_numpy(EVERY)
    assert torch.equal(model.losses(rows), model.losses(rows))
    model.train()
    assert not torch.equal(model.losses(rows), model.losses(rows))


def test_basis_is_smooth_where_asked_and_plain_elsewhere():
    basis = smooth_basis((4, 12, 6), (False, True, True))
    assert basis.shape == (3, 12, 12)
    assert torch.equal(basis[0, :4, :4], torch.eye(4))
    assert (basis[0, 4:] == 0).all()
    slow, fast = basis[1, :, 1].norm(), basis[1, :, 11].norm()
    assert slow > 4 * fast
    assert (basis[1, :, 0] == 0).all()


def test_basis_keeps_the_size_of_a_table():
    basis = smooth_basis((12,), (True,))
    assert float(basis.square().sum()) == pytest.approx(12, rel=1e-4)


def test_short_ordered_columns_are_plain():
    assert torch.equal(smooth_basis((4,), (True,))[0], torch.eye(4))


def test_levels_outside_the_order_take_no_part_in_the_waves():
    basis = smooth_basis([8, 9], [True, True], tails=[0, 1])
    assert torch.equal(basis[1, :8, :8], basis[0, :8, :8])
    assert torch.equal(basis[1, 8, :9], torch.eye(9)[8])
    assert torch.equal(basis[1, :8, 8], torch.zeros(8))
