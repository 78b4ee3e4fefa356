"""Private bins: what a row can change, what is paid, and what comes out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from mustermann.core.errors import ConfigError, PrivacyError
from mustermann.privacy.budget import Budget
from mustermann.privacy.ledger import Ledger
from mustermann.tables import discover as module
from mustermann.tables import frames, infer
from mustermann.tables.discover import LEVELS_SHARE, TAIL, discover
from mustermann.tables.discretise import DiscretiseSettings, build
from mustermann.tables.schema import ColumnSchema, Schema

pd = pytest.importorskip("pandas")


def people(rows=20_000, seed=0):
    draws = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draws.binomial(100, 0.4, rows),
            "charge": draws.exponential(900.0, rows),
            "delta": draws.normal(0, 40, rows).round().astype(int),
            "city": draws.choice(["A", "B", "C", None], rows, p=[0.6, 0.2, 0.1, 0.1]),
            "flag": draws.random(rows) < 0.5,
            "day": pd.Timestamp("2019-01-01") + pd.to_timedelta(draws.integers(0, 365, rows), "D"),
        }
    )


def discovered(table, *, epsilon=3.0, strategy="uniform", public=True, **columns):
    schema = Schema(public=public, columns=columns)
    frame = frames.from_native(table, infer.reading_of(schema))
    ledger = Ledger(Budget(epsilon=epsilon, delta=1e-6))
    settings = DiscretiseSettings(strategy=strategy)
    found = discover(schema, frame, settings, ledger=ledger)
    return found, ledger, build(found.completed, frame, settings, spare=found.spare), frame


def test_one_row_changes_one_cell_of_each_column_by_one():
    table = people(500)
    for strange in (table.head(1), table.head(1).assign(city="new", age=10**12, charge=None)):
        more = pd.concat([table, strange], ignore_index=True)
        for name in table:
            cells = {}
            for rows in (table, more):
                frame = frames.from_native(rows)
                column = ColumnSchema(
                    kind=infer.kind_of(frame[name], frame.layout.fields[frame.names.index(name)])
                )
                query = module._query(frame[name], column)
                keys = query.values or tuple(range(len(query.counts) - 1))
                cells[len(rows)] = dict(zip((*keys, "missing"), query.counts.tolist(), strict=True))
            keys = set(cells[500]) | set(cells[501])
            moved = [cells[501].get(key, 0) - cells[500].get(key, 0) for key in keys]
            assert sorted(moved)[-2:] == [0, 1]
            assert min(moved) == 0


def test_texts_of_rows_that_are_left_out_are_not_asked_about():
    """Else each of them, however many a person has, would be one more chance to pass."""
    table = people(200).assign(city=[f"place {i}" for i in range(200)])
    whole = frames.from_native(table)
    part = whole.take(np.arange(10, 20))
    query = module._query(part["city"], ColumnSchema(kind="categorical"))
    assert query.values == tuple(f"place {i}" for i in range(10, 20))
    assert query.counts.tolist() == [1] * 10 + [0]


def test_everything_is_paid_and_listed():
    found, ledger, _, _ = discovered(people())
    guarantee = ledger.guarantee()
    assert guarantee.end_to_end
    assert guarantee.delta == 1e-6
    assert [share.name for share in guarantee.shares] == ["threshold", "levels", "bounds"]
    assert [share.share for share in guarantee.shares] == [0.0, 0.06, 0.04]
    assert ledger.budget.delta == pytest.approx(1e-6 * (1 - TAIL))
    assert found.completed.read() == ""


def test_the_threshold_is_passed_by_a_single_row_with_the_reserved_probability(monkeypatch):
    seen = []
    levels = module._with_levels

    def recording(column, query, noisy, threshold, **more):
        seen.append(threshold)
        return levels(column, query, noisy, threshold, **more)

    monkeypatch.setattr(module, "_with_levels", recording)
    table = people()[["city"]].assign(town="x")
    _, ledger, _, _ = discovered(table)
    noise = ledger.releases[0].event.noise_multiplier
    std = noise * math.sqrt(2)
    assert 2 * norm.sf((seen[0] - 1) / std) == pytest.approx(TAIL * 1e-6)
    assert noise == pytest.approx(Ledger(ledger.budget).gaussian(
        "x", share=LEVELS_SHARE, sensitivity=1.0, what="x").noise)  # fmt: skip


def test_what_rows_hold_in_number_is_found():
    _, _, discretiser, _ = discovered(people(), epsilon=10)
    by_name = {encoder.name: encoder for encoder in discretiser.encoders}
    assert by_name["city"].values == ("A", "B", "C")
    assert by_name["city"].missing
    assert by_name["city"].unknown == "unknown"
    assert 16 <= by_name["age"].edges[0] < 32
    assert 50 < by_name["age"].edges[-1] <= 64
    assert by_name["delta"].edges[0] < -60
    assert by_name["delta"].edges[-1] > 60
    assert by_name["charge"].edges[0] < 9
    assert 2000 < by_name["charge"].edges[-1] < 20_000


def test_a_value_of_a_few_rows_is_unknown():
    table = people()
    table.loc[:4, "city"] = "village of five"
    _, _, discretiser, frame = discovered(table)
    city = discretiser.encoders[3]
    assert "village of five" not in city.values
    assert discretiser.encode(frame)[0, 3] == len(city.values)


def test_few_missing_numbers_have_a_level_that_never_comes_back():
    table = people()
    table["age"] = table["age"].astype("Int64")
    table.loc[:3, "age"] = None
    found, _, discretiser, frame = discovered(table)
    assert "age" in found.spare
    codes = discretiser.encode(frame)
    age = discretiser.encoders[0]
    assert codes[0, 0] == age.size - 1
    back = age.decode(np.full(50, age.size - 1), np.random.default_rng(0))
    assert not back.missing.any()


def test_many_missing_numbers_come_back_missing():
    table = people()
    table.loc[: len(table) // 2, "charge"] = None
    found, _, discretiser, _ = discovered(table)
    assert "charge" not in found.spare
    charge = discretiser.encoders[1]
    assert charge.decode(np.array([charge.size - 1]), np.random.default_rng(0)).missing.all()


def test_quantile_bins_hold_about_equally_many_rows():
    _, _, discretiser, frame = discovered(
        people()[["charge"]], epsilon=10, strategy="quantile", charge=ColumnSchema(bins=10)
    )
    shares = np.bincount(discretiser.encode(frame)[:, 0], minlength=11)[:10] / len(frame)
    assert shares == pytest.approx(np.full(10, 0.1), abs=0.03)


def test_what_is_declared_is_neither_asked_for_nor_changed():
    columns = {
        "age": ColumnSchema(kind="integer", bounds=(0, 120)),
        "city": ColumnSchema(kind="categorical", levels=("A", "B", "C"), missing=True),
    }
    found, ledger, _, _ = discovered(people()[["age", "city"]], **columns)
    assert ledger.releases == ()
    assert found.completed.schema.column("age").bounds == (0, 120)
    assert found.completed.declared() == "what the schema declares of 2 columns (age and city)"


def test_an_unsigned_draft_lends_its_kinds_alone():
    columns = {"city": ColumnSchema(kind="categorical", levels=("A", "secret"), missing=True)}
    _, ledger, discretiser, _ = discovered(people()[["city"]], public=False, **columns)
    assert len(ledger.releases) == 1
    assert "secret" not in discretiser.encoders[0].values


def test_a_budget_that_shows_nothing_is_refused_with_the_column():
    with pytest.raises(PrivacyError, match=r"column 'age' lie, but epsilon=0\.01"):
        discovered(people(200)[["age"]], epsilon=0.01)


def test_dropped_columns_are_not_asked_about():
    _, ledger, discretiser, _ = discovered(people()[["age", "city"]], city=ColumnSchema(drop=True))
    assert [encoder.name for encoder in discretiser.encoders] == ["age"]
    assert ledger.delta == ledger.budget.delta


def test_quantiles_within_declared_bounds_are_paid_for():
    column = ColumnSchema(kind="float", bounds=(0.0, 5000.0), bins=10, missing=False)
    found, ledger, discretiser, _ = discovered(
        people()[["charge"]], epsilon=10, strategy="quantile", charge=column
    )
    assert [release.name for release in ledger.releases] == ["levels", "bounds"]
    assert (discretiser.encoders[0].edges[0], discretiser.encoders[0].edges[-1]) == (0, 5000)
    assert not discretiser.encoders[0].missing
    assert found.spare == frozenset()


def test_the_number_of_levels_is_bounded():
    table = pd.DataFrame({"c": np.repeat([f"v{i}" for i in range(150)], 2000)})
    _, _, discretiser, _ = discovered(table, epsilon=10)
    assert discretiser.domain.sizes == (100,)


def test_ordinal_text_needs_levels():
    with pytest.raises(ConfigError, match="Declare them in order"):
        discovered(people()[["city"]], city=ColumnSchema(kind="ordinal"))


def test_ordinal_numbers_come_in_order():
    table = pd.DataFrame({"grade": np.random.default_rng(0).choice([3, 1, 2], 5000)})
    _, _, discretiser, _ = discovered(table, grade=ColumnSchema(kind="ordinal"))
    assert discretiser.encoders[0].values == (1, 2, 3)
    assert discretiser.encoders[0].ordered
