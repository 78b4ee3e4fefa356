"""The baseline: columns drawn independently from differentially private one-way marginals.

The whole budget goes into one Gaussian release of all histograms together. A row stands in
one cell of each of the k histograms, so adding or removing it moves the vector of all
counts by √k in L2 norm, whatever the row is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import DataError, PrivacyError
from mustermann.core.seeds import Seeds
from mustermann.tables.walks import TableWalk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.domain import Codes, Domain

Floats = npt.NDArray[np.float64]

_FILE = "marginals.safetensors"
_BLOCK = 8192
_ROUNDING = 1e-4
"""The guarantee rounds shares to four digits."""


class IndependentModel:
    """Columns as independent categorical distributions; a Synthesiser."""

    name: ClassVar[str] = "independent"

    def __init__(self) -> None:
        """Makes a model that has yet to be fitted; it has no settings."""
        self._marginals: tuple[Floats, ...] = ()

    @property
    def marginals(self) -> tuple[Floats, ...]:
        """Returns the probabilities of each column's levels, all above 0."""
        return self._marginals

    def fit(self, codes: Codes, domain: Domain, *, ledger: Ledger, seed: int) -> None:
        """Releases all one-way histograms with what the ledger has left.

        An empty table releases noise alone. `seed` is not used: nothing but the noise is
        random, and no seed reaches that.

        Raises:
          PrivacyError: Earlier releases have spent the budget.
        """
        del seed
        sizes = domain.sizes
        left = 1 - sum(share.share + _ROUNDING for share in ledger.guarantee().shares)
        if left <= 0:
            raise PrivacyError(
                "Expected some budget for the marginals, but nothing is left. "
                "Give the earlier releases a smaller share."
            )
        mechanism = ledger.gaussian(
            "marginals",
            share=left,
            sensitivity=math.sqrt(len(sizes)),
            what="the counts of each column's levels",
        )
        counts = [
            np.bincount(codes[:, column], minlength=size) for column, size in enumerate(sizes)
        ]
        noisy = np.split(mechanism.release(np.concatenate(counts)), np.cumsum(sizes)[:-1])
        self._marginals = tuple(_probabilities(part, mechanism.std) for part in noisy)

    def sample(self, count: int, *, seed: int) -> Iterator[Codes]:
        """Yields blocks of rows, `count` in all; a block depends on its place alone."""
        for start in range(0, count, _BLOCK):
            draws = Seeds(seed).generator("independent", start)
            rows = min(_BLOCK, count - start)
            yield np.column_stack(
                [draws.choice(len(p), size=rows, p=p) for p in self._marginals]
            ).astype(np.int64)

    def log_likelihood(self, codes: Codes) -> Floats:
        """Returns the exact log-likelihood of each row in nats, shape (N,)."""
        total = np.zeros(len(codes))
        for column, probabilities in enumerate(self._marginals):
            total += np.log(probabilities)[codes[:, column]]
        return total

    @property
    def order(self) -> tuple[int, ...]:
        """Returns the columns in the order of a walk."""
        return tuple(range(len(self._marginals)))

    def walk(self, rows: int) -> TableWalk:
        """Returns `rows` rows at the first column."""
        return TableWalk(rows, self.order, [()] * len(self._marginals), self._marginals)

    def save(self, directory: Path) -> None:
        """Writes the marginals into `directory`."""
        from safetensors.numpy import save_file

        tensors = {str(column): p for column, p in enumerate(self._marginals)}
        save_file(tensors, directory / _FILE)

    @classmethod
    def load(cls, directory: Path, domain: Domain) -> Self:
        """Returns the model that `save` wrote.

        Raises:
          DataError: The file is missing, broken, or of another domain.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        model = cls()
        try:
            tensors = load_file(directory / _FILE)
            model._marginals = tuple(tensors[str(column)] for column in range(len(domain)))
        except (OSError, SafetensorError, KeyError) as error:
            raise DataError(f"Expected marginals in {directory / _FILE}, but: {error}.") from error
        if tuple(len(p) for p in model._marginals) != domain.sizes:
            raise DataError(f"Expected marginals of sizes {domain.sizes} in {directory / _FILE}.")
        return model


def _probabilities(noisy: Floats, std: float) -> Floats:
    """Returns noisy counts as probabilities, none of them 0.

    The nearest non-negative counts of the same total (the projection onto a simplex), then
    half a count, or the noise's share of one where that is more, for each level, so that
    no level is impossible.
    """
    total = max(float(noisy.sum()), 1.0)
    descending = np.sort(noisy)[::-1]
    excess = (np.cumsum(descending) - total) / np.arange(1, len(noisy) + 1)
    threshold = excess[np.flatnonzero(descending > excess)[-1]]
    kept = np.maximum(noisy - threshold, 0.0)
    kept += max(0.5, min(std, total) / len(noisy))
    return kept / kept.sum()  # type: ignore[no-any-return]
