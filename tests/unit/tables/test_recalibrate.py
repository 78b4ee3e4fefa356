"""After the tilt a sample's marginals are the released ones, and the likelihood knows."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
import torch

from mustermann.tables import decode
from mustermann.tables.denoise import Marginal
from mustermann.tables.domain import Column, Domain
from mustermann.tables.likelihood import log_likelihood
from mustermann.tables.recalibrate import recalibrate
from mustermann.tables.transformer import Shape, TableTransformer

DOMAIN = Domain((Column("a", 3, ordered=False), Column("b", 8, ordered=True)))
EVERY = np.array(list(itertools.product(range(3), range(8))))
PROBABILITIES = (np.array([0.7, 0.2, 0.1]), np.arange(1, 9) / 36)
MARGINALS = tuple(Marginal(p, np.zeros(len(p))) for p in PROBABILITIES)


@pytest.fixture
def model():
    generator = torch.Generator().manual_seed(0)
    made = TableTransformer(
        DOMAIN, Shape(width=16, layers=1, heads=2), order=(1, 0), generator=generator
    )
    with torch.no_grad():
        made.heads.weight.normal_(std=0.5, generator=generator)
    recalibrate(made, MARGINALS, records=5000, draws=np.random.default_rng(0))
    return made


def test_exact_marginals_are_the_wanted_ones(model):
    chances = np.exp(log_likelihood(model, EVERY))
    assert chances.sum() == pytest.approx(1, abs=1e-5)
    for c, wanted in enumerate(PROBABILITIES):
        found = np.bincount(EVERY[:, c], chances)
        assert np.abs(found - wanted).sum() / 2 < 0.01


def test_dependence_stays(model):
    joint = np.exp(log_likelihood(model, EVERY)).reshape(3, 8)
    independent = np.outer(joint.sum(1), joint.sum(0))
    assert np.abs(joint - independent).sum() / 2 > 0.05


def test_samples_have_the_marginals(model):
    rows = np.concatenate(list(decode.sample(model, 20_000, seed=0, coupled=True)))
    for c, wanted in enumerate(PROBABILITIES):
        found = np.bincount(rows[:, c], minlength=len(wanted)) / len(rows)
        assert np.abs(found - wanted).sum() / 2 < 0.01


def test_nothing_to_mend_changes_little(model):
    before = log_likelihood(model, EVERY)
    recalibrate(model, MARGINALS, records=5000, draws=np.random.default_rng(1))
    assert log_likelihood(model, EVERY) == pytest.approx(before, abs=0.05)


def test_marginals_of_large_error_are_not_followed(model):
    before = log_likelihood(model, EVERY)
    vague = tuple(Marginal(p[::-1].copy(), np.full(len(p), 5.0)) for p in PROBABILITIES)
    recalibrate(model, vague, records=1e6, draws=np.random.default_rng(1))
    assert log_likelihood(model, EVERY) == pytest.approx(before, abs=1e-3)


def distance(model, probabilities, column):
    found = np.bincount(EVERY[:, column], np.exp(log_likelihood(model, EVERY)))
    return np.abs(found - probabilities).sum() / 2


def test_errors_below_those_of_a_sample_are_as_good_as_none(model):
    """Though James and Stein alone would stay with the model where the gap is so small."""
    moved = PROBABILITIES[0] + np.array([0.012, -0.006, -0.006])
    released = (Marginal(moved, np.full(3, 0.01)), MARGINALS[1])
    before = distance(model, moved, 0)
    few, many = copy.deepcopy(model), copy.deepcopy(model)
    recalibrate(few, released, records=500, draws=np.random.default_rng(1))
    recalibrate(many, released, records=5e6, draws=np.random.default_rng(1))
    assert distance(few, moved, 0) < 0.25 * before
    assert distance(many, moved, 0) > 0.75 * before
