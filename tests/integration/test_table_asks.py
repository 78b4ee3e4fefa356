"""What users of other synthesisers asked for, or found broken there; each must hold here."""

from __future__ import annotations

import datetime as dt
import math
import tracemalloc

import numpy as np
import pytest

from mustermann.core.errors import DataError, PrivacyError
from mustermann.estimator import SynLM
from mustermann.journeys import tables as journeys
from mustermann.tables.schema import ColumnSchema, Schema

pd = pytest.importorskip("pandas")
DRAWS = np.random.default_rng(0)


def fitted(table, **changes):
    delta = min(1e-5, 0.5 / len(table))
    return SynLM(**({"epsilon": 5, "delta": delta, "method": "independent"} | changes)).fit(table)


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"a": list("xyz") * 20, "b": list("pq") * 30}),
        pd.DataFrame({"a": np.arange(60), "b": DRAWS.normal(size=60)}),
        pd.DataFrame({"a": np.arange(60)}),
        pd.DataFrame({"a": [7] * 60, "b": ["x"] * 60, "c": [1.5] * 60}),
        pd.DataFrame({"a": [None] * 60, "b": np.full(60, np.nan), "c": list("xy") * 30}),
        pd.DataFrame({"a": [1], "b": ["x"]}),
        pd.DataFrame({name: [True, False, True, True, False] for name in "abc"}),
        pd.DataFrame({f"c{i}": DRAWS.integers(0, 9, 11) for i in range(25)}),
        pd.DataFrame({f"c{i}": DRAWS.integers(0, 9, 30) for i in range(60)}),
    ],
    ids=["text", "numbers", "one column", "constants", "all missing", "one row", "five rows",
         "11 x 25", "60 columns"],
)  # fmt: skip
def test_any_shape_of_table_gives_as_many_valid_rows_as_asked_for(table):
    rows = fitted(table).sample(137)
    assert rows.shape == (137, table.shape[1])
    assert (rows.dtypes == table.dtypes).all()
    for name in table:
        if pd.api.types.is_numeric_dtype(table[name]) and table[name].notna().any():
            assert rows[name].min() >= table[name].min()
            assert rows[name].max() <= table[name].max()


def test_no_rows_are_refused_in_one_line():
    with pytest.raises(DataError, match="Expected rows"):
        fitted_empty = SynLM(epsilon=1, method="independent")
        fitted_empty.fit(pd.DataFrame({"a": [], "b": []}))


def test_missing_values_of_every_kind_stay_missing_and_keep_the_dtype():
    table = pd.DataFrame(
        {
            "integer": pd.array([None, 2, 3, 31] * 50, dtype="Int64"),
            "float": [None, 0.5, 1.5, 2.5] * 50,
            "text": [None, "?", "03", "x"] * 50,
            "flag": pd.array([None, True, False, True] * 50, dtype="boolean"),
            "time": pd.to_datetime([None, "2020-01-01", "2020-01-02", "2020-01-03"] * 50),
            "category": pd.Categorical([None, "b", "a", "b"] * 50, ["b", "a"]),
        }
    )
    rows = fitted(table, epsilon=50).sample(2000)
    assert (rows.dtypes == table.dtypes).all()
    for name in table:
        assert rows[name].isna().mean() == pytest.approx(0.25, abs=0.08)
    assert "?" in set(rows["text"])
    assert "03" in set(rows["text"])


def test_a_question_mark_is_missing_only_where_the_schema_says_so(tmp_path):
    (tmp_path / "t.csv").write_text("n,m\n" + "1,?\n?,5\n3,7\n" * 40)
    schema = Schema(columns={"n": ColumnSchema(missing_values=("?",))})
    settings = journeys.FitSettings(epsilon=9, method="independent")
    model = journeys.fit(tmp_path / "t.csv", settings, schema=schema)
    journeys.sample(model, count=400, out=tmp_path / "s.csv")
    rows = pd.read_csv(tmp_path / "s.csv", dtype={"m": str})
    assert rows["n"].isna().any()
    assert set(rows["n"].dropna()) <= {1, 2, 3}
    assert "?" in set(rows["m"])


def test_dates_and_times_round_trip_with_their_granularity():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=int(i)) for i in DRAWS.integers(0, 900, 300)]
    hours = pd.Timestamp("2020-01-01", tz="Europe/Berlin") + pd.to_timedelta(
        DRAWS.integers(0, 9000, 300), "h"
    )
    rows = fitted(pd.DataFrame({"day": days, "hour": hours})).sample(500)
    assert all(type(day) is dt.date for day in rows["day"])
    assert not (rows["hour"].dt.minute + rows["hour"].dt.second).any()
    assert str(rows["hour"].dt.tz) == "Europe/Berlin"


def test_a_column_of_fifty_thousand_values_keeps_memory_bounded():
    table = pd.DataFrame({"id": [f"patient {i}" for i in range(50_000)]})
    tracemalloc.start()
    model = fitted(table)
    rows = model.sample(2000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.model_.discretiser.domain.sizes == (100,)
    assert (rows["id"] == "unknown").mean() > 0.9
    assert peak < 100e6


def test_more_budget_is_better_on_average():
    table = pd.DataFrame({f"c{i}": DRAWS.binomial(9, 0.3, 500) for i in range(4)})
    test = pd.DataFrame({f"c{i}": DRAWS.binomial(9, 0.3, 500) for i in range(4)})
    scores = [
        np.mean([fitted(table, epsilon=epsilon).score(test) for _ in range(8)])
        for epsilon in (0.1, 1, 10, 100)
    ]
    assert scores == sorted(scores)


def test_every_share_of_the_budget_is_listed_and_none_is_lost():
    guarantee = fitted(pd.DataFrame({"a": np.arange(60)}), epsilon=1.5).guarantee_
    assert guarantee.epsilon == pytest.approx(1.5, rel=1e-6)
    assert sum(share.share for share in guarantee.shares) == pytest.approx(1, abs=1e-3)


def test_a_delta_above_one_over_the_rows_is_refused():
    with pytest.raises(PrivacyError):
        SynLM(epsilon=1, delta=0.02, method="independent").fit(pd.DataFrame({"a": range(60)}))


def test_one_seed_gives_one_discretisation_and_noise_is_fresh_each_time():
    table = pd.DataFrame({"a": np.arange(300) % 50, "c": list("xyz") * 100})
    first, second = fitted(table), fitted(table)
    assert first.model_.discretiser == second.model_.discretiser
    assert first.score(table) != second.score(table)


@pytest.mark.parametrize(
    "names",
    [
        ["a b", "größe", "BEGIN_x", "END"],
        ["education", "education_num", "education.num", "education num"],
        ["0", "1", "kind", "columns"],
        ['quo"te', "com,ma", "tab\tb", "brack]et"],
    ],
)
def test_any_column_name_works_in_memory_in_files_and_in_schemas(names, tmp_path):
    table = pd.DataFrame({name: np.arange(60) % (i + 2) for i, name in enumerate(names)})
    assert list(fitted(table).sample(5).columns) == names
    table.to_csv(tmp_path / "t.csv", index=False, encoding="utf-8-sig")
    draft = journeys.draft_schema(tmp_path / "t.csv", out=tmp_path / "S.toml")
    model = SynLM(epsilon=5, method="independent", schema=draft).fit(tmp_path / "t.csv")
    assert model.feature_names_in_ == tuple(names)
    written = journeys.sample(model.model_, count=5, out=tmp_path / "s.csv").table
    assert list(pd.read_csv(written).columns) == names


def test_levels_seen_only_at_scoring_are_unknown_with_a_finite_likelihood():
    model = fitted(pd.DataFrame({"c": list("xy") * 50}))
    assert math.isfinite(model.score(pd.DataFrame({"c": ["never seen"]})))
