"""Nodes of a tree that grows on the rows of a block, and the leaves of the one grown last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.protocol import Division, Draw, Histogram, WholeTree
from costboost._core.backends.shard.weights import Runs, WeightedRows
from costboost._core.engine._kernels import (
    BINS,
    BinnedRows,
    Features,
    Grower,
    Split,
    TreeLimits,
    fill_runs,
)
from costboost._core.rules.record import Criterion
from costboost._core.threads.counts import PARALLEL_CELLS


class Node(NamedTuple):
    """A tree node: its ranges of positives and of negatives, and its sums for every bin."""

    bounds: Sequence[int]
    sums: Histogram


_NOTHING: Histogram = np.empty((0, 0, BINS), dtype=np.int64)


def _size(bounds: Sequence[int]) -> int:
    """Number of rows in the ranges of a node."""
    a, b, c, d = bounds
    return b - a + d - c


class TreeRows(WeightedRows):
    """Rows in the order of the nodes of a tree."""

    _nodes: dict[int, Node]

    def __init__(self, binned: BinnedRows, columns: object = None) -> None:
        super().__init__(binned, columns)
        self._spare: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        self._order: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        """Rows by node, or by leaf."""
        self._grower: Grower | None = None
        self._n_growers = 1

    def begin_tree(self, with_counts: bool) -> None:
        """Reset the order of the rows; node 0 has all of them, or those drawn."""
        sums = self.histogram().copy()
        self._end("_leaves")
        if not self._spare.size:
            self._spare = np.empty(self.n_rows, dtype=np.uint32)
        if not self._order.size:
            self._order = np.empty(self.n_rows, dtype=np.uint32)
        bounds: Sequence[int] = [0, self.n_positive, self.n_positive, self.n_rows]
        if self._rows_drawn is None:
            self._order[:] = np.arange(self.n_rows, dtype=np.uint32)
        else:
            self._order[:] = self._rows_drawn.rows
            bounds = self._rows_drawn.bounds
        if with_counts:
            counts = self.count(copies=True) if self._rows_drawn is None else self.count_drawn()
            sums = np.concatenate([sums, counts])
        self._nodes = {0: Node(bounds, sums)}

    def divide(self, divisions: Sequence[Division]) -> tuple[tuple[Histogram, int], ...]:
        """Split nodes; return the sums, with counts if they are kept, and sizes of the left sides.

        A node that has been split may still become a leaf: its sides are then forgotten.
        """
        nodes = self._nodes
        return tuple(self._divide(nodes, *division) for division in divisions)

    def _divide(
        self, nodes: dict[int, Node], parent: int, split: Split, left: int, right: int
    ) -> tuple[Histogram, int]:
        """Split a node; of the smaller side the sums are built, those of the other are the rest."""
        node = nodes[parent]
        a, b, c, d = node.bounds
        binned, order, spare = self.binned, self._order, self._spare
        p = binned.partition(split, a, b, order, spare)
        q = binned.partition(split, c, d, order, spare)
        sides = [a, p, c, q], [p, b, q, d]
        small = int(_size(sides[0]) > _size(sides[1]))
        sums = self._sums_of(sides[small], len(node.sums) > 2)
        rest = node.sums - sums
        both = (sums, rest) if small == 0 else (rest, sums)
        nodes[left], nodes[right] = map(Node, sides, both)
        self.release(parent)
        return both[0], _size(sides[0])

    def _sums_of(self, bounds: Sequence[int], with_counts: bool) -> Histogram:
        sums = self._node_histogram(bounds, counting=False)
        if not with_counts:
            return sums
        return np.concatenate([sums, self._node_histogram(bounds, counting=True)])

    def _node_histogram(self, bounds: Sequence[int], counting: bool) -> Histogram:
        """Two sums, or the row counts, of every bin for the rows of a node."""
        many = _size(bounds) * self.binned.n_features >= PARALLEL_CELLS
        n_threads = self.n_threads if many else 1
        sums: Histogram = np.zeros((2, self.binned.n_features, BINS), dtype=np.int64)
        if self.working is not None and not counting:
            self.binned.build_responses(self.working, (self._order, bounds), sums, n_threads)
        else:
            self.binned.build_node((self._order, bounds), sums, counting, n_threads)
        return sums

    def release(self, node: int) -> None:
        """Release the sums of a node that will not be divided."""
        self._nodes[node] = self._nodes[node]._replace(sums=_NOTHING)

    def node_counts(self, node: int) -> Histogram:
        """Number of rows of the node in each bin."""
        return self._node_histogram(self._nodes[node].bounds, counting=True)

    def end_tree(self, leaves: Sequence[int]) -> None:
        """Keep the rows of the leaves, given as nodes; the other nodes are forgotten."""
        bounds = np.array([self._nodes[leaf].bounds for leaf in leaves], dtype=np.int64)
        self._leaves = Runs(self._order, bounds)
        self._end("_nodes")

    def grow(
        self,
        features: Features,
        units: Sequence[float] | None,
        shares: Sequence[float] | None,
        criterion: Criterion,
        limits: TreeLimits,
        draw: Draw | None,
    ) -> WholeTree:
        """Grow a whole tree and keep the rows of its leaves; see `Grower.grow`."""
        if self._grower is None:
            self._grower = Grower(self.binned, features, self._n_growers)
        self._order = self._grower.order
        if units is not None:
            self.histogram()  # of the rows drawn
        _ = self._summed
        left, splits, gain, share, runs, levels, sums = self._grower.grow(
            self.working, units, shares, criterion, limits, self._rows_drawn, draw
        )
        self._leaves = Runs(self._order, runs[left < 0])
        self._end("_nodes")
        return WholeTree(left, splits, gain, share, levels, sums)

    def scores_of_leaves(self, value: Floats) -> Floats:
        """Value of the leaf of every row, for the tree grown last."""
        leaves = self._leaves
        if isinstance(leaves, np.ndarray):
            return np.asarray(value[leaves])
        scores = np.zeros(self.n_rows)  # of rows that are not drawn
        fill_runs(leaves.order, leaves.bounds, value, scores)
        return scores

    def members(self, node: int | None) -> NDArray[np.intp]:
        """Indices of the rows of a node; without one, of all rows or those drawn."""
        if node is not None:
            a, b, c, d = self._nodes[node].bounds
            return np.concatenate([self._order[a:b], self._order[c:d]]).astype(np.intp)
        if self._rows_drawn is None:
            return np.arange(self.n_rows)
        return self._rows_drawn.rows[: self._rows_drawn.bounds[3]].astype(np.intp)
