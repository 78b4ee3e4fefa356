"""SynLM: a table transformer trained under differential privacy; a Synthesiser.

A fit spends its budget on three releases, each an entry of the ledger:

1. one-way marginals    denoised, they are the first biases of the heads
2. pairwise moments     a field fitted to them yields rows that are free to pre-train on;
                        they also order the columns
3. DP-SGD               on the rows themselves

and ends, in the column layout, with a tilt that brings the model's marginals to the
released ones. Whatever else a fit does is post-processing of these. `design` says what can
be varied beside the recipe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from mustermann.core.errors import DataError
from mustermann.core.seeds import Seeds
from mustermann.tables import (
    decode,
    fitting,
    likelihood,
    sentence_decode,
    sentence_likelihood,
    storage,
)
from mustermann.tables.design import (
    Design,
    LayoutName,
    OrderName,
    SizeName,
    TokenizerName,
    TrieUse,
)
from mustermann.tables.recipe import RecipeName, RowCount, Sampling
from mustermann.tables.sentence_model import SentenceTransformer
from mustermann.tables.threads import one_thread

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.checkpoint import Checkpoints
    from mustermann.tables.domain import Codes, Domain
    from mustermann.tables.row_model import RowModel
    from mustermann.tables.walks import Walk

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
        layout: LayoutName = "column",
        tokenizer: TokenizerName = "level",
        tokenizer_text: str | None = None,
        tokenizer_file: str | None = None,
        vocabulary: int = 1024,
        order: OrderName | None = None,
        augmult: int | None = None,
        trie: TrieUse = "always",
        tied: bool = False,
        size: SizeName = "small",
        steps: int | None = None,
    ) -> None:
        """Makes an unfitted model; `design.Design` explains the settings from `layout` on.

        Args:
          recipe: "default", or "paper" for the seed paper's own.
          rows: Whether the number of rows is public, or noised out of the budget.
          sample: How rows are drawn.
          layout: "column" for one position a column, "sentence" for BEGIN value END.
          tokenizer: "level", or pieces of the levels' names: "bpe", "unigram", "file".
          tokenizer_text: A public text to train bpe or unigram on instead of the names.
          tokenizer_file: A `tokenizer.json` for "file".
          vocabulary: Most pieces of a trained tokenizer.
          order: "moments", "natural" or "random"; None takes the recipe's.
          augmult: Views of a record; None takes the recipe's.
          trie: Whether it restricts the softmax "always" or in "evaluation" only.
          tied: Whether head and embedding share their weights.
          size: "small" or "gpt2".
          steps: Of private training; None takes the recipe's.

        Raises:
          ConfigError: Two settings do not go together, or a file is missing.
        """
        self._design = Design(
            layout=layout,
            tokenizer=tokenizer,
            tokenizer_text=tokenizer_text,
            tokenizer_file=tokenizer_file,
            vocabulary=vocabulary,
            order=order,
            augmult=augmult,
            trie=trie,
            tied=tied,
            size=size,
            steps=steps,
        )
        self._recipe = recipe
        self._rows = rows
        self._sampling = sample
        self._model: RowModel | None = None
        self._checkpoints: Checkpoints | None = None

    @property
    def model(self) -> RowModel:
        """Returns the fitted transformer."""
        if self._model is None:
            raise DataError("Expected a fitted SynLM model, found one without `fit` or `load`.")
        return self._model

    def fit(self, codes: Codes, domain: Domain, *, ledger: Ledger, seed: int) -> None:
        """Fits the model to `codes`, shape (N, k), with all that is left in `ledger`.

        Raises:
          ConfigError: The settings do not fit the recipe or the table.
          PrivacyError: The budget is too small; names the least that works.
        """
        with one_thread():
            self._model = fitting.fit(
                codes,
                domain,
                ledger=ledger,
                seeds=Seeds(seed, ("synlm",)),
                recipe=self._recipe,
                rows=self._rows,
                design=self._design,
                checkpoints=self._checkpoints,
            )

    def keep_in(self, checkpoints: Checkpoints) -> None:
        """Lets the next `fit` go on from a checkpoint, and write further ones."""
        self._checkpoints = checkpoints

    def sample(self, count: int, *, seed: int) -> Iterator[Codes]:
        """Yields blocks of rows, `count` in all, in constant memory."""
        model, coupled = self.model, self._sampling.coupled
        if isinstance(model, SentenceTransformer):
            return sentence_decode.sample(model, count, seed=seed, coupled=coupled)
        return decode.sample(model, count, seed=seed, coupled=coupled)

    def log_likelihood(self, codes: Codes) -> npt.NDArray[np.float64]:
        """Returns the exact log-likelihood of each row in nats, shape (N,)."""
        if isinstance(self.model, SentenceTransformer):
            return sentence_likelihood.log_likelihood(self.model, codes)
        return likelihood.log_likelihood(self.model, codes)

    @property
    def order(self) -> tuple[int, ...]:
        """Returns the columns in the order of a walk."""
        return tuple(self.model.order.tolist())

    def walk(self, rows: int) -> Walk:
        """Returns `rows` rows at the first column."""
        if isinstance(self.model, SentenceTransformer):
            return sentence_decode.SentenceWalk(self.model, rows)
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
