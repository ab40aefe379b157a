"""Rows of the nodes of a tree that grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Division, Histogram
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import ALL_LEVELS, BINS, Split, Splits, TreeLimits, search
from costboost._core.rows.splits import SearchedRows
from costboost._core.rules.record import Criterion

_NOTHING: Histogram = np.empty((2, 0, BINS), dtype=np.int64)
Bounds = tuple[float, float]
"""Least and greatest level of leaves; see ``engine/kernels/criterion.hpp``."""


class NodeRows:
    """Rows of a tree node, by the number of the node, and their sums in every bin."""

    def __init__(self, number: int, sums: Histogram, size: int) -> None:
        self.number = number
        self.sums = sums
        """Two sums and, if they are kept, two counts."""
        self.size = size
        """Number of rows."""

    @property
    def histogram(self) -> Histogram:
        """Sums of the node's rows in every bin, as `Rows.histogram`."""
        return self.sums[:2]

    @property
    def counts(self) -> Histogram | None:
        """Number of the node's rows of each class in every bin, if it is kept."""
        return self.sums[2:] if len(self.sums) > 2 else None


class Grown(NamedTuple):
    """A tree as arrays, parents before their children."""

    left: NDArray[np.int32]
    """Index of the left child of each node; the right child follows it. -1 for a leaf."""
    splits: Splits
    """Splits of the nodes that are not leaves."""
    gain: Floats
    share: Floats
    """Weight of each class in each node, as a share of the total."""
    number: int
    """Number of the tree; the shards keep the rows of the leaves of the tree grown last."""
    bounds: Floats | None = None
    """Least and greatest leaf value below each node; None if no feature has a direction."""


class NodesOfRows(SearchedRows):
    """Rows of which trees are grown, whole or node by node."""

    _n_nodes = 0

    def root(self, with_counts: bool) -> NodeRows:
        """All rows, as the root of a tree."""
        sums = self.histogram()
        sums = np.concatenate([sums, self.counts_for_leaves()]) if with_counts else sums.copy()
        self.backend.begin_tree(with_counts)
        self._n_trees += 1
        self._n_nodes = 1
        return NodeRows(0, sums, self.n_rows)

    def grow(self, criterion: Criterion, limits: TreeLimits) -> Grown | None:
        """Grow a whole tree in the kernels; None for several shards, which grow it by nodes."""
        trees = self.backend.trees
        if trees is None:
            return None
        units = shares = None
        is_built = self.response.sums is not None or self.samples
        if is_built or self.amounts is not self.response:
            shares = self.class_shares()
            units = self._units()
        draw = self._draw(self._feature_key)
        given = self.features, units, shares, criterion, limits, draw
        left, splits, gain, share, levels, sums = trees.grow(*given)
        if sums is not None:
            self.response.add_up(sums)
        self._n_trees += 1
        bounds = (
            _kernels.values_at(criterion, levels) if self.features.monotone is not None else None
        )
        return Grown(left, splits, gain, share, self._n_trees, bounds)

    def end_tree(self, leaves: Sequence[NodeRows]) -> int:
        """Make these nodes the leaves of the tree; return its number."""
        self.backend.end_tree([leaf.number for leaf in leaves])
        return self._n_trees

    def best_node_split(
        self,
        node: NodeRows,
        criterion: Criterion,
        min_samples_leaf: int,
        place: int = 0,
        bounds: Bounds = ALL_LEVELS,
        allowed: NDArray[np.uint8] | None = None,
    ) -> Split | None:
        """The split of a node that lowers the criterion most; None if there is none.

        ``place`` is the number of the node in the order in which those of its tree are made,
        ``bounds`` are those of the levels of its leaves, ``allowed`` flags of the features that
        compete, None for all.
        """
        split = search(
            node.histogram, self._units(), self.features, criterion,
            node.counts, min_samples_leaf, False, self._search_threads,
            self._draw_of_node(place), bounds, allowed,
        )  # fmt: skip
        return split if split.feature >= 0 else None

    def shares(self, split: Split) -> list[float]:
        """Shares of the total weight: positives left and right, negatives left and right."""
        p, n = self._units()
        a, b, c, d = split.quanta
        return [p * a, p * b, n * c, n * d]

    def divide(self, nodes: Sequence[tuple[NodeRows, Split]]) -> list[tuple[NodeRows, NodeRows]]:
        """Split nodes; the sums of one side are received, and those of the other are the rest."""
        first = range(self._n_nodes, self._n_nodes + 2 * len(nodes), 2)
        self._n_nodes += 2 * len(nodes)
        pairs = list(zip(nodes, first, strict=True))
        divisions = [Division(node.number, split, n, n + 1) for (node, split), n in pairs]
        sides = []
        answers = self.backend.divide(divisions)
        for ((node, _), n), (sums, size) in zip(pairs, answers, strict=True):
            rest = NodeRows(n + 1, node.sums - sums, node.size - size)
            sides.append((NodeRows(n, sums, size), rest))
            node.sums = _NOTHING
        return sides

    @property
    def answers_at_once(self) -> bool:
        """Whether messages are answered without delay, so that there is no use in many at once."""
        return self.backend.trees is not None

    def release(self, node: NodeRows) -> None:
        """Release the memory of the sums of a node that will not be divided."""
        node.sums = _NOTHING
        self.backend.release(node.number)

    def node_counts(self, node: NodeRows) -> Histogram:
        """Number of rows of the node in each bin."""
        if node.counts is not None:
            return node.counts
        counts: Histogram = self.backend.node_counts(node.number)
        return counts

    def members(self, node: NodeRows | None) -> Vector:
        """Indices of a node's rows in their shards; of all rows if the node is None."""
        return self.backend.members(None if node is None else node.number)


def leaf_loss(criterion: Criterion, p: float, q: float, bounds: Bounds = ALL_LEVELS) -> float:
    """Contribution of a leaf with the weight shares p and q to the criterion."""
    loss: float = _kernels.leaf_loss(criterion, p, q, bounds)
    return loss
