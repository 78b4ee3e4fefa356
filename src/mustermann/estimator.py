"""The table journeys with scikit-learn's habits.

>>> model = SynLM(epsilon=3).fit(frame)          # doctest: +SKIP
>>> print(model.guarantee_.sentence)             # doctest: +SKIP
>>> rows = model.sample(1000)                    # doctest: +SKIP
"""

from __future__ import annotations

import difflib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from mustermann.core.errors import ConfigError
from mustermann.journeys import tables as journeys
from mustermann.tables import frames
from mustermann.tables.files import load
from mustermann.tables.given import sample_given
from mustermann.tables.imputation import impute
from mustermann.tables.model import TableModel
from mustermann.tables.schema import Schema

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from mustermann.privacy.guarantee import Guarantee
    from mustermann.tables.discretise import BinsMode


class SynLM:
    """A differentially private synthesiser of tables.

    Takes pandas, polars and Arrow tables and gives back the same kind.

    Attributes:
      model_: The fitted `TableModel`.
      guarantee_: What the fit spent, and what it does not cover.
      feature_names_in_: Names of the synthetic table's columns.
      n_features_in_: How many.
      effective_: After `sample` with conditions, how many independent rows it was worth.
    """

    def __init__(
        self,
        *,
        epsilon: float,
        delta: float = journeys.DELTA,
        schema: Schema | Path | str | None = None,
        method: str = "synlm",
        bins: BinsMode = "nonprivate",
        seed: int = 0,
        overrides: tuple[str, ...] = (),
        ledger: Path | str | None = None,
        cap_epsilon: float | None = None,
        cap_delta: float | None = None,
    ) -> None:
        """Makes an unfitted synthesiser; nothing is checked before `fit`.

        Args:
          epsilon: Budget for everything that reads the table.
          delta: Refused when one over the number of rows or more.
          schema: What is declared about the columns, or the TOML file that says it.
          method: "synlm", "aim", "independent" or another plugin.
          bins: Whether what the schema leaves open is refused ("public"), paid for
            ("private") or read freely ("nonprivate": the guarantee says so).
          seed: Steers what is free of noise; noise knows no seed.
          overrides: Settings as on the command line, such as "discretise.bins=50".
          ledger: Journal of all fits on this data set: each is paid before it begins.
          cap_epsilon: The most that all fits in `ledger` may spend; the schema may say less.
          cap_delta: The same of their deltas; 1e-4 where nobody says.
        """
        self.epsilon = epsilon
        self.delta = delta
        self.schema = schema
        self.method = method
        self.bins = bins
        self.seed = seed
        self.overrides = overrides
        self.ledger = ledger
        self.cap_epsilon = cap_epsilon
        self.cap_delta = cap_delta

    def fit(self, X: Any, y: None = None) -> Self:
        """Fits the rows of `X` and returns self; `y` is there for pipelines and not used.

        Raises:
          ConfigError: A setting or a declaration is wrong.
          DataError: `X` is no table, or does not fit the schema.
          PrivacyError: delta is too large for `X`, the budget too small for the method, or all
            fits in the journal would spend more than its cap.
        """
        del y
        settings = journeys.FitSettings(
            epsilon=self.epsilon,
            delta=self.delta,
            method=self.method,
            bins=self.bins,
            seed=self.seed,
            overrides=tuple(self.overrides),
        )
        schema = self.schema
        if isinstance(schema, str | Path):
            schema = journeys.read_schema(Path(schema))
        journal = None
        if self.ledger is not None:
            journal = journeys.open_journal(
                Path(self.ledger),
                schema=schema,
                cap_epsilon=self.cap_epsilon,
                cap_delta=self.cap_delta,
            )
        elif self.cap_epsilon is not None or self.cap_delta is not None:
            raise ConfigError("A cap needs the journal that it holds for: give ledger too.")
        self._keep(journeys.fit(X, settings, schema=schema, journal=journal, name=self.method))
        return self

    def sample(self, n: int, *, seed: int | None = None, where: str = "") -> Any:
        """Returns `n` synthetic rows, in the kind of table that was fitted.

        Args:
          n: How many; there is no default, as the number of fitted rows may be private.
          seed: The same seed gives the same rows; None takes the constructor's.
          where: Conditions that all rows meet, as in "sex=F,age>=65"; `effective_` then says
            how many independent rows they are worth.

        Raises:
          ConfigError: The synthesiser is not fitted, `n` is below 1, or `where` can't be met.
        """
        if n < 1:
            raise ConfigError(f"Expected at least 1 row to sample, got {n}.")
        model, seed = self._fitted(), self.seed if seed is None else seed
        if not where:
            return frames.to_native(frames.concatenate(list(model.sample(n, seed=seed))))
        blocks = list(sample_given(model, n, seed=seed, where=where))
        self.effective_ = sum(block.effective for block in blocks)
        return frames.to_native(frames.concatenate([block.frame for block in blocks]))

    def impute(self, X: Any, *, columns: tuple[str, ...] = (), seed: int | None = None) -> Any:
        """Returns `X` with its missing cells filled given the others, which stay as they are.

        Args:
          X: A table with the fitted columns. The result holds its cells: it is not private.
          columns: Columns whose every cell is filled anew; none fills the missing cells of all.
          seed: The same seed gives the same cells; None takes the constructor's.

        Raises:
          ConfigError: The synthesiser is not fitted, or has no such column.
          DataError: `X` does not fit the model.
        """
        model = self._fitted()
        frame = load(X, model.discretiser.reading)
        seed = self.seed if seed is None else seed
        return frames.to_native(impute(model, frame, columns=columns, seed=seed).frame)

    def score_samples(self, X: Any) -> npt.NDArray[np.float64]:
        """Returns the log-likelihood of each discretised row of `X` in nats, shape (N,)."""
        model = self._fitted()
        return model.log_likelihood(load(X, model.discretiser.reading))

    def score(self, X: Any, y: None = None) -> float:
        """Returns the mean log-likelihood of the rows of `X` in nats; higher is better."""
        del y
        return float(self.score_samples(X).mean())

    def save(self, directory: Path | str) -> Path:
        """Writes the fitted model into a new directory and returns its path.

        Raises:
          ConfigError: `directory` exists, or the synthesiser is not fitted.
        """
        return journeys.save(self._fitted(), Path(directory))

    @classmethod
    def load(cls, directory: Path | str) -> Self:
        """Returns the fitted synthesiser in a directory that `save` or the CLI wrote.

        Raises:
          DataError: There is no model.
        """
        model = TableModel.load(Path(directory))
        budget = model.guarantee
        fitted = cls(epsilon=budget.epsilon, delta=budget.delta, method=model.synthesiser.name)
        fitted._keep(model)
        return fitted

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the constructor's arguments by name; there is nothing deeper."""
        del deep
        return {name: getattr(self, name) for name in _parameters()}

    def set_params(self, **params: Any) -> Self:
        """Sets arguments of the constructor and returns self.

        Raises:
          ConfigError: There is no such argument; names the nearest one.
        """
        for name, value in params.items():
            if name not in _parameters():
                near = difflib.get_close_matches(name, _parameters(), n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise ConfigError(f"SynLM has no parameter {name!r}.{hint}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"SynLM({shown})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _keep(self, model: TableModel) -> None:
        self.model_ = model
        self.guarantee_: Guarantee = model.guarantee
        self.feature_names_in_ = tuple(field.name for field in model.layout.fields)
        self.n_features_in_ = len(self.feature_names_in_)

    def _fitted(self) -> TableModel:
        if not hasattr(self, "model_"):
            raise ConfigError("Expected a fitted synthesiser. Call fit first.")
        return self.model_


def _parameters() -> list[str]:
    return [name for name in inspect.signature(SynLM.__init__).parameters if name != "self"]
