from __future__ import annotations

import json
import math

import dp_accounting
import numpy as np
import pytest
from scipy.stats import norm

from mustermann.core.errors import ConfigError, DataError, PrivacyError
from mustermann.privacy.accounting import epsilon_of
from mustermann.privacy.budget import Budget, gaussian_sigma, zcdp_rho
from mustermann.privacy.guarantee import Guarantee
from mustermann.privacy.ledger import Ledger

ONE = Budget(epsilon=1.0, delta=1e-5)


@pytest.fixture(scope="module")
def recipe():
    ledger = Ledger(ONE)
    ledger.gaussian("marginals", share=0.1, sensitivity=4.0, what="noisy counts")
    ledger.gaussian("moments", share=0.2, sensitivity=2.0, what="noisy moments")
    ledger.sgd("sgd", steps=100, rate=0.05, clip=1.0, what="noisy gradients")
    return ledger


def test_a_recipe_spends_all_of_the_budget_and_no_more(recipe):
    ledger = recipe
    assert 0.9999 < ledger.spent() <= 1.0
    events = [release.event for release in ledger.releases]
    assert ledger.guarantee().epsilon == epsilon_of(events, delta=1e-5)


def test_what_runs_is_what_is_accounted():
    ledger = Ledger(ONE)
    marginals = ledger.gaussian("a", share=0.25, sensitivity=4.0, what="a")
    sgd = ledger.sgd("b", steps=10, rate=0.1, clip=2.0, what="b")
    assert [r.event for r in ledger.releases] == [marginals.event(), sgd.event()]
    assert marginals.std == pytest.approx(4.0 * gaussian_sigma(ONE) / math.sqrt(0.25))
    assert sgd.std == sgd.noise * 2.0


def test_beyond_the_budget_is_refused_and_not_entered():
    ledger = Ledger(ONE)
    for _ in range(10):
        ledger.gaussian("part", share=0.1, sensitivity=1.0, what="a part")
    with pytest.raises(PrivacyError, match="'more'"):
        ledger.gaussian("more", share=1e-6, sensitivity=1.0, what="more")
    with pytest.raises(PrivacyError, match="above epsilon"):
        ledger.sgd("more", steps=10, rate=0.1, clip=1.0, what="more")
    with pytest.raises(PrivacyError, match="cost inf"):
        ledger.spend("raw", dp_accounting.NonPrivateDpEvent(), what="the rows")
    assert len(ledger.releases) == 10


@pytest.mark.parametrize("share", [0.0, -0.1, 1.1, math.nan])
def test_shares_are_parts_of_the_budget(share):
    with pytest.raises(ConfigError, match="share"):
        Ledger(ONE).gaussian("a", share=share, sensitivity=1.0, what="a")


def test_choices_add_up_with_gaussian_releases():
    ledger = Ledger(ONE)
    choice = ledger.exponential("pick", epsilon=0.1, sensitivity=1.0, what="a pair")
    # The two outcomes of the coin that is hardest to hide have log-ratios of 0.05 and -0.05.
    mu = 2 * norm.ppf(1 / (1 + math.exp(-0.05)))
    share = (mu * gaussian_sigma(ONE)) ** 2
    assert choice.event().noise_multiplier == pytest.approx(1 / mu)
    assert ledger.guarantee().shares[0].share == pytest.approx(share, abs=1e-4)
    ledger.gaussian("rest", share=1 - share - 1e-9, sensitivity=1.0, what="the rest")
    assert 1 - 1e-6 < ledger.spent() <= 1
    assert "analytic" in ledger.guarantee().accountant


def test_concentrated_releases_are_accounted_by_renyi():
    ledger = Ledger(ONE)
    ledger.spend("all", dp_accounting.ZCDpEvent(zcdp_rho(ONE)), what="something")
    assert "Renyi" in ledger.guarantee().accountant
    assert 0.999 < ledger.spent() <= 1


def test_shares_in_the_guarantee_follow_the_budget(recipe):
    shares = {s.name: s.share for s in recipe.guarantee().shares}
    assert shares["marginals"] == pytest.approx(0.1, abs=1e-4)
    assert shares["moments"] == pytest.approx(0.2, abs=1e-4)
    assert shares["sgd"] == pytest.approx(0.7, abs=0.03)


def test_the_sentence_says_what_is_covered(recipe):
    ledger = recipe
    text = ledger.guarantee().sentence
    assert "add or remove one row" in text
    assert "epsilon = 1)" in text
    assert "delta = 1e-05" in text
    assert "covers every read" in text
    assert ledger.guarantee().end_to_end


def test_the_sentence_says_what_is_not_covered():
    ledger = Ledger(ONE, neighbours="add or remove all rows of one person")
    ledger.read_nonprivate("bins", "the bins and levels")
    ledger.read_nonprivate("schema", "the schema")
    ledger.declare_public("rows", "the number of rows")
    guarantee = ledger.guarantee()
    assert not guarantee.end_to_end
    assert "does not cover the bins and levels and the schema" in guarantee.sentence
    assert "epsilon = infinity" in guarantee.sentence
    assert "all rows of one person" in guarantee.sentence
    assert "the number of rows as public" in guarantee.sentence
    assert [r.name for r in guarantee.non_private_reads] == ["bins", "schema"]


def test_figures_in_the_sentence_are_rounded_upwards():
    ledger = Ledger(Budget(epsilon=1.23456, delta=1e-6))
    ledger.gaussian("all", share=1.0, sensitivity=1.0, what="everything")
    assert "epsilon = 1.235)" in ledger.guarantee().sentence


def test_an_empty_ledger_has_spent_nothing():
    guarantee = Ledger(ONE).guarantee()
    assert guarantee.epsilon == 0
    assert guarantee.shares == ()


def test_guarantees_go_through_files(recipe):
    guarantee = recipe.guarantee()
    record = json.loads(json.dumps(guarantee.to_record(), allow_nan=False))
    assert Guarantee.from_record(record) == guarantee
    assert isinstance(record["shares"], list)
    with pytest.raises(DataError, match="guarantee"):
        Guarantee.from_record({"epsilon": 1.0})


def test_a_resumed_ledger_goes_on_where_it_was(recipe):
    ledger = Ledger.from_record(recipe.to_record())
    ledger.declare_public("rows", "the number of rows")
    ledger.read_nonprivate("bins", "the bins")
    again = Ledger.from_record(json.loads(json.dumps(ledger.to_record())))
    assert again.guarantee() == ledger.guarantee()
    mechanism = again.recorded_sgd("sgd", clip=1.0)
    assert mechanism.event() == ledger.releases[-1].event
    with pytest.raises(PrivacyError, match="'moments'"):
        again.recorded_sgd("moments", clip=1.0)


def test_a_changed_record_is_refused(recipe):
    record = recipe.to_record()
    record["budget"]["epsilon"] = 0.5
    with pytest.raises(PrivacyError, match="changed"):
        Ledger.from_record(record)
    record["releases"][0]["event"] = {"kind": "os.system", "command": "true"}
    with pytest.raises(DataError, match="event"):
        Ledger.from_record(record)
    with pytest.raises(DataError, match="ledger"):
        Ledger.from_record({})


def test_a_gaussian_mechanism_releases_once():
    mechanism = Ledger(ONE).gaussian("a", share=1.0, sensitivity=1.0, what="a")
    assert mechanism.release(np.zeros((2, 3))).shape == (2, 3)
    with pytest.raises(PrivacyError, match="second"):
        mechanism.release(np.zeros((2, 3)))


def test_values_that_noise_cannot_hide_are_refused_before_the_release():
    mechanism = Ledger(ONE).gaussian("a", share=1.0, sensitivity=1.0, what="a")
    with pytest.raises(DataError, match="finite"):
        mechanism.release([math.nan])
    assert np.isfinite(mechanism.release([0.0])).all()


def test_an_exponential_mechanism_chooses_once():
    mechanism = Ledger(ONE).exponential("a", epsilon=0.1, sensitivity=1.0, what="a")
    assert mechanism.choose([0.0, 1e9, 0.0]) == 1
    with pytest.raises(PrivacyError, match="second"):
        mechanism.choose([0.0, 1.0])
    with pytest.raises(DataError, match="scores"):
        mechanism.choose([])


def test_a_reserved_delta_holds_all_entries_to_the_rest_and_is_stated_whole():
    ledger = Ledger(Budget(epsilon=1.0, delta=1e-5))
    ledger.reserve_delta("levels", delta=4e-6, what="rare levels")
    ledger.gaussian("marginals", share=1.0, sensitivity=1.0, what="counts")
    assert ledger.budget.delta == pytest.approx(6e-6)
    guarantee = ledger.guarantee()
    assert guarantee.delta == 1e-5
    assert guarantee.epsilon <= 1.0
    assert [share.name for share in guarantee.shares] == ["levels", "marginals"]
    alone = Ledger(Budget(epsilon=1.0, delta=1e-5))
    assert alone.gaussian(
        "marginals", share=1.0, sensitivity=1.0, what="counts"
    ).noise < gaussian_sigma(ledger.budget)
    again = Ledger.from_record(json.loads(json.dumps(ledger.to_record())))
    assert again.guarantee() == guarantee


@pytest.mark.parametrize("delta", [0.0, 1e-5, 1.0])
def test_more_delta_than_there_is_cannot_be_reserved(delta):
    with pytest.raises(ConfigError, match="between 0 and 1e-05"):
        Ledger(Budget(epsilon=1.0, delta=1e-5)).reserve_delta("levels", delta=delta, what="levels")


def test_delta_is_reserved_before_any_release():
    ledger = Ledger(Budget(epsilon=1.0, delta=1e-5))
    ledger.gaussian("marginals", share=0.5, sensitivity=1.0, what="counts")
    with pytest.raises(PrivacyError, match="Reserve it first"):
        ledger.reserve_delta("levels", delta=1e-6, what="levels")
