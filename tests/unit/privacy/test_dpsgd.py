from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.clipping import clipped_sum
from mustermann.privacy.dpsgd import DpSgd, Mechanism, privatise, train


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.Linear(3, 4)
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return (self.last(torch.tanh(self.first(x[:, :3]))) - x[:, 3:]).square().sum(1)


class Silent:
    """Noise that is none, and batches that are whole."""

    def standard_normal(self, size, /):
        return np.zeros(size)

    def random(self, size, /):
        return np.zeros(size)


def data(count=50):
    return torch.randn(count, 4, generator=torch.Generator().manual_seed(1))


def mechanism(steps=3, rate=0.5, noise=1.0):
    return Mechanism(steps=steps, rate=rate, clip=0.7, noise=noise)


def start(model=None, *, steps=3, records=50.0, optimiser=torch.optim.SGD, **more):
    model = model or Model()
    return model, DpSgd(
        model, model, more.pop("data", data()), mechanism(steps),
        optimiser(model.parameters(), lr=0.1), records=records, **more,
    )  # fmt: skip


def flat(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def test_a_step_is_the_clipped_sum_over_the_expected_batch_size():
    model, run = start(randomness=Silent(), records=80.0)
    before = flat(model)
    total = clipped_sum(model, model, data(), clip=0.7).grads
    run.advance()
    step = torch.cat([total[n].flatten() for n, _ in model.named_parameters()]) / (0.5 * 80)
    torch.testing.assert_close(flat(model), before - 0.1 * step)


def test_the_divisor_does_not_follow_the_batch():
    # Twice the records at the same declared number give twice the step.
    moves = []
    for rows in (data(), data().repeat(2, 1)):
        model, run = start(randomness=Silent(), data=rows)
        before = flat(model)
        run.advance()
        moves.append(flat(model) - before)
    torch.testing.assert_close(moves[1], 2 * moves[0], rtol=1e-4, atol=1e-7)


def test_an_empty_batch_releases_noise():
    model, run = start(data=data(0))
    before = flat(model)
    run.advance()
    assert (flat(model) != before).all()
    assert run.step == 1


def test_no_more_steps_than_were_accounted():
    _, run = start(steps=2)
    run.finish()
    with pytest.raises(PrivacyError, match="at most 2 steps"):
        run.advance()


def test_a_mechanism_runs_once():
    model, paid = Model(), mechanism()
    settings = {"records": 50.0}
    DpSgd(model, model, data(), paid, torch.optim.SGD(model.parameters(), lr=0.1), **settings)
    with pytest.raises(PrivacyError, match="second"):
        DpSgd(model, model, data(), paid, torch.optim.SGD(model.parameters(), lr=0.1), **settings)


def test_callbacks_hear_of_steps_and_nothing_else():
    heard = []
    model = Model()
    optimiser = torch.optim.Adam(model.parameters())
    train(model, model, data(), mechanism(4), optimiser, records=50.0, on_step=heard.append)
    assert heard == [1, 2, 3, 4]
    assert not any(m._forward_hooks for m in model.modules())


def test_learning_rates_follow_the_schedule():
    model, run = start(learning_rate=lambda step: 0.0 if step < 2 else 1.0)
    before = flat(model)
    run.advance()
    run.advance()
    torch.testing.assert_close(flat(model), before)
    run.advance()
    assert (flat(model) != before).any()


@pytest.mark.parametrize("optimiser", [torch.optim.SGD, torch.optim.Adam])
def test_a_run_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(optimiser):
    whole, run = start(optimiser=optimiser, steps=4, randomness=Silent())
    run.finish()

    stopped, run = start(optimiser=optimiser, steps=4, randomness=Silent())
    run.advance()
    run.advance()
    saved = run.checkpoint()
    run.advance()  # lost with the process

    _, again = start(optimiser=optimiser, steps=4, randomness=Silent())
    again._module.first.weight.data.zero_()
    again.restore(saved)
    assert again.step == 2
    again.finish()
    # Micro-batches may be cut differently, so only rounding may differ.
    torch.testing.assert_close(flat(again._module), flat(whole), rtol=1e-4, atol=1e-5)
    assert (flat(stopped) - flat(whole)).abs().max() > 1e-3


def test_a_resumed_run_draws_fresh_noise():
    _, run = start(steps=2)
    saved = run.checkpoint()
    ends = []
    for _ in range(2):
        model, again = start(steps=2)
        again.restore(saved)
        again.advance()
        ends.append(flat(model))
    assert (ends[0] != ends[1]).all()


def test_checkpoints_hold_tensors_for_safetensors_and_no_more(tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    _, run = start(optimiser=torch.optim.Adam)
    run.advance()
    saved = run.checkpoint()
    safetensors.save_file(saved.tensors, tmp_path / "run.safetensors")
    loaded = safetensors.load_file(tmp_path / "run.safetensors")
    assert {n: t.shape for n, t in loaded.items()} == {n: t.shape for n, t in saved.tensors.items()}


def test_going_back_within_a_run_is_refused():
    _, run = start()
    saved = run.checkpoint()
    run.advance()
    with pytest.raises(PrivacyError, match="twice"):
        run.restore(saved)


def test_a_checkpoint_of_another_module_is_refused():
    model = nn.Linear(4, 1)
    run = DpSgd(
        model, lambda x: model(x).sum(1), data(), mechanism(),
        torch.optim.SGD(model.parameters(), lr=0.1), records=50.0,
    )  # fmt: skip
    _, other = start()
    with pytest.raises(DataError, match="checkpoint of this module"):
        other.restore(run.checkpoint())


class Shards:
    """Two processes in turn: the second adds what the first left."""

    def __init__(self, rank, wire):
        self.rank, self.wire = rank, wire

    def sum(self, values):
        if self.rank == 1:
            self.wire["part"] = values
            return self.wire["total"]
        self.wire["total"] = {n: v + self.wire["part"][n] for n, v in values.items()}
        return self.wire["total"]

    def broadcast(self, values):
        if self.rank == 0:
            self.wire["noisy"] = values
        return self.wire["noisy"]


class Refusing(Silent):
    def standard_normal(self, size, /):
        raise AssertionError("only process 0 may add noise")


def test_shards_sum_before_the_noise_which_process_0_adds_once():
    alone, run = start(randomness=Silent(), steps=1)
    run.advance()

    wire = {}
    second, late = start(
        steps=1, data=data()[30:], collective=Shards(1, wire), randomness=Refusing()
    )
    wire["part"] = clipped_sum(second, second, data()[30:], clip=0.7).grads
    first, run = start(steps=1, data=data()[:30], collective=Shards(0, wire), randomness=Silent())
    run.advance()
    late.advance()
    torch.testing.assert_close(flat(first), flat(alone))
    torch.testing.assert_close(flat(second), flat(alone))


def test_noise_has_the_mechanisms_deviation_in_the_sums_dtype():
    class Ones(Silent):
        def standard_normal(self, size, /):
            return np.ones(size)

    total = {"a": torch.zeros(2, 3), "b": torch.full((4,), 5.0, dtype=torch.float64)}
    noisy = privatise(total, mechanism(noise=3.0), Ones())
    torch.testing.assert_close(noisy["a"], torch.full((2, 3), 3 * 0.7))
    torch.testing.assert_close(noisy["b"], torch.full((4,), 5 + 3 * 0.7, dtype=torch.float64))


@pytest.mark.parametrize(
    "wrong",
    [{"steps": 0}, {"rate": 0.0}, {"rate": 1.5}, {"clip": 0.0}, {"noise": 0.0},
     {"noise": float("nan")}, {"clip": float("inf")}],
)  # fmt: skip
def test_mechanisms_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigError, match="|".join(wrong).removesuffix("s")):
        Mechanism(**({"steps": 1, "rate": 0.5, "clip": 1.0, "noise": 1.0} | wrong))


@pytest.mark.parametrize("records", [0.0, -1.0, float("nan"), float("inf")])
def test_the_number_of_records_must_be_one(records):
    with pytest.raises(ConfigError, match="records"):
        start(records=records)
