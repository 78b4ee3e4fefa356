"""Norms of sums of outer products, from inner products alone.

A record's gradient of a weight matrix is sum_t g_t a_t^T. Its squared norm is
sum_st (a_s . a_t)(g_s . g_t): two T x T matrices instead of one as large as the weight.

Source: Goodfellow 2015 (T = 1); Li et al. 2022, sec. 4 (ghost clipping).
"""

from __future__ import annotations

import torch

from mustermann.privacy.kernel import load
from mustermann.privacy.rules import SquaredNorm

# Batched products on a CPU run best at multiples of 4 rows, and small ones run well anyhow.
_TILE, _SMALL = 4, 12


def outer_norm2(
    left: torch.Tensor, right: torch.Tensor, *, bias: bool, weight: bool = True
) -> SquaredNorm:
    """Returns the squared norms of sum_t right_t left_t^T, shape (B,).

    Args:
      left: What a linear map took, shape (B, T, d_in).
      right: Gradients of what it gave, shape (B, T, d_out).
      bias: Whether to add the squared norm of sum_t right_t.
      weight: Whether the sum of outer products counts; else only the bias does.
    """
    if not weight:
        return sum_norm2(right)
    if left.shape[1] == 1:
        factor = left.square().sum((1, 2), dtype=torch.float64) + float(bias)
        value = factor * right.square().sum((1, 2), dtype=torch.float64)
        return SquaredNorm(value=value, terms=value)
    kernel = load() if left.dtype == torch.float32 and left.device.type == "cpu" else None
    if kernel is not None:
        value, terms = kernel.outer_norm2(left.contiguous(), right.contiguous(), bias=bias)
        return SquaredNorm(value=value, terms=terms)
    inner_left = gram(left)
    if bias:
        inner_left += 1.0
    return gram_norm2(inner_left, gram(right))


def gram(rows: torch.Tensor) -> torch.Tensor:
    """Returns the inner products of each record's rows, (B, T, d) to (B, T, T)."""
    records, length, width = rows.shape
    padded = -(-length // _TILE) * _TILE
    if length <= _SMALL or padded == length or records == 0 or not rows.is_contiguous():
        return torch.bmm(rows, rows.transpose(1, 2))
    # A product of 16 x 16 takes a third of the time of one of 15 x 15, so each record
    # borrows the first rows of the next one; what they give is cut off.
    inner = rows.new_empty(records, padded, padded)
    reaching = rows.as_strided((records - 1, padded, width), (length * width, width, 1))
    torch.bmm(reaching, reaching.transpose(1, 2), out=inner[:-1])
    last = torch.nn.functional.pad(rows[-1:], (0, 0, 0, padded - length))
    torch.bmm(last, last.transpose(1, 2), out=inner[-1:])
    return inner[:, :length, :length]


def gram_norm2(left: torch.Tensor, right: torch.Tensor) -> SquaredNorm:
    """Returns the sums of the entrywise products of Gram matrices, both (B, T, T)."""
    value = (left * right).flatten(1).sum(1, dtype=torch.float64)
    left_size = left.diagonal(dim1=1, dim2=2)
    sizes = (left_size * right.diagonal(dim1=1, dim2=2)).sqrt()
    return SquaredNorm(value=value, terms=sizes.sum(1, dtype=torch.float64).square())


def sum_norm2(rows: torch.Tensor) -> SquaredNorm:
    """Returns the squared norms of sum_t rows_t, for rows of shape (B, T, ...)."""
    value = rows.sum(1).square().flatten(1).sum(1, dtype=torch.float64)
    terms = rows.abs().sum(1).square().flatten(1).sum(1, dtype=torch.float64)
    return SquaredNorm(value=value, terms=terms)
