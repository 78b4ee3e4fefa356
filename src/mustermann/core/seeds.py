"""Named random streams that do not depend on the order of work.

A stream is a pure function of (root seed, path). Letter 17 of a run gets the
same values whether it is made first, last, alone, or on another machine, and a
field added next year changes no other field.

>>> letter = Seeds(2026).child("letters", 17)
>>> letter.draws("person").uniform("birth") == letter.draws("person").uniform("birth")
True

Three kinds of stream hang on a node, for three needs:

* `draws`      one hash a named value (about 1 µs); nothing is consumed, so no
               value depends on which others were drawn before it
* `random`     a sequential `random.Random`, for many anonymous choices in a row
* `generator`  a numpy generator, for arrays (about 30 µs to make)

DP noise never comes from here: `mustermann.privacy.noise` draws from the
operating system unless a test passes a generator on purpose.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
import random
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

T = TypeVar("T")
Key = str | int
_UNIT = 2.0**-53


@dataclasses.dataclass(frozen=True, slots=True)
class Seeds:
    """A node in the tree of random streams.

    Attributes:
      root: The run's seed, kept in the manifest.
      path: The keys from the root to this node.
    """

    root: int
    path: tuple[Key, ...] = ()

    def child(self, *keys: Key) -> Seeds:
        """Returns the node below this one; never draws, never mutates."""
        return Seeds(self.root, self.path + keys)

    def draws(self, *keys: Key) -> Draws:
        """Returns the named draws at `path + keys`."""
        return Draws(self._digest(keys))

    def random(self, *keys: Key) -> random.Random:
        """Returns a fresh sequential stream for `path + keys`."""
        return random.Random(int.from_bytes(self._digest(keys)[:8], "big"))  # noqa: S311

    def generator(self, *keys: Key) -> np.random.Generator:
        """Returns a fresh numpy generator for `path + keys`."""
        import numpy as np

        return np.random.default_rng(int.from_bytes(self._digest(keys)[:16], "big"))

    def _digest(self, keys: tuple[Key, ...]) -> bytes:
        """Maps the node to 256 bits; unlike `hash`, the same in every process."""
        # A length prefix and a type tag keep ("a", "bc") from ("ab", "c") and "1" from 1.
        tagged = [f"{type(key).__name__}:{key}".encode() for key in (self.root, *self.path, *keys)]
        return hashlib.blake2b(
            b"".join(len(part).to_bytes(4, "big") + part for part in tagged), digest_size=32
        ).digest()


class Draws:
    """Values by name: the same name gives the same value, in any order of asking."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def below(self, name: str) -> Draws:
        """Returns the draws of a node below this one, at a third of the cost of `Seeds.draws`."""
        return Draws(hashlib.blake2b(name.encode(), digest_size=32, key=self._key).digest())

    def bits(self, name: str) -> int:
        """Returns 64 uniform bits for `name`."""
        digest = hashlib.blake2b(name.encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "big")

    def uniform(self, name: str, low: float = 0.0, high: float = 1.0) -> float:
        """Returns a float in [low, high)."""
        return low + (high - low) * ((self.bits(name) >> 11) * _UNIT)

    def integer(self, name: str, low: int, high: int) -> int:
        """Returns an integer in [low, high], both ends included."""
        # 64 bits against ranges below 2**32: the bias is under 2**-32.
        return low + (self.bits(name) * (high - low + 1) >> 64)

    def bernoulli(self, name: str, probability: float) -> bool:
        """Returns True with the given probability."""
        return self.uniform(name) < probability

    def choice(self, name: str, items: Sequence[T]) -> T:
        """Returns one of `items`, each equally likely."""
        return items[self.bits(name) * len(items) >> 64]

    def weighted(self, name: str, items: Sequence[T], weights: Sequence[float]) -> T:
        """Returns one of `items` with probability proportional to its weight."""
        totals = list(accumulate(weights))
        return items[bisect_right(totals, self.uniform(name) * totals[-1], 0, len(items) - 1)]

    def normal(self, name: str, mean: float = 0.0, deviation: float = 1.0) -> float:
        """Returns a normal value, by Box and Muller from two named uniforms."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform(name)))
        return mean + deviation * radius * math.cos(math.tau * self.uniform(name + "\0angle"))

    def sample(self, name: str, items: Sequence[T], count: int) -> list[T]:
        """Returns `count` different items, in random order."""
        ranked = sorted(range(len(items)), key=lambda index: self.bits(f"{name}\0{index}"))
        return [items[index] for index in ranked[:count]]
