"""One record, whatever it holds, moves the clipped sum by at most the clip."""

from __future__ import annotations

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from mustermann.privacy.clipping import clipped_sum
from mustermann.privacy.layers import ColumnEmbedding, ColumnHeads, Positions

floats = st.floats(width=32, allow_nan=True, allow_infinity=True)
NAN, INF = float("nan"), float("inf")


class Sequences(nn.Module):
    """Numbers in three positions, which attend to one another and may cancel."""

    def __init__(self, scale):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(2, 4)
        self.norm = nn.LayerNorm(4)
        self.positions = Positions(3, 4)
        self.last = nn.Linear(4, 1)
        with torch.no_grad():
            self.last.weight.mul_(scale)

    def forward(self, x):
        h = self.positions(self.norm(self.first(x)))
        y = self.last(h + h.flip(1)).squeeze(2)
        return y.square().sum(1) + y[:, 0] - y[:, 1]


class Levels(nn.Module):
    """Levels of three columns, with logits of any size."""

    def __init__(self, scale):
        super().__init__()
        torch.manual_seed(0)
        basis = torch.randn(3, 4, 4)
        self.embedding = ColumnEmbedding((4, 3, 2), 5, basis=basis)
        self.heads = ColumnHeads((4, 3, 2), 5, basis=basis)
        nn.init.normal_(self.heads.weight, std=scale)

    def forward(self, ids):
        logits = self.heads(self.embedding(ids).roll(1, 1))
        return -logits.log_softmax(-1).gather(2, ids.unsqueeze(2)).flatten(1).sum(1)


def moved(module, records, extra, clip, views=1):
    """Returns how far the record `extra` moves the sum, and the size of the sums' rounding."""

    def losses(batch):
        return module(batch.flatten(0, 1) if views > 1 else batch)

    together = torch.cat([records, extra.unsqueeze(0)])
    with_it = clipped_sum(module, losses, together, clip=clip, views=views).grads
    without = clipped_sum(module, losses, records, clip=clip, views=views).grads
    squares = [(with_it[n].double() - without[n].double()).square().sum() for n in without]
    return torch.stack(squares).sum().sqrt().item()


@settings(deadline=None, max_examples=150)
@given(
    values=st.lists(floats, min_size=6, max_size=6),
    count=st.integers(0, 3),
    clip=st.floats(1e-3, 1e3),
    scale=st.sampled_from([1e-20, 1e-3, 1.0, 1e3, 1e15]),
)
@example(values=[NAN] * 6, count=3, clip=1.0, scale=1.0)
@example(values=[INF, 0, 0, 0, 0, 0], count=3, clip=1.0, scale=1.0)
@example(values=[3e38] * 6, count=3, clip=1.0, scale=1e15)
@example(values=[1e-40] * 6, count=0, clip=1e3, scale=1e-20)
@example(values=[1.0, 1.0, 1.0, 1.0000001, 0.0, 0.0], count=0, clip=1e-3, scale=1e3)
def test_a_record_of_numbers_moves_the_sum_by_at_most_the_clip(values, count, clip, scale):
    module = Sequences(scale)
    records = torch.randn(count, 3, 2, generator=torch.Generator().manual_seed(count))
    extra = torch.tensor(values).view(3, 2)
    # Besides the record's own share only the rounding of the other shares' sum can differ.
    assert moved(module, records, extra, clip) <= clip * (1 + 1e-6 + 2e-7 * count)


@settings(deadline=None, max_examples=60)
@given(
    row=st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)),
    views=st.sampled_from([1, 3]),
    clip=st.floats(1e-3, 1e3),
    scale=st.sampled_from([1e-6, 1.0, 1e3, 1e18, NAN]),
)
def test_a_record_of_levels_moves_the_sum_by_at_most_the_clip(row, views, clip, scale):
    module = Levels(1.0)
    with torch.no_grad():
        module.heads.weight.mul_(scale)
    records = torch.tensor([[0, 1, 1], [3, 2, 0]])
    extra = torch.tensor(row)
    if views > 1:
        records = records.unsqueeze(1).repeat(1, views, 1)
        # Views that differ, so that rows of the tables meet in some and not in others.
        extra = torch.stack([(extra + k * k) % torch.tensor([4, 3, 2]) for k in range(views)])
    assert moved(module, records, extra, clip, views) <= clip * (1 + 2e-6)


@settings(deadline=None, max_examples=30)
@given(st.permutations(list(range(6))), st.integers(1, 6))
def test_sums_do_not_depend_on_order_or_company(order, cut):
    torch.manual_seed(0)
    module, records = Sequences(1.0).double(), torch.randn(6, 3, 2, dtype=torch.float64)
    whole = clipped_sum(module, module, records, clip=0.5)
    mixed = records[order]
    parts = [clipped_sum(module, module, part, clip=0.5) for part in (mixed[:cut], mixed[cut:])]
    for name, total in whole.grads.items():
        torch.testing.assert_close(sum(p.grads[name] for p in parts), total)
    torch.testing.assert_close(torch.cat([p.norms for p in parts]), whole.norms[order])


@pytest.mark.parametrize("weight", [0.0, NAN])
def test_a_model_that_is_all_zero_or_broken_keeps_the_bound(weight):
    module = Sequences(1.0)
    for parameter in module.parameters():
        nn.init.constant_(parameter, weight)
    total = clipped_sum(module, module, torch.randn(5, 3, 2), clip=1.0).grads
    assert torch.stack([g.square().sum() for g in total.values()]).sum().sqrt() <= 5 * (1 + 1e-6)


class Stack(nn.Module):
    """Any pile of layers over numbers in positions."""

    def __init__(self, kinds, width, length):
        super().__init__()
        made = {
            "linear": lambda: nn.Linear(width, width),
            "no bias": lambda: nn.Linear(width, width, bias=False),
            "wide": lambda: nn.Linear(width, 5 * width),
            "norm": lambda: nn.LayerNorm(width),
            "positions": lambda: Positions(length + 1, width),
        }
        self.layers = nn.ModuleList([made[kind]() for kind in kinds])
        self.width = width

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            h = torch.tanh(layer(x))[..., : self.width]
            # Some layers mix positions, so that a record's terms have company.
            x = x + (h.cumsum(1) / 2 if number % 2 else h)
        return x.square().flatten(1).sum(1)


@settings(deadline=None, max_examples=60)
@given(
    kinds=st.lists(
        st.sampled_from(["linear", "no bias", "wide", "norm", "positions"]), min_size=1, max_size=5
    ),
    width=st.integers(2, 7),
    length=st.integers(1, 33),
    count=st.integers(1, 5),
    views=st.sampled_from([1, 4]),
    seed=st.integers(0, 99),
)
def test_any_pile_of_layers_agrees_with_a_loop(kinds, width, length, count, views, seed):
    torch.manual_seed(seed)
    module = Stack(kinds, width, length).double()
    records = torch.randn(count, views, length, width, dtype=torch.float64)

    def losses(batch):
        return module(batch.flatten(0, 1))

    parameters = dict(module.named_parameters())
    alone = [
        torch.autograd.grad(losses(record[None]).mean(), list(parameters.values()))
        for record in records
    ]
    norms = torch.stack([torch.cat([g.flatten() for g in one]).norm() for one in alone])
    clip = norms.median().item()
    fast = clipped_sum(module, losses, records, clip=clip, views=views)
    torch.testing.assert_close(fast.norms, norms, rtol=1e-12, atol=0)
    for index, name in enumerate(parameters):
        shares = [g[index] * min(1.0, clip / n.item()) for g, n in zip(alone, norms, strict=True)]
        torch.testing.assert_close(fast.grads[name], sum(shares), rtol=1e-11, atol=1e-12 * clip)
