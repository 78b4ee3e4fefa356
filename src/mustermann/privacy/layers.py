"""Modules for tables of levels that torch.nn lacks, each with a rule for clipping.

They are plain modules: nothing in a forward pass knows of privacy. `clipping` finds them
by their types, so a model is built of these, nn.Linear, nn.LayerNorm and nn.Embedding.

A basis makes a table smooth along a column's ordered levels: table = basis @ weight with
a fixed basis, shape (k, N, N), whose columns are, say, slow cosines first. What one level
teaches is then shared with its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn

from mustermann.core.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

MASKED = -1e9
"""Logit of a level that a column does not have: its probability is exactly 0."""


class ColumnEmbedding(nn.Module):
    """One table of vectors a column; columns share no rows.

    Shapes: ids (B, k) of integers, where ids[:, c] < sizes[c], to vectors (B, k, width).
    """

    basis: torch.Tensor | None

    def __init__(
        self, sizes: Sequence[int], width: int, *, basis: torch.Tensor | None = None
    ) -> None:
        """Makes tables of standard normal entries, as nn.Embedding does.

        Args:
          sizes: Number of levels of each column, shape (k,).
          width: Length of a vector.
          basis: Fixed, shape (k, N, N) with N = max(sizes); the identity by default.

        Raises:
          ConfigError: There is no column or level, or the basis has another shape.
        """
        super().__init__()
        columns, levels = _shape(sizes, basis)
        self.weight = nn.Parameter(torch.randn(columns, levels, width))
        self.register_buffer("basis", basis, persistent=False)
        self.register_buffer("offsets", torch.arange(columns) * levels, persistent=False)

    offsets: torch.Tensor

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Returns the vectors of `ids`."""
        table = self.weight if self.basis is None else torch.bmm(self.basis, self.weight)
        return nn.functional.embedding(ids + self.offsets, table.flatten(0, 1))


class ColumnHeads(nn.Module):
    """One output head a column, padded to the largest column.

    Shapes: states (B, k, width) to logits (B, k, N) with N = max(sizes); the logits of
    levels that a column does not have are `MASKED`.
    """

    basis: torch.Tensor | None
    mask: torch.Tensor

    def __init__(
        self, sizes: Sequence[int], width: int, *, basis: torch.Tensor | None = None
    ) -> None:
        """Makes heads that start at zero: every level of a column equally likely.

        Args:
          sizes: Number of levels of each column, shape (k,).
          width: Length of a state.
          basis: Fixed, shape (k, N, N); applied to the weights, not to the bias.

        Raises:
          ConfigError: There is no column or level, or the basis has another shape.
        """
        super().__init__()
        columns, levels = _shape(sizes, basis)
        self.weight = nn.Parameter(torch.zeros(columns, levels, width))
        self.bias = nn.Parameter(torch.zeros(columns, levels))
        absent = torch.arange(levels) >= torch.tensor(list(sizes)).unsqueeze(1)
        self.register_buffer("basis", basis, persistent=False)
        self.register_buffer("mask", absent * MASKED, persistent=False)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Returns the logits of every column's levels."""
        table = self.weight if self.basis is None else torch.bmm(self.basis, self.weight)
        logits = torch.matmul(states.transpose(0, 1), table.transpose(1, 2))
        return logits.transpose(0, 1) + (self.bias + self.mask)


class Positions(nn.Module):
    """A learned vector for each position, added to what stands there.

    Shapes: states (B, T, width) to (B, T, width), T at most `length`.
    """

    def __init__(self, length: int, width: int) -> None:
        """Makes standard normal vectors, as nn.Embedding does."""
        super().__init__()
        self.weight = nn.Parameter(torch.randn(length, width))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Returns `states` plus the vectors of their positions."""
        return states + self.weight[: states.shape[1]]


def _shape(sizes: Sequence[int], basis: torch.Tensor | None) -> tuple[int, int]:
    """Returns the number of columns and of padded levels, checked."""
    if not sizes or min(sizes) < 1:
        raise ConfigError(f"Expected at least one column of at least one level, found {sizes}.")
    columns, levels = len(sizes), max(sizes)
    if basis is not None and basis.shape != (columns, levels, levels):
        raise ConfigError(
            f"Expected a basis of shape {(columns, levels, levels)}, found {tuple(basis.shape)}."
        )
    return columns, levels
