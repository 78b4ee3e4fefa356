from __future__ import annotations

import numpy as np
import pytest

from mustermann.core.errors import ConfigError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.mechanisms import Mechanism
from mustermann.tables import ablation
from mustermann.tables.ablation import VARIANTS, Trial, find, run
from mustermann.tables.domain import Column, Domain
from mustermann.tables.synlm import SynLMModel

DOMAIN = Domain(
    tuple(Column(n, 3, ordered=False, labels=("left", "right", "leftmost")) for n in "ab")
)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Calibration takes seconds; here the noise is 20 times the rate."""

    def made(self, name, *, steps, rate, clip, what):
        return Mechanism(steps=steps, rate=rate, clip=clip, noise=20 * rate)

    monkeypatch.setattr(Ledger, "sgd", made)


def trial(variant, **settings):
    draws = np.random.default_rng(0)
    codes = np.repeat(draws.integers(0, 3, (200, 1)), 2, axis=1)
    usual = {
        "variant": variant, "recipe": "paper", "train": codes[:150], "test": codes[150:],
        "domain": DOMAIN, "budget": Budget(epsilon=3.0, delta=1e-4), "batch": 16, "steps": 2,
        "seed": 0,
    }  # fmt: skip
    return Trial(**usual | settings)


@pytest.mark.parametrize("variant", [name for name in VARIANTS if name != "gpt2"])
def test_every_variant_runs_and_is_scored(variant):
    found = run(trial(variant))
    assert found.losses.shape == (50,)
    assert (found.free is None) == (variant == "column")
    assert (found.over_orders is not None) == variant.startswith("random")
    if found.free is not None:
        assert (found.free > found.losses).all()
    assert (found.steps, found.tokens) == (2, 2 if variant == "column" else found.tokens)
    assert found.simulated_batch == pytest.approx(16)
    assert 0 < found.training_seconds <= found.seconds
    assert found.parameters > 10_000


def test_steps_and_batch_of_a_variant_that_is_not_scored_are_its_own(monkeypatch):
    small = ablation.Variant(
        says="", settings=VARIANTS["gpt2"].settings | {"size": "small"}, scored=False, batch=8
    )
    monkeypatch.setitem(ablation.VARIANTS, "gpt2", small)
    found = run(trial("gpt2", steps=1))
    assert (found.losses, found.free, found.over_orders) == (None, None, None)
    assert found.steps == 3
    assert found.simulated_batch == pytest.approx(8)


def test_the_large_variant_is_of_the_size_of_gpt2():
    assert VARIANTS["gpt2"].settings["size"] == "gpt2"


def test_all_variants_are_settings_that_go_together():
    for variant in VARIANTS.values():
        SynLMModel(recipe="paper", **variant.settings)


def test_an_unknown_variant_is_refused():
    with pytest.raises(ConfigError, match="random-k4"):
        find("k4")
