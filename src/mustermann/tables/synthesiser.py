"""What a model of a discretised table is to us; SynLM, AIM and independent are three."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from mustermann.privacy.ledger import Ledger
    from mustermann.tables.domain import Codes, Domain


class Synthesiser(Protocol):
    """A generative model of rows of levels, fitted under a privacy ledger.

    Implementations are plugins in the group `mustermann.synthesisers`. The constructor
    takes only keyword settings with defaults.
    """

    name: ClassVar[str]

    def fit(self, codes: Codes, domain: Domain, *, ledger: Ledger, seed: int) -> None:
        """Fits the model to `codes`, shape (N, k).

        Every read of `codes` is an entry of `ledger`, which hands out the noise scales
        and refuses what the budget does not cover. `seed` steers initialisation and free
        post-processing, never the noise.

        Raises:
          PrivacyError: The budget is too small for the method; names the least that works.
        """
        ...

    def sample(self, count: int, *, seed: int) -> Iterator[Codes]:
        """Yields blocks of rows, `count` in all, in constant memory."""
        ...

    def log_likelihood(self, codes: Codes) -> npt.NDArray[np.float64]:
        """Returns the exact log-likelihood of each row in nats, shape (N,)."""
        ...

    def save(self, directory: Path) -> None:
        """Writes the fitted model into `directory` (safetensors and JSON only)."""
        ...

    @classmethod
    def load(cls, directory: Path, domain: Domain) -> Synthesiser:
        """Returns the model that `save` wrote; never runs code from the directory."""
        ...
