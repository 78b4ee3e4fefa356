"""Rows from a table transformer, column by column, with cached keys and values.

Every level is drawn by inverting the distribution function of the model's conditional at a
uniform value, over the levels that the column has: the distribution of a row is exactly
the one that `likelihood` scores. Memory does not depend on how many rows are asked for.

Coupled uniforms: within a block, the rows are sorted by what the model expects of a column
and their uniforms are taken from a low-discrepancy sequence in that order. Each row still
has the model's distribution, and counts vary less than by chance; but the rows of a block
are no longer independent of one another.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn import functional

from mustermann.core.seeds import Seeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt

    from mustermann.tables.domain import Codes
    from mustermann.tables.transformer import Block, TableTransformer

BLOCK_ROWS = 4096
COUPLED_ROWS = 16384
"""Coupled rows make up for one another within a block: the larger, the closer the counts."""
COUPLED_BYTES = 1 << 28
"""So much a block of coupled rows may take for cached keys and values; wide tables take fewer."""
GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread evenly at every length."""


@dataclasses.dataclass(frozen=True)
class Drawn:
    """Rows drawn under restrictions.

    Attributes:
      codes: Shape (B, k), in the table's order.
      log_weights: Log of the chance that the restrictions left at each step, summed, in
        nats, shape (B,): what the row weighs as a draw from the conditional distribution.
    """

    codes: Codes
    log_weights: npt.NDArray[np.float64]


class Walk:
    """B rows on their way through the columns, in the model's order.

    Ask for `logits`, choose levels, `take` them, k times over.
    """

    def __init__(self, model: TableTransformer, rows: int) -> None:
        """Starts at the first position."""
        self._model = model
        self._blocks: list[Block] = list(model.blocks)  # type: ignore[arg-type]
        width, k = model.shape.width, len(model.sizes)
        per_head = (rows, model.shape.heads, k, width // model.shape.heads)
        self._keys = [torch.empty(per_head) for _ in self._blocks]
        self._values = [torch.empty(per_head) for _ in self._blocks]
        with torch.no_grad():
            self._vectors = _table(model.embedding.weight, model.embedding.basis)
            self._heads = _table(model.heads.weight, model.heads.basis)
        self._read = torch.zeros(rows, width)
        self.position = 0

    @torch.no_grad()
    def logits(self) -> torch.Tensor:
        """Returns logits (B, n) over the levels of the column at this position; call once."""
        i, model = self.position, self._model
        states = (self._read + model.positions.weight[i]).unsqueeze(1)  # (B, 1, d)
        for block, keys, values in zip(self._blocks, self._keys, self._values, strict=True):
            query, keys[:, :, i : i + 1], values[:, :, i : i + 1] = block.attention.split(
                block.normalised(states)
            )
            past_keys, past_values = keys[:, :, : i + 1], values[:, :, : i + 1]
            scores = query @ past_keys.transpose(-1, -2) / math.sqrt(query.shape[-1])
            states = states + block.attention.join(scores.softmax(dim=-1) @ past_values)
            states = states + block.fed(states)
        last = functional.layer_norm(states[:, 0], (model.shape.width,))
        size = model.sizes[i]
        return last @ self._heads[i, :size].T + model.heads.bias[i, :size]

    def take(self, levels: torch.Tensor) -> None:
        """Moves on with the chosen levels, shape (B,)."""
        self._read = self._vectors[self.position, levels]
        self.position += 1

    def keep(self, rows: torch.Tensor) -> None:
        """Goes on with these rows of the walk, any of them as often as it stands there."""
        self._keys = [keys[rows] for keys in self._keys]
        self._values = [values[rows] for values in self._values]
        self._read = self._read[rows]


class TransformerWalk:
    """A walk in numpy's terms, as conditions and constraints take it."""

    def __init__(self, model: TableTransformer, rows: int) -> None:
        """Starts at the first position."""
        self._walk = Walk(model.eval(), rows)

    def chances(self) -> npt.NDArray[np.float64]:
        """Returns probabilities (B, n) of the levels of the next column."""
        return self._walk.logits().double().softmax(dim=-1).numpy()

    def take(self, levels: npt.NDArray[np.int64]) -> None:
        """Moves on with the chosen levels, shape (B,)."""
        self._walk.take(torch.from_numpy(np.ascontiguousarray(levels)))

    def keep(self, rows: npt.NDArray[np.int64]) -> None:
        """Goes on with these rows of the walk."""
        self._walk.keep(torch.from_numpy(rows))


def sample(
    model: TableTransformer, count: int, *, seed: int, coupled: bool = False
) -> Iterator[Codes]:
    """Yields blocks of rows in the table's order, `count` in all.

    A block depends on the seed and its place only, so a longer sample starts with the
    shorter one, unless `coupled` and the shorter one ends within a block.
    """
    model.eval()
    rows = block_rows(model) if coupled else BLOCK_ROWS
    for start in range(0, count, rows):
        uniforms = Seeds(seed).generator("rows", start).random((rows, len(model.sizes)))
        yield draw(model, uniforms[: count - start], coupled=coupled).codes


def block_rows(model: TableTransformer) -> int:
    """Returns how many rows a coupled block of this model has; depends on its shape only."""
    shape = model.shape
    each = 2 * 4 * len(model.sizes) * shape.width * len(model.blocks)
    return max(BLOCK_ROWS // 4, min(COUPLED_ROWS, COUPLED_BYTES // each))


def draw(
    model: TableTransformer,
    uniforms: npt.NDArray[np.float64],
    *,
    coupled: bool = False,
    allowed: Mapping[int, npt.NDArray[np.bool_]] | None = None,
) -> Drawn:
    """Returns one row for each row of `uniforms`, shape (B, k), values in [0, 1).

    Args:
      model: In evaluation mode.
      uniforms: One value for each cell, by position.
      coupled: See the module.
      allowed: By column of the table, which levels may be drawn, shape (n,) for all rows
        or (B, n). Where a row's allowed levels have no chance at all its log-weight is
        minus infinity, and its level is arbitrary.
    """
    walk = Walk(model, len(uniforms))
    weights = torch.zeros(len(uniforms), dtype=torch.float64)
    levels = []
    for position, column in enumerate(model.order.tolist()):
        chances = walk.logits().double().softmax(dim=-1)
        if allowed is not None and column in allowed:
            chances = chances * torch.from_numpy(allowed[column])
            weights += chances.sum(dim=1).log()
        values = torch.from_numpy(uniforms[:, position])
        levels.append(invert(chances, couple(chances, values) if coupled else values))
        walk.take(levels[-1])
    codes = torch.stack(levels, dim=1)[:, model.place]
    return Drawn(codes.numpy(), weights.numpy())


def invert(chances: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """Returns the level at which each row's distribution function passes its uniform, (B,).

    Args:
      chances: Shape (B, n), float64; need not sum to 1.
      uniforms: Shape (B,), in [0, 1).
    """
    cumulative = chances.cumsum(dim=1)
    total = cumulative[:, -1:]
    passed = (cumulative <= uniforms.unsqueeze(1) * total).sum(dim=1)
    # Rounding may carry a uniform near 1 past the end, or onto a level of no chance.
    last = (cumulative < total).sum(dim=1)
    return torch.minimum(passed, last)


def couple(chances: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """Returns low-discrepancy uniforms: neighbours by expected level get far values, (B,)."""
    levels = torch.arange(chances.shape[1], dtype=chances.dtype)
    # The small term breaks ties at random.
    expected = chances @ levels / chances.sum(dim=1) + 1e-3 * uniforms
    rank = torch.empty_like(uniforms)
    rank[expected.argsort()] = torch.arange(len(uniforms), dtype=uniforms.dtype)
    return (uniforms[:1] + rank * GOLDEN) % 1.0


def _table(weight: torch.Tensor, basis: torch.Tensor | None) -> torch.Tensor:
    return weight if basis is None else torch.bmm(basis, weight)
