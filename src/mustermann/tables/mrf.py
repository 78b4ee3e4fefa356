"""A pairwise Markov random field with given marginals and pairwise moments.

    p(x) ∝ exp( Σ_c b_c(x_c) + Σ_{c<e} φ_c(x_c)ᵀ T_ce φ_e(x_e) )

Fitted by stochastic approximation: parallel Gibbs chains are moved one sweep, then T is
moved along the gap between the wanted moments and those of the chains, and b so that the
conditionals average to the marginals. The late sweeps are the sample.

Source: persistent contrastive divergence, Tieleman 2008 (sec. 3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from mustermann.core import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.tables.domain import Codes
    from mustermann.tables.moments import Features, Moments
    from mustermann.tables.recipe import Chains

Floats: TypeAlias = npt.NDArray[np.float64]
Singles: TypeAlias = npt.NDArray[np.float32]


def sample(
    marginals: Sequence[Floats],
    features: Features,
    moments: Moments,
    *,
    chains: Chains,
    draws: np.random.Generator,
) -> Codes:
    """Returns rows of a field fitted to `moments`, shape (chains.count · chains.kept, k).

    Rows of the same chain in neighbouring sweeps are alike: shuffle before taking a part.
    """
    field = _Field(marginals, features, moments, chains.count, draws)
    kept = []
    with progress.task("pairwise field", total=chains.sweeps) as bar:
        for sweep in range(chains.sweeps):
            done = sweep / chains.sweeps
            field.sweep(bias_rate=0.5 * (1 - done))
            field.follow(rate=chains.rate * (1 - 0.8 * done))
            if sweep >= chains.sweeps - chains.kept:
                kept.append(field.states.copy())
            bar.advance()
    return np.concatenate(kept)


class _Field:
    """The weights and the chains; single precision, as the noise is far above it."""

    def __init__(
        self,
        marginals: Sequence[Floats],
        features: Features,
        moments: Moments,
        count: int,
        draws: np.random.Generator,
    ) -> None:
        self._draws = draws
        self._blocks = moments.blocks
        self._tables: list[Singles] = [table.astype(np.float32) for table in features.tables]
        self._wanted: Singles = moments.matrix.astype(np.float32)
        self._weights = np.zeros_like(self._wanted)
        self._free = self._wanted != 0
        self._marginals: list[Singles] = [np.log(p).astype(np.float32) for p in marginals]
        self._biases = [log.copy() for log in self._marginals]
        self.states: Codes = np.stack([draws.choice(len(p), count, p=p) for p in marginals], axis=1)
        self._features: Singles = features.apply(self.states).astype(np.float32)

    def sweep(self, *, bias_rate: float) -> None:
        """Draws each column anew given the others, in all chains."""
        count = len(self.states)
        for c, (block, table) in enumerate(zip(self._blocks, self._tables, strict=True)):
            logits = self._features @ self._weights[:, block] @ table.T + self._biases[c]
            logits -= logits.max(axis=1, keepdims=True)
            masses = np.exp(logits)
            cumulative = masses.cumsum(axis=1)
            threshold = self._draws.random((count, 1), dtype=np.float32) * cumulative[:, -1:]
            drawn = (threshold >= cumulative).sum(axis=1).clip(max=len(table) - 1)
            self.states[:, c] = drawn
            self._features[:, block] = table[drawn]
            present = (masses / cumulative[:, -1:]).mean(axis=0)
            gap = self._marginals[c] - np.log(present + 1e-9)
            self._biases[c] += np.float32(bias_rate) * gap.clip(-1, 1)

    def follow(self, *, rate: float) -> None:
        """Moves the weights along the gap between wanted and present moments."""
        present = self._features.T @ self._features / np.float32(len(self.states))
        self._weights += np.float32(rate) * (self._wanted - present) * self._free
