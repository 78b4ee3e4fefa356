"""Exact inference in a graphical model over columns of levels, on a junction tree.

A model is a product of small tables ("potentials") over a few columns each. Eliminating
the columns one by one, cheapest first, turns its graph into a tree of clusters; two
sweeps over the tree then give the marginal of every cluster, and of any two columns.

Source: Koller and Friedman, Probabilistic Graphical Models (2009), chapters 9 and 10.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import string
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Table: TypeAlias = npt.NDArray[np.float64]
Scope: TypeAlias = tuple[int, ...]
"""Columns that a table is about; the axes of the table in this order."""


@dataclasses.dataclass(frozen=True, slots=True)
class Cluster:
    """A node of the tree.

    Attributes:
      separator: The columns shared with the parent; the first axes of the table.
      residual: The columns met here first, in elimination order from the last; the other axes.
      parent: The parent's index, -1 for a root (whose separator is empty).
    """

    separator: Scope
    residual: Scope
    parent: int

    @property
    def scope(self) -> Scope:
        """Returns all columns of the cluster, in the order of its table's axes."""
        return self.separator + self.residual


@dataclasses.dataclass(frozen=True, slots=True)
class JunctionTree:
    """Clusters with the running intersection property; parents stand before children.

    Attributes:
      sizes: The number of levels of each column, shape (k,).
      clusters: Several have parent -1 where the model falls into independent parts.
    """

    sizes: tuple[int, ...]
    clusters: tuple[Cluster, ...]

    @property
    def cells(self) -> int:
        """Returns the number of cells in all clusters' tables."""
        return sum(math.prod(self.shape(cluster.scope)) for cluster in self.clusters)

    def shape(self, scope: Scope) -> tuple[int, ...]:
        """Returns the shape of a table over `scope`."""
        return tuple(self.sizes[column] for column in scope)

    def host(self, scope: Scope) -> int | None:
        """Returns the index of the smallest cluster that holds `scope`, None if none does."""
        wanted = set(scope)
        holding = [i for i, c in enumerate(self.clusters) if wanted.issubset(c.scope)]
        return min(
            holding, key=lambda i: math.prod(self.shape(self.clusters[i].scope)), default=None
        )


def build(sizes: tuple[int, ...], scopes: Iterable[Scope]) -> JunctionTree:
    """Returns a junction tree whose clusters hold each of `scopes` and every column."""
    clusters: list[Cluster] = []
    home: dict[int, int] = {}
    order = _eliminate(sizes, scopes)
    place = {column: position for position, (column, _) in enumerate(order)}
    for column, neighbours in reversed(order):
        # Of the neighbours, the first to be eliminated has all the others in its cluster.
        parent = home[min(neighbours, key=place.__getitem__)] if neighbours else -1
        if neighbours and len(clusters[parent].scope) == len(neighbours):
            held = clusters[parent]
            clusters[parent] = dataclasses.replace(held, residual=(*held.residual, column))
            home[column] = parent
        else:
            separator = (
                tuple(c for c in clusters[parent].scope if c in neighbours) if neighbours else ()
            )
            home[column] = len(clusters)
            clusters.append(Cluster(separator, (column,), parent))
    return JunctionTree(sizes, tuple(clusters))


def _eliminate(sizes: tuple[int, ...], scopes: Iterable[Scope]) -> list[tuple[int, frozenset[int]]]:
    """Returns the columns in elimination order, each with its neighbours at that time.

    Greedy: the column whose cluster has the fewest cells goes first.
    """
    weights = [math.log(size) for size in sizes]
    graph: dict[int, set[int]] = {column: set() for column in range(len(sizes))}
    for scope in scopes:
        for column in scope:
            graph[column].update(other for other in scope if other != column)
    costs = {c: weights[c] + sum(weights[n] for n in near) for c, near in graph.items()}
    order: list[tuple[int, frozenset[int]]] = []
    while graph:
        column = min(graph, key=costs.__getitem__)
        near = graph.pop(column)
        for other in near:
            graph[other] |= near
            graph[other] -= {other, column}
            costs[other] = weights[other] + sum(weights[n] for n in graph[other])
        order.append((column, frozenset(near)))
    return order


def aligned(table: Table, scope: Scope, onto: Scope) -> Table:
    """Returns a view of `table` over `scope` that broadcasts over a table over `onto`."""
    places = [onto.index(column) for column in scope]
    view = table.transpose(np.argsort(places))
    shape = [1] * len(onto)
    for place, size in zip(sorted(places), view.shape, strict=True):
        shape[place] = size
    return view.reshape(shape)


def marginal(table: Table, scope: Scope, onto: Scope) -> Table:
    """Returns the sums of `table` over `scope` that leave the columns `onto`, in that order."""
    letters = dict(zip(scope, string.ascii_letters, strict=False))
    before, after = ("".join(letters[column] for column in part) for part in (scope, onto))
    result: Table = np.einsum(f"{before}->{after}", table)
    return result


def calibrate(tree: JunctionTree, potentials: Sequence[Table]) -> list[Table]:
    """Returns the marginal distribution of each cluster; each sums to one.

    Up the tree every cluster becomes a distribution of its residual given its separator,
    down the tree it is multiplied by the separator's marginal: no logarithm of a sum is
    taken twice and nothing is divided by an underflow.

    Args:
      tree: The clusters.
      potentials: A finite log-potential for each cluster, in the shape of its table.
    """
    tables = [potential.copy() for potential in potentials]
    for index in reversed(range(len(tables))):
        cluster = tree.clusters[index]
        rows = tables[index].reshape(math.prod(tree.shape(cluster.separator)), -1)
        peak = rows.max(axis=1, keepdims=True)
        np.exp(np.subtract(rows, peak, out=rows), out=rows)
        total = rows.sum(axis=1, keepdims=True)
        rows /= total
        if cluster.parent >= 0:
            message = (np.log(total) + peak).reshape(tree.shape(cluster.separator))
            parent = tree.clusters[cluster.parent].scope
            tables[cluster.parent] += aligned(message, cluster.separator, parent)
    for index, cluster in enumerate(tree.clusters):
        if cluster.parent >= 0:
            parent = tree.clusters[cluster.parent].scope
            weight = marginal(tables[cluster.parent], parent, cluster.separator)
            tables[index].reshape(weight.size, -1)[...] *= weight.reshape(-1, 1)
    return tables


def pair_marginals(tree: JunctionTree, beliefs: Sequence[Table]) -> dict[Scope, Table]:
    """Returns the joint distribution of each two columns (a, b), a < b, shape (n_a, n_b)."""
    return _Pairs(tree, beliefs).all()


class _Pairs:
    """Carries the columns of one side of an edge across it, stacked in one matrix."""

    def __init__(self, tree: JunctionTree, beliefs: Sequence[Table]) -> None:
        self.tree = tree
        self.beliefs = beliefs
        self.near: list[list[tuple[int, Scope]]] = [[] for _ in tree.clusters]
        for index, cluster in enumerate(tree.clusters):
            if cluster.parent >= 0:
                self.near[index].append((cluster.parent, cluster.separator))
                self.near[cluster.parent].append((index, cluster.separator))
        self.carried: dict[tuple[int, int], tuple[list[int], Table]] = {}

    def all(self) -> dict[Scope, Table]:
        """Returns all pairs: within a cluster, across edges, and of independent parts."""
        pairs: dict[Scope, Table] = {}
        ones: dict[int, Table] = {}
        for index, cluster in enumerate(self.tree.clusters):
            for column in cluster.scope:
                if column not in ones:
                    ones[column] = marginal(self.beliefs[index], cluster.scope, (column,))
            scope = sorted(cluster.scope)
            for pair in itertools.combinations(scope, 2):
                if pair not in pairs:
                    pairs[pair] = marginal(self.beliefs[index], cluster.scope, pair)
        for index in range(len(self.tree.clusters)):
            for source, separator in self.near[index]:
                self._cross(source, index, separator, pairs)
        for a, b in itertools.combinations(range(len(self.tree.sizes)), 2):
            if (a, b) not in pairs:
                pairs[a, b] = np.outer(ones[a], ones[b])
        return pairs

    def _cross(self, source: int, target: int, separator: Scope, pairs: dict[Scope, Table]) -> None:
        """Adds the pairs of a column behind the edge with one met first at its target."""
        columns, carried = self._carry(source, target, separator)
        if not columns:
            return
        sizes = [self.tree.sizes[column] for column in columns]
        for column in self.tree.clusters[target].scope:
            if column in separator:
                continue
            joint = self._through(target, separator, (column,), carried)
            for other, block in zip(columns, np.split(joint, np.cumsum(sizes)[:-1]), strict=True):
                if other < column:
                    pairs[other, column] = block

    def _carry(self, source: int, target: int, separator: Scope) -> tuple[list[int], Table]:
        """Returns the columns behind the edge and their joint with its separator, stacked.

        The matrix has a row for each level of each column, a column for each cell of the
        separator.
        """
        known = self.carried.get((source, target))
        if known is not None:
            return known
        scope = self.tree.clusters[source].scope
        cells = math.prod(self.tree.shape(separator))
        columns: list[int] = []
        rows: list[Table] = []
        for column in scope:
            if column not in separator:
                joint = marginal(self.beliefs[source], scope, (column, *separator))
                rows.append(joint.reshape(-1, cells))
                columns.append(column)
        for other, shared in self.near[source]:
            if other != target:
                more, carried = self._carry(other, source, shared)
                if more:
                    rows.append(self._through(source, shared, separator, carried))
                    columns.extend(more)
        stacked = np.concatenate(rows) if rows else np.empty((0, cells))
        self.carried[source, target] = (columns, stacked)
        return columns, stacked

    def _through(self, index: int, entry: Scope, onto: Scope, carried: Table) -> Table:
        """Returns `carried`, a joint with `entry`, as a joint with `onto`, in cluster `index`."""
        scope = self.tree.clusters[index].scope
        both = tuple(column for column in entry if column in onto)
        left = tuple(column for column in entry if column not in onto)
        right = tuple(column for column in onto if column not in entry)
        shape = self.tree.shape
        width, inner, outer = (math.prod(shape(part)) for part in (both, left, right))
        table = marginal(self.beliefs[index], scope, both + left + right)
        table = table.reshape(width, inner, outer)
        total = table.sum(axis=2, keepdims=True)
        given = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        # Rows × entry, reordered to (both, rows, left) for a product by blocks of `both`.
        stacked = carried.reshape(-1, *shape(entry))
        axes = [0, *(1 + entry.index(column) for column in both + left)]
        stacked = stacked.transpose(axes).reshape(-1, width, inner).swapaxes(0, 1)
        joint = np.matmul(stacked, given).swapaxes(0, 1).reshape(-1, *shape(both), *shape(right))
        places = both + right
        axes = [0, *(1 + places.index(column) for column in onto)]
        result: Table = joint.transpose(axes).reshape(len(carried), -1)
        return result
