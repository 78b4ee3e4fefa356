"""The sentence model: what it predicts, and its clipped gradients against a loop over records."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mustermann.core.errors import ConfigError
from mustermann.privacy.clipping import PerRecordClipper, clipped_sum
from mustermann.tables import sentence_model
from mustermann.tables.domain import Column, Domain
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.sentence_likelihood import log_likelihood
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.subwords import Subwords
from mustermann.tables.transformer import Shape

DOMAIN = Domain(
    (
        Column("a", 5, ordered=False, labels=("ab", "abc", "abcd", "x", "")),
        Column("n", 6, ordered=True, labels=("10", "11", "12", "120", "121", "missing")),
        Column("b", 3, ordered=False, labels=("ab", "abc", "b")),
    )
)
NAMES = [name for column in DOMAIN.columns for name in column.labels]
LEXICONS = {
    "level": Lexicon.of_levels(DOMAIN),
    "bpe": Lexicon.of_names(DOMAIN, Subwords.train("bpe", NAMES, vocabulary=262)),
}


def model(tokenizer="level", *, scale=0.5, layers=2, order=(0, 2, 1), **settings):
    generator = torch.Generator().manual_seed(1)
    made = SentenceTransformer(
        LEXICONS[tokenizer], Shape(width=8, layers=layers, heads=2), order=order,
        generator=generator, **settings,
    )  # fmt: skip
    if scale:
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.normal_(generator=generator).mul_(scale)
    return made


def rows(count, seed=0):
    draws = np.random.default_rng(seed)
    return torch.from_numpy(np.stack([draws.integers(0, n, count) for n in DOMAIN.sizes], 1))


def slow_sum(module, losses, records, *, clip, views):
    """Returns the clipped sum and the norms by one backward pass a record."""
    parameters = dict(module.named_parameters())
    total = {name: torch.zeros_like(p) for name, p in parameters.items()}
    norms = []
    for record in records:
        loss = losses(record.unsqueeze(0)).view(views).mean()
        found = torch.autograd.grad(loss, list(parameters.values()))
        norm = torch.stack([gradient.norm() for gradient in found]).norm()
        norms.append(norm)
        for name, gradient in zip(parameters, found, strict=True):
            total[name] += gradient * min(1.0, clip / norm.item())
    return total, torch.stack(norms)


@pytest.mark.parametrize("views", [1, 3])
@pytest.mark.parametrize("guided", [True, False])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("tokenizer", LEXICONS)
def test_norms_and_sums_are_those_of_the_loop(tokenizer, tied, guided, views):
    module = model(tokenizer, tied=tied, guided=guided, random=views > 1).double().train()
    records = torch.unique(rows(8), dim=0)
    draws = np.random.default_rng(3)
    orders = {
        tuple(row): torch.from_numpy(np.stack([draws.permutation(3) for _ in range(views)]))
        for row in records.tolist()
    }

    def losses(batch):
        each = torch.cat([orders[tuple(row)] for row in batch.tolist()])
        return -module.log_likelihood(batch.repeat_interleave(views, 0), each, guided=guided)

    clip = slow_sum(module, losses, records, clip=1.0, views=views)[1].median().item()
    slow, norms = slow_sum(module, losses, records, clip=clip, views=views)
    fast = clipped_sum(module, losses, records, clip=clip, views=views)
    torch.testing.assert_close(fast.norms, norms, rtol=1e-12, atol=0)
    assert set(fast.grads) == set(slow)
    for name, total in slow.items():
        torch.testing.assert_close(fast.grads[name], total, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("tied", [True, False])
def test_one_record_moves_the_sum_by_at_most_the_clip_in_any_orders(tied):
    module = model("bpe", tied=tied, random=True, scale=3.0).train()
    for seed in range(4):
        records, extra = rows(3, seed), rows(1, seed + 100)

        def drawn(batch, seed=seed):
            # The same orders for the same places, as the steps of two neighbours have them.
            torch.manual_seed(seed)
            return module.losses(batch.repeat_interleave(2, 0))

        with_it = clipped_sum(module, drawn, torch.cat([records, extra]), clip=0.7, views=2).grads
        without = clipped_sum(module, drawn, records, clip=0.7, views=2).grads
        squares = [(with_it[n] - without[n]).double().square().sum() for n in without]
        assert torch.stack(squares).sum().sqrt() <= 0.7 * (1 + 1e-5)


def test_a_record_alone_is_clipped_as_it_is_among_longer_ones():
    module = model("bpe").double().train()
    records = torch.tensor([[3, 0, 2], [2, 4, 1], [4, 5, 0]])
    with PerRecordClipper(module, clip=0.5) as clipper:
        whole = clipper(module.losses, records).norms
        alone = torch.cat([clipper(module.losses, record.unsqueeze(0)).norms for record in records])
    torch.testing.assert_close(whole, alone, rtol=1e-12, atol=0)


def test_a_new_model_holds_all_ways_on_equally_likely():
    fresh = model("level", scale=0)
    uniform = -np.log(np.prod(DOMAIN.sizes))
    assert log_likelihood(fresh, rows(5).numpy()) == pytest.approx(np.full(5, uniform), rel=1e-5)


def test_it_starts_from_marginals_where_levels_are_words():
    marginals = [np.arange(1.0, n + 1) / np.arange(1.0, n + 1).sum() for n in DOMAIN.sizes]
    fresh = model("level")
    fresh.start_from(marginals)
    codes = rows(20).numpy()
    expected = sum(np.log(marginals[c][codes[:, c]]) for c in range(3))
    assert log_likelihood(fresh, codes) == pytest.approx(expected, abs=1e-5)
    pieces = model("bpe")
    before = log_likelihood(pieces, codes)
    pieces.start_from(marginals)
    assert np.array_equal(log_likelihood(pieces, codes), before)


def test_orders_are_random_in_training_only():
    module = model("level", random=True, order=(0, 1, 2))
    codes = rows(50)
    module.train()
    first, second = module.losses(codes), module.losses(codes)
    assert not torch.equal(first, second)
    module.eval()
    assert torch.equal(module.losses(codes), module.losses(codes))
    assert -module.losses(codes).detach().double().numpy() == pytest.approx(
        log_likelihood(module, codes.numpy())
    )


def test_without_the_trie_in_training_it_is_still_there_outside():
    module = model("level", guided=False)
    codes = rows(10)
    module.train()
    free = module.losses(codes)
    module.eval()
    guided = module.losses(codes)
    assert (free > guided).all()
    assert -free.detach().double().numpy() == pytest.approx(
        log_likelihood(module, codes.numpy(), guided=False), rel=1e-6
    )


def test_no_later_token_is_seen():
    module = model("level", order=(0, 1, 2)).eval()
    codes = rows(1).repeat(DOMAIN.sizes[2], 1)
    codes[:, 2] = torch.arange(DOMAIN.sizes[2])
    laid = module.sentences.lay(codes, module.order.expand_as(codes))
    states = module.states(laid.inputs)
    # Seven tokens are read before the last value differs.
    torch.testing.assert_close(states[:, :7], states[:1, :7].expand(3, -1, -1))


def test_rows_that_are_too_long_are_refused(monkeypatch):
    monkeypatch.setattr(sentence_model, "LONGEST", 5)
    with pytest.raises(ConfigError, match="tokens"):
        model("level")
