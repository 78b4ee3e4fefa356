"""The rules of clipping for torch's layers and for ours; importing this registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import torch
from torch import nn

from mustermann.core.errors import ConfigError
from mustermann.privacy.gram import gram_norm2, outer_norm2, sum_norm2
from mustermann.privacy.layers import ColumnEmbedding, ColumnHeads, Positions
from mustermann.privacy.rules import Rule, SquaredNorm, Use, rule_for, size2, square, zero_norm

if TYPE_CHECKING:
    from collections.abc import Iterator

# Inner products cost T^2 (d_in + d_out), instantiation T d_in d_out. The factor is what
# evens out on a CPU, where the small products stay in the cache and the large don't.
_GHOST_ADVANTAGE = 4


@rule_for(nn.Linear)
class LinearRule(Rule):
    """y = x W^T + b: Gram matrices for short sequences, instantiation for long ones."""

    parameters = ("weight", "bias")

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns sum_t g_t a_t^T, shape (B, d_out, d_in), or sum_t g_t, (B, d_out)."""
        taken, given = self._rows(use)
        return given.sum(1) if name == "bias" else torch.bmm(given.transpose(1, 2), taken)

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms of the weight's and bias' gradients."""
        taken, given = self._rows(use)
        bias, weight = "bias" in use.names, "weight" in use.names
        width, height = taken.shape[2], given.shape[2]
        if taken.shape[1] * (width + height) < _GHOST_ADVANTAGE * width * height or not weight:
            return outer_norm2(taken, given, bias=bias, weight=weight)
        gradient = self.per_record(use, "weight").flatten(1)
        use.kept["weight"] = gradient
        sizes = torch.linalg.vector_norm(taken, dim=2) * torch.linalg.vector_norm(given, dim=2)
        terms = sizes.sum(1, dtype=torch.float64).square()
        total = SquaredNorm(value=square(gradient), terms=terms)
        return total + sum_norm2(given) if bias else total

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted sums; the weights go to the narrower factor."""
        taken, given = use.inputs, use.gradient
        width, height = taken.shape[-1], given.shape[-1]
        scale = use.spread(weights).view(-1, *[1] * (taken.ndim - 1))
        total = {}
        left, right = taken, given
        if "weight" not in use.names or width > height:
            right = given * scale
        else:
            left = taken * scale
        right = right.reshape(-1, height)
        if "weight" in use.names:
            total["weight"] = right.t() @ left.reshape(-1, width)
        if "bias" in use.names and left is not taken:
            positions = right.shape[0] // weights.shape[0] if weights.shape[0] else 0
            total["bias"] = right.t() @ weights.repeat_interleave(positions)
        elif "bias" in use.names:
            total["bias"] = right.sum(0)
        return total

    def _rows(self, use: Use) -> tuple[torch.Tensor, torch.Tensor]:
        taken = use.rows(use.inputs, features=use.inputs.shape[-1])
        return taken, use.rows(use.gradient, features=use.gradient.shape[-1])


@rule_for(nn.Embedding)
class EmbeddingRule(Rule):
    """Rows of a table by id; the same id may come again within a record."""

    parameters = ("weight",)

    def check(self, layer: nn.Module) -> None:
        """Refuses settings under which records act on one another or on the table."""
        table = cast("nn.Embedding", layer)
        for name in ("max_norm", "scale_grad_by_freq", "sparse"):
            if getattr(table, name):
                raise ConfigError(
                    f"Expected an nn.Embedding without {name}, which ties records together "
                    f"or changes the table unseen. Leave {name} at its default."
                )

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns the gradient of the whole table, shape (B, V, width)."""
        del name
        ids, given = self._rows(use)
        table = given.new_zeros(use.records, *use.layer.get_parameter("weight").shape)
        return table.scatter_add_(1, ids.unsqueeze(2).expand_as(given), given)

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms, by inner products of gradients at equal ids."""
        ids, given = self._rows(use)
        if ids.shape[1] == 1:
            value = square(given)
            return SquaredNorm(value=value, terms=value)
        same = ids.unsqueeze(1) == ids.unsqueeze(2)
        inner = torch.bmm(given, given.transpose(1, 2)) * same
        size = inner.diagonal(dim1=1, dim2=2).sqrt()
        terms = (size.unsqueeze(1) * size.unsqueeze(2) * same).flatten(1)
        return SquaredNorm(
            value=inner.flatten(1).sum(1, dtype=torch.float64),
            terms=terms.sum(1, dtype=torch.float64),
        )

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted gradients added up by id."""
        ids, given = self._rows(use)
        total = torch.zeros_like(use.layer.get_parameter("weight"))
        scaled = given * weights.view(-1, 1, 1)
        return {"weight": total.index_add_(0, ids.flatten(), scaled.flatten(0, 1))}

    def _rows(self, use: Use) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns ids (B, T) and gradients (B, T, width), zero at the padding id."""
        ids = use.inputs.reshape(use.records, -1)
        given = use.rows(use.gradient, features=use.gradient.shape[-1])
        padding = cast("nn.Embedding", use.layer).padding_idx
        if padding is not None:
            given = given.masked_fill((ids == padding).unsqueeze(2), 0)
        return ids, given


@rule_for(nn.LayerNorm)
class LayerNormRule(Rule):
    """The affine part of layer normalisation, instantiated: it is one vector a record."""

    parameters = ("weight", "bias")

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns the gradients, shape (B, *normalized_shape)."""
        return self._terms(use, name).sum(1)

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms of both vectors' gradients."""
        total = zero_norm(use.records, use.gradient)
        for name in sorted(use.names):
            total = total + sum_norm2(self._terms(use, name))
        return total

    def _terms(self, use: Use, name: str) -> torch.Tensor:
        """Returns what adds up to the gradient, shape (B, T, *normalized_shape)."""
        layer = cast("nn.LayerNorm", use.layer)
        given = use.gradient
        if name == "weight":
            shape = list(layer.normalized_shape)
            given = given * nn.functional.layer_norm(use.inputs, shape, eps=layer.eps)
        return given.reshape(use.records, -1, *layer.normalized_shape)


@rule_for(ColumnEmbedding)
class ColumnEmbeddingRule(Rule):
    """Columns share no rows, so within a view nothing can meet; views of a record can."""

    parameters = ("weight",)

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns the gradient of all tables, shape (B, k, N, width)."""
        del name
        layer = cast("ColumnEmbedding", use.layer)
        columns, levels, width = layer.weight.shape
        ids = (use.inputs + layer.offsets).reshape(use.records, -1)
        given = use.rows(use.gradient, features=width)
        table = given.new_zeros(use.records, columns * levels, width)
        table.scatter_add_(1, ids.unsqueeze(2).expand_as(given), given)
        table = table.view(-1, columns, levels, width)
        if layer.basis is None:
            return table
        return torch.einsum("cnm,bcnd->bcmd", layer.basis.to(table.dtype), table)

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms: one row a column, or a Gram matrix of the views."""
        layer = cast("ColumnEmbedding", use.layer)
        if use.views == 1:
            sizes = size2(use.gradient)
            if layer.basis is not None:
                sizes = sizes * size2(self._basis_rows(layer, use))
            value = sizes.sum(1, dtype=torch.float64)
            return SquaredNorm(value=value, terms=value)
        total = zero_norm(use.records, use.gradient)
        given = use.by_view(use.gradient).transpose(1, 2)
        ids = use.by_view(use.inputs).transpose(1, 2)
        inner = given @ given.transpose(2, 3)
        if layer.basis is None:
            alike = (ids.unsqueeze(2) == ids.unsqueeze(3)).to(inner.dtype)
        else:
            rows = use.by_view(self._basis_rows(layer, use)).transpose(1, 2)
            alike = rows @ rows.transpose(2, 3)
        for column in range(inner.shape[1]):
            total = total + gram_norm2(alike[:, column], inner[:, column])
        return total

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted gradients added up by column and id."""
        layer = cast("ColumnEmbedding", use.layer)
        width = layer.weight.shape[2]
        scaled = use.gradient * use.spread(weights).view(-1, 1, 1)
        total = scaled.new_zeros(layer.weight.shape).flatten(0, 1)
        total.index_add_(0, (use.inputs + layer.offsets).flatten(), scaled.view(-1, width))
        return {"weight": _by_basis(layer.basis, total.view(layer.weight.shape))}

    def _basis_rows(self, layer: ColumnEmbedding, use: Use) -> torch.Tensor:
        """Returns the basis' rows at the ids, shape (B * K, k, N)."""
        basis = cast("torch.Tensor", layer.basis).to(use.gradient.dtype)
        return basis.flatten(0, 1)[use.inputs + layer.offsets]


@rule_for(ColumnHeads)
class ColumnHeadsRule(Rule):
    """Each column has a head of its own, so a view's gradient has rank one a column."""

    parameters = ("weight", "bias")

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns the gradients, shape (B, k, N, width) or (B, k, N)."""
        given = use.by_view(use.gradient)
        if name == "bias":
            return given.sum(1)
        taken = use.by_view(use.inputs)
        total = torch.einsum("bvcn,bvcd->bcnd", given, taken)
        basis = cast("ColumnHeads", use.layer).basis
        return total if basis is None else torch.einsum("cnm,bcnd->bcmd", basis.to(total), total)

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms: products of norms, or of Gram matrices of the views."""
        if use.views == 1:
            value = zero_norm(use.records, use.gradient).value
            for taken, given in self._factors(use):
                sizes = size2(given)
                if taken is not None:
                    sizes = sizes * size2(taken)
                value = value + sizes.sum(1, dtype=torch.float64)
            return SquaredNorm(value=value, terms=value)
        total = zero_norm(use.records, use.gradient)
        for taken, given in self._factors(use):
            inner = self._gram(use, given)
            outer = torch.ones_like(inner) if taken is None else self._gram(use, taken)
            for column in range(inner.shape[1]):
                total = total + gram_norm2(outer[:, column], inner[:, column])
        return total

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted sums, one product a column."""
        scale = use.spread(weights)
        total = {}
        if "weight" in use.names:
            taken = (use.inputs * scale.view(-1, 1, 1)).transpose(0, 1)
            by_level = torch.bmm(use.gradient.permute(1, 2, 0), taken)
            total["weight"] = _by_basis(cast("ColumnHeads", use.layer).basis, by_level)
        if "bias" in use.names:
            total["bias"] = (scale @ use.gradient.flatten(1)).view(use.gradient.shape[1:])
        return total

    def _factors(self, use: Use) -> Iterator[tuple[torch.Tensor | None, torch.Tensor]]:
        """Yields what was taken, or None for a bias, and the gradient, both (B * K, k, ...)."""
        if "weight" in use.names:
            basis, given = cast("ColumnHeads", use.layer).basis, use.gradient
            if basis is not None:
                given = torch.bmm(given.transpose(0, 1), basis.to(given.dtype)).transpose(0, 1)
            yield use.inputs, given
        if "bias" in use.names:
            yield None, use.gradient

    def _gram(self, use: Use, rows: torch.Tensor) -> torch.Tensor:
        """Returns inner products between a record's views, shape (B, k, K, K)."""
        folded = use.by_view(rows).transpose(1, 2)
        return folded @ folded.transpose(2, 3)


@rule_for(Positions)
class PositionsRule(Rule):
    """The vectors are added, so a record's gradient is what comes back, summed over views."""

    parameters = ("weight",)

    def per_record(self, use: Use, name: str) -> torch.Tensor:
        """Returns the gradient, zero beyond the record's length, shape (B, length, width)."""
        del name
        return self._padded(use, use.by_view(use.gradient).sum(1))

    def norm2(self, use: Use) -> SquaredNorm:
        """Returns the squared norms of the gradients summed over views."""
        if use.views == 1:
            value = square(use.gradient)
            return SquaredNorm(value=value, terms=value)
        return sum_norm2(use.by_view(use.gradient))

    def contract(self, use: Use, weights: torch.Tensor) -> dict[str, torch.Tensor]:
        """Returns the weighted sum of what came back."""
        total = use.spread(weights) @ use.gradient.flatten(1)
        return {"weight": self._padded(use, total.view(1, *use.gradient.shape[1:]))[0]}

    def _padded(self, use: Use, gradient: torch.Tensor) -> torch.Tensor:
        missing = use.layer.get_parameter("weight").shape[0] - gradient.shape[1]
        return nn.functional.pad(gradient, (0, 0, 0, missing))


def _by_basis(basis: torch.Tensor | None, table: torch.Tensor) -> torch.Tensor:
    """Returns the gradient of the weights behind a table, from that of the table."""
    return table if basis is None else torch.bmm(basis.to(table).transpose(1, 2), table)
