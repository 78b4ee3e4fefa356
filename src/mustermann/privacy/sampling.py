"""Poisson sampling: each record joins a batch on its own coin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mustermann.privacy.noise import os_generator

if TYPE_CHECKING:
    from mustermann.privacy.noise import Randomness


def poisson_batch(
    records: int, *, rate: float, randomness: Randomness | None = None
) -> npt.NDArray[np.int64]:
    """Returns the indices of the records that join one batch, ascending; may be none.

    The guarantee counts on nobody knowing who was drawn, so the coins come from the
    operating system like the noise.

    Args:
      records: How many there are to draw from; itself private under add or remove.
      rate: Probability with which each joins; accounted to within 2^-53.
      randomness: The operating system's unless a test passes its own.
    """
    coins = (randomness or os_generator()).random(records)
    return (coins < rate).nonzero()[0]
