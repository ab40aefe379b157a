"""A shard: some rows of a training set with their bins, weights and scores.

The methods of `Shard` are the messages that `Rows` sends. They take plain data and return integer
sums, maxima, counts or vectors with one entry for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, times_power_of_two
from costboost._core.engine._kernels import (
    BINS,
    BinnedRows,
    Features,
    Grower,
    Likelihood,
    NewtonScores,
    ScoreLoss,
    Split,
    Splits,
    TreeLimits,
    fill_runs,
    moments,
    sum_of_quanta,
    sum_pairs,
    weight_against,
)
from costboost._core.rows.messages import Histogram, ShardDraws, Shards
from costboost._core.threads import PARALLEL_CELLS

Scales = Sequence[float]


class Working(NamedTuple):
    """Response and weight of every row, which regression trees sum, and the scales of quanta."""

    response: Floats
    weight: Floats
    scales: Scales


# ---- scores of several classes -------------------------------------------------------------------


class ShardScores(ShardDraws):
    """Binned rows of one shard with a score for each class; arrays have a row for each class."""

    working: Working | None
    _losses: Floats
    _weight: Floats

    def set_score_loss(
        self,
        code: NDArray[np.int32],
        start: Floats,
        log_cost: Floats | None,
        n_classes: int,
        exponential: bool,
    ) -> None:
        """Set the loss of the scores; see `ScoreLoss`."""
        self._score_loss = ScoreLoss(code, start, log_cost, n_classes, exponential)
        self._losses = np.empty(self.n_rows)
        shape = n_classes, self.n_rows
        self._scores, self._directions = np.zeros(shape), np.zeros(shape)
        self._responses, self._weights = np.empty(shape), np.empty(shape)

    def linearise_scores(self, step: float) -> tuple[float, ...]:
        """Compute loss, working responses and weights after a step; return the largest of each."""
        return self._score_loss.evaluate(
            self._scores,
            self._directions if step else None,
            step,
            self._losses,
            self._responses,
            self._weights,
            self.n_threads,
        )

    def propose_class(self, k: int, direction: Floats, scale: float) -> int:
        """Take the scores of a hypothesis as the direction of the next step of class k.

        Returns the weight of the regression, in quanta, on rows that it moves the wrong way.
        """
        self._directions[k] = direction
        total: int = weight_against(
            self._weights[k], self._responses[k], self._directions[k], scale, self.n_threads
        )
        return total

    def accept_scores(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._directions *= step
        self._scores += self._directions

    def confusion(self, scale: float) -> NDArray[np.int64]:
        """Weight of the rows of each class (row) whose greatest score is that of each (column).

        Weights are multiplied by the scale and rounded. Of equal scores the first is the greatest.
        """
        return self._score_loss.decisions(self._scores, scale, self.n_threads)

    def set_class_targets(self, k: int, scales: Scales) -> None:
        """Make response and weight of class k those that are summed, over the round's rows."""
        self._rows_drawn = self._drawn_in_round
        self._weight = self._weights[k]
        self.working = Working(self._responses[k], self._weight, scales)
        self._is_current = False

    def follow(self, other: Any) -> None:
        """Use the scores of another shard of the same rows, and its rows drawn for the round."""
        self._row_numbers, self._drawn_in_round = other._row_numbers, other._drawn_in_round
        self._responses, self._weights = other._responses, other._weights
        self._directions = other._directions


# ---- a shard -------------------------------------------------------------------------------------


class Shard(ShardScores):
    """Binned rows of one shard, sorted by class, positives first."""

    def __init__(self, binned: BinnedRows, columns: Any = None) -> None:
        super().__init__(binned, columns)
        binned.prepare()
        self.classes = slice(0, self.n_positive), slice(self.n_positive, self.n_rows)
        self.working: Working | None = None
        self._order: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        self._spare: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        self._nodes: dict[int, Node] = {}
        self._leaves: NDArray[np.int64] = np.empty((0, 4), dtype=np.int64)
        self._grower: Grower | None = None
        self._n_growers = 1

    def beside(self) -> Shard:
        """The same rows for another thread, with sums and trees of its own; see `follow`."""
        columns = None if self.view is self.binned else self.view
        other = Shard(self.binned.beside(), columns)
        other._n_growers = self.n_threads
        return other

    # ---- rows ------------------------------------------------------------------------------------

    def size(self) -> int:
        """Number of rows."""
        return self.n_rows

    def label(self) -> Floats:
        """+1 or -1 for every row."""
        return np.where(np.arange(self.n_rows) < self.n_positive, 1.0, -1.0)

    def count(self, copies: bool = False) -> Histogram:
        """Number of rows of each class in each bin, or of their copies."""
        counts: Histogram = self.binned.count(copies)
        return counts

    def count_copies(self, copies: NDArray[np.int64]) -> None:
        """Set the number of rows that each row counts as in a leaf."""
        self.binned.count_copies(copies)

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """Bin of a feature for every row."""
        return np.ascontiguousarray(self.binned.column(feature))

    def on_left(self, split: Split) -> NDArray[np.bool_]:
        """Mask of the rows on the left of a split."""
        if split.feature < 0:
            return np.zeros(self.n_rows, dtype=bool)
        return np.asarray(split.left.astype(bool)[self.bins(split.feature)])

    def scores(self, hypothesis: Any) -> Floats:
        """Value of a hypothesis for every row."""
        scores: Floats = hypothesis.scores(self.view)
        return scores

    # ---- weights ---------------------------------------------------------------------------------

    def histogram(self) -> Histogram:
        """Two sums for every bin: weights of positives and negatives, or response and weight."""
        sums: Histogram = self.binned.histogram
        if not self._is_current:
            if self.working is not None:
                self.binned.build_responses(self.working, self._rows_drawn, sums, self.n_threads)
            else:
                assert self._rows_drawn is not None
                self.binned.build_node(self._rows_drawn, sums, False, self.n_threads)
            self._is_current = True
        return sums

    def set_equal_weights(self, z: int, scale: float, counts: Histogram | None) -> None:
        """Set the weight of all rows of class z to an integer number of quanta."""
        self.binned.weight[self.classes[z]] = scale
        self.binned.histogram[z] = (self.count() if counts is None else counts)[z]
        self.binned.histogram[z] *= int(scale)

    def set_weights(self, weight: Floats) -> None:
        """Set the weight of every row; `scale_weights` converts them to quanta."""
        self.binned.weight[:] = weight

    def largest_weights(self, classes: Sequence[int]) -> tuple[float, ...]:
        """Largest weight of each of the classes."""
        parts = (self.binned.weight[self.classes[z]] for z in classes)
        return tuple(float(part.max()) if part.size else 0.0 for part in parts)

    def sum_weights(self, classes: Sequence[int], exponents: Sequence[int]) -> tuple[int, ...]:
        """Sum of the weights of each class times 2**exponent, each rounded."""
        return tuple(
            int(_rounded(times_power_of_two(self.binned.weight[self.classes[z]], exponent)).sum())
            for z, exponent in zip(classes, exponents, strict=True)
        )

    def scale_weights(self, classes: Sequence[int], exponents: Sequence[int]) -> None:
        """Multiply the weights of each class by 2**exponent and build its histogram."""
        for z, exponent in zip(classes, exponents, strict=True):
            part = self.binned.weight[self.classes[z]]
            part[:] = times_power_of_two(part, exponent)
        if self._rows_drawn is None:
            self.binned.build(0 in classes, 1 in classes)
        self._is_current = self._rows_drawn is None

    def multiply_side(
        self, split: Split, ratio: Sequence[float], left: Sequence[bool], classes: Sequence[bool]
    ) -> None:
        """Multiply the weights on one side of a split and update the histograms."""
        if self._rows_drawn is None:
            self.binned.reweigh_side(split, ratio, left, classes)
            return
        factors = [
            ratio[z] if on_left == left[z] else 1.0 for z in (0, 1) for on_left in (True, False)
        ]
        self.binned.reweigh_all(split, factors, classes)

    def multiply_all(self, z: int, split: Split, factors: Sequence[float]) -> None:
        """Multiply all weights of a class by the factor of their side; no histogram is built."""
        self.binned.reweigh_all(split, [*factors, *factors], [z == 0, z == 1])

    def multiply_bins(self, z: int, feature: int, factors: Floats) -> None:
        """Multiply all weights of a class by the factor of their bin; no histogram is built."""
        rows = self.classes[z]
        self.binned.weight[rows] *= factors[self.bins(feature)[rows]]

    def multiply_leaves(self, z: int, factors: Sequence[float]) -> None:
        """Multiply all weights of a class by the factor of their leaf; no histogram is built."""
        if self._rows_drawn is not None:
            rows = self.classes[z]
            self.binned.weight[rows] *= np.array(factors)[self._leaf[rows]]
            return
        runs = self._leaves[:, 2 * z : 2 * z + 2].tolist()
        for (begin, end), factor in zip(runs, factors, strict=True):
            self.binned.reweigh_rows(self._order, begin, end, factor)

    # ---- regression ------------------------------------------------------------------------------

    def set_likelihood(
        self,
        label: Floats,
        start: Floats,
        share: Any,
        slope: Any,
        offset: Any,
        expected: bool = False,
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset.

        ``expected`` takes the probability of a mistake for the loss instead of the log loss.
        """
        if self.working is None:
            self._newton = newton = NewtonScores(self.n_rows, self.n_threads)
            self._response, self._weight, self._losses = newton.response, newton.weight, newton.loss
        likelihood = Likelihood(label, start, share, slope, offset, expected)
        self._newton.set_likelihood(likelihood)

    def propose(
        self,
        direction: Floats,
        scale: float,
        draws: bool,
        step: float,
        largest_logit: float,
        plain: bool,
        same_logit: bool,
    ) -> tuple[int, int, tuple[float, ...]]:
        """Take the scores of a hypothesis as the direction of the next step, and try one.

        Returns the weight of the regression, in quanta, on rows that it moves the wrong way; with
        ``draws`` that of all rows, else 0; and the result of `linearise`, or that of `losses`.
        """
        against = self._newton.propose(direction, scale)
        every = self.total_weight(scale) if draws else 0
        if not same_logit:
            return against, every, (self.losses(step),)
        return against, every, self._newton.linearise(step, largest_logit, plain)

    def accept(self) -> None:
        """Keep the score that was tried last."""
        self._newton.accept()

    def losses(self, step: float) -> float:
        """Compute the loss of every row after a step; return the largest."""
        return self._newton.find_losses(step)

    def linearise(self, step: float | None, largest_logit: float, plain: bool) -> tuple[float, ...]:
        """Compute loss, working response and weight of every row; return the largest of each.

        They are those after a step, or without one those at the accepted score.
        """
        return self._newton.linearise(step, largest_logit, plain)

    def sum_losses(self, scale: float) -> int:
        """Sum of the losses in quanta."""
        total: int = sum_of_quanta(self._losses, scale, self.n_threads)
        return total

    def losses_and_histogram(self, scale: float) -> tuple[int, Histogram]:
        """`sum_losses` and `histogram`."""
        return self.sum_losses(scale), self.histogram()

    def set_targets(self, scales: Scales) -> None:
        """Replace the histogram of weights by that of working response and weight.

        It is built when it is needed: `grow` does without.
        """
        self.working = Working(self._response, self._weight, scales)
        self._is_current = False

    def total_weight(self, scale: float) -> int:
        """Sum of the weights of the regression over all rows, in quanta."""
        total: int = sum_of_quanta(self._weight, scale, self.n_threads)
        return total

    def moments(self, x: Floats, scales: Scales) -> tuple[int, int, int]:
        """Sums of w x, w x^2 and r x in quanta, for x in [-1, 1], weight w and response r."""
        sums: tuple[int, int, int] = moments(
            x, (self._response, self._weight, scales), self.n_threads
        )
        return sums

    # ---- nodes of trees --------------------------------------------------------------------------

    def begin_tree(self, with_counts: bool) -> None:
        """Reset the order of the rows; node 0 has all of them, or those drawn."""
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
        sums = self.histogram().copy()
        if with_counts:
            counts = self.count(copies=True) if self._rows_drawn is None else self.count_drawn()
            sums = np.concatenate([sums, counts])
        self._nodes = {0: Node(bounds, sums)}

    def divide(self, divisions: Sequence[Division]) -> tuple[tuple[Histogram, int], ...]:
        """Split nodes; return the sums, with counts if they are kept, and sizes of the left sides.

        A node that has been split may still become a leaf: its sides are then forgotten.
        """
        return tuple(self._divide(*one) for one in divisions)

    def _divide(self, parent: int, split: Split, left: int, right: int) -> tuple[Histogram, int]:
        """Split a node; of the smaller side the sums are built, those of the other are the rest."""
        node = self._nodes[parent]
        a, b, c, d = node.bounds
        binned, order, spare = self.binned, self._order, self._spare
        p = binned.partition(split, a, b, order, spare)
        q = binned.partition(split, c, d, order, spare)
        sides = [a, p, c, q], [p, b, q, d]
        small = int(_size(sides[0]) > _size(sides[1]))
        sums = self._sums_of(sides[small], len(node.sums) > 2)
        rest = node.sums - sums
        both = (sums, rest) if small == 0 else (rest, sums)
        self._nodes[left], self._nodes[right] = map(Node, sides, both)
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
        self._leaves = np.array([self._nodes[leaf].bounds for leaf in leaves], dtype=np.int64)
        self._nodes = {}

    def grow(
        self,
        features: Features,
        units: Sequence[float] | None,
        shares: Sequence[float] | None,
        criterion: Any,
        limits: TreeLimits,
        draw: tuple[int, int, bool] | None,
    ) -> tuple[NDArray[np.int32], Splits, Floats, Floats, Floats, tuple[int, int] | None]:
        """Grow a whole tree and keep the rows of its leaves; see `Grower.grow`."""
        if self._grower is None:
            self._grower = Grower(self.binned, features, self._n_growers)
        self._order = self._grower.order
        if units is not None:
            self.histogram()  # of the rows drawn
        left, splits, gain, share, runs, levels, sums = self._grower.grow(
            self.working, units, shares, criterion, limits, self._rows_drawn, draw
        )
        self._leaves = runs[left < 0]
        return left, splits, gain, share, levels, sums

    def scores_of_leaves(self, value: Floats) -> Floats:
        """Value of the leaf of every row, for the tree grown last."""
        scores = np.empty(self.n_rows)
        fill_runs(self._order, self._leaves, value, scores)
        return scores

    def members(self, node: int | None) -> NDArray[np.intp]:
        """Indices of the rows of a node; without one, of all rows or those drawn."""
        if node is not None:
            a, b, c, d = self._nodes[node].bounds
            return np.concatenate([self._order[a:b], self._order[c:d]]).astype(np.intp)
        if self._rows_drawn is None:
            return np.arange(self.n_rows)
        return self._rows_drawn.rows[: self._rows_drawn.bounds[3]].astype(np.intp)

    def sums(
        self,
        first: Floats,
        second: Floats,
        node: int | None,
        features: NDArray[np.int32] | None = None,
    ) -> Histogram:
        """Sum two vectors of quanta in each bin, over the rows of a node, those drawn, or all."""
        rows = self._rows_of(node)
        given = first, second, (1.0, 1.0)
        if features is not None:
            some: Histogram = self.binned.sum_columns(given, rows, features)
            return some
        total: Histogram = np.zeros((2, self.binned.n_features, BINS), dtype=np.int64)
        self.binned.build_responses(given, rows, total, self.n_threads)
        return total

    def rate_moments(
        self, amount: Floats, rate: Floats, node: int | None, features: NDArray[np.int32]
    ) -> NDArray[np.int64]:
        """Sum amount, in quanta, times rate**k, k = 0 to 3; see `sums`."""
        return self.binned.sum_moments(amount, rate, self._rows_of(node), features)

    def _rows_of(self, node: int | None) -> Any:
        """The rows of a node; without one, those drawn, or None for all."""
        return self._rows_drawn if node is None else (self._order, self._nodes[node].bounds)

    # ---- stumps ----------------------------------------------------------------------------------

    def sum_staged(
        self, splits: Splits, values: Floats, limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        """Amount of each class with a score above the limit, after each round of stumps."""
        above: NDArray[Any] = self.binned.sum_staged(splits, values, limit, row_limit, amount)
        return above


def _rounded(values: Floats) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


class Division(NamedTuple):
    """A split of a node, and the numbers of its two sides."""

    parent: int
    split: Split
    left: int
    right: int


class Node(NamedTuple):
    """A tree node: its ranges of positives and of negatives, and its sums for every bin."""

    bounds: Sequence[int]
    sums: Histogram


_NOTHING: Histogram = np.empty((0, 0, BINS), dtype=np.int64)


def _size(bounds: Sequence[int]) -> int:
    """Number of rows in the ranges of a node."""
    a, b, c, d = bounds
    return b - a + d - c


# ---- pairs (row, label) of one shard -------------------------------------------------------------

# The methods of `PairShard` are the messages that a `PairSource` sends while one tree grows.

Labels = NDArray[np.uint8]
"""Labels of the pairs of a node, which has all of them for each of its rows."""


class PairData(Protocol):
    """Binned rows in several shards, on which trees over pairs are grown."""

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> Shards:
        """Shards with the weights of all pairs, n_rows x n_labels, as a tree needs them."""

    def values(self, function: Any, *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""


class RowDivision(NamedTuple):
    """A split of a set of rows, and the numbers of the two resulting sets."""

    parent: int
    split: Split
    left: int
    right: int


class NodeSums(NamedTuple):
    """Sums of a node in every bin, without those that are 0, and its number of rows."""

    n_rows: int
    place: NDArray[np.uint32]
    """Places of the sums in the flat array of all."""
    value: NDArray[np.int64]


class PairShard:
    """Weights of the pairs of one shard, and the sets of rows of a tree's nodes.

    Nodes that differ in their labels may have the same set of rows. Set 0 are the rows with at
    least one pair whose weight is not 0.
    """

    def __init__(self, binned: BinnedRows, weight: NDArray[Any], counting: bool) -> None:
        self.binned = binned
        self.weight = np.ascontiguousarray(weight, dtype=np.int64)
        self.counting = counting
        self._rows = {0: np.flatnonzero(self.weight.any(axis=1)).astype(np.uint32)}
        self._spare = np.empty(self._rows[0].size, dtype=np.uint32)

    def divide(self, divisions: Sequence[RowDivision]) -> None:
        """Split sets of rows."""
        for parent, split, left, right in divisions:
            rows = self._rows[parent].copy()  # another node may have the same set
            middle = self.binned.partition(split, 0, rows.size, rows, self._spare)
            self._rows[left], self._rows[right] = rows[:middle], rows[middle:]

    def release(self, numbers: Sequence[int]) -> None:
        """Forget sets of rows."""
        for number in numbers:
            del self._rows[number]

    def sums(self, nodes: Sequence[tuple[int, Labels]]) -> list[NodeSums]:
        """Weights of the pairs of each node by class in every bin, and their numbers if counting.

        Each node is given as a set of rows and labels. The sums are those of an array of shape
        (2 or 4, n_features + 1, 256), of which most are 0 where a node has few rows.
        """
        shape = 4 if self.counting else 2, self.binned.n_features + 1, BINS
        found = []
        for number, labels in nodes:
            sums = np.zeros(shape, dtype=np.int64)
            rows = self._rows[number]
            many = rows.size * self.binned.n_features >= PARALLEL_CELLS
            sum_pairs(self.binned, self.weight, rows, labels, sums, many)
            flat = sums.ravel()
            place = np.flatnonzero(flat)
            found.append(NodeSums(rows.size, place.astype(np.uint32), flat[place]))
        return found
