"""The table transformer: a row as a sentence with one position a column.

    position i  reads   level of column i-1 + position vector i
                writes  logits over the levels of column i

In the sentence `BEGIN_col value END_col …` the trie leaves BEGIN unscored and END certain,
so this layout has the same likelihood at a third of the length. Columns stand in the order
of a permutation that the model keeps; rows come in and go out in the table's order.

Shape letters: B rows, k columns, N levels of the largest column, d width, h heads.

Source: seed paper, arXiv 2306.04803; GPT-2 blocks, Radford et al. 2019.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from mustermann.core.config import strict
from mustermann.core.errors import ConfigError
from mustermann.privacy.layers import MASKED, ColumnEmbedding, ColumnHeads, Positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from mustermann.tables.domain import Domain

LEAST_SMOOTH = 5
"""Ordered columns with fewer levels get plain tables."""
MOST = 4096
"""Larger models are refused: a foreign file must not ask for any amount of memory."""


@strict
@dataclasses.dataclass(frozen=True, kw_only=True)
class Shape:
    """The size of a transformer.

    Attributes:
      width: d, a multiple of `heads`.
      layers: Blocks.
      heads: Attention heads a block.
      feedforward: Width of the inner layer in units of d.
      smooth: Whether ordered columns' tables are smooth along the levels.
      dropout: Chance that a unit of a residual branch is dropped in training.
    """

    width: int = 64
    layers: int = 2
    heads: int = 4
    feedforward: int = 4
    smooth: bool = True
    dropout: float = 0.0

    def __post_init__(self) -> None:
        for name in ("width", "layers", "heads", "feedforward"):
            if not 1 <= getattr(self, name) <= MOST:
                raise ConfigError(f"Expected {name} from 1 to {MOST}, got {getattr(self, name)}.")
        if self.width % self.heads:
            raise ConfigError(f"Expected a width that {self.heads} heads divide, got {self.width}.")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"Expected dropout from 0 to below 1, got {self.dropout}.")


class Attention(nn.Module):
    """Causal self-attention over the positions of a row."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.inward = nn.Linear(shape.width, 3 * shape.width)
        self.outward = nn.Linear(shape.width, shape.width)

    def split(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns queries, keys and values (B, h, T, d/h) of states (B, T, d)."""
        query, key, value = self.inward(states).chunk(3, dim=-1)  # (B, T, d) each
        return self._by_head(query), self._by_head(key), self._by_head(value)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Returns what each position gathers from itself and those before it, (B, T, d)."""
        query, key, value = self.split(states)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])  # (B, h, T, T)
        length = states.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=states.device).triu(1)
        weights = scores.masked_fill(future, MASKED).softmax(dim=-1)
        return self.join(weights @ value)

    def join(self, gathered: torch.Tensor) -> torch.Tensor:
        """Returns states (B, T, d) from what the heads gathered, (B, h, T, d/h)."""
        joined: torch.Tensor = self.outward(gathered.transpose(1, 2).flatten(2))
        return joined

    def _by_head(self, states: torch.Tensor) -> torch.Tensor:
        rows, length, _ = states.shape
        return states.view(rows, length, self.heads, -1).transpose(1, 2)


class Block(nn.Module):
    """Attention, then a feed-forward layer, each beside a residual path."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.width = shape.width
        self.dropout = shape.dropout
        self.attention = Attention(shape)
        self.up = nn.Linear(shape.width, shape.feedforward * shape.width)
        self.down = nn.Linear(shape.feedforward * shape.width, shape.width)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Returns states (B, T, d)."""
        states = states + self._dropped(self.attention(self.normalised(states)))
        return states + self._dropped(self.fed(states))

    def fed(self, states: torch.Tensor) -> torch.Tensor:
        """Returns what the feed-forward layer adds to states (B, T, d)."""
        inner = functional.gelu(self.up(self.normalised(states)), approximate="tanh")
        added: torch.Tensor = self.down(inner)
        return added

    def normalised(self, states: torch.Tensor) -> torch.Tensor:
        """Returns states of mean 0 and variance 1; without scales, so without noise on them."""
        return functional.layer_norm(states, (self.width,))

    def _dropped(self, states: torch.Tensor) -> torch.Tensor:
        return functional.dropout(states, self.dropout, self.training)


class TableTransformer(nn.Module):
    """A probability for every row of a domain.

    Attributes:
      sizes: Levels of each column, in the model's order.
      order: Column of the table that stands at each position, shape (k,).
      place: Position at which each column of the table stands, shape (k,).
    """

    order: torch.Tensor
    place: torch.Tensor

    def __init__(
        self, domain: Domain, shape: Shape, *, order: Sequence[int], generator: torch.Generator
    ) -> None:
        """Makes a model under which all levels of a column are equally likely.

        Args:
          domain: The columns, in the table's order.
          shape: The size.
          order: A permutation of the columns.
          generator: Draws the first weights.
        """
        super().__init__()
        columns = [domain.columns[c] for c in order]
        self.shape = shape
        self.sizes = tuple(column.size for column in columns)
        smooth = [shape.smooth and column.ordered for column in columns]
        tails = [column.tail for column in columns]
        basis = smooth_basis(self.sizes, smooth, tails=tails) if any(smooth) else None
        # The layers draw first weights from torch's global stream; ours replace them.
        with torch.random.fork_rng(devices=[]):
            self.embedding = ColumnEmbedding(self.sizes, shape.width, basis=basis)
            self.positions = Positions(len(columns), shape.width)
            self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.layers)])
            self.heads = ColumnHeads(self.sizes, shape.width, basis=basis)
        self.register_buffer("order", torch.tensor(list(order)), persistent=False)
        self.register_buffer("place", torch.argsort(self.order), persistent=False)
        self._draw_weights(generator)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Returns logits (B, k, N) by position, for rows (B, k) in the table's order.

        Position i's logits depend on the levels at positions before i only.
        """
        states = self.read(codes[:, self.order])
        for block in self.blocks:
            states = block(states)
        return self.write(states)

    def losses(self, codes: torch.Tensor) -> torch.Tensor:
        """Returns the negative log-likelihood of each row in nats, shape (B,)."""
        logits = self(codes)
        levels = codes[:, self.order]
        return functional.cross_entropy(logits.transpose(1, 2), levels, reduction="none").sum(1)

    def read(self, levels: torch.Tensor) -> torch.Tensor:
        """Returns the first states (B, k, d) of rows (B, k) in the model's order."""
        vectors = self.embedding(levels)
        # Position 0 reads nothing, and no position reads the last column.
        before = functional.pad(vectors[:, :-1], (0, 0, 1, 0))
        states: torch.Tensor = self.positions(before)
        return states

    def write(self, states: torch.Tensor) -> torch.Tensor:
        """Returns logits (B, k, N) from the last states (B, k, d)."""
        logits: torch.Tensor = self.heads(functional.layer_norm(states, (self.shape.width,)))
        return logits

    @torch.no_grad()
    def start_from(self, marginals: Sequence[npt.NDArray[np.float64]]) -> None:
        """Makes columns independent with these probabilities, given in the table's order."""
        self.heads.weight.zero_()
        self.heads.bias.zero_()
        for position, column in enumerate(self.order.tolist()):
            log = torch.from_numpy(np.log(marginals[column]))
            self.heads.bias[position, : len(log)] = log

    @torch.no_grad()
    def _draw_weights(self, generator: torch.Generator) -> None:
        def normal(weight: torch.Tensor, std: float) -> None:
            weight.copy_(torch.randn(weight.shape, generator=generator) * std)

        normal(self.embedding.weight, 0.3)
        normal(self.positions.weight, 0.3)
        for name, layer in self.named_modules():
            if isinstance(layer, nn.Linear):
                residual = name.endswith(("outward", "down"))
                gain = 1 / math.sqrt(2 * self.shape.layers) if residual else 1.0
                normal(layer.weight, gain / math.sqrt(layer.in_features))
                layer.bias.zero_()


def smooth_basis(
    sizes: Sequence[int],
    smooth: Sequence[bool],
    *,
    tails: Sequence[int] | None = None,
    halving: int = 2,
) -> torch.Tensor:
    """Returns what maps a column's weights to its table, shape (k, N, N).

    For a smooth column: cosines along the levels (DCT-II), the f-th one scaled by
    1/(1 + f/halving), so that training moves slow waves first. The constant one is left
    out: biases and positions do its work. The scales are normed so that a table of random
    weights is as large as without a basis. The last `tails` levels of a column, which stand
    outside its order, keep weights of their own.
    """
    largest = max(sizes)
    basis = np.zeros((len(sizes), largest, largest))
    for c, (whole, is_smooth) in enumerate(zip(sizes, smooth, strict=True)):
        basis[c, :whole, :whole] = np.eye(whole)
        size = whole - (tails[c] if tails else 0)
        if not is_smooth or size < LEAST_SMOOTH:
            continue
        frequency = np.arange(size)
        angle = np.pi * (frequency[:, None] + 0.5) * frequency / size
        scale = (frequency > 0) / (1 + frequency / halving)
        scale *= math.sqrt(size / (scale**2).sum())
        basis[c, :size, :size] = np.cos(angle) * math.sqrt(2 / size) * scale
    return torch.from_numpy(basis).float()
