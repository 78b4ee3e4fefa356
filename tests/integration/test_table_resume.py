"""A fit that was stopped goes on: charged once, with fresh noise, to the same guarantee."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import torch

from mustermann.core.errors import ConfigError
from mustermann.journeys.tables import FitSettings, fit_to, open_journal
from mustermann.privacy.dpsgd import DpSgd
from mustermann.privacy.ledger import Ledger
from mustermann.tables import fitting, recalibrate, recipe
from mustermann.tables.independent import IndependentModel

SETTINGS = FitSettings(epsilon=4, delta=1e-4, overrides=("discretise.bins=8",))

CUT = """
import dataclasses
from mustermann.tables import fitting, recalibrate, recipe
recalibrate.ROWS = 256
def cut(name, *, epsilon, rows):
    numbers = recipe.plan(name, epsilon=epsilon, rows=rows)
    field = dataclasses.replace(
        numbers.field, chains=recipe.Chains(count=60, sweeps=10, kept=3),
        pretraining=dataclasses.replace(numbers.field.pretraining, steps=5))
    training = dataclasses.replace(numbers.training, steps=STEPS)
    shape = dataclasses.replace(numbers.shape, width=16, layers=1, heads=2)
    return dataclasses.replace(numbers, field=field, training=training, shape=shape, rate=0.2)
fitting.plan = cut
"""


@pytest.fixture
def short(monkeypatch):
    """Few steps; everything else as in a real fit."""

    def cut(name, *, epsilon, rows):
        numbers = recipe.plan(name, epsilon=epsilon, rows=rows)
        field = dataclasses.replace(
            numbers.field,
            chains=recipe.Chains(count=60, sweeps=10, kept=3),
            pretraining=dataclasses.replace(numbers.field.pretraining, steps=5),
        )
        training = dataclasses.replace(numbers.training, steps=60)
        shape = dataclasses.replace(numbers.shape, width=16, layers=1, heads=2)
        return dataclasses.replace(numbers, field=field, training=training, shape=shape, rate=0.2)

    monkeypatch.setattr(fitting, "plan", cut)
    monkeypatch.setattr(recalibrate, "ROWS", 256)


@pytest.fixture
def data(tmp_path):
    draws = np.random.default_rng(0)
    lines = [f"{draws.integers(0, 50)},{draws.choice(list('xyz'))},{draws.integers(2)}"
             for _ in range(200)]  # fmt: skip
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def journal(tmp_path):
    return open_journal(tmp_path / "t.ledger", cap_epsilon=100, cap_delta=1e-2)


def stop_at(monkeypatch, step, seen):
    """Lets DP-SGD be interrupted at a step, as by Ctrl-C."""
    advance = DpSgd.advance

    def watched(self):
        if self.step == step:
            raise KeyboardInterrupt
        advance(self)
        seen.append(self.step)

    monkeypatch.setattr(DpSgd, "advance", watched)


@pytest.mark.parametrize("bins", ["nonprivate", "private"])
def test_it_goes_on_from_the_last_checkpoint(short, data, tmp_path, journal, monkeypatch, bins):
    out, settings = tmp_path / "M", dataclasses.replace(SETTINGS, bins=bins)
    first, second = [], []
    with monkeypatch.context() as patch:
        stop_at(patch, 40, first)
        with pytest.raises(KeyboardInterrupt):
            fit_to(data, out, settings, journal=journal)
    assert first[-1] == 40
    assert not out.exists()
    assert len(journal.fits()) == 1
    paid = json.loads((tmp_path / ".M.fit" / "state.json").read_text())["ledger"]

    with pytest.raises(ConfigError, match="--resume"):
        fit_to(data, out, settings, journal=journal)
    stop_at(monkeypatch, -1, second)
    result = fit_to(data, out, settings, journal=journal, resume=True)
    assert second == list(range(26, 61))
    assert len(journal.fits()) == 1
    assert not (tmp_path / ".M.fit").exists()
    assert result.guarantee.epsilon <= 4
    assert [share.name for share in result.guarantee.shares if share.share] == [
        release["name"] for release in paid["releases"]
    ]


def test_what_is_done_again_is_done_with_fresh_noise(short, data, tmp_path, monkeypatch):
    out, weights = tmp_path / "M", []
    advance = DpSgd.advance

    def watched(self):
        advance(self)
        weights.append((self.step, torch.cat([p.flatten() for p in self._module.parameters()])))
        if len(weights) == 30:
            raise KeyboardInterrupt

    monkeypatch.setattr(DpSgd, "advance", watched)
    with pytest.raises(KeyboardInterrupt):
        fit_to(data, out, SETTINGS)
    fit_to(data, out, SETTINGS, resume=True)
    before, after = (dict(part) for part in (weights[:30], weights[30:]))
    assert min(after) == 26
    assert not torch.equal(before[26], after[26])


def test_another_fit_does_not_go_on_from_it(short, data, tmp_path, monkeypatch):
    out = tmp_path / "M"
    with monkeypatch.context() as patch:
        stop_at(patch, 5, [])
        with pytest.raises(KeyboardInterrupt):
            fit_to(data, out, SETTINGS)
    with pytest.raises(ConfigError, match="other settings"):
        fit_to(data, out, dataclasses.replace(SETTINGS, epsilon=5), resume=True)
    data.write_text(data.read_text().replace(",x,", ",y,", 1))
    with pytest.raises(ConfigError, match="found others"):
        fit_to(data, out, SETTINGS, resume=True)


def test_a_fit_that_is_refused_leaves_nothing(data, tmp_path):
    with pytest.raises(ConfigError):
        fit_to(data, tmp_path / "M", dataclasses.replace(SETTINGS, bins="public"))
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("charged", [True, False])
def test_a_method_without_checkpoints_begins_anew_and_pays_once(
    data, tmp_path, journal, monkeypatch, charged
):
    def stop(*arguments, **settings):
        raise KeyboardInterrupt

    settings = dataclasses.replace(SETTINGS, method="independent")
    with monkeypatch.context() as patch:
        patch.setattr(IndependentModel, "fit", stop)
        with pytest.raises(KeyboardInterrupt):
            fit_to(data, tmp_path / "M", settings, journal=journal if charged else None)
    # Where nothing was charged, there is nothing to go on from.
    assert (tmp_path / ".M.fit").exists() == charged
    fit_to(data, tmp_path / "M", settings, journal=journal, resume=True)
    assert len(journal.fits()) == 1


def command_of(place, *, bins="nonprivate"):
    """Returns a command that begins or goes on with a fit in `place`, and its environment."""
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from mustermann.journeys.tables import FitSettings, fit_to, open_journal
        here = Path(sys.argv[1])
        settings = FitSettings(
            epsilon=4, delta=1e-4, bins=sys.argv[2], overrides=("discretise.bins=8",)
        )
        journal = open_journal(here / "t.ledger", cap_epsilon=100, cap_delta=1e-2)
        fit_to(here / "t.csv", here / "M", settings, journal=journal, resume=True)
    """)
    program = CUT.replace("STEPS", "100") + program
    command = [sys.executable, "-c", program, str(place), bins]
    return command, os.environ | {"OMP_NUM_THREADS": "1"}


@pytest.mark.slow
def test_kills_in_a_row_cost_one_fit_and_end_in_one_model(data, tmp_path, journal):
    """Each try is killed a while after it got to work; what was paid stays paid, once."""
    command, environment = command_of(tmp_path, bins="private")
    begun, state = tmp_path / ".M.fit" / "begun.json", tmp_path / ".M.fit" / "state.json"
    draws, noted, entries = random.Random(0), False, 0
    for _ in range(3):
        before = state.stat().st_mtime_ns if state.exists() else begun.exists()
        process = subprocess.Popen(command, env=environment)
        while process.poll() is None and before == (
            state.stat().st_mtime_ns if state.exists() else begun.exists()
        ):
            time.sleep(0.002)
        time.sleep(draws.uniform(0, 0.3))
        process.kill()
        if process.wait() == 0:
            break
        found = len(journal.fits())
        # An entry comes before any noise, and never again once it has been noted.
        assert found >= state.exists()
        assert found == entries or not noted
        entries = found
        noted = begun.exists() and json.loads(begun.read_text())["journal"] is not None
        assert entries >= noted
        if state.exists():
            paid = Ledger.from_record(json.loads(state.read_text())["ledger"])
            names = [release.name for release in paid.releases]
            assert len(set(names)) == len(names)
            assert paid.spent() <= 4
    if not (tmp_path / "M").exists():
        subprocess.run(command, env=environment, check=True)
    # A kill between an entry and its note is the one case that is charged again.
    assert len(journal.fits()) in (max(entries, 1), entries + (not noted))
    guarantee = json.loads((tmp_path / "M" / "guarantee.json").read_text())
    assert guarantee["epsilon"] <= 4
    names = [share["name"] for share in guarantee["shares"]]
    assert names == ["threshold", "levels", "bounds", "marginals", "moments", "training"]


@pytest.mark.parametrize("moment", range(3))
def test_the_journal_is_true_after_a_kill_at_any_moment(data, tmp_path, journal, moment):
    """Kills at random moments; what went on after them is charged once, and is whole."""
    command, environment = command_of(tmp_path)
    process = subprocess.Popen(command, env=environment)
    while process.poll() is None and not (tmp_path / ".M.fit").exists():
        time.sleep(0.005)
    time.sleep([0.0, 0.1, 0.8][moment])
    process.send_signal(signal.SIGKILL)
    killed = process.wait() != 0
    kept = list(tmp_path.glob(".M.fit/state.json"))
    # Whatever noise was drawn, its fit had been charged before.
    assert len(journal.fits()) == 1 or not kept
    if killed:
        subprocess.run(command, env=environment, check=True)
    assert (tmp_path / "M" / "guarantee.json").is_file()
    assert 1 <= len(journal.fits()) <= (1 if kept else 2)
    assert not (tmp_path / ".M.fit").exists()
