"""Where the spelling of a value has a choice, for one column.

Most steps through a trie are forced: after BEGIN and the first words there is often one way
on. A choice is a node with several; only there is anything predicted under the trie. A step
from one choice to the next one, or to the end, is an option: its first word is chosen, the
words after it follow.

Letters: c choices, n tokens that can be chosen in the column, o options, L levels.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mustermann.tables.trie import NOWHERE, ROOT, Trie

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

NONE = -1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Choices:
    """The choices of one column, numbered parents first.

    Attributes:
      tokens: The tokens that can be chosen somewhere, ascending, shape (n,).
      allowed: Which of them each choice offers, shape (c, n).
      chosen: By level, the choice at each of its words and at END, `NONE` where it is forced.
      start: The words before the first choice; the whole value, with END, where there is none.
      options: By choice and token, the option, or `NONE`, shape (c, n).
      words: By option, the tokens up to the next choice or to END and with it.
      leads: By option, the next choice; `NONE` where the value ends, shape (o,).
      levels: By option, the level that has ended; `NONE` where none has, shape (o,).
      cells: By level, choice * n + place in `tokens` for each choice that it passes, padded
        with c * n, shape (L, depth).
      spelt: By choice, the words from BEGIN to it.
    """

    tokens: Ints
    allowed: Bools
    chosen: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]
    options: Ints
    words: tuple[tuple[int, ...], ...]
    leads: Ints
    levels: Ints
    cells: Ints
    spelt: tuple[tuple[int, ...], ...]


def choices_of(trie: Trie, spellings: Sequence[tuple[int, ...]], *, end: int) -> Choices:
    """Returns the choices of a column.

    Args:
      trie: Over its spellings.
      spellings: By level.
      end: The token that closes a value.
    """
    found = _Search(trie, end)
    tokens = np.array(sorted({t for node in found.nodes for t in found.on[node]}), np.int64)
    place = {token: at for at, token in enumerate(tokens.tolist())}
    options = np.full((len(found.nodes), len(tokens)), NONE)
    runs: list[_Run] = []
    for choice, node in enumerate(found.nodes):
        for token, child in found.on[node].items():
            options[choice, place[token]] = len(runs)
            on = found.run(child) if child != NOWHERE else _Run((), ended=node)
            runs.append(dataclasses.replace(on, tokens=(token, *on.tokens)))
    walks = [_walk(spelling, found, place, end=end) for spelling in spellings]
    return Choices(
        tokens=tokens,
        allowed=options != NONE,
        chosen=tuple(tuple(step.choice for step in walk) for walk in walks),
        start=found.run(ROOT).tokens,
        options=options,
        words=tuple(run.tokens for run in runs),
        leads=np.array([found.choice(run.reached) for run in runs], np.int64),
        levels=np.array([found.level(run.ended) for run in runs], np.int64),
        cells=_cells(walks, beyond=options.size),
        spelt=tuple(found.spelt(node) for node in found.nodes),
    )


@dataclasses.dataclass(frozen=True)
class _Run:
    """Forced tokens, and the node with a choice that they reach or that the value ends at."""

    tokens: tuple[int, ...]
    reached: int = NOWHERE
    ended: int = NOWHERE


@dataclasses.dataclass(frozen=True)
class _Step:
    """A choice, or `NONE`, and its cell in `Choices.cells`."""

    choice: int
    cell: int


class _Search:
    """Walks a trie.

    Attributes:
      on: By node, the node that each token leads to; `NOWHERE` after END.
      nodes: Those with a choice, parents first.
      number: By node, its place in `nodes`, or `NONE`.
    """

    def __init__(self, trie: Trie, end: int) -> None:
        self._trie = trie
        self.on = [self._on_from(node, end) for node in range(len(trie.levels))]
        self.nodes = [node for node, ways in enumerate(self.on) if len(ways) > 1]
        self.number = np.full(len(trie.levels), NONE)
        self.number[self.nodes] = np.arange(len(self.nodes))
        self._before = {
            child: (node, token)
            for node, ways in enumerate(self.on)
            for token, child in ways.items()
        }

    def _on_from(self, node: int, end: int) -> dict[int, int]:
        trie = self._trie
        span = slice(trie.starts[node], trie.starts[node + 1])
        ways = dict(zip(trie.tokens[span].tolist(), trie.children[span].tolist(), strict=True))
        if trie.levels[node] != NOWHERE:
            ways[end] = NOWHERE
        return ways

    def run(self, node: int) -> _Run:
        """Returns the forced tokens from a node on."""
        tokens = []
        while self.number[node] == NONE:
            [(token, child)] = self.on[node].items()
            tokens.append(token)
            if child == NOWHERE:
                return _Run(tuple(tokens), ended=node)
            node = child
        return _Run(tuple(tokens), reached=node)

    def spelt(self, node: int) -> tuple[int, ...]:
        """Returns the tokens from the root to a node."""
        tokens: list[int] = []
        while node != ROOT:
            node, token = self._before[node]
            tokens.append(token)
        return tuple(reversed(tokens))

    def choice(self, node: int) -> int:
        """Returns the number of a node's choice."""
        return NONE if node == NOWHERE else int(self.number[node])

    def level(self, node: int) -> int:
        """Returns the level that ends at a node."""
        return NONE if node == NOWHERE else int(self._trie.levels[node])


def _walk(
    spelling: tuple[int, ...], found: _Search, place: dict[int, int], *, end: int
) -> tuple[_Step, ...]:
    """Returns the choice at each word of a spelling and at END, and what it takes there."""
    node, steps = ROOT, []
    for token in (*spelling, end):
        choice = int(found.number[node])
        cell = NONE if choice == NONE else choice * len(place) + place[token]
        steps.append(_Step(choice, cell))
        node = found.on[node][token]
    return tuple(steps)


def _cells(walks: Sequence[tuple[_Step, ...]], *, beyond: int) -> Ints:
    """Returns `Choices.cells`."""
    paths = [[step.cell for step in walk if step.cell != NONE] for walk in walks]
    depth = max(map(len, paths))
    padded = [path + [beyond] * (depth - len(path)) for path in paths]
    return np.array(padded, np.int64).reshape(len(paths), depth)
