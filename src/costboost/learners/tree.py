"""Decision trees that vote, grown best gain first on the same histograms as stumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome
from costboost.engine._kernels import BinnedRows, Split, sides
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node, leaf
from costboost.learners import by_rows
from costboost.learners.hypothesis import Laid
from costboost.rules import DRAW, Criterion
from costboost.shards import NodeRows, Shards

LEAST_GAIN = 1e-12


@dataclass(eq=False)
class Branch:
    """A node while the tree grows: its rows, and the best way to split it."""

    rows: NodeRows
    weight: tuple[float, float]
    depth: int
    split: Split | None = None
    gain: float = 0.0
    children: list[Branch] = field(default_factory=list)


class Tree:
    """A tree whose leaves vote for their majority, or have values of their own."""

    many_leaves = True

    def __init__(self, root: Branch) -> None:
        self.branches = [root]  # parents first, the two children of a node side by side
        for branch in self.branches:
            self.branches.extend(branch.children)
        self.ends = [branch for branch in self.branches if not branch.children]
        sums = np.array([end.weight for end in self.ends])
        self.weight: Floats = sums.T.ravel()
        self.take_values(np.where(sums[:, 0] > sums[:, 1] + DRAW, 1.0, -1.0))

    def take_values(self, value: Floats) -> None:
        self.value = value
        self.outcome = Outcome(np.concatenate([value, -value]))

    def reweigh(self, rows: Shards, factors: Floats) -> None:
        rows.reweigh_leaves([end.rows for end in self.ends], factors)

    def leaves(self, rows: BinnedRows) -> NDArray[np.int32]:
        inner = [branch for branch in self.branches if branch.children]
        if not inner:
            return np.zeros(rows.n_rows, dtype=np.int32)
        number = {id(branch): k for k, branch in enumerate(inner)}
        number.update({id(branch): ~k for k, branch in enumerate(self.ends)})
        splits = [branch.split for branch in inner if branch.split is not None]
        feature, left = sides(splits)
        child = np.array([number[id(c)] for b in inner for c in b.children], dtype=np.int32)
        return rows.leaves(feature, child, left)

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self.value[self.leaves(rows)]
        return result

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        """The tree as nodes of an ensemble, on raw values."""
        place = {id(branch): k for k, branch in enumerate(self.branches)}
        value = {id(b): step * v for b, v in zip(self.ends, self.value.tolist(), strict=True)}
        return [
            binning.node(branch.split, place[id(branch.children[0])], branch.gain)
            if branch.split is not None and branch.children
            else leaf(value[id(branch)])
            for branch in self.branches
        ]


GROWN_BY = {
    "vote": "exponential",
    "error": "exponential",
    "joint": "exponential",
}
"""Criteria that a tree does not grow by, because they are blind to what later splits can gain."""


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
    ) -> None:
        self.binning = binning
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf

    def find(self, rows: Shards, criterion: Criterion) -> Tree:
        by = criterion
        if criterion.kind in GROWN_BY:
            by = Criterion(GROWN_BY[criterion.kind])
        root = None if self._by_row(rows, by) else self._grown(rows, by)
        if root is None:
            root = self._grown_step_by_step(rows, by)
        return self._tree(rows, root, criterion)

    def _grown(self, rows: Shards, by: Criterion) -> Branch | None:
        """The root of a tree that the engine grew."""
        limits = self.max_depth, self.max_leaf_nodes, self.min_samples_leaf, LEAST_GAIN
        nodes = rows.grow(by, *limits)
        if nodes is None:
            return None
        branches = [Branch(own, share, 0, split, gain) for _, split, gain, share, own in nodes]
        for branch, (left, *_) in zip(branches, nodes, strict=True):
            if left >= 0:
                branch.children = branches[left : left + 2]
                for child in branch.children:
                    child.depth = branch.depth + 1
        return branches[0]

    def _grown_step_by_step(self, rows: Shards, by: Criterion) -> Branch:
        """The same for rows in several shards, and for criteria that need the rows themselves."""
        root = self._root(rows)
        self._search(rows, root, by)
        leaves = [root]
        while self.max_leaf_nodes is None or len(leaves) < self.max_leaf_nodes:
            best = max(leaf.gain for leaf in leaves)
            if best <= LEAST_GAIN:
                break
            parent = next(leaf for leaf in leaves if leaf.gain >= best - LEAST_GAIN)
            assert parent.split is not None
            self._divide(rows, parent, parent.split)
            for child in parent.children:
                self._search(rows, child, by)
            leaves = [leaf for leaf in leaves if leaf is not parent] + parent.children
        for branch in leaves:
            branch.rows.release()
            branch.split, branch.gain = None, 0.0
        return root

    def recall(self, rows: Shards, memory: Sequence[Node], criterion: Criterion) -> Tree:
        root = self._root(rows)
        branches = {0: root}
        for k, node in enumerate(memory):
            if node.left < 0:
                continue
            parent = branches[k]
            parent.gain = node.gain
            parent.split = self.binning.split(node).measure(parent.rows.histogram)
            self._divide(rows, parent, parent.split)
            branches[node.left], branches[node.left + 1] = parent.children
        return self._tree(rows, root, criterion)

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)

    @staticmethod
    def _tree(rows: Shards, root: Branch, criterion: Criterion) -> Tree:
        tree = Tree(root)
        if criterion.kind == "squares":
            n = len(tree.ends)
            tree.take_values(rows.mean(tree.weight[:n], tree.weight[n:]))
        return tree

    def _root(self, rows: Shards) -> Branch:
        total = rows.class_weights()
        return Branch(rows.root(self.min_samples_leaf > 1), total, 0)

    def _search(self, rows: Shards, branch: Branch, criterion: Criterion) -> None:
        if self.max_depth is not None and branch.depth >= self.max_depth:
            return
        if self._by_row(rows, criterion):
            split = by_rows.node_split(rows, branch.rows, criterion, self.min_samples_leaf)
            loss = by_rows.node_loss(rows, branch.rows, criterion)
        else:
            split = rows.best_node_split(branch.rows, criterion, self.min_samples_leaf)
            loss = rows.leaf_loss(criterion, *branch.weight)
        if split is not None:
            branch.split = split
            branch.gain = loss - split.value

    @staticmethod
    def _by_row(rows: Shards, criterion: Criterion) -> bool:
        return rows.by_row and criterion.kind in by_rows.LEAVES

    def _divide(self, rows: Shards, parent: Branch, split: Split) -> None:
        a, b, c, d = rows.shares(split)
        left, right = rows.divide(parent.rows, split)
        depth = parent.depth + 1
        parent.children = [Branch(left, (a, c), depth), Branch(right, (b, d), depth)]
