"""What holds for sentences on any small table: any names, tokenizer, order and size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mustermann.tables.domain import Column, Domain
from mustermann.tables.lexicon import Lexicon
from mustermann.tables.sentence_decode import sample
from mustermann.tables.sentence_likelihood import log_likelihood
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.subwords import Subwords
from mustermann.tables.transformer import Shape

names = st.lists(st.text(alphabet="ab1 é", max_size=5), min_size=1, max_size=5)
domains = st.lists(names, min_size=1, max_size=3).map(
    lambda columns: Domain(
        tuple(
            Column(str(place), len(labels), ordered=False, labels=tuple(labels))
            for place, labels in enumerate(columns)
        )
    )
)


def lexicon(tokenizer, domain):
    if tokenizer == "level":
        return Lexicon.of_levels(domain)
    texts = [label for column in domain.columns for label in column.labels]
    return Lexicon.of_names(domain, Subwords.train(tokenizer, texts, vocabulary=260))


@st.composite
def models(draw):
    domain = draw(domains)
    order = draw(st.permutations(range(len(domain))))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**32 - 1)))
    model = SentenceTransformer(
        lexicon(draw(st.sampled_from(["level", "bpe", "unigram"])), domain),
        Shape(width=8, layers=1, heads=2),
        order=order,
        random=draw(st.booleans()),
        guided=draw(st.booleans()),
        tied=draw(st.booleans()),
        generator=generator,
    )
    with torch.no_grad():
        model.head.bias.normal_(generator=generator)
        model.embedding.weight.normal_(generator=generator)
    return domain, model.eval()


@settings(max_examples=40)
@given(domains, st.sampled_from(["bpe", "unigram"]))
def test_no_two_levels_of_a_column_are_spelt_alike_also_where_their_names_are(domain, tokenizer):
    found = lexicon(tokenizer, domain)
    for spellings, trie in zip(found.spellings, found.tries, strict=True):
        assert len(set(spellings)) == len(spellings)
        for level, spelling in enumerate(spellings):
            node = np.zeros(1, np.int64)
            for word in spelling:
                node = trie.step(node, np.array([word]))
            assert trie.levels[node[0]] == level


@settings(max_examples=30)
@given(models())
def test_the_probabilities_of_all_rows_sum_to_one(made):
    domain, model = made
    every = np.array(list(itertools.product(*[range(size) for size in domain.sizes])))
    assert np.exp(log_likelihood(model, every)).sum() == pytest.approx(1, abs=1e-4)
    if every.shape[0] > 1:
        assert np.exp(log_likelihood(model, every, guided=False)).sum() < 1


@settings(max_examples=30)
@given(models(), st.integers(0, 2**32 - 1), st.booleans())
def test_every_drawn_row_is_in_the_domain_and_has_a_likelihood(made, seed, coupled):
    domain, model = made
    (rows,) = sample(model, 20, seed=seed, coupled=coupled)
    assert rows.shape == (20, len(domain))
    assert ((rows >= 0) & (rows < domain.sizes)).all()
    assert np.isfinite(log_likelihood(model, rows)).all()
