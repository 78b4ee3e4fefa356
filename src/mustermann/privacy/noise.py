"""Randomness that a guarantee rests on: all of it from the operating system.

Each draw asks the kernel for a key of 256 fresh bits, stretches it by ChaCha20 (RFC 8439)
and forgets it. The kernel's own generator does the same, one system call and one block at
a time; OpenSSL does it three times as fast. A seeded statistical generator would be faster
still, but whoever learns its state from outputs could take the noise off again. Tests may
pass any `numpy.random.Generator` instead: it has the same two methods.

What this is not: proof against attacks on the rounding of floating-point numbers
(Mironov 2012). The noise is made in float64 and is rounded with the sum that it hides.
"""

from __future__ import annotations

import math
import os
from typing import Protocol

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

Floats = npt.NDArray[np.float64]
_UNIT = 2.0**-53
# Even, and what a processor's cache holds: a step of DP-SGD waits for its noise, and memory
# costs more than arithmetic.
_BLOCK = 2**15


class Randomness(Protocol):
    """Independent random values; `numpy.random.Generator` is one, for tests."""

    def random(self, size: int, /) -> Floats:
        """Returns `size` uniform values in [0, 1)."""
        ...

    def standard_normal(self, size: int, /) -> Floats:
        """Returns `size` values of mean 0 and deviation 1."""
        ...


class SystemRandomness:
    """Keys every draw anew from the operating system; keeps no state and takes no seed."""

    def random(self, size: int, /) -> Floats:
        """Returns `size` uniform values in [0, 1), multiples of 2^-53."""
        return _Words().numerators(size) * _UNIT

    def standard_normal(self, size: int, /) -> Floats:
        """Returns `size` normal values, by Box and Muller.

        The tails end at 8.57 deviations, which a normal value passes once in 1e17 times:
        far below any delta in use.

        Source: Box and Muller 1958.
        """
        words = _Words()
        normal = np.empty(size + size % 2)
        for start in range(0, len(normal), _BLOCK):
            _box_muller(words, normal[start : start + _BLOCK])
        return normal[:size]


def os_generator() -> SystemRandomness:
    """Returns the randomness that a private release must use."""
    return SystemRandomness()


class _Words:
    """The stream of one fresh key."""

    def __init__(self) -> None:
        # A key serves once, so that the nonce may be zero.
        self._stream = Cipher(ChaCha20(os.urandom(32), bytes(16)), mode=None).encryptor()

    def numerators(self, count: int) -> Floats:
        """Returns the next whole numbers below 2^53, of 53 bits of the stream each."""
        words = np.frombuffer(self._stream.update(bytes(8 * count)), dtype=np.uint64)
        # As signed integers: processors convert these to floats several times as fast.
        return (words >> np.uint64(11)).view(np.int64).astype(np.float64)


def _box_muller(words: _Words, normal: Floats) -> None:
    """Fills `normal`, of even length, with normal values."""
    half = len(normal) // 2
    radius, tangent = np.split(words.numerators(2 * half), 2)
    radius += 1.0
    radius *= _UNIT
    np.log(radius, out=radius)
    radius *= -2.0
    np.sqrt(radius, out=radius)
    # Cosine and sine of the angle by the tangent of its half, which costs one call.
    tangent *= math.pi * _UNIT
    np.tan(tangent, out=tangent)
    square = tangent * tangent
    square += 1.0
    radius /= square
    np.subtract(2.0, square, out=square)
    np.multiply(radius, square, out=normal[:half])
    radius *= 2.0
    np.multiply(radius, tangent, out=normal[half:])
