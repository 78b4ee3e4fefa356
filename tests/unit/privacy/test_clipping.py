"""Book-keeping clipping against a loop over records, on random architectures."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.clipping import PerRecordClipper, clipped_sum
from mustermann.privacy.layers import ColumnEmbedding, ColumnHeads, Positions
from mustermann.privacy.rules import Rule, rule_for

SIZES = (7, 3, 5, 2)
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}


@pytest.fixture(params=[torch.float32, torch.float64], ids=["fp32", "fp64"])
def dtype(request):
    torch.manual_seed(0)
    return request.param


def basis():
    torch.manual_seed(3)
    return torch.randn(len(SIZES), max(SIZES), max(SIZES))


class Tables(nn.Module):
    """A small causal model of tables of levels, with every layer of ours."""

    def __init__(self, *, width=8, affine=True, smooth=False, bias=True):
        super().__init__()
        phi = basis() if smooth else None
        self.embedding = ColumnEmbedding(SIZES, width, basis=phi)
        self.positions = Positions(len(SIZES), width)
        self.norm = nn.LayerNorm(width, elementwise_affine=affine)
        self.mixer = nn.Linear(width, 3 * width, bias=bias)
        self.back = nn.Linear(3 * width, width, bias=bias)
        self.heads = ColumnHeads(SIZES, width, basis=phi)
        nn.init.normal_(self.heads.weight)

    def forward(self, ids):
        h = self.positions(self.embedding(ids))
        h = torch.cat([torch.zeros_like(h[:, :1]), h[:, :-1].cumsum(1)], 1)
        h = h + self.back(torch.tanh(self.mixer(self.norm(h))))
        logits = self.heads(h)
        return -logits.log_softmax(-1).gather(2, ids.unsqueeze(2)).squeeze(2).sum(1)


class Words(nn.Module):
    """A model of sequences in which ids repeat; the head may share the embedding's weight."""

    def __init__(self, *, tied=False, padding=None, length=6, twice=False, shared_norm=False):
        super().__init__()
        self.embedding = nn.Embedding(5, 8, padding_idx=padding)
        self.positions = Positions(length + 2, 8)
        self.first = nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 5, bias=not tied)
        self.twice, self.shared_norm = twice, shared_norm
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, ids):
        h = self.norm(self.positions(self.embedding(ids)))
        h = h.cumsum(1) / 3 + torch.relu(self.first(h))
        if self.twice:
            h = torch.tanh(self.first(h))
        if self.shared_norm:
            h = self.norm(h)
        logits = self.head(h)[:, :-1]
        return (
            nn.functional.cross_entropy(
                logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="none"
            )
            .view(len(ids), -1)
            .sum(1)
        )


class Flat(nn.Module):
    """Linear layers on vectors, where a record has one position."""

    def __init__(self, *, bias=True, bend=torch.relu, goal=0.0):
        super().__init__()
        self.first = nn.Linear(6, 4, bias=bias)
        self.last = nn.Linear(4, 3, bias=bias)
        self.bend, self.goal = bend, goal

    def forward(self, x):
        return (self.last(self.bend(self.first(x))) - self.goal).square().sum(1)


class Pictures(nn.Module):
    """Linear layers on several axes of positions, wider than they are long."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.last = nn.Linear(3, 2)

    def forward(self, x):
        return self.last(torch.tanh(self.first(x))).square().flatten(1).sum(1)


def levels(count):
    return torch.stack([torch.randint(0, n, (count,)) for n in SIZES], 1)


CASES = {
    "tables": (Tables, levels),
    "tables, no affine": (lambda: Tables(affine=False), levels),
    "tables, no bias": (lambda: Tables(bias=False), levels),
    "tables, smooth": (lambda: Tables(smooth=True), levels),
    "words": (Words, lambda n: torch.randint(0, 5, (n, 6))),
    "words, short": (lambda: Words(length=9), lambda n: torch.randint(0, 5, (n, 4))),
    "words, long": (Words, lambda n: torch.randint(0, 5, (n, 8))),
    "words, padded": (lambda: Words(padding=1), lambda n: torch.randint(0, 5, (n, 6))),
    "words, tied": (lambda: Words(tied=True), lambda n: torch.randint(0, 5, (n, 6))),
    "layer used twice": (
        lambda: Words(twice=True, shared_norm=True), lambda n: torch.randint(0, 5, (n, 6))
    ),
    # No relu here: just above the bend a gradient is made of rounding alone.
    "flat": (lambda: Flat(bend=torch.tanh, goal=2), lambda n: torch.randn(n, 6)),
    "flat, no bias": (
        lambda: Flat(bias=False, bend=torch.tanh, goal=2), lambda n: torch.randn(n, 6)
    ),
    "pictures": (Pictures, lambda n: torch.randn(n, 5, 7, 2)),
}  # fmt: skip


def slow_sum(module, losses, records, *, clip, views=1):
    """Returns sums and norms by one backward pass a record."""
    parameters = {n: p for n, p in module.named_parameters() if p.requires_grad}
    total = {n: torch.zeros_like(p, dtype=torch.float64) for n, p in parameters.items()}
    norms = []
    for i in range(len(records)):
        loss = losses(records[i : i + 1]).view(1, views).mean()
        found = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
        own = {
            n: torch.zeros_like(total[n]) if g is None else g.double()
            for n, g in zip(parameters, found, strict=True)
        }
        norm = torch.stack([g.norm() for g in own.values()]).norm()
        norms.append(norm)
        for n, g in own.items():
            total[n] += g * min(1.0, clip / norm.item())
    return total, torch.stack(norms)


def as_dtype(records, dtype):
    return records.to(dtype) if records.is_floating_point() else records


def distance(a, b):
    return sum((a[n].double() - b[n].double()).square().sum() for n in b).sqrt().item()


def size(a):
    return sum(g.double().square().sum() for g in a.values()).sqrt().item()


@pytest.mark.parametrize("views", [1, 4])
@pytest.mark.parametrize("case", CASES)
def test_norms_and_sums_are_those_of_the_loop(case, views, dtype):
    make, draw = CASES[case]
    module = make().to(dtype)
    records = as_dtype(draw(9), dtype)
    torch.manual_seed(1)
    others = as_dtype(draw(9 * views), dtype).view(9, views, *records.shape[1:])

    def losses(batch):
        if views == 1:
            return module(batch)
        # Views are other records, looked up by value so that the loop sees the same ones.
        rows = [next(i for i in range(9) if torch.equal(records[i], row)) for row in batch]
        return module(others[rows].flatten(0, 1))

    clip = slow_sum(module, losses, records, clip=1.0, views=views)[1].median().item()
    slow, norms = slow_sum(module, losses, records, clip=clip, views=views)
    fast = clipped_sum(module, losses, records, clip=clip, views=views)

    assert set(fast.grads) == set(slow)
    torch.testing.assert_close(fast.norms, norms, rtol=TOLERANCE[dtype], atol=0)
    assert distance(fast.grads, slow) <= TOLERANCE[dtype] * size(slow)
    assert all(fast.grads[n].dtype == dtype for n in slow)
    torch.testing.assert_close(
        fast.losses, losses(records).detach().view(9, views).mean(1), rtol=1e-5, atol=0
    )


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_any_number_of_records(count, dtype):
    module = Tables(smooth=True).to(dtype)
    records = levels(count)
    fast = clipped_sum(module, module, records, clip=0.5)
    assert fast.norms.shape == fast.losses.shape == (count,)
    if count == 0:
        assert all((g == 0).all() for g in fast.grads.values())
        return
    slow, norms = slow_sum(module, module, records, clip=0.5)
    torch.testing.assert_close(fast.norms, norms, rtol=TOLERANCE[dtype], atol=0)
    assert distance(fast.grads, slow) <= TOLERANCE[dtype] * size(slow)


def test_micro_batches_add_up_to_the_whole():
    torch.manual_seed(0)
    module, records = Tables().double(), levels(50)
    with PerRecordClipper(module, clip=1.0, memory=1) as one_by_one:
        few = one_by_one(module, records)
    whole = clipped_sum(module, module, records, clip=1.0)
    assert distance(few.grads, whole.grads) <= 1e-12 * size(whole.grads)
    torch.testing.assert_close(few.norms, whole.norms)


def test_hooks_are_gone_after_closing():
    module = Tables()
    clipped_sum(module, module, levels(3), clip=1.0)
    assert all(not m._forward_hooks and not m._forward_pre_hooks for m in module.modules())


def test_frozen_parameters_neither_count_nor_get_a_gradient(dtype):
    module = Tables().to(dtype)
    module.mixer.weight.requires_grad_(False)
    module.heads.bias.requires_grad_(False)
    module.norm.requires_grad_(False)
    records = levels(6)
    slow, norms = slow_sum(module, module, records, clip=1.0)
    fast = clipped_sum(module, module, records, clip=1.0)
    assert set(fast.grads) == set(slow)
    torch.testing.assert_close(fast.norms, norms, rtol=TOLERANCE[dtype], atol=0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), 3e38])
def test_records_without_finite_gradients_count_as_zero(bad):
    torch.manual_seed(0)
    module, records = Flat(), torch.randn(20, 6)
    good = clipped_sum(module, module, records, clip=1.0)
    records = torch.cat([records[:10], torch.full((1, 6), bad), records[10:]])
    mixed = clipped_sum(module, module, records, clip=1.0)
    assert distance(mixed.grads, good.grads) <= 1e-6


def test_large_finite_gradients_are_clipped_and_not_dropped():
    torch.manual_seed(0)
    module, records = Pictures(), torch.full((1, 3, 3, 2), 1e12)
    # float32 overflows in the product of the Gram matrices, though not in the gradient.
    with torch.no_grad():
        module.first.weight.mul_(1e-12)
        module.last.weight.mul_(1e4)
    clipped = clipped_sum(module, module, records, clip=1.0)
    assert 0.999 < size(clipped.grads) <= 1 + 1e-6
    assert clipped.norms[0] > 1e19


def test_cancelling_gradients_keep_their_norm():
    # Two positions whose gradients cancel but for one part in a million.
    layer = nn.Linear(3, 1, bias=False)

    def losses(x):
        y = layer(x)
        return y[:, 0, 0] - y[:, 1, 0]

    x = torch.randn(1, 1, 3).repeat(4, 2, 1)
    x[:, 1] *= 1 + torch.tensor([1e-6, 1e-5, 1e-4, 1e-3]).unsqueeze(1)
    exact = (x[:, 0].double() - x[:, 1].double()).norm(dim=1)
    fast = clipped_sum(layer, losses, x, clip=1e-9)
    torch.testing.assert_close(fast.norms, exact, rtol=1e-6, atol=0)


class Broadcast(nn.Module):
    """Positions looked up once for all records: their gradient is already a sum."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 2)
        self.head = nn.Linear(2, 1)
        nn.init.zeros_(self.head.weight)

    def forward(self, x):
        return self.head(x + self.table(torch.arange(4))).flatten(1).sum(1)


class Mixing(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)

    def forward(self, x):
        h = self.first(x)
        return (h - h.mean(0)).square().sum(1)


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)

    def forward(self, x):
        return self.first(x).mul_(2).sum(1)


class Outside(nn.Module):
    """Uses a layer's weight behind the layer's back."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(4, 3)

    def forward(self, ids):
        return (self.embedding(ids) @ self.embedding.weight.t()).logsumexp(-1).sum(1)


class Loose(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.scale * self.first(x).sum(1)


class OddLinear(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2


class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = OddLinear(3, 3)

    def forward(self, x):
        return self.first(x).sum(1)


class Batched(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3, affine=False)

    def forward(self, x):
        return self.norm(self.first(x)).sum(1)


class Unhooked(nn.Module):
    """Runs its layer without gradients, as a checkpoint does on the way forward."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)

    def forward(self, x):
        with torch.no_grad():
            h = self.first(x)
        return self.first(h).sum(1)


@pytest.mark.parametrize(
    ("module", "records", "message"),
    [
        (Broadcast(), torch.randn(4, 4, 2), "reaches others through 'table'"),
        (Broadcast(), torch.randn(6, 4, 2), "one row a view"),
        (Mixing(), torch.randn(4, 3), "reaches others through 'first'"),
        (InPlace(), torch.randn(4, 3), "in place"),
        (Outside(), torch.randint(0, 4, (4, 2)), "'embedding.weight' to be used by its layer"),
        (Loose(), torch.randn(4, 3), "none for scale of Loose"),
        (Odd(), torch.randn(4, 3), "none for first.bias, first.weight of OddLinear"),
        (Batched(), torch.randn(4, 3), "batch normalisation"),
        (Unhooked(), torch.randn(4, 3), "no_grad"),
        (nn.Conv1d(1, 1, 2), torch.randn(4, 1, 3), "none for bias, weight of Conv1d"),
    ],
)
def test_what_cannot_be_clipped_is_refused(module, records, message):
    with pytest.raises(PrivacyError, match=message):
        clipped_sum(module, module, records, clip=1.0)


def test_embeddings_that_tie_records_together_are_refused():
    table = nn.Embedding(4, 2, max_norm=1.0)
    with pytest.raises(ConfigError, match="max_norm"):
        clipped_sum(table, lambda ids: table(ids).sum((1, 2)), torch.zeros(2, 2).long(), clip=1.0)


def test_losses_of_another_shape_are_refused():
    module = Flat()
    with pytest.raises(ConfigError, match="shape"):
        clipped_sum(module, lambda x: module(x).mean(), torch.randn(4, 6), clip=1.0)


@pytest.mark.parametrize("clip", [0.0, -1.0, float("nan"), float("inf")])
def test_the_clip_must_be_a_bound(clip):
    with pytest.raises(ConfigError, match="clip"):
        PerRecordClipper(Flat(), clip=clip)


class Scale(nn.Module):
    """A layer that the package does not know."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.weight


@rule_for(Scale)
class ScaleRule(Rule):
    parameters = ("weight",)

    def per_record(self, use, name):
        return use.rows(use.inputs * use.gradient, features=4).sum(1)


def test_a_new_layer_needs_one_method(dtype):
    module = nn.Sequential(nn.Linear(6, 4), Scale(), nn.Tanh(), nn.Linear(4, 1)).to(dtype)
    records = torch.randn(5, 3, 6, dtype=dtype)

    def losses(x):
        return module(x).square().flatten(1).sum(1)

    slow, norms = slow_sum(module, losses, records, clip=0.1)
    fast = clipped_sum(module, losses, records, clip=0.1)
    torch.testing.assert_close(fast.norms, norms, rtol=TOLERANCE[dtype], atol=0)
    assert distance(fast.grads, slow) <= TOLERANCE[dtype] * size(slow)
    with pytest.raises(ConfigError, match="second"):
        rule_for(Scale)(ScaleRule)
