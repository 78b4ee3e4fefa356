from __future__ import annotations

import json

import dp_accounting
import pytest

from mustermann.core.errors import DataError
from mustermann.privacy.events import describe, from_record, to_record

GAUSSIAN = dp_accounting.GaussianDpEvent(2.5)
SGD = dp_accounting.SelfComposedDpEvent(dp_accounting.PoissonSampledDpEvent(0.05, GAUSSIAN), 300)
EVENTS = {
    GAUSSIAN: "Gaussian noise of 2.5 times the sensitivity",
    SGD: "300 times: Gaussian noise of 2.5 times the sensitivity over rows that each join with "
    "probability 0.05",
    dp_accounting.LaplaceDpEvent(1.5): "Laplace noise of 1.5 times the sensitivity",
    dp_accounting.ZCDpEvent(0.01): "0.01-zero-concentrated privacy",
    dp_accounting.NonPrivateDpEvent(): "no noise: not private",
    dp_accounting.NoOpDpEvent(): "nothing",
}


@pytest.mark.parametrize(("event", "text"), EVENTS.items(), ids=range(len(EVENTS)))
def test_events_are_told_and_go_through_files(event, text):
    assert describe(event) == text
    assert from_record(json.loads(json.dumps(to_record(event)))) == event


def test_compositions_go_through_files():
    both = dp_accounting.ComposedDpEvent([GAUSSIAN, SGD])
    assert from_record(to_record(both)) == both
    assert describe(both).count("; then ") == 1


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {"kind": "os"},
        {"kind": "GaussianDpEvent"},
        {"kind": "GaussianDpEvent", "noise_multiplier": "1"},
        {"kind": "GaussianDpEvent", "noise_multiplier": float("nan")},
        {"kind": "GaussianDpEvent", "noise_multiplier": True},
        {"kind": "GaussianDpEvent", "noise_multiplier": 1.0, "more": 2.0},
        {"kind": "ComposedDpEvent", "events": [{"kind": "os"}]},
    ],
)
def test_other_records_are_refused(record):
    with pytest.raises(DataError, match=r"[Ee]xpected"):
        from_record(record)


def test_events_that_files_do_not_hold_are_refused():
    with pytest.raises(DataError, match="Unsupported"):
        to_record(dp_accounting.UnsupportedDpEvent())
