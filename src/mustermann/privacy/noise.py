"""Randomness that a guarantee rests on: all of it from the operating system.

Each uniform below is made of 53 fresh bits of the kernel's cryptographic generator. A
seeded statistical generator would be faster, but whoever learns its state from outputs
could take the noise off again. Tests may pass any `numpy.random.Generator` instead: it
has the same two methods.

What this is not: proof against attacks on the rounding of floating-point numbers
(Mironov 2012). The noise is made in float64 and is rounded with the sum that it hides.
"""

from __future__ import annotations

import math
import os
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_UNIT = 2.0**-53


class Randomness(Protocol):
    """Independent random values; `numpy.random.Generator` is one, for tests."""

    def random(self, size: int, /) -> Floats:
        """Returns `size` uniform values in [0, 1)."""
        ...

    def standard_normal(self, size: int, /) -> Floats:
        """Returns `size` values of mean 0 and deviation 1."""
        ...


class SystemRandomness:
    """Draws every bit from the operating system; keeps no state and takes no seed."""

    def random(self, size: int, /) -> Floats:
        """Returns `size` uniform values in [0, 1), multiples of 2^-53."""
        return (_words(size) >> np.uint64(11)).astype(np.float64) * _UNIT

    def standard_normal(self, size: int, /) -> Floats:
        """Returns `size` normal values, by Box and Muller.

        The tails end at 8.57 deviations, which a normal value passes once in 1e17 times:
        far below any delta in use.

        Source: Box and Muller 1958.
        """
        half = (size + 1) // 2
        words = _words(2 * half) >> np.uint64(11)
        radius = np.sqrt(-2.0 * np.log((words[:half].astype(np.float64) + 1.0) * _UNIT))
        # Cosine and sine of the angle by the tangent of its half, which costs one call.
        tangent = np.tan(words[half:].astype(np.float64) * (math.pi * _UNIT))
        square = tangent * tangent
        radius /= 1.0 + square
        return np.concatenate([radius * (1.0 - square), radius * (2.0 * tangent)])[:size]


def os_generator() -> SystemRandomness:
    """Returns the randomness that a private release must use."""
    return SystemRandomness()


def _words(count: int) -> npt.NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)
