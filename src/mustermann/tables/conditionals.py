"""A distribution of rows as a chain: each column given a few that stand before it.

A calibrated junction tree is such a chain without loss, and a chain is easy to sample
and to score: one table look-up a column. Near-empty cells of noisy tables make held-out
rows too unlikely; pseudo-counts drawn from the column's own distribution repair that.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mustermann.tables import junction
from mustermann.tables.walks import TableWalk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mustermann.tables.domain import Codes
    from mustermann.tables.junction import JunctionTree, Scope, Table

_UNIFORM = 1e-3
"""Part of a pseudo-count that is spread over all levels of the column."""


@dataclasses.dataclass(frozen=True, slots=True)
class Conditional:
    """One column and those that it depends on.

    Attributes:
      column: The column.
      parents: Columns that stand before it in the chain.
      joint: Their distribution, an axis for each parent and the last for the column.
    """

    column: int
    parents: Scope
    joint: Table

    def prior(self) -> Table:
        """Returns what a pseudo-count adds: the column's distribution, a little uniform."""
        levels = self.joint.shape[-1]
        marginal = self.joint.reshape(-1, levels).sum(axis=0)
        prior: Table = (1 - _UNIFORM) * marginal + _UNIFORM / levels
        return prior


@dataclasses.dataclass(frozen=True, kw_only=True)
class Chain:
    """A distribution of rows.

    Attributes:
      conditionals: One for each column; parents before children.
      total: The number of rows that the tables stand for.
      pseudo_counts: Rows of the prior added to each conditional; 0 leaves it as it is.
    """

    conditionals: tuple[Conditional, ...]
    total: float
    pseudo_counts: float = 0.0

    def smoothed(self, pseudo_counts: float) -> Chain:
        """Returns the same chain with so many pseudo-counts."""
        return dataclasses.replace(self, pseudo_counts=pseudo_counts)

    def log_likelihood(self, codes: Codes) -> npt.NDArray[np.float64]:
        """Returns the exact log-likelihood of each row in nats, shape (N,).

        Minus infinity where the chain gives a row no probability at all, which only
        happens without pseudo-counts.
        """
        result = np.zeros(len(codes))
        for conditional in self.conditionals:
            levels = conditional.joint.shape[-1]
            table = conditional.joint.reshape(-1, levels)
            rows, column = _place(conditional, codes), codes[:, conditional.column]
            top = self.total * table[rows, column]
            bottom = self.total * table.sum(axis=1)[rows]
            if self.pseudo_counts:
                top = top + self.pseudo_counts * conditional.prior()[column]
                bottom = bottom + self.pseudo_counts
            with np.errstate(divide="ignore"):
                result += np.log(np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0))
        return result

    @property
    def order(self) -> tuple[int, ...]:
        """Returns the columns, parents before children."""
        return tuple(conditional.column for conditional in self.conditionals)

    def walk(self, rows: int) -> TableWalk:
        """Returns `rows` rows at the first column, each to be drawn by itself."""
        tables = []
        for conditional in self.conditionals:
            table = self.total * conditional.joint
            if self.pseudo_counts:
                table = table + self.pseudo_counts * conditional.prior()
            whole = table.sum(axis=-1, keepdims=True)
            tables.append(np.divide(table, whole, out=np.zeros_like(table), where=whole > 0))
        return TableWalk(rows, self.order, [c.parents for c in self.conditionals], tables)

    def sample(self, count: int, draws: np.random.Generator) -> Codes:
        """Returns `count` rows, shape (count, k).

        Among rows that agree on a column's parents the quantiles are spread evenly, so a
        sample's marginals are closer to the model's than those of independent rows.

        Source: the randomised rounding of private-pgm (McKenna, Miklau and Sheldon 2021,
        "Winning the NIST contest", section 4.4).
        """
        codes = np.zeros((count, len(self.conditionals)), dtype=np.int64)
        for conditional in self.conditionals:
            seen, rows, sizes = np.unique(
                _place(conditional, codes), return_inverse=True, return_counts=True
            )
            table = self.total * conditional.joint.reshape(-1, conditional.joint.shape[-1])[seen]
            if self.pseudo_counts:
                table = table + self.pseudo_counts * conditional.prior()
            quantiles = (_ranks(rows, sizes, draws) + draws.random(count)) / sizes[rows]
            codes[:, conditional.column] = _invert(table, rows, quantiles)
        return codes


def chain(tree: JunctionTree, beliefs: Sequence[Table], *, total: float) -> Chain:
    """Returns the distribution of a calibrated junction tree as a chain."""
    conditionals = []
    for cluster, belief in zip(tree.clusters, beliefs, strict=True):
        for position, column in enumerate(cluster.residual):
            parents = cluster.separator + cluster.residual[:position]
            joint = junction.marginal(belief, cluster.scope, (*parents, column))
            conditionals.append(Conditional(column, parents, joint))
    return Chain(conditionals=tuple(conditionals), total=total)


def _place(conditional: Conditional, codes: Codes) -> npt.NDArray[np.int64]:
    """Returns for each row the flat index of its parents' levels."""
    place = np.zeros(len(codes), dtype=np.int64)
    for parent, size in zip(conditional.parents, conditional.joint.shape, strict=False):
        place = place * size + codes[:, parent]
    return place


def _ranks(
    groups: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64], draws: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Returns for each row a random rank 0 … size-1 within its group."""
    shuffled = draws.permutation(len(groups))
    order = shuffled[np.argsort(groups[shuffled], kind="stable")]
    ranks = np.empty(len(groups), dtype=np.int64)
    ranks[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return ranks


def _invert(
    table: Table, rows: npt.NDArray[np.int64], quantiles: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """Returns the level at each quantile of its row of weights in `table`."""
    levels = table.shape[1]
    cumulative = np.cumsum(table, axis=1)
    cumulative /= cumulative[:, -1:]
    # One sorted list for all rows: row r of the table lies in [r, r + 1).
    offsets = np.arange(len(table))[:, None]
    found = np.searchsorted((cumulative + offsets).ravel(), quantiles + rows, side="right")
    result: npt.NDArray[np.int64] = np.clip(found - rows * levels, 0, levels - 1)
    return result
