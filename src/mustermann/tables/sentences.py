"""Rows as sentences: BEGIN value END for each column, in any order of the columns.

Everything that a sentence needs is looked up by level, so that a batch is laid out without
a loop over rows. The target at BEGIN is `IGNORED`: it is given, not predicted.

Letters: B rows, k columns, T tokens, V vocabulary, L levels of all columns together, S
tokens of the longest value with BEGIN and END, C choices of all columns together.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import torch
from torch import nn

from mustermann.tables.choices import NONE, Choices, choices_of

if TYPE_CHECKING:
    from mustermann.tables.lexicon import Lexicon

IGNORED = -100
"""The target that counts for no loss, as torch has it."""
FREE = 0
"""The number of no choice: what follows is forced, or nothing restricts it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Laid:
    """A batch of rows as a model reads and predicts them.

    Attributes:
      inputs: All tokens but a row's last, padded at the end, shape (B, T).
      targets: The token after each; `IGNORED` where that is BEGIN or padding, (B, T).
      choices: The choice that each target is one option of, or `FREE`, shape (B, T).
    """

    inputs: torch.Tensor
    targets: torch.Tensor
    choices: torch.Tensor


class Sentences(nn.Module):
    """The layout of one table; has tensors, but nothing to train.

    Attributes:
      lexicon: How levels are spelt.
      columns: The choices of each column, in the table's order.
      firsts: By column, the number of its first choice; C in all, from 1 on.
      allowed: By choice, the tokens that it offers, shape (1 + C, V); all of them at `FREE`.
      tokens: By level, BEGIN value END, padded, shape (L, S).
      counts: By level, how many tokens these are, shape (L,).
      offsets: By column, the place of its first level among all, shape (k,).
    """

    allowed: torch.Tensor
    tokens: torch.Tensor
    counts: torch.Tensor
    offsets: torch.Tensor
    _targets: torch.Tensor
    _chosen: torch.Tensor

    def __init__(self, lexicon: Lexicon) -> None:
        """Lays out the columns of a lexicon."""
        super().__init__()
        self.lexicon = lexicon
        self.columns: tuple[Choices, ...] = tuple(
            choices_of(trie, spellings, end=lexicon.end(column))
            for column, (trie, spellings) in enumerate(
                zip(lexicon.tries, lexicon.spellings, strict=True)
            )
        )
        numbers = [1]
        for choices in self.columns:
            numbers.append(numbers[-1] + len(choices.spelt))
        self.firsts = tuple(numbers[:-1])
        levels = self._levels()
        made = {
            "allowed": self._allowed(numbers[-1]),
            "tokens": _padded([list(level.tokens) for level in levels], 0),
            "counts": torch.tensor([len(level.tokens) for level in levels]),
            "_targets": _padded([[IGNORED, *level.tokens[1:]] for level in levels], IGNORED),
            "_chosen": _padded([list(level.choices) for level in levels], FREE),
            "offsets": torch.tensor([0, *map(len, lexicon.spellings)]).cumsum(0)[:-1],
        }
        for name, tensor in made.items():
            self.register_buffer(name, tensor, persistent=False)

    def lay(self, codes: torch.Tensor, orders: torch.Tensor) -> Laid:
        """Returns rows as sentences.

        Args:
          codes: Shape (B, k), in the table's order.
          orders: For each row the columns as they shall stand, shape (B, k).
        """
        levels = self.offsets[orders] + codes.gather(1, orders)  # (B, k)
        counts = self.counts[levels]
        ends = counts.cumsum(1)
        length, width = int(ends[:, -1].max()), self.tokens.shape[1]
        within = torch.arange(width, device=codes.device)
        places = (ends - counts).unsqueeze(2) + within  # (B, k, S)
        # What pads a value goes to one place beyond the row, which is cut off.
        places = torch.where(within < counts.unsqueeze(2), places, length).flatten(1)

        def spread(table: torch.Tensor, fill: int) -> torch.Tensor:
            laid = table.new_full((len(codes), length + 1), fill)
            return laid.scatter_(1, places, table[levels].flatten(1))[:, :length]

        tokens = spread(self.tokens, 0)
        targets = spread(self._targets, IGNORED)
        return Laid(
            inputs=tokens[:, :-1],
            targets=targets[:, 1:],
            choices=spread(self._chosen, FREE)[:, 1:],
        )

    def _allowed(self, count: int) -> torch.Tensor:
        allowed = torch.zeros(count, self.lexicon.vocabulary, dtype=torch.bool)
        allowed[FREE] = True
        for first, choices in zip(self.firsts, self.columns, strict=True):
            rows = slice(first, first + len(choices.spelt))
            allowed[rows, torch.from_numpy(choices.tokens)] = torch.from_numpy(choices.allowed)
        return allowed

    def _levels(self) -> list[_Level]:
        levels = []
        for column, (spellings, choices) in enumerate(
            zip(self.lexicon.spellings, self.columns, strict=True)
        ):
            begin, end = self.lexicon.begin(column), self.lexicon.end(column)
            for spelling, chosen in zip(spellings, choices.chosen, strict=True):
                numbers = (FREE if n == NONE else self.firsts[column] + n for n in chosen)
                levels.append(_Level((begin, *spelling, end), (FREE, *numbers)))
        return levels


@dataclasses.dataclass(frozen=True)
class _Level:
    """BEGIN value END, and the choice that each is an option of."""

    tokens: tuple[int, ...]
    choices: tuple[int, ...]


def _padded(rows: list[list[int]], fill: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [fill] * (width - len(row)) for row in rows])
