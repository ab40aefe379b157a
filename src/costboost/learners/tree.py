"""Decision trees over rows, grown best gain first on histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from costboost.caching import cached_property
from costboost.cells import Outcome
from costboost.engine._kernels import (
    ALL_LEVELS,
    TIE,
    BinnedRows,
    Interactions,
    OpenLeaves,
    Split,
    Splits,
    TreeLimits,
    bounds_of_sides,
    may_follow,
    values_at,
)
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node
from costboost.learners import row_costs
from costboost.learners.hypothesis import Laid
from costboost.rows import Bounds, Grown, NodeRows, Rows, leaf_loss, mean_response
from costboost.rules import DRAW, Criterion
from costboost.threads import PARALLEL_CELLS
from costboost.vectors import Floats

LEAST_GAIN = TIE
"""A split that gains no more gains nothing but for rounding."""


@dataclass(eq=False)
class Branch:
    """A node of a growing tree: its rows and its best split."""

    rows: NodeRows
    weight: tuple[float, float]
    depth: int
    bounds: Bounds = ALL_LEVELS
    """Least and greatest level of its leaves."""
    path: tuple[int, ...] = ()
    """Features that are tested above it."""
    split: Split | None = None
    gain: float = 0.0
    children: list[Branch] = field(default_factory=list)


def longer(path: tuple[int, ...], feature: int) -> tuple[int, ...]:
    """The features of a path and one more, each of them once."""
    return path if feature in path else (*path, feature)


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

    def __init__(
        self,
        binning: Binning,
        max_depth: int | None,
        max_leaf_nodes: int | None,
        min_samples_leaf: int,
        interactions: Interactions | None = None,
    ) -> None:
        self.binning = binning
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.limits = TreeLimits(
            max_depth, max_leaf_nodes, min_samples_leaf, LEAST_GAIN, PARALLEL_CELLS, interactions
        )

    def find(self, rows: Rows, criterion: Criterion) -> Tree:
        by = _grown_by(criterion)
        grown = None
        if not self._by_row(rows, by):
            grown = rows.grow(by, self.limits)
        return self._tree(grown or self._grown_step_by_step(rows, by), criterion)

    def _grown_step_by_step(self, rows: Rows, by: Criterion) -> Grown:
        """Grow a tree split by split: for several shards, and for criteria that need every row."""
        open_leaves = OpenLeaves()
        branches = [self._root(rows)]
        self._consider(rows, branches[0], by, open_leaves, 0)
        n_leaves = 1
        while self.max_leaf_nodes is None or n_leaves < self.max_leaf_nodes:
            divided = open_leaves.first_of_greatest(LEAST_GAIN)
            if divided is None:
                break
            parent = branches[divided]
            assert parent.split is not None
            open_leaves.close(divided)
            if parent.rows.sides is None and not rows.answers_at_once:
                left = np.inf if self.max_leaf_nodes is None else self.max_leaf_nodes - n_leaves
                rows.divide_many(_likely(branches, parent, left, rows.n_features))
            self._divide(rows, parent, parent.split, by)
            for k, child in enumerate(parent.children):
                self._consider(rows, child, by, open_leaves, len(branches) + k)
            branches += parent.children
            n_leaves += 1
        return self._laid(rows, branches, by)

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> Tree:
        branches = {0: self._root(rows)}
        by = _grown_by(criterion)
        for k, node in enumerate(memory):
            if node.left < 0:
                continue
            parent = branches[k]
            parent.gain = node.gain
            parent.split = self.binning.split(node).measure(parent.rows.histogram)
            self._divide(rows, parent, parent.split, by)
            branches[node.left], branches[node.left + 1] = parent.children
        grown = self._laid(rows, [branches[k] for k in sorted(branches)], by)
        return self._tree(grown, criterion)

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

    def _root(self, rows: Rows) -> Branch:
        total = rows.class_shares()
        return Branch(rows.root(self.min_samples_leaf > 1), total, 0)

    def _consider(
        self,
        rows: Rows,
        branch: Branch,
        criterion: Criterion,
        open_leaves: OpenLeaves,
        place: int,
    ) -> None:
        """Find the best split of a new leaf, and release the histogram if there is none."""
        self._search(rows, branch, criterion, place)
        open_leaves.add(branch.gain)
        if not branch.gain > 0:
            rows.release(branch.rows)

    def _search(self, rows: Rows, branch: Branch, criterion: Criterion, place: int) -> None:
        if self.max_depth is not None and branch.depth >= self.max_depth:
            return
        allowed = None
        if self.limits.interactions is not None:
            allowed = may_follow(self.limits.interactions, branch.path, rows.n_features)
        given = branch.rows, criterion, self.min_samples_leaf, place, branch.bounds, allowed
        if self._by_row(rows, criterion):
            split = row_costs.node_split(rows, *given)
            loss = row_costs.node_loss(rows, branch.rows, criterion, branch.bounds)
        else:
            split = rows.best_node_split(*given)
            loss = leaf_loss(criterion, *branch.weight, branch.bounds)
        if split is not None:
            branch.split = split
            branch.gain = loss - split.value

    @staticmethod
    def _by_row(rows: Rows, criterion: Criterion) -> bool:
        return rows.has_row_costs and criterion.kind in row_costs.LEAVES

    def _divide(self, rows: Rows, parent: Branch, split: Split, criterion: Criterion) -> None:
        a, b, c, d = rows.shares(split)
        direction = rows.direction(split.feature)
        if self._by_row(rows, criterion):
            bounds = row_costs.bounds_of_sides(
                rows, parent.rows, criterion, parent.bounds, direction, split
            )
        else:
            bounds = bounds_of_sides(criterion, parent.bounds, direction, (a, c), (b, d))
        sides = rows.divide(parent.rows, split)
        path = longer(parent.path, split.feature)
        parent.children = [
            Branch(side, weight, parent.depth + 1, own, path)
            for side, weight, own in zip(sides, ((a, c), (b, d)), bounds, strict=True)
        ]

    def _laid(self, rows: Rows, branches: list[Branch], criterion: Criterion) -> Grown:
        """Branches as arrays, in their order: parents first, the children of a node together."""
        grown = laid(rows, branches)
        if not rows.is_directed:
            return grown
        levels = np.array([branch.bounds for branch in branches])
        by_row = self._by_row(rows, criterion)  # where levels are values
        return grown._replace(bounds=levels if by_row else values_at(criterion, levels))


SPECULATIVE_CELLS = 2**22
"""Nodes of up to so many row x feature cells together are split before it is known that they have
to be, in one message."""


def _likely(
    branches: list[Branch], parent: Branch, most: float, n_features: int
) -> list[tuple[NodeRows, Split]]:
    """A node and its split, and those of nodes that will probably be split as well.

    Without a limit to the leaves, these are all nodes whose split gains. With one, they are those
    of greatest gain, if they are small; sides that turn out not to be needed are not used.
    """
    chosen: list[tuple[NodeRows, Split]] = []
    waiting = [
        one
        for one in branches
        if one is not parent and one.gain > LEAST_GAIN and one.rows.sides is None
    ]
    cells = 0
    for one in [parent, *sorted(waiting, key=lambda one: -one.gain)]:
        cells += one.rows.size * n_features
        if chosen and most < np.inf and (len(chosen) >= most or cells > SPECULATIVE_CELLS):
            break
        assert one.split is not None
        chosen.append((one.rows, one.split))
    return chosen


def laid(rows: Rows, branches: list[Branch]) -> Grown:
    """Branches as arrays, in their order: parents first, the two children of a node together."""
    place = {id(branch): k for k, branch in enumerate(branches)}
    inner = [branch for branch in branches if branch.children]
    ends = [branch.rows for branch in branches if not branch.children]
    return Grown(
        np.array([place[id(b.children[0])] if b.children else -1 for b in branches], np.int32),
        Splits([branch.split for branch in inner if branch.split is not None]),
        np.array([branch.gain if branch.children else 0.0 for branch in branches]),
        np.array([branch.weight for branch in branches]),
        rows.end_tree(ends),
    )
