"""Decision trees over rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.offers import Needs
from costboost._core.backends.protocol import HoldsNodes
from costboost._core.caching import cached_property
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import BinnedRows, Interactions, Splits, TreeLimits
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node
from costboost._core.growing.grow import LEAST_GAIN, grow
from costboost._core.growing.regrow import regrow
from costboost._core.growing.shard_source import ShardSource
from costboost._core.learners.hypothesis import Laid
from costboost._core.learners.row_costs.node_losses import needs_row_losses
from costboost._core.learners.row_costs.source import RowCostSource
from costboost._core.rows import Grown, Rows, mean_response
from costboost._core.rules.real import DRAW
from costboost._core.rules.record import Criterion
from costboost._core.threads.counts import PARALLEL_CELLS


class Tree:
    """A tree whose leaves vote for their majority or have values."""

    many_leaves = True
    solved: Floats | None = None
    pooled: Floats | None = None

    def __init__(self, grown: Grown, value: Floats | None = None) -> None:
        self.grown = grown
        self.tree = grown.number
        self._bounds = None if grown.bounds is None else grown.bounds[self.is_leaf].T
        if value is None:
            self.value = self._votes()
        else:
            self.take_values(value)

    def _votes(self) -> Floats:
        """Majority of each leaf; where its values would all have one sign, the vote has it."""
        sums = self._shares
        votes = sums[:, 0] > sums[:, 1] + DRAW
        if self._bounds is not None:
            low, high = self._bounds
            votes = (low > 0) | (votes & (high > 0))
        return np.where(votes, 1.0, -1.0)

    @cached_property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Mask of the nodes that are leaves."""
        return self.grown.left < 0

    @property
    def _shares(self) -> Floats:
        """Weight of each class in each leaf, as a share of the total."""
        return self.grown.share[self.is_leaf]

    @cached_property
    def weight(self) -> Floats:
        """Weight of each cell (class, leaf), positives first."""
        return self._shares.T.ravel()

    @property
    def outcome(self) -> Outcome:
        """y h(x) in each cell."""
        return Outcome(np.concatenate([self.value, -self.value]))

    @property
    def laid(self) -> tuple[NDArray[np.int32], Splits, Floats]:
        """First children of all nodes, splits of inner nodes and values of leaves."""
        return self.grown.left, self.grown.splits, self.value

    def take_values(self, value: Floats) -> None:
        self.value = value if self._bounds is None else np.clip(value, *self._bounds)

    def weigh_all_rows(self, rows: Rows) -> None:
        self.weight = rows.leaf_weights(self).ravel()

    def reweigh(self, rows: Rows, factors: Floats) -> None:
        rows.weights.multiply_leaves(factors)

    def leaves(self, rows: BinnedRows) -> NDArray[np.int32]:
        left = self.grown.left[~self.is_leaf]
        if not left.size:
            return np.zeros(rows.n_rows, dtype=np.int32)
        number = np.where(self.is_leaf, ~(self.is_leaf.cumsum() - 1), (~self.is_leaf).cumsum() - 1)
        child = number[np.column_stack([left, left + 1]).ravel()].astype(np.int32)
        return rows.leaves(self.grown.splits, child)

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self.value[self.leaves(rows)]
        return result


GROWN_BY = {
    "vote": "exponential",
    "error": "exponential",
    "joint": "exponential",
}
"""Criteria that are replaced where trees grow: they do not reward what later splits can gain."""


def _grown_by(criterion: Criterion) -> Criterion:
    """The criterion by which a tree grows that is to minimise another one."""
    return Criterion(GROWN_BY[criterion.kind]) if criterion.kind in GROWN_BY else criterion


class TreeLearner:
    """Grows the leaf of greatest gain until no split gains or the tree is as large as allowed.

    Where the error is what counts, splits minimise the sum of 2 sqrt(pq) over the sides instead
    (Kearns & Mansour 1996): the error of a node often stays the same whichever way it is split
    once, and a tree grown by it stalls at the root.
    """

    needs: Needs = (HoldsNodes,)

    def __init__(
        self,
        binning: Binning,
        max_depth: int | None,
        max_leaf_nodes: int | None,
        min_samples_leaf: int,
        interactions: Interactions | None = None,
    ) -> None:
        self.binning = binning
        self.limits = TreeLimits(
            max_depth, max_leaf_nodes, min_samples_leaf, LEAST_GAIN, PARALLEL_CELLS, interactions
        )

    def find(self, rows: Rows, criterion: Criterion) -> Tree:
        by = _grown_by(criterion)
        grown = None if needs_row_losses(rows, by) else rows.grow(by, self.limits)
        if grown is None:
            source = _source(rows, by, self.limits)
            grow(source)
            grown = source.grown()
        return self._tree(grown, criterion)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Tree:
        source = _source(rows, _grown_by(criterion), TreeLimits())
        regrow(source, memory, self.binning.split)
        return self._tree(source.grown(), criterion)

    def model(self, rounds: Laid) -> Ensemble:
        rounds = list(rounds)
        grown = [tree.grown for tree, _ in rounds]
        return Ensemble.from_tests(
            np.array([one.left.size for one in grown]),
            np.concatenate([one.left for one in grown]),
            self.binning.tests([one.splits for one in grown]),
            np.concatenate([step * tree.value for tree, step in rounds]),
            np.concatenate([one.gain for one in grown]),
        )

    @staticmethod
    def _tree(grown: Grown, criterion: Criterion) -> Tree:
        if criterion.kind != "squares":
            return Tree(grown)
        return Tree(grown, mean_response(grown.share[grown.left < 0], criterion.smoothing))


def _source(rows: Rows, by: Criterion, limits: TreeLimits) -> ShardSource:
    """Sums of nodes, by which a tree grows that minimises a criterion."""
    return (RowCostSource if needs_row_losses(rows, by) else ShardSource)(rows, by, limits)
