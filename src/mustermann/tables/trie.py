"""Which token may come next: a prefix tree over the token sequences of a column's levels.

Under the trie the probability of a level is the product over its tokens, each taken among
the children of the node that the tokens before it lead to. A column whose levels are single
tokens has a trie of depth one; values spelt by several tokens share prefixes.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from mustermann.core.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

ROOT = 0
NOWHERE = -1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Trie:
    """A prefix tree in flat arrays; node 0 is the root.

    The children of node i are `children[starts[i]:starts[i + 1]]`, reached by the tokens at
    the same places of `tokens`, in ascending order.

    Attributes:
      starts: Shape (nodes + 1,).
      tokens: Shape (nodes - 1,), ids of the vocabulary.
      children: Shape (nodes - 1,), numbers of nodes.
      levels: Shape (nodes,), the level whose sequence ends at a node, or `NOWHERE`.
    """

    starts: Ints
    tokens: Ints
    children: Ints
    levels: Ints

    @classmethod
    def build(cls, sequences: Sequence[Sequence[int]]) -> Self:
        """Returns the trie of one token sequence a level.

        Raises:
          DataError: A sequence is empty, or two levels have the same one.
        """
        edges: list[dict[int, int]] = [{}]
        ends: list[int] = [NOWHERE]
        if not sequences:
            raise DataError("Expected at least one level to build a trie of.")
        for level, sequence in enumerate(sequences):
            node = ROOT
            for token in sequence:
                if token not in edges[node]:
                    edges[node][token] = len(edges)
                    edges.append({})
                    ends.append(NOWHERE)
                node = edges[node][token]
            if node == ROOT or ends[node] != NOWHERE:
                raise DataError(f"Expected a token sequence of its own for level {level}.")
            ends[node] = level
        pairs = [pair for node in edges for pair in sorted(node.items())]
        return cls(
            starts=np.cumsum([0, *(len(node) for node in edges)]),
            tokens=np.array([token for token, _ in pairs], np.int64),
            children=np.array([child for _, child in pairs], np.int64),
            levels=np.array(ends, np.int64),
        )

    @property
    def depth(self) -> int:
        """Returns the number of tokens in the longest sequence."""
        depths = np.zeros(len(self.levels), np.int64)
        # Nodes are numbered parents first.
        for node in range(len(self.levels)):
            depths[self._slice(node)] = depths[node] + 1
        return int(depths.max())

    def allowed(self, nodes: Ints, *, vocabulary: int, end: int | None = None) -> Bools:
        """Returns which tokens may follow each node, shape (B, V).

        Args:
          nodes: Shape (B,).
          vocabulary: V, the number of tokens.
          end: The token that closes a value; allowed where a sequence ends.
        """
        mask = np.zeros((len(nodes), vocabulary), bool)
        counts = self.starts[nodes + 1] - self.starts[nodes]
        rows = np.repeat(np.arange(len(nodes)), counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        mask[rows, self.tokens[np.repeat(self.starts[nodes], counts) + within]] = True
        if end is not None:
            mask[:, end] = self.levels[nodes] != NOWHERE
        return mask

    def step(self, nodes: Ints, tokens: Ints) -> Ints:
        """Returns the node that each token leads to, `NOWHERE` where it may not come, (B,)."""
        wide = max(self._width, int(tokens.max(initial=0)) + 1)
        keys = self._parents * wide + self.tokens
        asked = nodes * wide + tokens
        places = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        found = (keys[places] == asked) & (nodes != NOWHERE)
        return np.where(found, self.children[places], NOWHERE)

    @functools.cached_property
    def _parents(self) -> Ints:
        """Returns the node that each edge leaves, shape (nodes - 1,)."""
        return np.repeat(np.arange(len(self.levels)), np.diff(self.starts))

    @functools.cached_property
    def _width(self) -> int:
        return int(self.tokens.max(initial=0)) + 1

    def _slice(self, node: int) -> Ints:
        return self.children[self.starts[node] : self.starts[node + 1]]
