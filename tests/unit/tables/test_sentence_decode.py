from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

from mustermann.tables import sentence_decode
from mustermann.tables.domain import Column, Domain
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.sentence_decode import SentenceWalk, draw, sample
from mustermann.tables.sentence_likelihood import log_likelihood, mean_over_orders
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.subwords import Subwords
from mustermann.tables.transformer import Shape

DOMAIN = Domain(
    (
        Column("a", 4, ordered=False, labels=("ab", "abc", "abcd", "")),
        Column("one", 1, ordered=False, labels=("ab",)),
        Column("b", 3, ordered=False, labels=("abx", "aby", "abyx")),
    )
)
NAMES = [name for column in DOMAIN.columns for name in column.labels]
EVERY = np.array(list(itertools.product(*[range(size) for size in DOMAIN.sizes])))
LEXICONS = {
    "level": Lexicon.of_levels(DOMAIN),
    "bpe": Lexicon.of_names(DOMAIN, Subwords.train("bpe", NAMES, vocabulary=258)),
    "unigram": Lexicon.of_names(DOMAIN, Subwords.train("unigram", NAMES, vocabulary=300)),
}
ORDERS = [(0, 1, 2), (2, 0, 1), (1, 2, 0)]


@pytest.fixture(params=[(t, o) for t in LEXICONS for o in ORDERS], ids=str)
def model(request):
    tokenizer, order = request.param
    generator = torch.Generator().manual_seed(2)
    made = SentenceTransformer(
        LEXICONS[tokenizer], Shape(width=8, layers=2, heads=2), order=order, generator=generator
    )
    with torch.no_grad():
        made.head.weight.normal_(generator=generator).mul_(0.3)
        made.head.bias.normal_(generator=generator)
    return made.eval()


def test_cached_chances_are_those_of_the_whole_row(model):
    walk, total = SentenceWalk(model, len(EVERY)), np.zeros(len(EVERY))
    for column in model.order.tolist():
        chances = walk.chances()
        assert chances.shape == (len(EVERY), DOMAIN.sizes[column])
        assert chances.sum(axis=1) == pytest.approx(np.ones(len(EVERY)), abs=1e-9)
        total += np.log(chances[np.arange(len(EVERY)), EVERY[:, column]])
        walk.take(EVERY[:, column])
    assert total == pytest.approx(log_likelihood(model, EVERY), abs=1e-5)


def test_drawn_rows_are_those_that_inverting_the_chances_gives(model):
    uniforms = np.random.default_rng(0).random((200, 3))
    drawn = draw(model, uniforms)
    walk = SentenceWalk(model, 200)
    for position, column in enumerate(model.order.tolist()):
        chances = walk.chances()
        # Levels of a column in the order in which the choices meet them.
        order = spelling_order(model, column)
        ends = chances[:, order].cumsum(axis=1)
        expected = np.array(order)[(ends <= uniforms[:, position : position + 1]).sum(axis=1)]
        assert (drawn[:, column] == expected).mean() > 0.99
        walk.take(drawn[:, column])


def spelling_order(model, column):
    """Returns a column's levels by their words, END standing above all words."""
    lexicon = model.lexicon
    spelt = [(*words, lexicon.end(column)) for words in lexicon.spellings[column]]
    return sorted(range(len(spelt)), key=spelt.__getitem__)


@pytest.mark.parametrize("coupled", [False, True])
def test_samples_follow_the_likelihood(model, coupled):
    drawn = np.concatenate(list(sample(model, 6000, seed=0, coupled=coupled)))
    cells, counts = np.unique(drawn, axis=0, return_counts=True)
    expected = np.exp(log_likelihood(model, cells)) * 6000
    often = expected > 50
    assert counts[often] == pytest.approx(expected[often], rel=0.35)
    assert counts[often].sum() == pytest.approx(expected[often].sum(), rel=0.03)


def test_a_sample_starts_with_the_shorter_one_and_differs_by_seed(model, monkeypatch):
    monkeypatch.setattr(sentence_decode, "BLOCK_ROWS", 64)
    short, long, other = (
        np.concatenate(list(sample(model, count, seed=seed)))
        for count, seed in ((70, 1), (150, 1), (70, 2))
    )
    assert np.array_equal(long[:70], short)
    assert not np.array_equal(short, other)


def test_rows_can_be_kept_and_repeated(model):
    walk = SentenceWalk(model, 5)
    first = model.order.tolist()[0]
    levels = np.arange(5) % DOMAIN.sizes[first]
    walk.chances()
    walk.take(levels)
    before = walk.chances()
    kept = np.array([4, 0, 0, 2, 1, 3, 3])
    walk.keep(kept)
    assert walk.chances() == pytest.approx(before[kept], abs=1e-6)


def test_few_rows_at_a_time_give_the_same_chances(model, monkeypatch):
    def chances():
        walk = SentenceWalk(model, 6)
        first = model.order.tolist()[0]
        walk.take(np.arange(6) % DOMAIN.sizes[first])
        return walk.chances()

    whole = chances()
    monkeypatch.setattr(sentence_decode, "MOST_STATES", 1)
    assert chances() == pytest.approx(whole, abs=1e-6)


def test_the_mean_over_orders_is_a_mean_over_orders(model):
    draws = np.random.default_rng(0)
    found = mean_over_orders(model, EVERY, orders=60, draws=draws)
    codes = torch.from_numpy(EVERY)
    with torch.no_grad():
        each = [
            model.log_likelihood(codes, torch.tensor(order).expand_as(codes)).double().numpy()
            for order in itertools.permutations(range(3))
        ]
    assert found.mean() == pytest.approx(np.mean(each), abs=0.1)
    assert (found >= np.min(each, axis=0) - 1e-6).all()
    assert (found <= np.max(each, axis=0) + 1e-6).all()
