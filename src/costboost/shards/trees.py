"""Nodes of trees: their rows lie in runs, and the larger child's sums are what is left."""

from __future__ import annotations

from math import ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, times_power_of_two
from costboost.engine import _kernels
from costboost.engine._kernels import BINS, Grower, Split, Splits, fill_runs, search
from costboost.rules import Criterion
from costboost.shards.quanta import KINDS, Histogram, added, at_most_one, shift_of
from costboost.shards.regression import RegressionRows
from costboost.threads import PARALLEL_CELLS

_NOTHING: Histogram = np.empty((2, 0, BINS), dtype=np.int64)


class NodeRows:
    """The rows of a tree's node: in each shard a run of positives and a run of negatives."""

    def __init__(
        self,
        tree: int,
        bounds: list[list[int]],
        histogram: Histogram = _NOTHING,
        counts: Histogram | None = None,
    ) -> None:
        self.tree = tree
        self.bounds = bounds
        self.histogram = histogram
        self.counts = counts

    @property
    def size(self) -> int:
        return sum(b - a + d - c for a, b, c, d in self.bounds)

    def release(self) -> None:
        """Give back the memory of the histograms."""
        self.histogram = _NOTHING
        self.counts = None


class LeafRows(NamedTuple):
    """The rows of a tree's leaves, until the next tree is grown."""

    tree: int
    bounds: list[NDArray[np.int64]]
    """For each shard the two runs of every leaf."""


class Grown(NamedTuple):
    """A tree as arrays, parents before their children."""

    left: NDArray[np.int32]
    """The first child of each node, behind which the second one lies; -1 for a leaf."""
    splits: Splits
    """Of the nodes that have children."""
    gain: Floats
    share: Floats
    """Shares of all weight, of either class."""
    leaf_rows: LeafRows


class Shards(RegressionRows):
    """Binned shards under one driver: weights, splits, a regression and trees."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._order: list[NDArray[np.uint32]] = []
        self._spare: list[NDArray[np.uint32]] = []
        self._n_trees = 0
        self._grower: Grower | None = None

    def root(self, with_counts: bool) -> NodeRows:
        """All rows, as the root of a tree."""
        if not self._spare:
            self._order = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
            self._spare = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
        for order in self._order:
            order[:] = np.arange(order.size, dtype=np.uint32)
        bounds = [[0, s.n_positive, s.n_positive, s.n_rows] for s in self.shards]
        counts = self.leaf_counts.copy() if with_counts else None
        self._n_trees += 1
        return NodeRows(self._n_trees, bounds, self.histogram().copy(), counts)

    def grow(
        self,
        criterion: Criterion,
        max_depth: int | None,
        max_leaf_nodes: int | None,
        min_samples_leaf: int,
        least_gain: float,
    ) -> Grown | None:
        """A whole tree at once. None where there are several shards, which grow step by step."""
        if len(self.shards) > 1:
            return None
        if self._grower is None:
            self._grower = Grower(self.shards[0], self.n_bins, self.categorical)
            self._order = [self._grower.order]
        kind, smoothing, fn_cost, fp_cost = criterion
        shares = self.class_weights()
        left, splits, gain, share, bounds = self._grower.grow(
            self._aim[0] if self._aim else None,
            [unit / self._total for unit in self.unit],
            shares,
            KINDS[kind], smoothing, fn_cost, fp_cost,
            max_depth, max_leaf_nodes, min_samples_leaf, least_gain, PARALLEL_CELLS,
        )  # fmt: skip
        self._n_trees += 1
        return Grown(left, splits, gain, share, LeafRows(self._n_trees, [bounds[left < 0]]))

    def best_node_split(
        self, node: NodeRows, criterion: Criterion, min_samples_leaf: int
    ) -> Split | None:
        """The split of the node that lowers the criterion most."""
        kind, smoothing, fn_cost, fp_cost = criterion
        p, n = self.unit
        split = search(
            node.histogram, p / self._total, n / self._total, self.n_bins, self.categorical,
            node.counts, min_samples_leaf, KINDS[kind], smoothing, False, self._scan_threads,
            fn_cost, fp_cost,
        )  # fmt: skip
        return split if split.feature >= 0 else None

    @staticmethod
    def leaf_loss(criterion: Criterion, p: float, q: float) -> float:
        """What a leaf with the shares p and q adds to the criterion."""
        kind, smoothing, fn_cost, fp_cost = criterion
        return _kernels.leaf_loss(KINDS[kind], smoothing, fn_cost, fp_cost, p, q)

    def shares(self, split: Split) -> list[float]:
        """Shares of all weight in positives left, right, negatives left, right."""
        p, n = self.unit[0] / self._total, self.unit[1] / self._total
        a, b, c, d = split.quanta
        return [p * a, p * b, n * c, n * d]

    def divide(self, node: NodeRows, split: Split) -> tuple[NodeRows, NodeRows]:
        """The two sides of a node. The smaller side's histogram is built, the other is the rest."""
        sides: tuple[list[list[int]], list[list[int]]] = ([], [])
        for shard, order, spare, (a, b, c, d) in zip(
            self.shards, self._order, self._spare, node.bounds, strict=True
        ):
            p = shard.partition(split, a, b, order, spare)
            q = shard.partition(split, c, d, order, spare)
            sides[0].append([a, p, c, q])
            sides[1].append([p, b, q, d])
        left, right = (NodeRows(node.tree, bounds) for bounds in sides)
        small, large = (left, right) if left.size <= right.size else (right, left)
        small.histogram = self._node_histogram(small, counting=False)
        large.histogram = node.histogram
        large.histogram -= small.histogram
        if node.counts is not None:
            small.counts = self._node_histogram(small, counting=True)
            large.counts = node.counts
            large.counts -= small.counts
        node.release()
        return left, right

    def _node_histogram(self, node: NodeRows, counting: bool) -> Histogram:
        parts = []
        threads = self.n_threads if node.size * self.n_features >= PARALLEL_CELLS else 1
        for k, (shard, order, bounds) in enumerate(
            zip(self.shards, self._order, node.bounds, strict=True)
        ):
            part = np.zeros((2, self.n_features, BINS), dtype=np.int64)
            if self._aim and not counting:
                shard.build_pairs(*self._aim[k], order, bounds, part, threads)
            else:
                shard.build_node(order, bounds, part, counting, threads)
            parts.append(part)
        return added(parts)

    def reweigh_leaves(self, leaves: LeafRows, factors: Floats) -> None:
        """Multiply the weights of each (class, leaf) by its factor; histograms are built anew."""
        n = factors.size // 2
        for z in (0, 1):
            scaled, exponent = at_most_one(factors[z * n : (z + 1) * n].tolist())
            for shard, order, bounds in zip(self.shards, self._order, leaves.bounds, strict=True):
                runs = bounds[:, 2 * z : 2 * z + 2].tolist()
                for (begin, end), factor in zip(runs, scaled, strict=True):
                    shard.reweigh_rows(order, begin, end, factor)
            self._multiply_unit(z, 1.0, exponent + self._requantise(z))
        self._normalise()

    def members(self, node: NodeRows | None) -> NDArray[np.intp]:
        """The rows of a node, or all of them."""
        if node is None:
            return np.arange(self.label.size)
        first = np.cumsum([0, *(shard.n_rows for shard in self.shards)])
        return np.concatenate([
            order[begin:end].astype(np.intp) + offset
            for order, (a, b, c, d), offset in zip(self._order, node.bounds, first, strict=False)
            for begin, end in ((a, b), (c, d))
        ])  # fmt: skip

    def node_counts(self, node: NodeRows) -> Histogram:
        """How many rows of the node fall into each bin."""
        return self._node_histogram(node, True) if node.counts is None else node.counts

    def sums(
        self, first: Floats, second: Floats, node: NodeRows | None = None
    ) -> tuple[Floats, tuple[float, float]]:
        """Two amounts of every row summed in each bin, and how far rounding may move a sum."""
        units, scaled = zip(*(self._quantised(amount) for amount in (first, second)), strict=True)
        total = np.zeros((2, self.n_features, BINS), dtype=np.int64)
        part = np.zeros_like(total)
        for k, shard in enumerate(self.shards):
            order = None if node is None else self._order[k]
            bounds = None if node is None else node.bounds[k]
            shard.build_pairs(
                scaled[0][k], scaled[1][k], (1.0, 1.0), order, bounds, part, self.n_threads
            )
            total += part
        # every row is rounded once, and a sum of up to 2**61 quanta once more as a float
        errors = (first.size + 512) * units[0], (first.size + 512) * units[1]
        return total * np.array(units)[:, None, None], errors

    def _quantised(self, values: Floats) -> tuple[float, list[Floats]]:
        """What a quantum is worth, and the values in quanta, shard by shard."""
        largest = max(float(values.max()), -float(values.min()))
        if largest == 0:
            return 0.0, self.split_up(values)
        shift = shift_of(largest, values.size)
        return ldexp(1.0, -shift), self.split_up(times_power_of_two(values, shift))

    def scores(self, hypothesis: Any) -> Floats:
        """What a hypothesis says of every row."""
        leaves: LeafRows | None = hypothesis.leaf_rows
        if leaves is not None and leaves.tree == self._n_trees:
            return self._scores_of_leaves(leaves, hypothesis.value)
        parts = [hypothesis.scores(view) for view in self.views]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _scores_of_leaves(self, leaves: LeafRows, value: Floats) -> Floats:
        """What the last tree says: its rows still lie leaf by leaf."""
        parts = [np.empty(order.size) for order in self._order]
        for order, bounds, part in zip(self._order, leaves.bounds, parts, strict=True):
            fill_runs(order, bounds, value, part)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def leaves(self, hypothesis: Any) -> NDArray[np.intp]:
        """The leaf of every row."""
        return np.concatenate([hypothesis.leaves(view) for view in self.views])
