"""The table journeys, on the baseline method: what they write, and what they refuse."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mustermann.core.errors import ConfigError, DataError, PluginError, PrivacyError
from mustermann.journeys import tables as journeys
from mustermann.journeys.tables import FitSettings
from mustermann.tables.files import load
from mustermann.tables.model import TableModel
from mustermann.tables.schema import ColumnSchema, Schema

pd = pytest.importorskip("pandas")
SETTINGS = FitSettings(epsilon=3.0, method="independent")


def people(rows=400, seed=0):
    draws = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": draws.integers(0, 100, rows),
            "zip": draws.choice(["03", "04", "10"], rows),
            "sick": draws.random(rows) < 0.3,
        }
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    out = tmp_path_factory.mktemp("fit") / "M"
    return journeys.fit_to(people(), out, SETTINGS).model


def test_a_fit_writes_a_model_that_loads_and_its_guarantee(model):
    assert sorted(path.name for path in model.iterdir()) == [
        "guarantee.json", "manifest.json", "synthesiser", "table.json",
    ]  # fmt: skip
    loaded = TableModel.load(model)
    assert loaded.guarantee.to_record() == json.loads((model / "guarantee.json").read_text())
    assert loaded.guarantee.epsilon <= 3.0
    assert not loaded.guarantee.end_to_end


def test_no_file_of_a_model_tells_the_number_of_rows(tmp_path):
    out = journeys.fit_to(people(1237), tmp_path / "M", SETTINGS).model
    texts = [path.read_text() for path in out.glob("*.json")]
    assert not any("1237" in text for text in texts)


def test_the_guarantee_names_what_was_read_and_what_was_declared():
    schema = Schema(columns={"age": ColumnSchema(kind="integer", bounds=(0, 120), missing=False)})
    guarantee = journeys.fit(people(), SETTINGS, schema=schema).guarantee
    assert [read.name for read in guarantee.public] == ["rows", "columns", "schema"]
    assert "what the schema declares of 1 column (age)" in guarantee.sentence
    assert [read.what for read in guarantee.non_private_reads] == [
        "the kinds, levels and missingness of 2 columns (zip and sick)"
    ]


def test_a_declared_table_is_covered_from_end_to_end():
    schema = Schema(
        columns={
            "age": ColumnSchema(kind="integer", bounds=(0, 120)),
            "zip": ColumnSchema(kind="categorical", levels=("03", "04", "10")),
            "sick": ColumnSchema(kind="boolean"),
        }
    )
    settings = FitSettings(epsilon=3.0, method="independent", bins="public")
    guarantee = journeys.fit(people(), settings, schema=schema).guarantee
    assert guarantee.end_to_end
    assert guarantee.non_private_reads == ()


def test_the_shares_of_the_budget_add_up_to_one():
    guarantee = journeys.fit(people(), SETTINGS).guarantee
    assert sum(share.share for share in guarantee.shares) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("delta", [1 / 400, 0.5])
def test_a_delta_that_allows_to_publish_a_row_is_refused(delta):
    settings = FitSettings(epsilon=3.0, delta=delta, method="independent")
    with pytest.raises(PrivacyError, match="delta below 1/400"):
        journeys.fit(people(), settings)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"epsilon": 0.0}, ConfigError, "epsilon above 0"),
        ({"epsilon": -1.0}, ConfigError, "epsilon above 0"),
        ({"epsilon": float("nan")}, ConfigError, "epsilon above 0"),
        ({"delta": 1.0}, ConfigError, "delta between 0 and 1"),
        ({"method": "synlmm"}, PluginError, "On offer: "),
        ({"bins": "secret"}, ConfigError, "public, private or nonprivate"),
        ({"overrides": ("discretise.stratgy=x",)}, ConfigError, "Did you mean 'strategy'"),
        ({"overrides": ("discretise.bins=many",)}, ConfigError, "'discretise.bins'"),
        ({"overrides": ("layers=3",)}, ConfigError, "'layers'"),
        ({"overrides": ("nonsense",)}, ConfigError, "KEY=VALUE"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(changes, error, message):
    settings = FitSettings(**({"epsilon": 3.0, "method": "independent"} | changes))
    with pytest.raises(error, match=message) as refused:
        journeys.fit(people(), settings)
    assert "\n" not in str(refused.value)


def test_an_output_that_exists_is_refused_before_the_data_is_read(tmp_path):
    (tmp_path / "M").mkdir()
    (tmp_path / "M" / "keep").write_text("mine")
    with pytest.raises(ConfigError, match="exists"):
        journeys.fit_to(tmp_path / "no-such.csv", tmp_path / "M", SETTINGS)
    assert (tmp_path / "M" / "keep").read_text() == "mine"


def test_a_fit_that_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("mustermann.tables.independent.IndependentModel.fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        journeys.fit_to(people(), tmp_path / "M", SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_a_sample_has_the_columns_types_and_ranges_of_the_input(model, tmp_path):
    written = journeys.sample(model, count=9000, out=tmp_path / "s.csv")
    table = pd.read_csv(written.table, dtype={"zip": str})
    assert len(table) == 9000
    assert list(table.columns) == ["age", "zip", "sick"]
    assert table["age"].dtype == "int64"
    assert table["age"].between(0, 99).all()
    assert set(table["zip"]) <= {"03", "04", "10"}
    assert table["sick"].dtype == "bool"
    assert written.guarantee.read_bytes() == (model / "guarantee.json").read_bytes()


def test_one_seed_gives_the_same_rows_and_another_gives_others(model, tmp_path):
    texts = [
        journeys.sample(model, count=50, out=tmp_path / f"{i}.csv", seed=seed).table.read_text()
        for i, seed in enumerate((0, 0, 1))
    ]
    assert texts[0] == texts[1] != texts[2]


def test_a_score_is_the_mean_over_the_rows_with_its_error(model):
    rows = people(seed=1)
    found = journeys.score(model, rows)
    losses = -TableModel.load(model).log_likelihood(load(rows))
    assert found.rows == 400
    assert found.nll == pytest.approx(losses.mean())
    assert found.se == pytest.approx(losses.std(ddof=1) / 20)
    assert journeys.score(model, rows.head(1)).se is None


def test_a_level_seen_only_at_scoring_is_unknown_and_has_a_finite_likelihood(model):
    found = journeys.score(model, people().assign(zip="99"))
    assert np.isfinite(found.nll)
    assert found.nll > journeys.score(model, people()).nll


def test_a_score_of_other_columns_is_refused(model):
    with pytest.raises(DataError, match="Expected a column 'zip'"):
        journeys.score(model, people().drop(columns="zip"))


@pytest.mark.parametrize("damage", ["none", "json", "format", "layout", "method"])
def test_a_broken_model_is_refused_in_one_line(tmp_path, damage):
    out = journeys.fit_to(people(), tmp_path / "M", SETTINGS).model
    record = json.loads((out / "table.json").read_text())
    if damage == "none":
        out = tmp_path / "other"
    elif damage == "json":
        (out / "table.json").write_text("{")
    else:
        record[damage] = {"format": 99, "layout": {}, "method": "nonsense"}[damage]
        (out / "table.json").write_text(json.dumps(record))
    with pytest.raises((DataError, PluginError)) as refused:
        TableModel.load(out)
    assert "\n" not in str(refused.value)


def test_a_comparison_has_every_figure_or_its_reason():
    real, other = people(), people(seed=1)
    full = journeys.compare(real, other, holdout=people(seed=2), target="sick").to_record()
    assert full["reasons"] == {}
    assert full["private"] is False
    assert 0 <= full["tvd1"] <= full["tvd2"] <= full["tvd3"] <= 1
    assert full["floor"]["tvd1"] > 0
    assert full["tstr"]["score"] == "accuracy"
    assert 0.3 < full["dcr"]["closer_to_real"] < 0.7
    bare = journeys.compare(real, other).to_record()
    assert bare["tstr"] is None
    assert bare["dcr"] is None
    assert set(bare["reasons"]) == {"tstr", "dcr"}


def test_a_target_that_is_no_column_is_refused():
    with pytest.raises(ConfigError, match="no 'sik'"):
        journeys.compare(people(), people(), target="sik")


def test_a_draft_fits_as_it_is_and_stays_unsigned(tmp_path):
    from mustermann.tables.schema import read_schema

    people().to_csv(tmp_path / "t.csv", index=False)
    draft = journeys.draft_schema(tmp_path / "t.csv", out=tmp_path / "S.toml")
    guarantee = journeys.fit(tmp_path / "t.csv", SETTINGS, schema=read_schema(draft)).guarantee
    assert "unsigned declarations" in guarantee.non_private_reads[0].what
    signed = tmp_path / "signed.toml"
    signed.write_text(draft.read_text().replace("public = false", "public = true"))
    public = FitSettings(epsilon=3.0, method="independent", bins="public")
    assert journeys.fit(tmp_path / "t.csv", public, schema=read_schema(signed)).guarantee.end_to_end


def test_a_draft_and_a_schema_may_be_sdv_metadata(tmp_path):
    draft = journeys.draft_schema(people(), out=tmp_path / "m.json")
    schema = journeys.read_schema(draft)
    assert schema.column("zip").kind == "categorical"
    guarantee = journeys.fit(people(), SETTINGS, schema=schema).guarantee
    assert "kinds" not in guarantee.non_private_reads[0].what
