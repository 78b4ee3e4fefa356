from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import aim_rounds, junction
from mustermann.tables.aim import AIMModel, public_pseudo_counts
from mustermann.tables.domain import Column, Domain
from mustermann.tables.marginal_fit import Measurement

SIZES = (3, 4, 2, 3)


def domain_of(sizes: tuple[int, ...]) -> Domain:
    return Domain(tuple(Column(f"c{i}", size, ordered=False) for i, size in enumerate(sizes)))


def rows(count: int = 4000) -> np.ndarray:
    """A chain: each column is the one before it, mostly."""
    draws = np.random.default_rng(7)
    columns = [draws.integers(0, SIZES[0], count)]
    for size in SIZES[1:]:
        noise = draws.integers(0, size, count)
        columns.append(np.where(draws.random(count) < 0.85, columns[-1] % size, noise))
    return np.column_stack(columns)


def fitted(epsilon: float = 5.0, **settings) -> tuple[AIMModel, Ledger]:
    ledger = Ledger(Budget(epsilon=epsilon, delta=1e-5))
    model = AIMModel(iterations=50, **settings)
    model.fit(rows(), domain_of(SIZES), ledger=ledger, seed=0)
    return model, ledger


@pytest.fixture(scope="module")
def pair() -> tuple[AIMModel, Ledger]:
    return fitted()


def test_the_budget_is_spent_and_not_overspent(pair) -> None:
    assert 5.0 * (1 - 1e-4) < pair[1].spent() <= 5.0


def test_each_round_is_a_choice_and_a_measurement_in_the_ledger(pair) -> None:
    names = [release.name for release in pair[1].releases]
    assert names[0] == "aim columns"
    assert names[1:] == [
        f"aim {what} {i + 1}" for i in range(len(names) // 2) for what in ("choice", "measurement")
    ]


def test_likelihoods_of_all_rows_sum_to_one(pair) -> None:
    everything = np.array(list(itertools.product(*(range(size) for size in SIZES))))
    for pseudo_counts in (0.0, 10.0):
        model = pair[0].with_pseudo_counts(pseudo_counts)
        assert np.exp(model.log_likelihood(everything)).sum() == pytest.approx(1.0, abs=1e-12)


def test_the_chain_is_learnt(pair) -> None:
    loss = -pair[0].log_likelihood(rows()).mean()
    counts = np.unique(rows(), axis=0, return_counts=True)[1] / 4000
    entropy = -(counts * np.log(counts)).sum()
    independent = -sum(
        (p * np.log(p)).sum() for p in (np.bincount(column) / 4000 for column in rows().T)
    )
    assert loss - entropy < 0.25 * (independent - entropy)


def test_it_keeps_within_its_size() -> None:
    model, _ = fitted(epsilon=50.0, model_megabytes=30 * 8 / 2**20)
    scopes = {frozenset({one.column, *one.parents}) for one in model.chain.conditionals}
    clusters = [scope for scope in scopes if not any(scope < other for other in scopes)]
    assert sum(math.prod(SIZES[column] for column in scope) for scope in clusters) <= 30


def test_a_triangle_of_pairs_counts_as_one_table() -> None:
    triangle = [(0, 2), (2, 3), (0, 3)]
    assert junction.build(SIZES, triangle).cells == 3 * 2 * 3 + 4
    assert junction.build(SIZES, [*triangle, (0, 1)]).cells == 3 * 2 * 3 + 3 * 4


def test_samples_come_in_blocks_and_by_seed(pair, monkeypatch) -> None:
    monkeypatch.setattr("mustermann.tables.aim._BLOCK", 100)
    blocks = list(pair[0].sample(250, seed=3))
    assert [len(block) for block in blocks] == [100, 100, 50]
    again = np.concatenate(list(pair[0].sample(250, seed=3)))
    np.testing.assert_array_equal(np.concatenate(blocks), again)
    assert not np.array_equal(again, np.concatenate(list(pair[0].sample(250, seed=4))))
    assert list(pair[0].sample(0, seed=0)) == []


def test_a_saved_model_scores_and_samples_alike(pair, tmp_path) -> None:
    model = pair[0]
    model.save(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    loaded = AIMModel.load(tmp_path, domain_of(SIZES))
    np.testing.assert_array_equal(loaded.log_likelihood(rows()), model.log_likelihood(rows()))
    ours, theirs = (np.concatenate(list(m.sample(50, seed=1))) for m in (model, loaded))
    np.testing.assert_array_equal(ours, theirs)
    assert loaded.settings == model.settings


def test_a_model_of_another_table_is_refused(pair, tmp_path) -> None:
    pair[0].save(tmp_path)
    for sizes in ((3, 4, 2), (3, 4, 2, 3, 2), (4, 3, 2, 3)):
        with pytest.raises(DataError, match="its own schema"):
            AIMModel.load(tmp_path, domain_of(sizes))


@pytest.mark.parametrize("change", ["missing", "garbage", "parents", "column"])
def test_a_broken_model_is_refused(pair, tmp_path, change) -> None:
    pair[0].save(tmp_path)
    shape = tmp_path / "aim.json"
    record = json.loads(shape.read_text())
    if change == "missing":
        (tmp_path / "aim.safetensors").unlink()
    elif change == "garbage":
        (tmp_path / "aim.safetensors").write_bytes(b"\x00" * 20)
    elif change == "parents":
        record["conditionals"][0]["parents"] = [record["conditionals"][-1]["column"]]
    else:
        record["conditionals"][0]["column"] = "0"
    shape.write_text(json.dumps(record))
    with pytest.raises(DataError, match="AIM model"):
        AIMModel.load(tmp_path, domain_of(SIZES))


@pytest.mark.parametrize(
    "setting",
    [{"measuring": 1.0}, {"iterations": 0}, {"model_megabytes": -1.0}, {"pseudo_counts": -1.0}],
)
def test_settings_out_of_range_are_refused(setting) -> None:
    with pytest.raises(ConfigError, match=next(iter(setting))):
        AIMModel(**setting)


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(DataError, match="fit"):
        AIMModel().log_likelihood(rows())


def test_it_takes_what_earlier_releases_leave() -> None:
    ledger = Ledger(Budget(epsilon=2.0, delta=1e-5))
    ledger.gaussian("bins", share=0.25, sensitivity=1.0, what="bins")
    AIMModel(iterations=10).fit(rows(), domain_of(SIZES), ledger=ledger, seed=0)
    assert 2.0 * (1 - 1e-3) < ledger.spent() <= 2.0


def test_nothing_left_is_refused() -> None:
    ledger = Ledger(Budget(epsilon=2.0, delta=1e-5))
    ledger.gaussian("all", share=1.0, sensitivity=1.0, what="everything")
    with pytest.raises(PrivacyError):
        AIMModel().fit(rows(), domain_of(SIZES), ledger=ledger, seed=0)


@pytest.mark.parametrize("sizes", [(5,), (1, 1), (200, 200)])
def test_tables_without_pairs_to_measure_are_independent_columns(sizes) -> None:
    draws = np.random.default_rng(0)
    codes = np.column_stack([draws.integers(0, size, 500) for size in sizes])
    ledger = Ledger(Budget(epsilon=3.0, delta=1e-5))
    model = AIMModel(iterations=20)
    model.fit(codes, domain_of(sizes), ledger=ledger, seed=0)
    assert np.isfinite(model.log_likelihood(codes)).all()
    assert ledger.spent() <= 3.0


def test_an_empty_table_gives_a_model() -> None:
    ledger = Ledger(Budget(epsilon=1.0, delta=1e-5))
    model = AIMModel(iterations=10)
    model.fit(np.zeros((0, 4), dtype=np.int64), domain_of(SIZES), ledger=ledger, seed=0)
    assert np.isfinite(model.log_likelihood(rows(20))).all()


def test_weights_count_the_columns_shared_with_the_workload() -> None:
    weights = aim_rounds._weights((10, 10, 10, 2000), 10_000)
    # The workload is (0,1), (0,2), (1,2): the fourth column is in no small pair.
    assert weights == {(0,): 2.0, (1,): 2.0, (2,): 2.0, (0, 1): 4.0, (0, 2): 4.0, (1, 2): 4.0}


def test_one_row_moves_the_released_counts_by_the_stated_sensitivity() -> None:
    # The joint vector of one-way counts moves by sqrt(k), each marginal by 1 in L1.
    codes = rows(50)
    settings = aim_rounds.RoundSettings()
    ledgers = [Ledger(Budget(epsilon=1.0, delta=1e-5)) for _ in range(2)]
    both = [
        aim_rounds._Rounds(table, domain_of(SIZES), ledger, settings)
        for table, ledger in zip((codes, codes[1:]), ledgers, strict=True)
    ]
    joint = [np.concatenate([one._counts((c,)) for c in range(4)]) for one in both]
    assert np.linalg.norm(joint[0] - joint[1]) == pytest.approx(math.sqrt(4))
    for scope in both[0].weights:
        assert np.abs(both[0]._counts(scope) - both[1]._counts(scope)).sum() == 1.0


def test_pseudo_counts_follow_the_noise_of_the_measured_marginals() -> None:
    def outcome(measurements) -> aim_rounds.Outcome:
        return aim_rounds.Outcome(fit=None, total=200.0, measurements=measurements)

    column = Measurement(scope=(0,), counts=np.zeros(5), std=100.0)
    pair = Measurement(scope=(0, 1), counts=np.zeros((5, 2)), std=10.0)
    other = Measurement(scope=(1, 2), counts=np.zeros((2, 4)), std=5.0)
    assert public_pseudo_counts(outcome([column, pair, other])) == pytest.approx(4 * 3.0**2)
    # Measured twice, a marginal has half the variance.
    assert public_pseudo_counts(outcome([pair, pair])) == pytest.approx(4 * 2.5**2)
    assert public_pseudo_counts(outcome([column])) == 1.0
