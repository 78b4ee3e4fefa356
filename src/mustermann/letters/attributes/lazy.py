"""A mapping whose values are made when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

V = TypeVar("V")


class Lazy(Mapping[str, V], Generic[V]):
    """A mapping with fixed keys that makes each value once, on demand.

    A letter shows a third of its attributes. As each is drawn from a stream of its own, it
    does not matter which ones are made, nor in what order. Pickles as a plain dict.
    """

    __slots__ = ("_made", "_make", "_names")

    def __init__(
        self, names: Mapping[str, Any] | tuple[str, ...], make: Callable[[str], V]
    ) -> None:
        """Takes the keys and the function that makes the value of a key."""
        self._names = names if isinstance(names, Mapping) else dict.fromkeys(names)
        self._make = make
        self._made: dict[str, V] = {}

    def __getitem__(self, name: str) -> V:
        made = self._made
        if name not in made:
            if name not in self._names:
                raise KeyError(name)
            made[name] = self._make(name)
        return made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
