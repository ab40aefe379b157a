"""The rows of a training set, in one or several shards, as the boosting loop drives them.

The driver keeps what concerns all rows: what a quantum of each class is worth, and the global row
counts. Shards keep bins, weights and histograms. All that shards send back are integer sums, so
the result does not depend on how the rows are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.engine import _kernels
from costboost.engine._kernels import BINS, BinnedRows, Split, search
from costboost.rules import Criterion
from costboost.threads import PARALLEL_CELLS

Histogram = NDArray[np.int64]

TARGET_BITS = 58
"""A class's weights sum to about 2**58 quanta after they are scaled anew, ..."""
LEAST, MOST = 2.0**54, 2.0**61
"""... and are scaled again when the sum would leave this range."""

KINDS = {
    "vote": _kernels.VOTE,
    "error": _kernels.LEAF_ERROR,
    "exponential": _kernels.EXPONENTIAL,
    "squared": _kernels.SQUARED,
    "cost exponential": _kernels.COST_EXPONENTIAL,
    "cost vote": _kernels.COST_VOTE,
    "squares": _kernels.SQUARES,
}
"""What the engine calls the criteria."""
CONSTANTS_COMPETE = {"vote", "cost vote"}

LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped here; the response itself never is."""

_NOTHING: Histogram = np.empty((2, 0, BINS), dtype=np.int64)


class NodeRows:
    """The rows of a tree's node: in each shard a run of positives and a run of negatives."""

    def __init__(
        self, bounds: list[list[int]], histogram: Histogram, counts: Histogram | None
    ) -> None:
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


class Shards:
    """Binned shards under one driver."""

    def __init__(
        self,
        shards: Sequence[BinnedRows],
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
    ) -> None:
        self.shards = list(shards)
        self.n_bins = n_bins
        self.categorical = categorical
        self.n_features = self.shards[0].n_features
        self.n_threads = max(shard.n_threads for shard in self.shards)
        for shard in self.shards:
            shard.prepare()
        self.counts: Histogram = self._sum([shard.count() for shard in self.shards])
        self.class_sizes = self.counts[:, 0].sum(axis=1).tolist()
        self.unit = [1.0, 1.0]
        self._total = 1.0
        self._label: Floats | None = None
        self._aim: list[tuple[Floats, Floats]] = []
        self._order: list[NDArray[np.uint32]] = []
        self._spare: list[NDArray[np.uint32]] = []
        self._scan_threads = self.n_threads if self.n_features >= 512 else 1

    def start(self, factors: Sequence[float], weights: Sequence[Floats] | None = None) -> None:
        """Set the initial weights: the factor of the row's class, times its own weight if given.

        ``weights`` has one array a shard, in the shard's row order (positives first).
        """
        for z in (0, 1):
            self.unit[z] = factors[z] * self._set_class(z, weights)
        self._normalise()

    def _set_class(self, z: int, weights: Sequence[Floats] | None) -> float:
        """Fill the class's weights in quanta; what a quantum is worth."""
        if weights is None:
            scale = ldexp(1.0, TARGET_BITS - self.class_sizes[z].bit_length())
            for shard in self.shards:
                shard.weight[_rows(shard, z)] = scale
                shard.histogram[z] = shard.count()[z] if len(self.shards) > 1 else self.counts[z]
                shard.histogram[z] *= int(scale)
            return 1.0 / scale
        parts = [w[_rows(shard, z)] for shard, w in zip(self.shards, weights, strict=True)]
        largest = max((float(p.max()) for p in parts if p.size), default=0.0)
        if largest == 0.0:
            parts, largest = [np.zeros_like(p) for p in parts], 1.0
        # Two roundings: the first, safe for any weights, finds their sum; the second uses all bits.
        exponent = -frexp(largest)[1]
        coarse = TARGET_BITS - self.class_sizes[z].bit_length()
        total = sum(
            int(np.rint(np.ldexp(np.ldexp(p, exponent), coarse)).astype(np.int64).sum())
            for p in parts
        )
        fine = coarse + TARGET_BITS - total.bit_length()
        for shard, part in zip(self.shards, parts, strict=True):
            shard.weight[_rows(shard, z)] = np.ldexp(np.ldexp(part, exponent), fine)
            shard.build(z == 0, z == 1)
        return ldexp(ldexp(1.0, -fine), -exponent) if abs(fine + exponent) < 1000 else 2.0**-1000

    # ---- a round ---------------------------------------------------------------------------------

    def histogram(self) -> Histogram:
        """The class histograms of all rows."""
        if len(self.shards) == 1:
            total: Histogram = self.shards[0].histogram
            return total
        return self._sum([shard.histogram for shard in self.shards])

    def best_split(self, criterion: Criterion, min_samples_leaf: int = 1) -> Split | None:
        """The split (or constant vote) of least criterion; None if there is no split at all."""
        counts = self.counts if min_samples_leaf > 1 else None
        kind, smoothing, fn_cost, fp_cost = criterion
        p, n = self.unit
        split = search(
            self.histogram(), p, n, self.n_bins, self.categorical, counts, min_samples_leaf,
            KINDS[kind], smoothing, fn_cost, fp_cost, kind != "squares", self._scan_threads,
        )  # fmt: skip
        return split if split.feature >= 0 or kind in CONSTANTS_COMPETE else None

    def cell_weights(self, split: Split) -> Floats:
        """Weight shares of positives left, right, negatives left, right."""
        return split.shares(self.unit[0], self.unit[1])

    def class_weights(self) -> tuple[float, float]:
        """Weight shares of the two classes."""
        sums = self.histogram()[:, 0].sum(axis=1)
        p, n = self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])
        self._total = 1.0 if self._aim else p + n
        return p / self._total, n / self._total

    # ---- trees -----------------------------------------------------------------------------------

    def root(self, with_counts: bool) -> NodeRows:
        """All rows, as the root of a tree."""
        if not self._order:
            self._order = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
            self._spare = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
        for order in self._order:
            order[:] = np.arange(order.size, dtype=np.uint32)
        bounds = [[0, s.n_positive, s.n_positive, s.n_rows] for s in self.shards]
        return NodeRows(
            bounds, self.histogram().copy(), self.counts.copy() if with_counts else None
        )

    def best_node_split(
        self, node: NodeRows, criterion: Criterion, min_samples_leaf: int
    ) -> Split | None:
        """The split of the node that lowers the criterion most."""
        kind, smoothing, fn_cost, fp_cost = criterion
        p, n = self.unit
        split = search(
            node.histogram, p / self._total, n / self._total, self.n_bins, self.categorical,
            node.counts, min_samples_leaf, KINDS[kind], smoothing, fn_cost, fp_cost, False,
            self._scan_threads,
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
        left, right = (NodeRows(bounds, _NOTHING, None) for bounds in sides)
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
            part = np.empty((2, self.n_features, BINS), dtype=np.int64)
            if self._aim and not counting:
                shard.build_pairs(*self._aim[k], order, bounds, part, threads)
            else:
                shard.build_node(order, bounds, part, counting, threads)
            parts.append(part)
        return self._sum(parts)

    def reweigh_leaves(self, leaves: Sequence[NodeRows], weight: Floats, factors: Floats) -> None:
        """Multiply the weights of each (class, leaf) by its factor; histograms are built anew."""
        n = len(leaves)
        sums = self.histogram()[:, 0].sum(axis=1)
        for z in (0, 1):
            f, w = factors[z * n : (z + 1) * n], weight[z * n : (z + 1) * n]
            before, after = float(w.sum()), float((w * f).sum())
            now = int(sums[z]) * (after / before) if before > 0 else 0.0
            shift = TARGET_BITS - frexp(now)[1] if now > 0 else 0
            for leaf, factor in zip(leaves, np.ldexp(f, shift).tolist(), strict=True):
                for shard, order, bounds in zip(self.shards, self._order, leaf.bounds, strict=True):
                    shard.reweigh_rows(order, bounds[2 * z], bounds[2 * z + 1], factor)
            self.unit[z] = ldexp(self.unit[z], -shift)
        for shard in self.shards:
            shard.build()
        self._normalise()

    # ---- rows as cells ---------------------------------------------------------------------------

    @property
    def label(self) -> Floats:
        """+1 or -1 for every row, in the order of the shards."""
        if self._label is None:
            parts = [np.where(np.arange(s.n_rows) < s.n_positive, 1.0, -1.0) for s in self.shards]
            self._label = np.concatenate(parts)
        return self._label

    def split_up(self, values: Floats) -> list[Floats]:
        """Values of all rows, shard by shard."""
        ends = np.cumsum([shard.n_rows for shard in self.shards])
        return np.split(values, ends[:-1])

    def weigh(self, weight: Floats) -> None:
        """Give every row its weight."""
        self.start((1.0, 1.0), self.split_up(weight))

    def scores(self, hypothesis: Any) -> Floats:
        """What a hypothesis says of every row."""
        parts = [hypothesis.scores(shard) for shard in self.shards]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def aim(self, response: Floats, weight: Floats) -> None:
        """Let the next learner regress on response / weight, with that weight."""
        self._aim = []
        scaled = []
        for z, values in enumerate((response, weight)):
            largest = float(np.abs(values).max())
            shift = TARGET_BITS + 3 - values.size.bit_length() - frexp(largest)[1] if largest else 0
            self.unit[z] = ldexp(1.0, -shift)
            scaled.append(self.split_up(np.ldexp(values, shift)))
        for shard, first, second in zip(self.shards, *scaled, strict=True):
            self._aim.append((first, second))
            shard.build_pairs(first, second, None, None, shard.histogram, self.n_threads)

    def means(self, split: Split) -> Floats:
        """Weighted mean of the response on either side."""
        a, b, c, d = split.quanta
        return self.mean(np.array([a, b]) * self.unit[0], np.array([c, d]) * self.unit[1])

    @staticmethod
    def mean(response: Floats, weight: Floats) -> Floats:
        """Mean response of leaves, clipped."""
        ratio = np.divide(response, weight, out=np.zeros_like(weight), where=weight > 0)
        return np.clip(ratio, -LARGEST_MEAN, LARGEST_MEAN)

    # ---- stumps ----------------------------------------------------------------------------------

    def reweigh(self, split: Split, factors: Sequence[float]) -> None:
        """Multiply the weights of each (class, side) by its factor."""
        quanta = split.quanta
        rows_left = split.rows_left(self.counts)
        incremental = [False, False]
        anew = [False, False]
        ratio = [1.0, 1.0]
        move_left = [False, False]
        scaled = [1.0] * 4
        for z in (0, 1):
            left, right = factors[2 * z], factors[2 * z + 1]
            on_left, size = rows_left[z], self.class_sizes[z]
            if on_left == 0 or left == right:
                self.unit[z] *= right
                continue
            if on_left == size:
                self.unit[z] *= left
                continue
            # The larger side's factor goes into the class's unit; only the smaller side is visited.
            move_left[z] = 2 * on_left <= size
            small, large = (left, right) if move_left[z] else (right, left)
            ratio[z] = small / large if large > 0 else 0.0
            visited, rest = quanta[2 * z + 1 - move_left[z]], quanta[2 * z + move_left[z]]
            if large > 0 and LEAST <= rest + ratio[z] * visited <= MOST:
                incremental[z] = True
                self.unit[z] *= large
            else:
                anew[z] = True
                total = left * quanta[2 * z] + right * quanta[2 * z + 1]
                shift = TARGET_BITS - frexp(total)[1] if total > 0 else 0
                scaled[2 * z], scaled[2 * z + 1] = ldexp(left, shift), ldexp(right, shift)
                self.unit[z] = ldexp(self.unit[z], -shift)
        for shard in self.shards:
            if incremental[0] or incremental[1]:
                shard.reweigh_side(split, ratio, move_left, incremental)
            if anew[0] or anew[1]:
                shard.reweigh_all(split, scaled, anew)
        self._normalise()

    def _normalise(self) -> None:
        """Keep the units in range; only their ratio matters."""
        largest = max(self.unit)
        if not 1e-60 < largest < 1e60 and largest > 0:
            shift = -frexp(largest)[1]
            self.unit = [ldexp(unit, shift) for unit in self.unit]

    @staticmethod
    def _sum(histograms: Sequence[Histogram]) -> Histogram:
        return histograms[0] if len(histograms) == 1 else np.sum(histograms, axis=0)


def _rows(shard: BinnedRows, z: int) -> slice:
    return slice(0, shard.n_positive) if z == 0 else slice(shard.n_positive, shard.n_rows)
