"""Level tokens."""

from __future__ import annotations

import numpy as np
import pytest

from mustermann.core.errors import DataError
from mustermann.tables.domain import Column, Domain
from mustermann.tables.tokens import LevelTokenizer

DOMAIN = Domain(
    (
        Column("a", 2, ordered=False),
        Column("b", 3, ordered=True),
        Column("c", 1, ordered=False),
    )
)


def test_columns_share_no_token():
    tokenizer = LevelTokenizer.of(DOMAIN)
    codes = np.array([[0, 0, 0], [1, 2, 0]])
    assert tokenizer.encode(codes).tolist() == [[0, 2, 5], [1, 4, 5]]
    assert tokenizer.vocabulary == 6
    assert tokenizer.decode(tokenizer.encode(codes)).tolist() == codes.tolist()


def test_a_token_in_a_foreign_column_is_refused():
    with pytest.raises(DataError, match="column 1 in row 0, found 0"):
        LevelTokenizer.of(DOMAIN).decode(np.array([[0, 0, 5]]))


def test_each_trie_spells_its_columns_levels():
    tries = LevelTokenizer.of(DOMAIN).tries()
    assert [trie.tokens.tolist() for trie in tries] == [[0, 1], [2, 3, 4], [5]]
    assert [trie.depth for trie in tries] == [1, 1, 1]


def test_the_padding_mask_shows_the_levels_of_each_column():
    assert LevelTokenizer.of(DOMAIN).padding_mask().tolist() == [
        [True, True, False],
        [True, True, True],
        [True, False, False],
    ]
