from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.privacy.mechanisms import Mechanism
from mustermann.tables import scaling
from mustermann.tables.domain import Column, Domain
from mustermann.tables.scaling import Setting, SimulatedLedger, Simulation

BUDGET = Budget(epsilon=2.0, delta=1e-5)


def sgd(ledger: Ledger, rate: float = 0.1):
    return ledger.sgd("training", steps=3, rate=rate, clip=1.0, what="gradients")


@pytest.fixture
def quick(monkeypatch) -> None:
    """Calibration takes a second; here the noise is 20 times the rate."""

    def made(self, name, *, steps, rate, clip, what):
        return Mechanism(steps=steps, rate=rate, clip=clip, noise=20 * rate)

    monkeypatch.setattr(Ledger, "sgd", made)


def test_the_private_run_is_calibrated_and_the_noise_on_its_mean_is_kept() -> None:
    ledger = SimulatedLedger(BUDGET, rows=1000, batch=10, rate=None)
    simulated, private = sgd(ledger), sgd(Ledger(BUDGET))
    assert ledger.real.noise == private.noise
    assert simulated.rate * 1000 == pytest.approx(10)
    assert simulated.noise / (simulated.rate * 1000) == pytest.approx(
        private.noise / (private.rate * 1000)
    )
    assert simulated.steps == private.steps
    assert simulated.noise < private.noise / 5


@pytest.mark.usefixtures("quick")
def test_another_rate_is_calibrated_anew() -> None:
    ledger = SimulatedLedger(BUDGET, rows=1000, batch=10, rate=0.4)
    sgd(ledger, rate=0.1)
    assert (ledger.real.rate, ledger.real.noise) == (0.4, 8.0)


@pytest.mark.usefixtures("quick")
def test_a_batch_that_is_large_enough_is_not_made_larger() -> None:
    ledger = SimulatedLedger(BUDGET, rows=1000, batch=500, rate=None)
    simulated = sgd(ledger)
    assert (simulated.rate, simulated.noise) == (ledger.real.rate, ledger.real.noise)


def test_a_simulation_has_no_guarantee() -> None:
    ledger = SimulatedLedger(BUDGET, rows=1000, batch=10, rate=None)
    with pytest.raises(PrivacyError, match="simulation"):
        ledger.guarantee()


@pytest.mark.parametrize(("batch", "rate"), [(0, None), (1, 0.0), (1, 1.5)])
def test_settings_out_of_range_are_refused(batch, rate) -> None:
    with pytest.raises(ConfigError):
        SimulatedLedger(BUDGET, rows=10, batch=batch, rate=rate)


def test_a_larger_batch_pays_while_the_noise_is_small() -> None:
    one = Simulation(
        setting=Setting(), rate=0.1, batch=100, noise=1.9, simulated_batch=10,
        simulated_noise=0.19, nll=1.0, nll_se=0.1, seconds=1.0,
    )  # fmt: skip
    assert one.kind == "simulation"
    assert one.larger_batch_pays
    assert not dataclasses.replace(one, noise=2.1).larger_batch_pays
    assert not dataclasses.replace(one, rate=1.0).larger_batch_pays


@pytest.mark.usefixtures("quick")
def test_figures_leave_and_no_model_does(monkeypatch) -> None:
    class Fake:
        def __init__(self, *, recipe) -> None:
            self.recipe = recipe

        def fit(self, codes, domain, *, ledger, seed) -> None:
            if self.recipe == "default":
                sgd(ledger, rate=0.2)

        def log_likelihood(self, codes):
            return -np.array([1.0, 2.0, 3.0])

    monkeypatch.setattr("mustermann.tables.synlm.SynLMModel", Fake)
    given = {
        "train": np.zeros((1000, 1), dtype=np.int64), "valid": np.zeros((3, 1), dtype=np.int64),
        "domain": Domain((Column("a", 5, ordered=False),)), "budget": BUDGET, "batch": 50,
        "seed": 0,
    }  # fmt: skip
    found = scaling.simulate(Setting(), **given)
    assert (found.nll, found.nll_se) == pytest.approx((2.0, 3**-0.5))
    assert (found.batch, found.simulated_batch) == pytest.approx((200, 50))
    assert found.simulated_noise == pytest.approx(found.noise / 4)
    assert not hasattr(found, "save")
    with pytest.raises(ConfigError, match="DP-SGD"):
        scaling.simulate(Setting(recipe="paper"), **given)
