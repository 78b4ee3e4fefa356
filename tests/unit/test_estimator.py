"""`SynLM` as scikit-learn's users expect it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mustermann.core.errors import ConfigError, DataError
from mustermann.estimator import SynLM
from mustermann.tables.schema import ColumnSchema, Schema

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

TABLE = pd.DataFrame({"n": np.arange(200) % 7, "c": ["a", "b"] * 100})


def unfitted(**changes):
    return SynLM(**({"epsilon": 3, "method": "independent"} | changes))


def test_the_constructor_keeps_what_it_gets_and_clone_copies_it():
    base = pytest.importorskip("sklearn.base")
    model = unfitted(delta=1e-6, overrides=("discretise.bins=5",), schema=Schema())
    copy = base.clone(model)
    assert copy is not model
    assert repr(copy) == repr(model)
    assert copy.get_params() == model.get_params()
    assert copy.get_params()["delta"] == 1e-6


def test_set_params_changes_and_refuses_what_is_no_parameter():
    model = unfitted().set_params(epsilon=5, seed=2)
    assert (model.epsilon, model.seed) == (5, 2)
    with pytest.raises(ConfigError, match=r"no parameter 'epsilonn'\. Did you mean 'epsilon'"):
        model.set_params(epsilonn=3)


def test_fit_returns_self_and_sets_what_ends_in_an_underscore():
    model = unfitted()
    assert model.fit(TABLE) is model
    assert model.feature_names_in_ == ("n", "c")
    assert model.n_features_in_ == 2
    assert model.guarantee_.epsilon <= 3


@pytest.mark.parametrize("method", ["sample", "score", "save"])
def test_an_unfitted_one_says_so(method, tmp_path):
    argument = {"sample": 3, "score": TABLE, "save": tmp_path / "M"}[method]
    with pytest.raises(ConfigError, match="Call fit first"):
        getattr(unfitted(), method)(argument)


@pytest.mark.parametrize("convert", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_samples_are_of_the_kind_that_was_fitted(convert):
    table = convert(TABLE)
    rows = unfitted().fit(table).sample(10_000)
    assert type(rows) is type(table)
    assert len(rows) == 10_000


def test_a_sample_below_one_row_is_refused():
    with pytest.raises(ConfigError, match="at least 1 row"):
        unfitted().fit(TABLE).sample(0)


def test_seeds_steer_samples():
    model = unfitted().fit(TABLE)
    assert model.sample(50).equals(model.sample(50))
    assert not model.sample(50).equals(model.sample(50, seed=1))


def test_score_is_the_mean_of_score_samples_and_higher_is_better():
    model = unfitted(epsilon=50).fit(TABLE)
    assert model.score(TABLE) == pytest.approx(model.score_samples(TABLE).mean())
    assert model.score(TABLE) > model.score(TABLE.assign(c="z"))


def test_a_saved_one_comes_back_with_its_guarantee(tmp_path):
    model = unfitted().fit(TABLE)
    again = SynLM.load(model.save(tmp_path / "M"))
    assert again.guarantee_ == model.guarantee_
    assert again.sample(20).equals(model.sample(20))
    assert again.method == "independent"
    with pytest.raises(ConfigError, match="exists"):
        model.save(tmp_path / "M")


def test_a_schema_may_be_a_file(tmp_path):
    path = tmp_path / "S.toml"
    path.write_text('[columns.n]\nkind = "categorical"\n')
    model = unfitted(schema=path).fit(TABLE)
    assert not model.model_.discretiser.domain.columns[0].ordered
    same = unfitted(schema=Schema(columns={"n": ColumnSchema(kind="categorical")})).fit(TABLE)
    assert same.model_.discretiser == model.model_.discretiser


def test_the_package_offers_it():
    import mustermann

    assert mustermann.SynLM is SynLM
    assert "SynLM" in mustermann.__all__


def test_what_is_no_table_is_refused():
    with pytest.raises(DataError, match="got ndarray"):
        unfitted().fit(np.zeros((3, 3)))
