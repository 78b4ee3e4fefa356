"""The trie against a search through all sequences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mustermann.core.errors import DataError
from mustermann.tables.trie import NOWHERE, ROOT, Trie

VOCABULARY = 6
END = 5

sequences = st.lists(
    st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple),
    min_size=1, max_size=12, unique=True,
)  # fmt: skip


@given(sequences, st.lists(st.integers(0, 4), max_size=5))
def test_children_are_the_tokens_that_continue_some_sequence(found, walk):
    trie = Trie.build(found)
    node = np.array([ROOT])
    for token in walk:
        node = trie.step(node, np.array([token]))
    prefix = tuple(walk)
    reachable = any(sequence[: len(prefix)] == prefix for sequence in found)
    assert (node[0] != NOWHERE) == reachable
    if not reachable:
        return
    allowed = trie.allowed(node, vocabulary=VOCABULARY, end=END)[0]
    following = {s[len(prefix)] for s in found if s[: len(prefix)] == prefix and s != prefix}
    assert set(np.flatnonzero(allowed[:END])) == following
    assert allowed[END] == (prefix in found)


@given(sequences)
def test_each_sequence_ends_at_its_level(found):
    trie = Trie.build(found)
    for level, sequence in enumerate(found):
        node = np.array([ROOT])
        for token in sequence:
            node = trie.step(node, np.array([token]))
        assert trie.levels[node[0]] == level
    assert trie.depth == max(map(len, found))


def test_rows_walk_on_their_own():
    trie = Trie.build([[0, 1], [0, 2], [3]])
    nodes = trie.step(np.array([ROOT, ROOT, NOWHERE]), np.array([0, 3, 0]))
    assert nodes[2] == NOWHERE
    assert trie.allowed(nodes[:2], vocabulary=4).tolist() == [
        [False, True, True, False],
        [False] * 4,
    ]


@pytest.mark.parametrize("bad", [[], [[]], [[1], [1]]])
def test_levels_without_a_sequence_of_their_own_are_refused(bad):
    with pytest.raises(DataError):
        Trie.build(bad)
