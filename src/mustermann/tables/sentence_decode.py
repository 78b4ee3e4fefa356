"""Rows from a sentence transformer, token by token, with cached keys and values.

Each column begins with its BEGIN token. What is forced is read without a draw; at a choice
the next token is drawn among the trie's children. One uniform value decides a cell, however
many tokens spell it: what the first choice leaves of it decides the next one. So the
distribution of a row is exactly the one that `likelihood` scores.

A walk gives the chances of all levels of a column at once, for conditions and constraints:
it reads every beginning of a value that leads to a choice, side by side.

Letters: B rows, T places in the cache, S tokens read at once, n tokens of a column, c its
choices, h heads.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from mustermann.core.seeds import Seeds
from mustermann.tables.choices import NONE, Choices
from mustermann.tables.decode import couple, invert

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from mustermann.tables.domain import Codes
    from mustermann.tables.sentence_model import SentenceTransformer
    from mustermann.tables.transformer import Block

BLOCK_ROWS = 1024
MOST_STATES = 2**22
"""Numbers that the side-by-side reading of a column may hold in one tensor."""


def sample(
    model: SentenceTransformer, count: int, *, seed: int, coupled: bool = False
) -> Iterator[Codes]:
    """Yields blocks of rows in the table's order, `count` in all.

    A block depends on the seed and its place only, so a longer sample starts with the
    shorter one, unless `coupled` and the shorter one ends within a block.
    """
    columns = len(model.order)
    for start in range(0, count, BLOCK_ROWS):
        uniforms = Seeds(seed).generator("rows", start).random((BLOCK_ROWS, columns))
        yield draw(model, uniforms[: count - start], coupled=coupled)


@torch.no_grad()
def draw(
    model: SentenceTransformer, uniforms: npt.NDArray[np.float64], *, coupled: bool = False
) -> Codes:
    """Returns one row for each row of `uniforms`, shape (B, k), values in [0, 1).

    Args:
      model: In evaluation mode.
      uniforms: One value for each cell, in the model's order.
      coupled: Whether rows share low-discrepancy uniforms; see `decode`.
    """
    walk = _Walk(model.eval(), len(uniforms))
    codes = np.zeros(uniforms.shape, np.int64)
    for position, column in enumerate(model.order.tolist()):
        values = torch.from_numpy(uniforms[:, position])
        if coupled:
            chances = walk.chances()
            levels = invert(chances, couple(chances, values))
            walk.take(levels)
        else:
            levels = walk.draw(values)
        codes[:, column] = levels.numpy()
    return codes


class SentenceWalk:
    """A walk in numpy's terms, as conditions and constraints take it."""

    def __init__(self, model: SentenceTransformer, rows: int) -> None:
        """Starts at the first column."""
        self._walk = _Walk(model.eval(), rows)

    @torch.no_grad()
    def chances(self) -> npt.NDArray[np.float64]:
        """Returns probabilities (B, levels) of the levels of the next column."""
        return self._walk.chances().numpy()

    @torch.no_grad()
    def take(self, levels: npt.NDArray[np.int64]) -> None:
        """Moves on with the chosen levels, shape (B,)."""
        self._walk.take(torch.from_numpy(np.ascontiguousarray(levels)))

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Goes on with these rows of the walk, any of them as often as it stands there."""
        self._walk.keep(torch.from_numpy(rows))


class _Walk:
    """B rows, each at the BEGIN of the same column."""

    def __init__(self, model: SentenceTransformer, rows: int) -> None:
        self._model, self._rows = model, rows
        self._order: list[int] = model.order.tolist()
        self._cache = _Cache(model, rows)
        self._position = 0
        begin = torch.full((rows, 1), model.lexicon.begin(self._order[0]))
        with torch.no_grad():
            self._state = self._cache.read(begin, torch.ones(rows, dtype=torch.int64))

    def chances(self) -> torch.Tensor:
        """Returns probabilities (B, levels), float64."""
        column = self._column
        choices, levels = column.choices, len(column.choices.chosen)
        if not choices.spelt:
            return torch.ones(self._rows, levels, dtype=torch.float64)
        parts = [
            column.levels(column.logs(self._states_of(choices, slice(start, start + many))))
            for many in [self._cache.side_by_side(choices.spelt)]
            for start in range(0, self._rows, many)
        ]
        return torch.cat(parts) if parts else torch.ones(0, levels, dtype=torch.float64)

    def take(self, levels: torch.Tensor) -> None:
        """Moves on with the chosen levels."""
        sentences, column = self._model.sentences, self._order[self._position]
        places = sentences.offsets[column] + levels
        self._read_on(sentences.tokens[places, 1:], sentences.counts[places] - 1, ended=True)
        self._next()

    def draw(self, uniforms: torch.Tensor) -> torch.Tensor:
        """Returns a level for each row, shape (B,), and moves on with it."""
        column = self._column
        choices = column.choices
        levels = torch.zeros(self._rows, dtype=torch.int64)
        if not choices.spelt:
            self._read_on(*column.start(self._rows), ended=True)
            self._next()
            return levels
        if len(choices.start):
            self._read_on(*column.start(self._rows), ended=False)
        at = torch.zeros(self._rows, dtype=torch.int64)
        left = torch.arange(self._rows)
        while len(left):
            chances = column.logs(self._state[left].unsqueeze(1), at[left].unsqueeze(1))
            chosen = _split(chances.squeeze(1).exp(), uniforms[left])
            uniforms = uniforms.index_copy(0, left, chosen.rest)
            options = column.options[at[left], chosen.place]
            ended = column.leads[options] == NONE
            levels[left[ended]] = column.ends[options[ended]]
            at[left] = column.leads[options]
            tokens, counts = column.words[options], column.counts[options]
            self._read_on(tokens, counts, ended=ended, rows=left)
            left = left[~ended]
        self._next()
        return levels

    def keep(self, rows: torch.Tensor) -> None:
        """Goes on with these rows."""
        self._rows = len(rows)
        self._state = self._state[rows]
        self._cache.keep(rows)

    @property
    def _column(self) -> _Column:
        return _Column(self._model, self._order[self._position])

    def _next(self) -> None:
        self._position += 1

    def _read_on(
        self, tokens: torch.Tensor, counts: torch.Tensor, *, ended: torch.Tensor | bool,
        rows: torch.Tensor | None = None,
    ) -> None:  # fmt: skip
        """Reads tokens (B, S), of which `counts` are real; after those that end, BEGIN."""
        after = self._position + 1
        done = torch.as_tensor(ended).expand(len(tokens))
        if after < len(self._order):
            begin = self._model.lexicon.begin(self._order[after])
            tokens = functional.pad(tokens, (0, 1))
            tokens = torch.where(
                done.unsqueeze(1) & (torch.arange(tokens.shape[1]) == counts.unsqueeze(1)),
                begin, tokens,
            )  # fmt: skip
            counts = counts + done
        elif bool(done.all()):
            return  # Nothing comes after the last value.
        if rows is None or len(rows) == self._rows:
            self._state = self._cache.read(tokens, counts)
        else:
            self._state[rows] = self._cache.read(tokens, counts, rows=rows)

    def _states_of(self, choices: Choices, rows: slice) -> torch.Tensor:
        """Returns the last states at each choice, shape (B, c, d)."""
        if choices.spelt == ((),):
            return self._state[rows].unsqueeze(1)
        return self._cache.peek(choices.spelt, self._state, rows)


class _Column:
    """What drawing from one column needs, as tensors."""

    def __init__(self, model: SentenceTransformer, column: int) -> None:
        self._model = model
        self.choices = choices = model.sentences.columns[column]
        self._tokens = torch.from_numpy(choices.tokens)
        self._allowed = torch.from_numpy(choices.allowed)
        self.options = torch.from_numpy(choices.options)
        self.leads = torch.from_numpy(choices.leads)
        self.ends = torch.from_numpy(choices.levels)
        self.counts = torch.tensor([len(words) for words in choices.words], dtype=torch.int64)
        self.words = _padded(choices.words)

    def start(self, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns the forced first words for each row, and how many they are."""
        start = torch.tensor(self.choices.start, dtype=torch.int64)
        return start.expand(rows, -1), torch.full((rows,), len(start))

    def logs(self, states: torch.Tensor, at: torch.Tensor | None = None) -> torch.Tensor:
        """Returns log-chances of the column's tokens, shape (B, c, n), float64.

        Args:
          states: Last states, shape (B, c, d).
          at: The choice that each stands at, shape (B, c); all in turn where None.
        """
        model, head = self._model, self._model.head
        states = functional.layer_norm(states, (model.shape.width,))
        logits = states @ head.weight[self._tokens].T + head.bias[self._tokens]
        allowed = self._allowed if at is None else self._allowed[at]
        return logits.double().masked_fill(~allowed, -math.inf).log_softmax(dim=-1)

    def levels(self, logs: torch.Tensor) -> torch.Tensor:
        """Returns the chances of the levels, shape (B, levels), from those at each choice."""
        flat = functional.pad(logs.flatten(1), (0, 1))  # The last cell stands for no choice.
        return flat[:, torch.from_numpy(self.choices.cells)].sum(2).exp()


@dataclasses.dataclass(frozen=True)
class _Chosen:
    """Where uniforms fell, and what they leave for a further choice, in [0, 1)."""

    place: torch.Tensor
    rest: torch.Tensor


def _split(chances: torch.Tensor, uniforms: torch.Tensor) -> _Chosen:
    """Returns the place in which each uniform falls, and how far into it; both shape (B,)."""
    place = invert(chances, uniforms)
    ends = chances.cumsum(dim=1)
    size = chances.gather(1, place.unsqueeze(1)).squeeze(1)
    start = ends.gather(1, place.unsqueeze(1)).squeeze(1) - size
    rest = (uniforms * ends[:, -1] - start) / size
    return _Chosen(place, rest.clamp(0, 1 - 1e-12))


class _Cache:
    """Keys and values of what each row has read; rows may have read different numbers."""

    def __init__(self, model: SentenceTransformer, rows: int) -> None:
        self._model = model
        self._blocks: list[Block] = list(model.blocks)  # type: ignore[arg-type]
        heads, width = model.shape.heads, model.shape.width
        # What pads a reading is written beyond a row's end, and over again later.
        spare = model.sentences.tokens.shape[1] + 2
        size = (rows, model.lexicon.length + spare, heads, width // heads)
        self._keys = [torch.zeros(size) for _ in self._blocks]
        self._values = [torch.zeros(size) for _ in self._blocks]
        self._lengths = torch.zeros(rows, dtype=torch.int64)

    def keep(self, rows: torch.Tensor) -> None:
        """Goes on with these rows."""
        self._keys = [keys[rows] for keys in self._keys]
        self._values = [values[rows] for values in self._values]
        self._lengths = self._lengths[rows]

    def read(
        self, tokens: torch.Tensor, counts: torch.Tensor, *, rows: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Returns the state (B, d) after the tokens of each row, which are cached.

        Args:
          tokens: Shape (B, S).
          counts: How many of each row's are real, at least 1, shape (B,).
          rows: Which rows these are; all where None.
        """
        chosen = torch.arange(len(self._lengths)) if rows is None else rows
        before = self._lengths[chosen]
        places = before.unsqueeze(1) + torch.arange(tokens.shape[1])  # (B, S)
        longest = int(places.max()) + 1 if len(chosen) else 0
        hidden = (torch.arange(longest) > places.unsqueeze(2)).unsqueeze(1)  # (B, 1, S, T)
        states = self._embedded(tokens, places)
        for block, keys, values in zip(self._blocks, self._keys, self._values, strict=True):
            query, key, value = block.attention.split(block.normalised(states))
            keys[chosen.unsqueeze(1), places] = key.transpose(1, 2)
            values[chosen.unsqueeze(1), places] = value.transpose(1, 2)
            past_keys = _first(keys, longest, rows)  # (B, h, T, d/h)
            past_values = _first(values, longest, rows)
            scores = query @ past_keys.transpose(-1, -2) / math.sqrt(query.shape[-1])
            weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
            states = states + block.attention.join(weights @ past_values)
            states = states + block.fed(states)
        self._lengths[chosen] = before + counts
        return states[torch.arange(len(chosen)), counts - 1]

    def peek(
        self, beginnings: Sequence[tuple[int, ...]], root: torch.Tensor, rows: slice
    ) -> torch.Tensor:
        """Returns the state (B, c, d) after each beginning, read side by side; caches nothing.

        Args:
          beginnings: Words after what is cached, parents first; () is what is cached itself.
          root: The state after what is cached, shape (all rows, d).
          rows: Which rows.
        """
        tree = _Tree.of(beginnings)
        before = self._lengths[rows]
        places = before.unsqueeze(1) + tree.depths  # (B, S)
        count, longest = len(before), int(before.max())
        hidden = (torch.arange(longest) >= before.view(-1, 1)).view(count, 1, 1, -1)
        states = self._embedded(tree.tokens.expand(count, -1), places)
        for block, keys, values in zip(self._blocks, self._keys, self._values, strict=True):
            query, key, value = block.attention.split(block.normalised(states))  # (B, h, S, d/h)
            scale = math.sqrt(query.shape[-1])
            past_keys = keys[rows, :longest].transpose(1, 2)
            past_values = values[rows, :longest].transpose(1, 2)
            past = (query @ past_keys.transpose(-1, -2) / scale).masked_fill(hidden, -math.inf)
            own = (query.unsqueeze(3) * key[:, :, tree.ancestors]).sum(-1) / scale
            own = own.masked_fill(tree.absent, -math.inf)  # (B, h, S, ancestors)
            weights = torch.cat([past, own], dim=-1).softmax(dim=-1)
            gathered = weights[..., :longest] @ past_values
            near = weights[..., longest:].unsqueeze(-1) * value[:, :, tree.ancestors]
            states = states + block.attention.join(gathered + near.sum(3))
            states = states + block.fed(states)
        whole = torch.cat([root[rows].unsqueeze(1), states], dim=1)
        return whole[:, tree.asked]

    def side_by_side(self, beginnings: Sequence[tuple[int, ...]]) -> int:
        """Returns how many rows `peek` may take at once."""
        width, longest = self._model.shape.width, max(map(len, beginnings))
        nodes = max(1, sum(map(len, beginnings)))
        past = int(self._lengths.max()) if len(self._lengths) else 0
        per_row = nodes * (width * max(longest, 1) + self._model.shape.heads * past)
        return max(1, MOST_STATES // per_row)

    def _embedded(self, tokens: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        positions = self._model.positions.weight
        # Padding may stand beyond the last position; what it becomes is never looked at.
        embedded: torch.Tensor = self._model.embedding(tokens)
        return embedded + positions[places.clamp(max=len(positions) - 1)]


@dataclasses.dataclass(frozen=True)
class _Tree:
    """Beginnings of values as a tree of their tokens, S nodes, the root left out.

    Attributes:
      tokens: Shape (S,).
      depths: Words before each in the value, shape (S,).
      ancestors: Each node's own number and those above it, padded with 0, shape (S, depth).
      absent: Where `ancestors` is padding.
      asked: By beginning, its last node plus 1; 0 is the root, shape (c,).
    """

    tokens: torch.Tensor
    depths: torch.Tensor
    ancestors: torch.Tensor
    absent: torch.Tensor
    asked: torch.Tensor

    @classmethod
    def of(cls, beginnings: Sequence[tuple[int, ...]]) -> _Tree:
        """Returns the tree of all beginnings and what they begin with."""
        numbers: dict[tuple[int, ...], int] = {(): 0}
        for beginning in beginnings:
            for length in range(1, len(beginning) + 1):
                numbers.setdefault(beginning[:length], len(numbers))
        nodes = [prefix for prefix in numbers if prefix]
        above = [[numbers[node[:n]] - 1 for n in range(1, len(node) + 1)] for node in nodes]
        depth = max(map(len, nodes))
        padded = torch.tensor([path + [NONE] * (depth - len(path)) for path in above])
        return cls(
            tokens=torch.tensor([node[-1] for node in nodes]),
            depths=torch.tensor([len(node) - 1 for node in nodes]),
            ancestors=padded.clamp(min=0),
            absent=padded == NONE,
            asked=torch.tensor([numbers[beginning] for beginning in beginnings]),
        )


def _first(cache: torch.Tensor, length: int, rows: torch.Tensor | None) -> torch.Tensor:
    """Returns the first places of a cache, shape (B, h, T, d/h)."""
    kept = cache[:, :length] if rows is None else cache[rows, :length]
    return kept.transpose(1, 2)


def _padded(words: Sequence[tuple[int, ...]]) -> torch.Tensor:
    width = max(map(len, words), default=0)
    rows = [[*each, *[0] * (width - len(each))] for each in words]
    return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), width)
