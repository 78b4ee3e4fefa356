"""Constraints hold in every row, value by value, and in the likelihood."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import pandas as pd
import pytest

from mustermann.core.errors import ConfigError, MustermannError
from mustermann.journeys.tables import FitSettings, fit, read_schema
from mustermann.tables import frames
from mustermann.tables.given import sample_given
from mustermann.tables.model import TableModel

FEW = ("discretise.bins=6",)


@pytest.fixture(scope="module")
def table():
    draws = np.random.default_rng(0)
    count = 240
    start = dt.date(2020, 1, 1)
    first = draws.integers(0, 300, count)
    days = np.sort(first[:, None] + draws.integers(0, 60, (count, 3)), axis=1)
    frame = pd.DataFrame(
        {
            "age": draws.integers(0, 95, count),
            "sex": draws.choice(["F", "M"], count),
            "pregnant": draws.choice([True, False], count),
            "dose": draws.random(count).round(2),
            "city": draws.choice(["Köln", "Bonn"], count),
            "zip": draws.choice(["50667", "53111", "53113"], count),
            "lab": draws.choice(["high", "low"], count),
            "lab_date": [start + dt.timedelta(days=int(day)) for day in days[:, 0]],
            "admitted": [start + dt.timedelta(days=int(day)) for day in days[:, 1]],
            "discharged": [start + dt.timedelta(days=int(day)) for day in days[:, 2]],
        }
    )
    gone = draws.random(count) < 0.3
    frame.loc[gone, ["lab", "lab_date"]] = None
    frame.loc[draws.random(count) < 0.2, "admitted"] = None
    return frame


SCHEMA = """
[[constraints]]
implies = ["age<16", "pregnant=false,dose<=0.25"]
[[constraints]]
forbid = "sex=M,pregnant=true"
[[constraints]]
columns = ["city", "zip"]
combinations = [["Köln", "50667"], ["Bonn", "53111"], ["Bonn", "53113"], ["Jena", "07743"]]
[[constraints]]
ascending = ["lab_date", "admitted", "discharged"]
[[constraints]]
together = ["lab", "lab_date"]
[[constraints]]
name = "no_dose_at_twenty"
implies = ["age=20", "dose=0.5"]
"""


def schema(tmp_path, text):
    path = tmp_path / "S.toml"
    path.write_text(text, encoding="utf-8")
    return read_schema(path)


def rows(model, count, **asked):
    blocks = [block.frame for block in sample_given(model, count, seed=0, **asked)]
    return frames.to_native(frames.concatenate(blocks))


def broken(frame):
    """Returns how many rows break each constraint."""
    young, twenty = frame.age < 16, frame.age == 20
    ends = [("lab_date", "admitted"), ("admitted", "discharged"), ("lab_date", "discharged")]
    places = set(zip(frame.city, frame.zip, strict=True))
    return {
        "implies": (young & (frame.pregnant | (frame.dose > 0.25))).sum(),
        "forbid": ((frame.sex == "M") & frame.pregnant).sum(),
        "combinations": len(places - {("Köln", "50667"), ("Bonn", "53111"), ("Bonn", "53113")}),
        "ascending": sum(
            (pd.to_datetime(frame[a]) > pd.to_datetime(frame[b])).sum() for a, b in ends
        ),
        "together": (frame.lab.isna() != frame.lab_date.isna()).sum(),
        "named": (twenty & (frame.dose != 0.5)).sum(),
    }


@pytest.fixture(scope="module", params=["independent", "aim"])
def model(request, table, tmp_path_factory):
    if request.param == "aim":
        pytest.importorskip("mbi")
    settings = FitSettings(epsilon=8, delta=1e-4, method=request.param, overrides=FEW)
    return fit(table, settings, schema=schema(tmp_path_factory.mktemp("s"), SCHEMA))


def test_every_row_is_valid_where_the_data_are_not(model, table):
    assert sum(broken(table).values()) > 100
    drawn = rows(model, 3000)
    assert len(drawn) == 3000
    assert set(broken(drawn).values()) == {0}
    assert drawn.lab.isna().any()
    assert drawn.admitted.isna().any()
    assert (drawn.age < 16).any()


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("age<16", lambda f: f.age < 16),
        ("discharged<2020-06-15", lambda f: pd.to_datetime(f.discharged) < "2020-06-15"),
        ("lab_date>=2020-05-20,sex=M", lambda f: (pd.to_datetime(f.lab_date) >= "2020-05-20")
                                                 & (f.sex == "M")),
        ("dose=0.5", lambda f: f.dose == 0.5),
        ("lab=", lambda f: f.lab.isna() & f.lab_date.isna()),
        ("zip!=50667", lambda f: f.city == "Bonn"),
        ("age!=20,age<23,age>17", lambda f: f.age.isin([18, 19, 21, 22])),
    ],
)  # fmt: skip
def test_conditions_hold_on_top_value_by_value(model, where, holds):
    drawn = rows(model, 400, where=where)
    assert len(drawn) == 400
    assert holds(drawn).all()
    assert set(broken(drawn).values()) == {0}


def test_it_comes_back_from_disk_with_its_constraints(model, tmp_path, table):
    model.save(tmp_path)
    again = TableModel.load(tmp_path)
    assert rows(again, 50).equals(rows(model, 50))
    assert "6 constraints on the rows" in model.guarantee.sentence


def test_likelihoods_are_those_of_the_valid_rows(tmp_path):
    frame = pd.DataFrame({"a": [0, 1, 2, 3] * 20, "b": ["x", "y"] * 40, "c": [3, 2, 1, 0] * 20})
    text = '[[constraints]]\nimplies = ["a<2", "b=x"]\n[[constraints]]\nascending = ["a", "c"]\n'
    text += "strict = true\n"
    settings = FitSettings(epsilon=3, method="independent")
    model = fit(frame, settings, schema=schema(tmp_path, text))
    # A row to be scored may hold a value that the model has not seen; this one never valid.
    every = pd.DataFrame(itertools.product(range(4), "xyz", range(4)), columns=["a", "b", "c"])
    logs = model.log_likelihood(frames.from_native(every, model.discretiser.reading))
    valid = ((every.a >= 2) | (every.b == "x")) & (every.a < every.c) & (every.b != "z")
    assert np.array_equal(np.isfinite(logs), valid)
    assert np.exp(logs).sum() == pytest.approx(1)
    drawn = rows(model, 8000).value_counts(normalize=True)
    for row, chance in zip(every[valid].itertuples(index=False), np.exp(logs[valid]), strict=True):
        assert drawn.get(tuple(row), 0) == pytest.approx(chance, abs=0.02)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('forbid = "sex=F|M"', "'never sex=F|M' leaves none"),
        ('forbid = "sxe=F"', "In the constraint .*Did you mean 'sex'"),
        ('forbid = "sex=Q"', "In the constraint .*It has"),
        ('ascending = ["age", "sex"]', "of one type and one step"),
        ('together = ["lab", "lab_dates"]', "Did you mean 'lab_date'"),
        ('columns = ["city", "zip"]\ncombinations = [["Ulm", "89073"]]', "leaves none"),
        ('ascending = ["lab_date", "admitted", "lab_date"]', "two or more different"),
        ("strict = true", "exactly one of"),
        ('forbid = "age<3"\ntogether = ["lab", "lab_date"]', "exactly one of"),
        ('columns = ["city", "zip"]\ncombinations = [["Ulm"]]', "one value for each"),
        ('ascending = ["lab_date", "admitted"]\nstrict = true\n[[constraints]]\n'
         'ascending = ["admitted", "lab_date"]', "leads back"),
        ('implies = ["age<200", "dose>0.5"]\n[[constraints]]\nforbid = "dose>0.2"',
         "together with"),
    ],
)  # fmt: skip
def test_what_no_row_can_meet_is_refused_with_its_rule(table, tmp_path, text, words):
    settings = FitSettings(epsilon=3, delta=1e-4, method="independent", overrides=FEW)
    with pytest.raises(MustermannError, match=words) as caught:
        fit(table, settings, schema=schema(tmp_path, f"[[constraints]]\n{text}\n"))
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ConfigError)


def test_a_contradiction_is_found_before_the_journal_is_charged(table, tmp_path):
    from mustermann.journeys.tables import open_journal

    journal = open_journal(tmp_path / "t.ledger", cap_epsilon=9)
    settings = FitSettings(epsilon=3, delta=1e-4, method="independent", overrides=FEW)
    impossible = schema(tmp_path, '[[constraints]]\nforbid = "sex=F|M"\n')
    with pytest.raises(ConfigError):
        fit(table, settings, schema=impossible, journal=journal)
    assert journal.fits() == ()
