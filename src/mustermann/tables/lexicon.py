"""How the levels of every column are spelt in one vocabulary that all columns share.

    words        what values are spelt with: one a level, or pieces of their names
    BEGIN, END   two a column, around its value

With pieces, equal names in two columns are spelt alike; with one word a level they are not.
Within a column each level has a spelling of its own: where a tokenizer gives two levels the
same pieces, as one that folds case does, the second and later ones get a word more that
counts them, and a level without pieces is the word for that.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from mustermann.core.errors import ConfigError, DataError
from mustermann.tables.tokens import LevelTokenizer
from mustermann.tables.trie import Trie

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mustermann.tables.domain import Domain
    from mustermann.tables.subwords import Subwords

Spellings = tuple[tuple[int, ...], ...]
"""A column's words by level."""

EMPTY = "<empty>"
LONGEST = 256
"""Words of the longest spelling."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Spellings of all levels.

    Attributes:
      spellings: By column, in the table's order.
      words: What each word stands for, for people to read.
      tokenizer: The tokenizer that gave the pieces, as JSON; None for one word a level.
    """

    spellings: tuple[Spellings, ...]
    words: tuple[str, ...]
    tokenizer: str | None = None

    @classmethod
    def of_levels(cls, domain: Domain) -> Lexicon:
        """Returns the lexicon in which each level is a word of its own."""
        tokenizer = LevelTokenizer.of(domain)
        spellings = tuple(
            tuple((offset + level,) for level in range(size))
            for offset, size in zip(tokenizer.offsets.tolist(), domain.sizes, strict=True)
        )
        words = tuple(
            f"{column.name}: {n}" for column in domain.columns for n in range(column.size)
        )
        return cls(spellings=spellings, words=words)

    @classmethod
    def of_names(cls, domain: Domain, subwords: Subwords) -> Lexicon:
        """Returns the lexicon that spells the levels' names in pieces.

        Raises:
          ConfigError: The levels of a column have no names, or one is too long.
        """
        pieces = [subwords.spell(names(domain, place)) for place in range(len(domain))]
        used = sorted({piece for column in pieces for level in column for piece in level})
        number = {piece: word for word, piece in enumerate(used)}
        words = [subwords.piece(piece) for piece in used]
        reserved = _Reserved(words)
        spellings = []
        for place, column in enumerate(pieces):
            spelt = [tuple(number[piece] for piece in level) for level in column]
            _refuse_long(domain.columns[place].name, spelt)
            spellings.append(_told_apart(spelt, reserved))
        return cls(spellings=tuple(spellings), words=tuple(words), tokenizer=subwords.to_json())

    @property
    def columns(self) -> int:
        """Returns k."""
        return len(self.spellings)

    @property
    def vocabulary(self) -> int:
        """Returns the number of tokens, V: words, then BEGIN and END of each column."""
        return len(self.words) + 2 * self.columns

    @property
    def length(self) -> int:
        """Returns the number of tokens of the longest row."""
        return sum(2 + max(map(len, column)) for column in self.spellings)

    @property
    def one_word_a_level(self) -> bool:
        """Returns whether no two levels share a word."""
        return self.tokenizer is None

    def begin(self, column: int) -> int:
        """Returns the token before the values of a column."""
        return len(self.words) + column

    def end(self, column: int) -> int:
        """Returns the token after the values of a column."""
        return len(self.words) + self.columns + column

    @functools.cached_property
    def tries(self) -> tuple[Trie, ...]:
        """Returns each column's trie over its spellings."""
        return tuple(Trie.build(column) for column in self.spellings)

    def to_record(self) -> dict[str, Any]:
        """Returns the lexicon as JSON values, its tokenizer left out; see `from_record`."""
        if self.one_word_a_level:
            return {"tokenizer": "level"}
        spellings = [[list(level) for level in column] for column in self.spellings]
        return {"tokenizer": "pieces", "words": list(self.words), "spellings": spellings}

    @classmethod
    def from_record(
        cls, record: Mapping[str, Any], domain: Domain, *, tokenizer: str | None
    ) -> Lexicon:
        """Returns the lexicon that `to_record` described.

        Raises:
          DataError: The record is of another domain, or broken.
        """
        try:
            if record["tokenizer"] == "level":
                return cls.of_levels(domain)
            words = tuple(str(word) for word in record["words"])
            spellings = tuple(
                tuple(tuple(int(word) for word in level) for level in column)
                for column in record["spellings"]
            )
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"Expected the spellings of all levels, but: {error!r}.") from error
        used = {word for column in spellings for level in column for word in level}
        if tuple(map(len, spellings)) != domain.sizes or not used <= set(range(len(words))):
            raise DataError(
                "Expected spellings of the levels of this table, found those of another one."
            )
        lexicon = cls(spellings=spellings, words=words, tokenizer=tokenizer or "")
        for column, spelt in zip(domain.columns, spellings, strict=True):
            _refuse_long(column.name, spelt)
        _ = lexicon.tries  # Refuses spellings that two levels share.
        return lexicon


def names(domain: Domain, place: int) -> tuple[str, ...]:
    """Returns the names of a column's levels.

    Raises:
      ConfigError: It has none.
    """
    column = domain.columns[place]
    if len(column.labels) != column.size:
        raise ConfigError(
            f"Expected a name for each level of column {column.name!r} to spell it in pieces, "
            f"found {len(column.labels)} for {column.size} levels. Name them, or choose "
            f"tokenizer=level."
        )
    return column.labels


class _Reserved:
    """Words beyond a tokenizer's pieces: no text is spelt with them."""

    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._numbers: dict[str, int] = {}

    def word(self, text: str) -> int:
        """Returns the number of a reserved word; the words grow where it is new."""
        if text not in self._numbers:
            self._numbers[text] = len(self._words)
            self._words.append(text)
        return self._numbers[text]


def _told_apart(spelt: Sequence[tuple[int, ...]], reserved: _Reserved) -> Spellings:
    """Returns the spellings with a word more where the same one came before."""
    seen: dict[tuple[int, ...], int] = {}
    apart = []
    for pieces in spelt:
        spelling = pieces or (reserved.word(EMPTY),)
        seen[spelling] = seen.get(spelling, 0) + 1
        again = seen[spelling]
        counted = () if again == 1 else (reserved.word(f"<again {again}>"),)
        apart.append((*spelling, *counted))
    return tuple(apart)


def _refuse_long(name: str, spelt: Sequence[tuple[int, ...]]) -> None:
    longest = max(map(len, spelt))
    if longest > LONGEST:
        raise ConfigError(
            f"Expected levels of at most {LONGEST} words in column {name!r}, found one of "
            f"{longest}. Shorten it, or raise the vocabulary."
        )
