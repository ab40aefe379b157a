"""The rows of a training set, in one or several shards, as the boosting loop drives them.

The driver keeps what concerns all rows: what a quantum of each class is worth, and the global row
counts. Shards keep bins, weights and histograms. All that shards send back are integer sums, so
the result does not depend on how the rows are divided.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, times_power_of_two
from costboost.engine import _kernels
from costboost.engine._kernels import (
    BINS,
    BinnedRows,
    Grower,
    Split,
    Splits,
    fill_runs,
    moments,
    search,
    sum_of_quanta,
    weight_against,
)
from costboost.rules import Criterion
from costboost.threads import PARALLEL_CELLS

Histogram = NDArray[np.int64]

TARGET_BITS = 58
"""A class's weights sum to about 2**58 quanta after they are scaled anew, ..."""
LEAST, MOST = 2.0**54, 2.0**61
"""... and are scaled again when the sum would leave this range."""

UNIT_BITS = 800
UNIT_LEAST, UNIT_MOST = 2.0**700, 2.0**900
"""Where the larger of the two units is kept; only their ratio matters."""

KINDS = {
    "vote": _kernels.VOTE,
    "error": _kernels.LEAF_ERROR,
    "exponential": _kernels.EXPONENTIAL,
    "squared": _kernels.SQUARED,
    "cost exponential": _kernels.COST_EXPONENTIAL,
    "squares": _kernels.SQUARES,
    "joint": _kernels.JOINT,
    "entropy": _kernels.ENTROPY,
}
"""What the engine calls the criteria."""
CONSTANTS_COMPETE = {"vote", "joint"}

LARGEST_LOGIT = log((1 - 1e-10) / 1e-10)
"""Probabilities are kept 1e-10 away from 0 and 1, that is, logits this far from 0 at most."""
LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped here; the response itself never is."""

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


class Shards:
    """Binned shards under one driver."""

    def __init__(
        self,
        shards: Sequence[BinnedRows],
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
    ) -> None:
        self.shards = list(shards)
        self.views: Sequence[Any] = self.shards
        """What hypotheses are scored on, for each shard."""
        self.n_bins = n_bins
        self.categorical = categorical
        self.n_features = self.shards[0].n_features
        self.n_threads = max(shard.n_threads for shard in self.shards)
        for shard in self.shards:
            shard.prepare()
        self.counts: Histogram = self._sum([shard.count() for shard in self.shards])
        self.present: NDArray[np.bool_] = self.counts[:, :, : BINS - 1].sum(axis=(0, 2)) > 0
        """Which features are not missing everywhere."""
        self.class_sizes = self.counts[:, 0].sum(axis=1).tolist()
        self.unit = [1.0, 1.0]
        self._total = 1.0
        self._label: Floats | None = None
        self.by_row = False
        """Whether rows have costs of their own, ..."""
        self.own_weight: Floats = np.empty(0)
        self.own_cost: Floats = np.empty(0)
        """... and the weight and cost of each, in the order of `label`."""
        self._aim: list[tuple[Floats, Floats, list[float]]] = []
        self._order: list[NDArray[np.uint32]] = []
        self._spare: list[NDArray[np.uint32]] = []
        self._n_trees = 0
        self._grower: Grower | None = None
        self._scan_threads = self.n_threads if self.n_features >= 512 else 1

    def start(self, factors: Sequence[float], weights: Sequence[Floats] | None = None) -> None:
        """Set the initial weights: the factor of the row's class, times its own weight if given.

        ``weights`` has one array a shard, in the shard's row order (positives first).
        """
        if weights is None:
            for z in (0, 1):
                self.unit[z] = factors[z] * self._set_alike(z)
            self._normalise()
            return
        for shard, weight in zip(self.shards, weights, strict=True):
            shard.weight[:] = weight
        exponent = [self._requantise(z) for z in (0, 1)]
        common = max(exponent)
        for z in (0, 1):
            self.unit[z] = ldexp(factors[z], exponent[z] - common)
        self._normalise()

    def _set_alike(self, z: int) -> float:
        """Give all rows of the class the same weight; what a quantum is worth."""
        scale = ldexp(1.0, TARGET_BITS - self.class_sizes[z].bit_length())
        for shard in self.shards:
            shard.weight[_rows(shard, z)] = scale
            shard.histogram[z] = shard.count()[z] if len(self.shards) > 1 else self.counts[z]
            shard.histogram[z] *= int(scale)
        return 1.0 / scale

    def _requantise(self, z: int) -> int:
        """Measure the weights of the class in quanta that use all bits, and build its histogram.

        Returns k if the weights were divided by 2**k. Two roundings: the first, safe for any
        weights, finds their sum, the second uses it; neither depends on the order of the rows.
        """
        parts = [shard.weight[_rows(shard, z)] for shard in self.shards]
        largest = max((float(part.max()) for part in parts if part.size), default=0.0)
        exponent = frexp(largest)[1]
        coarse = TARGET_BITS - self.class_sizes[z].bit_length()
        total = sum(
            int(np.rint(times_power_of_two(part, coarse - exponent)).astype(np.int64).sum())
            for part in parts
        )
        shift = coarse - exponent + TARGET_BITS - total.bit_length() if largest > 0 else 0
        for shard, part in zip(self.shards, parts, strict=True):
            part[:] = times_power_of_two(part, shift)
            shard.build(z == 0, z == 1)
        return -shift

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
        if kind == "joint":
            p, n = _without_cost(p, n, fn_cost, fp_cost)
        split = search(
            self.histogram(), p, n, self.n_bins, self.categorical, counts, min_samples_leaf,
            KINDS[kind], smoothing, kind != "squares", self._scan_threads, fn_cost, fp_cost,
        )  # fmt: skip
        return split if split.feature >= 0 or kind in CONSTANTS_COMPETE else None

    def cell_weights(self, split: Split) -> Floats:
        """Weight shares of positives left, right, negatives left, right."""
        return split.shares(self.unit[0], self.unit[1])

    def all_bin_weights(self) -> Floats:
        """Weight shares of both classes in every bin of every feature."""
        p, n = self.class_weights()
        if p + n == 0:
            return np.zeros(self.histogram().shape)
        units = np.array(self.unit) / self._total
        return self.histogram() * units[:, None, None]

    def bin_weights(self, feature: int, bins: NDArray[np.intp]) -> Floats:
        """Weight shares of both classes in some bins of a feature."""
        self.class_weights()
        units = np.array(self.unit) / self._total
        return self.histogram()[:, feature, bins] * units[:, None]

    def table_losses(self, criterion: Criterion) -> Floats:
        """The criterion of every feature when each of its bins is a leaf."""
        kind, smoothing, fn_cost, fp_cost = criterion
        self.class_weights()
        p, n = self.unit[0] / self._total, self.unit[1] / self._total
        kind = "error" if kind in CONSTANTS_COMPETE else kind
        losses = _kernels.table_losses(
            self.histogram(), p, n, self.n_bins, KINDS[kind], smoothing, fn_cost, fp_cost
        )
        return np.where(self.present, losses, np.inf)

    def class_weights(self) -> tuple[float, float]:
        """Weight shares of the two classes."""
        sums = self.histogram()[:, 0].sum(axis=1)
        p, n = self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])
        self._total = 1.0 if self._aim else p + n
        return p / self._total, n / self._total

    # ---- trees -----------------------------------------------------------------------------------

    def root(self, with_counts: bool) -> NodeRows:
        """All rows, as the root of a tree."""
        if not self._spare:
            self._order = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
            self._spare = [np.empty(shard.n_rows, dtype=np.uint32) for shard in self.shards]
        for order in self._order:
            order[:] = np.arange(order.size, dtype=np.uint32)
        bounds = [[0, s.n_positive, s.n_positive, s.n_rows] for s in self.shards]
        counts = self.counts.copy() if with_counts else None
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
        return self._sum(parts)

    def reweigh_bins(self, feature: int, factors: Floats) -> None:
        """Multiply the weights by the factor of class and bin; histograms are built anew."""
        for z in (0, 1):
            scaled, exponent = _at_most_one(factors[z].tolist())
            by_bin = np.array(scaled)
            for shard in self.shards:
                rows = _rows(shard, z)
                shard.weight[rows] *= by_bin[shard.column(feature)[rows]]
            self._multiply_unit(z, 1.0, exponent + self._requantise(z))
        self._normalise()

    def reweigh_leaves(self, leaves: LeafRows, factors: Floats) -> None:
        """Multiply the weights of each (class, leaf) by its factor; histograms are built anew."""
        n = factors.size // 2
        for z in (0, 1):
            scaled, exponent = _at_most_one(factors[z * n : (z + 1) * n].tolist())
            for shard, order, bounds in zip(self.shards, self._order, leaves.bounds, strict=True):
                runs = bounds[:, 2 * z : 2 * z + 2].tolist()
                for (begin, end), factor in zip(runs, scaled, strict=True):
                    shard.reweigh_rows(order, begin, end, factor)
            self._multiply_unit(z, 1.0, exponent + self._requantise(z))
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
        if len(self.shards) == 1:
            return [values]
        ends = np.cumsum([shard.n_rows for shard in self.shards])
        return np.split(values, ends[:-1])

    def weigh(self, weight: Floats, cost: Floats | None = None) -> None:
        """Give every row its weight, and its cost where a criterion may ask for it."""
        if cost is not None:
            self.own_weight, self.own_cost, self.by_row = weight, cost, True
        self.start((1.0, 1.0), self.split_up(weight))

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """The feature's bin of every row."""
        return np.concatenate([shard.column(feature) for shard in self.shards])

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
        shift = _shift(largest, values.size)
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

    def expect(self, label: Floats, start: Floats, share: Any, slope: Any, offset: Any) -> None:
        """A logistic likelihood of the rows: its logit is slope F + offset."""
        self._likelihood = _kernels.Likelihood(label, start, share, slope, offset)
        self._response, self._weight, self._losses = np.empty((3, label.size))

    def loss(self, score: Floats) -> float:
        """Minus the log-likelihood of these scores."""
        return self._sum_of_losses(self._likelihood.loss(score, self._losses, self.n_threads))

    def linearise(self, score: Floats, plain: bool) -> float:
        """Find Newton's working response at these scores; minus their log-likelihood."""
        greatest, *self._greatest = self._likelihood.working(
            score, LARGEST_LOGIT, plain, self._losses, self._response, self._weight, self.n_threads
        )
        return self._sum_of_losses(greatest)

    def _sum_of_losses(self, greatest: float) -> float:
        shift = _shift(greatest, self._losses.size)
        quanta = sum_of_quanta(self._losses, ldexp(1.0, shift), self.n_threads)
        return ldexp(float(quanta), -shift)

    def aim(self) -> None:
        """Let the next learner regress on the working response."""
        arrays = self._response, self._weight
        shifts = [_shift(size, self._response.size) for size in self._greatest]
        scales = [ldexp(1.0, shift) for shift in shifts]
        self._aim = [
            (*pair, scales)
            for pair in zip(*(self.split_up(array) for array in arrays), strict=True)
        ]
        for shard, (response, weight, _) in zip(self.shards, self._aim, strict=True):
            shard.build_pairs(response, weight, scales, None, None, shard.histogram, self.n_threads)
        quanta = int(self.histogram()[1, 0].sum())
        self.unit = [ldexp(1.0, shifts[1] - shift) / quanta for shift in shifts]  # weights sum to 1

    def error(self, direction: Floats) -> float:
        """Share of the regression's weight on rows that the direction moves the wrong way."""
        scale = self._aim[0][2][1]
        quanta = weight_against(self._weight, self.label, direction, scale, self.n_threads)
        return quanta * self.unit[1]

    def line(self, x: Floats) -> tuple[float, float]:
        """Slope and intercept of the response's least squares on x, which is from -1 to 1."""
        scales = self._aim[0][2]
        wx, wxx, rx = moments(x, self._response, self._weight, scales, self.n_threads)
        response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
        spread = wxx * weight - wx * wx  # whole numbers: nothing is lost in the differences
        together = rx * weight - response * wx
        unit = self.unit[0] / self.unit[1]
        slope = unit * (together / spread) if spread > 0 else 0.0
        return slope, (unit * response - slope * wx) / weight

    def means(self, split: Split) -> Floats:
        """Weighted mean of the response on either side."""
        a, b, c, d = split.quanta
        unit = self.unit[0] / self.unit[1]
        means = [unit * (sum_ / weight) if weight > 0 else 0.0 for sum_, weight in ((a, c), (b, d))]
        return np.array([min(max(mean, -LARGEST_MEAN), LARGEST_MEAN) for mean in means])

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
        for z in (0, 1):
            left, right = factors[2 * z], factors[2 * z + 1]
            on_left, size = rows_left[z], self.class_sizes[z]
            if on_left == 0 or left == right:
                self._multiply_unit(z, right)
                continue
            if on_left == size:
                self._multiply_unit(z, left)
                continue
            # The larger side's factor goes into the class's unit; only the smaller side is visited.
            move_left[z] = 2 * on_left <= size
            small, large = (left, right) if move_left[z] else (right, left)
            visited, rest = quanta[2 * z + 1 - move_left[z]], quanta[2 * z + move_left[z]]
            n_visited = on_left if move_left[z] else size - on_left
            if large > 0 and small / large < MOST / 2:
                ratio[z] = small / large
                # a row may weigh up to half a quantum that no sum shows
                most = rest + ratio[z] * (visited + n_visited / 2)
                incremental[z] = rest + ratio[z] * visited >= LEAST and most <= MOST
            if incremental[z]:
                self._multiply_unit(z, large)
            anew[z] = not incremental[z]
        if incremental[0] or incremental[1]:
            for shard in self.shards:
                shard.reweigh_side(split, ratio, move_left, incremental)
        for z in (0, 1):
            if anew[z]:
                self._reweigh_anew(z, split, factors)
        self._normalise()

    def _reweigh_anew(self, z: int, split: Split, factors: Sequence[float]) -> None:
        """Multiply all weights of the class; a sum that left its range gets other quanta."""
        scaled, exponent = _at_most_one(factors[2 * z : 2 * z + 2])
        for shard in self.shards:
            shard.reweigh_all(split, [*scaled, *scaled], [z == 0, z == 1])
        self._multiply_unit(z, 1.0, exponent + self._requantise(z))

    def _multiply_unit(self, z: int, factor: float, exponent: int = 0) -> None:
        """unit *= factor * 2**exponent; rather than let it overflow, the other unit is lowered."""
        mantissa, power = frexp(factor)
        mantissa *= self.unit[z]
        power += exponent
        if power <= 0:
            self.unit[z] = ldexp(mantissa, power)
        else:
            self.unit[z] = mantissa
            self.unit[1 - z] = ldexp(self.unit[1 - z], -power)

    def _normalise(self) -> None:
        """Keep the larger unit near the top of its range, so that the other one has room below."""
        largest = max(self.unit)
        if not UNIT_LEAST < largest < UNIT_MOST and largest > 0:
            shift = UNIT_BITS - frexp(largest)[1]
            self.unit = [ldexp(unit, shift) for unit in self.unit]

    @staticmethod
    def _sum(histograms: Sequence[Histogram]) -> Histogram:
        return histograms[0] if len(histograms) == 1 else np.sum(histograms, axis=0)


def _shift(largest: float, n: int) -> int:
    """k for which n values up to the largest, times 2**k, have a sum that fits."""
    return TARGET_BITS + 3 - n.bit_length() - frexp(largest)[1] if largest > 0 else 0


def _rows(shard: BinnedRows, z: int) -> slice:
    return slice(0, shard.n_positive) if z == 0 else slice(shard.n_positive, shard.n_rows)


def _without_cost(p: float, n: float, fn_cost: float, fp_cost: float) -> tuple[float, float]:
    """Units of w where those of D = c w are given; only their ratio matters."""
    unit, dearest = max(p, n) * 2.0**100, max(fn_cost, fp_cost)  # leaves room for the division
    return p / unit / (fn_cost / dearest), n / unit / (fp_cost / dearest)


def _at_most_one(factors: Sequence[float]) -> tuple[list[float], int]:
    """Factors divided by a power of two, so that no product overflows, and its exponent."""
    exponent = frexp(max(factors))[1]
    return [ldexp(factor, -exponent) for factor in factors], exponent
