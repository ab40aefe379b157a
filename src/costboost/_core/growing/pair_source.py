"""Pairs (row, label) of the nodes of a growing tree, whose rows are in several shards."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.data import HoldsPairs, PairData, RowDivision
from costboost._core.backends.offers import check_offered
from costboost._core.backends.protocol import Histogram
from costboost._core.engine._kernels import BINS, Features, Frontier, Split, TreeLimits, search
from costboost._core.growing.grow import Candidate, Shares
from costboost._core.rows import leaf_loss
from costboost._core.rules.record import Criterion

SUMS_AT_A_TIME = 2**21
"""Sums of nodes that are divided together, so that few messages are needed and memory suffices."""
NOTHING: Histogram = np.empty((2, 0, BINS), dtype=np.int64)


class PairNode:
    """A set of rows times a set of labels."""

    def __init__(
        self, rows: int, labels: NDArray[np.uint8], depth: int = 0, shares: Shares = (0.0, 0.0)
    ) -> None:
        self.rows = rows
        """Number of the set of rows in the shards."""
        self.labels = labels
        self.depth = depth
        self.shares = shares
        self.n_rows = self.n_pairs = 0
        self.sums: Histogram = NOTHING
        """Weights and numbers of its pairs in every bin, while they are needed."""
        self.best: Candidate | None = None
        self.sides: tuple[PairNode, PairNode] | None = None

    @property
    def split(self) -> Split:
        """The split that was found for it."""
        assert self.best is not None
        return self.best.split

    @property
    def size(self) -> int:
        """Number of its pairs, also those whose weight is 0."""
        return self.n_rows * self.labels.size


def larger_first(left: PairNode, right: PairNode) -> tuple[int, int]:
    """The order in which two sides are searched: 0 is the left one."""
    return (0, 1) if left.size > right.size else (1, 0)


class PairSource:
    """Weights of pairs, which the shards add up.

    As the number of leaves is not limited, every split that is found is carried out some time. So
    nodes are divided and searched ahead of the frontier, several in one message.
    """

    def __init__(
        self,
        data: PairData,
        weight: NDArray[np.int64],
        features: Features,
        criterion: Criterion,
        limits: TreeLimits,
    ) -> None:
        n_features = features.n_bins.size
        self.features = features
        self.criterion = criterion
        self.limits = limits
        self.frontier = Frontier(limits, n_features, last_found=True)
        self._label = n_features - 1
        self._only_label = np.zeros(n_features, dtype=np.uint8)
        self._only_label[self._label] = 1
        self._counts = limits.min_samples_leaf > 1
        self._shards = data.pairs(weight, self._counts)
        check_offered(self._shards, (HoldsPairs,))
        self._shape = 4 if self._counts else 2, n_features, BINS
        self._unit = 0.0
        self._nodes = [PairNode(0, np.arange(weight.shape[1], dtype=np.uint8))]
        self._waiting: list[PairNode] = []
        """Nodes to divide, the next one last."""
        self._n_sets = 1
        self._kept = {0}
        """Numbers of the sets of rows that the shards keep."""

    def build(self) -> Shares:
        root = self._nodes[0]
        self._measure([root])
        p, n = (float(total) for total in root.sums[:2, self._label].sum(axis=1).tolist())
        self._unit = 1 / (p + n) if p + n > 0 else 0.0
        root.shares = self._unit * p, self._unit * n
        self._find_split(root)
        return root.shares

    def search(self, k: int) -> Candidate | None:
        return self._nodes[k].best

    def divide(self, k: int, left: int) -> None:
        if self._nodes[k].sides is None:
            self._divide_ahead()
        self._nodes += self._nodes[k].sides or ()

    def sides(self, left: int) -> Sequence[int]:
        return [left + side for side in larger_first(*self._nodes[left:])]

    def n_pairs(self) -> list[int]:
        """The number of pairs of each node."""
        return [node.n_pairs for node in self._nodes]

    def _divide_ahead(self) -> None:
        """Divide the nodes that come next, as many as memory allows, and search their sides."""
        n = max(1, SUMS_AT_A_TIME // prod(self._shape))
        parents = self._waiting[-n:]
        del self._waiting[-n:]
        divisions, divided = [], []
        for parent in parents:
            sides = left, right = self._sides_of(parent)
            parent.sides = sides
            if left.rows != right.rows:
                divisions.append(RowDivision(parent.rows, parent.split, left.rows, right.rows))
            divided.append((parent, sides, sorted(sides, key=lambda side: sum(side.shares))))
        if divisions:
            self._shards.divide(divisions)
        self._measure([light for _, _, (light, _) in divided])
        for parent, sides, (light, rest) in divided:
            rest.sums = parent.sums - light.sums
            rest.n_rows = parent.n_rows - (0 if light.rows == rest.rows else light.n_rows)
            parent.sums = NOTHING
            for k in larger_first(*sides):
                self._find_split(sides[k])
        needed = {node.rows for node in self._waiting}
        if needed < self._kept:
            self._shards.release(sorted(self._kept - needed))
        self._kept = needed

    def _sides_of(self, parent: PairNode) -> tuple[PairNode, PairNode]:
        """The sides of a node, without sums and numbers of rows."""
        assert parent.best is not None
        split, _, shares, _ = parent.best
        depth = parent.depth + 1
        if split.feature == self._label:
            goes_left = split.left[parent.labels] > 0
            sets = parent.rows, parent.rows
            labels = parent.labels[goes_left], parent.labels[~goes_left]
        else:
            sets = self._n_sets, self._n_sets + 1
            labels = parent.labels, parent.labels
            self._n_sets += 2
            self._kept.update(sets)
        sides = zip(sets, labels, shares, strict=True)
        left, right = (PairNode(rows, some, depth, share) for rows, some, share in sides)
        return left, right

    def _measure(self, nodes: Sequence[PairNode]) -> None:
        """Set the sums and the numbers of rows of nodes, over all shards."""
        answers = self._shards.sums([(node.rows, node.labels) for node in nodes])
        for node, sums in zip(nodes, answers, strict=True):
            node.sums = np.zeros(self._shape, dtype=np.int64)
            node.sums.reshape(-1)[sums.place] = sums.value
            node.n_rows = sums.n_rows

    def _find_split(self, node: PairNode) -> None:
        """Find the split of a node, the best one or, if none gains, that of the label."""
        least, deepest = self.limits.least_gain, self.limits.max_depth
        node.n_pairs = int(node.sums[2:, self._label].sum()) if self._counts else node.size
        whole = leaf_loss(self.criterion, *node.shares)
        if whole > least and (deepest is None or node.depth < deepest):
            split = self._best_split(node.sums)
            gain = whole - split.value if split.feature >= 0 else 0.0
            if not gain > least:
                split, gain = self._best_split(node.sums, self._only_label), 0.0
            if split.feature >= 0:
                a, b, c, d = (self._unit * float(quanta) for quanta in split.quanta)
                node.best = Candidate(split, gain, ((a, c), (b, d)))
                self._waiting.append(node)
                return
        node.sums = NOTHING

    def _best_split(self, sums: Histogram, allowed: NDArray[np.uint8] | None = None) -> Split:
        counts = sums[2:] if self._counts else None
        units, least = (self._unit, self._unit), self.limits.min_samples_leaf
        return search(
            sums[:2], units, self.features, self.criterion, counts, least, False, allowed=allowed
        )
