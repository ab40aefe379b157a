"""Decision trees that vote, grown best gain first on the same histograms as stumps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome
from costboost.engine._kernels import BinnedRows, Split, sides
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Node, leaf
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

    @property
    def impurity(self) -> float:
        """2 sqrt(pq): the exponential loss left if this were a leaf with its best value."""
        return 2 * float(np.sqrt(self.weight[0] * self.weight[1]))

    @property
    def vote(self) -> float:
        return 1.0 if self.weight[0] > self.weight[1] + LEAST_GAIN else -1.0


class Tree:
    """A tree whose leaves vote for their majority."""

    def __init__(self, root: Branch) -> None:
        self.branches = [root]  # parents first, the two children of a node side by side
        for branch in self.branches:
            self.branches.extend(branch.children)
        self.leaves = [branch for branch in self.branches if not branch.children]
        value = np.array([leaf.vote for leaf in self.leaves])
        self.weight: Floats = np.array(
            [leaf.weight[0] for leaf in self.leaves] + [leaf.weight[1] for leaf in self.leaves]
        )
        self.outcome = Outcome(np.concatenate([value, -value]))

    def reweigh(self, rows: Shards, factors: Floats) -> None:
        rows.reweigh_leaves([leaf.rows for leaf in self.leaves], self.weight, factors)

    def scores(self, rows: BinnedRows) -> NDArray[np.float64]:
        inner = [branch for branch in self.branches if branch.children]
        value = np.array([leaf.vote for leaf in self.leaves])
        if not inner:
            return np.full(rows.n_rows, value[0])
        number = {id(branch): k for k, branch in enumerate(inner)}
        number.update({id(leaf): ~k for k, leaf in enumerate(self.leaves)})
        splits = [branch.split for branch in inner if branch.split is not None]
        feature, left = sides(splits)
        leaf = rows.leaves(
            feature,
            np.array([number[id(c)] for b in inner for c in b.children], dtype=np.int32),
            left,
        )
        result: NDArray[np.float64] = value[leaf]
        return result

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        """The tree as nodes of an ensemble, on raw values."""
        place = {id(branch): k for k, branch in enumerate(self.branches)}
        return [
            binning.node(branch.split, place[id(branch.children[0])], branch.gain)
            if branch.split is not None and branch.children
            else leaf(step * branch.vote)
            for branch in self.branches
        ]


class TreeLearner:
    """Grows the leaf of greatest gain until no split gains or the tree is as large as allowed.

    Splits minimise the sum of 2 sqrt(pq) over the sides (Kearns & Mansour 1996), not the error: the
    error of a node often stays the same whichever way it is split once, and a tree grown by it
    stalls at the root.
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

    def find(self, rows: Shards) -> Tree:
        root = self._root(rows)
        self._search(rows, root)
        leaves = [root]
        while self.max_leaf_nodes is None or len(leaves) < self.max_leaf_nodes:
            best = max(leaf.gain for leaf in leaves)
            if best <= LEAST_GAIN:
                break
            parent = next(leaf for leaf in leaves if leaf.gain >= best - LEAST_GAIN)
            assert parent.split is not None
            self._divide(rows, parent, parent.split)
            for child in parent.children:
                self._search(rows, child)
            leaves = [leaf for leaf in leaves if leaf is not parent] + parent.children
        for branch in leaves:
            branch.rows.release()
        return Tree(root)

    def recall(self, rows: Shards, memory: Sequence[Node]) -> Tree:
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
        return Tree(root)

    def _root(self, rows: Shards) -> Branch:
        total = rows.class_weights()
        return Branch(rows.root(self.min_samples_leaf > 1), total, 0)

    def _search(self, rows: Shards, branch: Branch) -> None:
        if self.max_depth is not None and branch.depth >= self.max_depth:
            return
        split = rows.best_impurity(branch.rows, self.min_samples_leaf)
        if split.feature >= 0:
            branch.split = split
            branch.gain = branch.impurity - split.value

    def _divide(self, rows: Shards, parent: Branch, split: Split) -> None:
        a, b, c, d = rows.shares(split)
        left, right = rows.divide(parent.rows, split)
        depth = parent.depth + 1
        parent.children = [Branch(left, (a, c), depth), Branch(right, (b, d), depth)]
