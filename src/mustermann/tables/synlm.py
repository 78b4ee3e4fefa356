"""SynLM: a table transformer trained under differential privacy; a Synthesiser.

A fit spends its budget on three releases, each an entry of the ledger:

1. one-way marginals    denoised, they are the first biases of the heads
2. pairwise moments     a field fitted to them yields rows that are free to pre-train on;
                        they also order the columns
3. DP-SGD               on the rows themselves

and ends with a tilt that brings the model's marginals to the released ones. Whatever else
a fit does is post-processing of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.tables import decode, fitting, storage
from mustermann.tables.likelihood import log_likelihood
from mustermann.tables.recipe import RecipeName, RowCount, Sampling

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.checkpoint import Checkpoints
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.transformer import TableTransformer

_SAMPLING = Sampling()


class SynLMModel:
    """A transformer over the columns of a table, behind the protocol of every model of rows."""

    name: ClassVar[str] = "synlm"

    def __init__(
        self,
        *,
        recipe: RecipeName = "default",
        rows: RowCount = "public",
        sample: Sampling = _SAMPLING,
    ) -> None:
        """Makes an unfitted model.

        Args:
          recipe: "default", or "paper" for the seed paper's own.
          rows: Whether the number of rows is public, or noised out of the budget.
          sample: How rows are drawn.
        """
        self._recipe = recipe
        self._rows = rows
        self._sampling = sample
        self._model: TableTransformer | None = None
        self._checkpoints: Checkpoints | None = None

    @property
    def model(self) -> TableTransformer:
        """Returns the fitted transformer."""
        if self._model is None:
            raise DataError("Expected a fitted SynLM model, found one without `fit` or `load`.")
        return self._model

    def fit(self, codes: Codes, domain: Domain, *, ledger: Ledger, seed: int) -> None:
        """Fits the model to `codes`, shape (N, k), with all that is left in `ledger`.

        Raises:
          PrivacyError: The budget is too small; names the least that works.
        """
        self._model = fitting.fit(
            codes,
            domain,
            ledger=ledger,
            seeds=Seeds(seed, ("synlm",)),
            recipe=self._recipe,
            rows=self._rows,
            checkpoints=self._checkpoints,
        )

    def keep_in(self, checkpoints: Checkpoints) -> None:
        """Lets the next `fit` go on from a checkpoint, and write further ones."""
        self._checkpoints = checkpoints

    def sample(self, count: int, *, seed: int) -> Iterator[Codes]:
        """Yields blocks of rows, `count` in all, in constant memory."""
        return decode.sample(self.model, count, seed=seed, coupled=self._sampling.coupled)

    def log_likelihood(self, codes: Codes) -> npt.NDArray[np.float64]:
        """Returns the exact log-likelihood of each row in nats, shape (N,)."""
        return log_likelihood(self.model, codes)

    @property
    def order(self) -> tuple[int, ...]:
        """Returns the columns in the order of a walk."""
        return tuple(self.model.order.tolist())

    def walk(self, rows: int) -> decode.TransformerWalk:
        """Returns `rows` rows at the first column."""
        return decode.TransformerWalk(self.model, rows)

    def save(self, directory: Path) -> None:
        """Writes the fitted model into `directory` (safetensors and JSON only)."""
        storage.write(storage.Stored(self.model, self._sampling), directory)

    @classmethod
    def load(cls, directory: Path, domain: Domain) -> Self:
        """Returns the model that `save` wrote; never runs code from the directory.

        Raises:
          DataError: The files are missing, broken, or of another domain.
        """
        stored = storage.read(directory, domain)
        loaded = cls(sample=stored.sampling)
        loaded._model = stored.model
        return loaded
