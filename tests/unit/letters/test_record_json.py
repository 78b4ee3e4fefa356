import json
from datetime import date

import pytest

from mustermann.core.errors import DataError
from mustermann.letters.record_json import plain


def test_attributes_become_plain_json(attributes):
    record = plain(attributes)
    assert json.loads(json.dumps(record)) == record
    assert record["patient"]["given"] == ["Cem"]
    assert record["included"] == ["email", "fallnr"]
    assert record["dates"]["geburtsdatum"] == "1962-03-01"
    assert record["course"]["labs"]["crp"]["values"] == {"aufnahme": 124.25, "entlassung": 8.0}


def test_each_kind_of_value():
    value = {"a": (1, 2.5, None, True), "b": frozenset({"y", "x"}), 3: [date(2026, 1, 2)]}
    assert plain(value) == {"a": [1, 2.5, None, True], "b": ["x", "y"], "3": ["2026-01-02"]}


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(DataError, match="got complex"):
        plain({"x": 1j})
