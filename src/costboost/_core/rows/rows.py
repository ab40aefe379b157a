"""The rows of a training set: a driver that sends messages to shards and adds up the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from math import ldexp
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, each, exact_sum, times_power_of_two
from costboost._core.backends.protocol import Backend, Division, Histogram
from costboost._core.caching import cached_property
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import (
    ALL_LEVELS,
    BINS,
    Features,
    Split,
    Splits,
    TreeLimits,
    search,
    shared_threads,
)
from costboost._core.rows.class_scores import ScoreResponses
from costboost._core.rows.class_weights import ClassWeights
from costboost._core.rows.draws import RowDraws
from costboost._core.rows.newton import WorkingResponse
from costboost._core.rows.quanta import CONSTANTS_COMPETE, shift_of, without_cost
from costboost._core.rules import Criterion
from costboost._core.threads import PARALLEL_CELLS, side_by_side

T = TypeVar("T")

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


class VotePrices(NamedTuple):
    """What votes for one of several classes cost."""

    columns: list[Vector]
    """For each class, the weights of its rows; those of other rows are 0."""
    price: Floats
    """Price of a vote for a class (column) where another one (row) is true, for a weight of 1."""


# ---- rows in shards ------------------------------------------------------------------------------


MANY_FEATURES = 512
"""The search for a split uses several threads from so many features on."""


class Rows(RowDraws):
    """Binned rows in one shard or several.

    Attributes
    ----------
    weights : ClassWeights
        The weights of the rows, which rules multiply.
    response : WorkingResponse
        Target of regressions, for rules that boost by Newton's method.
    responses : ScoreResponses
        Targets of all classes, if rows have a score for each; `response` is one of them.
    amounts : ClassWeights or WorkingResponse
        Which of these two provides the sums of every bin that splits are compared by.
    counts : array of shape (2, n_features, 256)
        Number of rows of each class in every bin.
    leaf_counts : array of shape (2, n_features, 256)
        Counts for `min_samples_leaf`: `counts`, with each row repeated by its `copies`.
    copies : vector or None
        Number of rows that each row counts as in a leaf; None if each counts as one.
    """

    def __init__(
        self,
        backend: Backend[Vector],
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
    ) -> None:
        super().__init__(backend)
        self.n_bins = n_bins
        self.categorical = categorical
        self.features = Features(n_bins, categorical)
        self.n_features = len(n_bins)
        self.n_threads = backend.n_threads
        self.counts: Histogram = backend.count(False)
        self.leaf_counts: Histogram = self.counts
        self.copies: Vector | None = None
        self.weights = ClassWeights(backend, self.counts)
        self.n_rows = sum(self.weights.class_sizes)
        self.response = WorkingResponse(backend, self.n_rows)
        self.responses: ScoreResponses
        self.amounts: ClassWeights | WorkingResponse = self.weights
        self.votes: VotePrices
        self.row_weight: Vector = None
        self.row_cost: Vector = None
        """Weight and cost of each row if rows have individual costs, else None."""
        self._total = 1.0
        self._n_trees = self._n_nodes = 0
        self._search_threads = self.n_threads if self.n_features >= MANY_FEATURES else 1

    # ---- rows ------------------------------------------------------------------------------------

    @cached_property
    def varies(self) -> NDArray[np.bool_]:
        """Mask of the features with several values, a missing one being a value too.

        Where there are none, of those with a value that is not missing.
        """
        taken = self.counts.sum(axis=0) > 0
        several = taken.sum(axis=1) > 1
        return np.asarray(several if several.any() else taken[:, : BINS - 1].any(axis=1))

    @cached_property
    def label(self) -> Vector:
        """+1 or -1 for every row."""
        return self.backend.label()

    def vector(self, values: NDArray[Any]) -> Vector:
        """Convert the values of all rows, shard after shard, to a vector."""
        return self.backend.spread(values)

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values of the rows in the order of the shards, whose positives come first."""
        return self.backend.arranged(values, positive)

    def gathered(self, vector: Vector) -> NDArray[Any]:
        """The values of a vector, shard after shard."""
        return self.backend.gather(vector)

    def bins(self, feature: int) -> Vector:
        """Bin of a feature for every row."""
        return self.backend.bins(feature)

    def on_left(self, split: Split) -> Vector:
        """Mask of the rows on the left of a split."""
        return self.backend.on_left(split)

    def scores(self, hypothesis: Any) -> Vector:
        """Value of a hypothesis for every row."""
        if hypothesis.tree is not None and hypothesis.tree == self._n_trees and not self.samples:
            return self.backend.scores_of_leaves(hypothesis.value)
        return self.backend.scores(hypothesis)

    def leaves(self, hypothesis: Any) -> Vector:
        """Leaf of a hypothesis for every row."""
        return self.backend.leaves(hypothesis)

    def count_copies(self, copies: Vector) -> None:
        """Set the number of rows that each row counts as in a leaf."""
        self.copies = copies
        self.backend.count_copies(copies)
        self.leaf_counts = self.backend.count(True)

    def direct(self, monotone: NDArray[np.int8]) -> None:
        """Set the direction of each feature: 1 if greater values must not lower the score of a row,
        -1 if they must not raise it, or 0."""
        self.features = self.features.directed(np.ascontiguousarray(monotone, np.int8))

    def direction(self, feature: int) -> int:
        """Direction of a feature."""
        monotone = self.features.monotone
        return 0 if monotone is None or feature < 0 else int(monotone[feature])

    # ---- weights ---------------------------------------------------------------------------------

    def set_row_weights(self, weight: Vector, cost: Vector | None = None) -> None:
        """Set the weight of every row, and its cost for criteria that use it."""
        self.weights.set_rows(weight)
        if cost is not None:
            self.row_weight, self.row_cost = weight, cost
            if self.samples:
                self.weights.histogram()  # all rows are drawn if the others have no weight
                drawn = weight * self.backend.is_drawn()
                self.row_weight = drawn / exact_sum(drawn)

    def set_targets(self) -> None:
        """Make the working response the target of the next learner."""
        self.amounts = self.response
        self._total = 1.0

    def begin_scores(self, n_classes: int) -> ScoreResponses:
        """Give every row a score for each class, of which `set_class_targets` selects one."""
        self.responses = ScoreResponses(self.backend, self.n_rows, n_classes, self.samples)
        return self.responses

    def set_class_targets(self, k: int) -> None:
        """Make the working response of class k the target of the next learner."""
        self.begin_class(k)
        self.response = self.responses.classes[k].on(self.backend)
        self.response.set_targets()
        self.set_targets()

    def each_class(self, find: Callable[[Rows, int], T]) -> list[T]:
        """Results of ``find`` for each class, given rows whose target is its working response.

        Classes are worked on side by side in several threads, each with rows that have sums and
        trees of their own; what is found does not depend on it.
        """
        n_classes = len(self.responses.classes)
        n_together, n_threads = self._side_by_side(n_classes)
        others = self.backend.lanes(n_threads) if n_threads > 1 else []
        found: list[T] = []
        if others:
            workers = [partial(self._beside(one)._of_class, find) for one in others]
            found = side_by_side(workers, n_together)
            self._n_trees += n_together + 1  # a number that none of their trees has
        return found + [self._of_class(find, k) for k in range(len(found), n_classes)]

    def _side_by_side(self, n_classes: int) -> tuple[int, int]:
        """How many classes are worked on side by side, and in how many threads.

        Of many rows, classes that would leave half of the threads without work share all of them.
        """
        n_threads = shared_threads(self.n_threads)
        cells = self.n_rows * self.n_features
        last = n_classes % n_threads
        alone = last if cells >= PARALLEL_CELLS and 2 * last <= n_threads else 0
        return n_classes - alone, min(n_threads, n_classes - alone)

    def _beside(self, backend: Backend[Vector]) -> Rows:
        """These rows for another thread."""
        other = copy(self)
        other.backend = backend
        other.n_threads = other._search_threads = 1
        return other

    def _of_class(self, find: Callable[[Rows, int], T], k: int) -> T:
        self.set_class_targets(k)
        return find(self, k)

    def set_votes(self, weight: Vector, code: Vector, price: Floats) -> None:
        """Set the weight of every row and, for votes on several classes, what each one costs.

        ``price[j, k]`` is the price of a vote for class k where class j is true.
        """
        self.set_row_weights(weight)
        self.votes = VotePrices([weight * (code == k) for k in range(len(price))], price)

    def histogram(self) -> Histogram:
        """Histogram of `amounts`: two sums for every bin of every feature, in quanta."""
        return self.amounts.histogram()

    def class_shares(self) -> tuple[float, float]:
        """Weight shares of the two classes; for a regression, sums of response and weight."""
        p, n = self.amounts.class_sums()
        self._total = 1.0 if self.amounts is self.response else p + n
        return p / self._total, n / self._total

    def _units(self) -> tuple[float, float]:
        """Values of the quanta as shares of the total weight, which `class_shares` computes."""
        return self.amounts.unit[0] / self._total, self.amounts.unit[1] / self._total

    def all_bin_weights(self) -> Floats:
        """Weight shares of both classes in every bin of every feature."""
        p, n = self.class_shares()
        if p + n == 0:
            return np.zeros(self.counts.shape)
        return np.asarray(self.histogram() * np.array(self._units())[:, None, None])

    def bin_weights(self, feature: int, bins: NDArray[np.intp]) -> Floats:
        """Weight shares of both classes in some bins of a feature."""
        self.class_shares()
        return np.asarray(self.histogram()[:, feature, bins] * np.array(self._units())[:, None])

    def cell_weights(self, split: Split) -> Floats:
        """Weight shares of positives left and right, and of negatives left and right."""
        weights: Floats = split.shares(*self.amounts.unit)
        return weights

    # ---- splits of all rows ----------------------------------------------------------------------

    def best_split(self, criterion: Criterion, min_samples_leaf: int = 1) -> Split | None:
        """The split (or constant vote) with the least criterion; None if there is no split."""
        counts = self.counts_for_leaves() if min_samples_leaf > 1 else None
        kind = criterion.kind
        units: Sequence[float] = self.amounts.unit
        if kind == "joint":
            units = without_cost(units[0], units[1], criterion.fn_cost, criterion.fp_cost)
        split = search(
            self.amounts.histogram(), units, self.features, criterion,
            counts, min_samples_leaf, kind != "squares", self._search_threads,
            self._draw_of_node(0) if self.draws else None,
        )  # fmt: skip
        return split if kind in CONSTANTS_COMPETE or split.feature >= 0 else None

    def table_losses(self, criterion: Criterion) -> Floats:
        """Criterion of every feature if each of its bins is a leaf."""
        self.class_shares()
        if criterion.kind in CONSTANTS_COMPETE:
            criterion = criterion._replace(kind="error")
        units = self._units()
        losses = _kernels.table_losses(self.histogram(), units, self.features, criterion)
        return np.where(self.features_of_tables(), losses, np.inf)

    def best_logistic_vote(self, values: Floats) -> tuple[Split, float] | None:
        """The logistic regression on one feature with the best vote, and its threshold.

        ``values`` are those of the bins of every feature. None if no feature has a regression.
        """
        self.class_shares()
        return _kernels.best_logistic_vote(self.histogram(), self._units(), self.features, values)

    # ---- nodes of trees --------------------------------------------------------------------------

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

    # ---- sums of vectors -------------------------------------------------------------------------

    def sums(
        self,
        first: Vector,
        second: Vector,
        node: NodeRows | None = None,
        features: NDArray[np.intp] | None = None,
    ) -> tuple[Floats, tuple[float, float]]:
        """Sum two vectors in each bin; return the sums and bounds of their rounding errors.

        The sums are those of all features, or of the given ones.
        """
        (p, first), (q, second) = self._quantised(first), self._quantised(second)
        number = None if node is None else node.number
        columns = None if features is None else features.astype(np.int32)
        total = self.backend.sums(first, second, number, columns)
        # every row is rounded once, and a sum of up to 2**61 quanta once more as a float
        errors = (self.n_rows + 512) * p, (self.n_rows + 512) * q
        return total * np.array([p, q])[:, None, None], errors

    def rate_moments(
        self,
        amount: Vector,
        rate: Vector,
        node: NodeRows | None,
        features: NDArray[np.intp],
    ) -> tuple[NDArray[np.int64], float]:
        """Sum amount times rate**k, k = 0 to 3, in each bin of the features.

        Amounts are not negative, and rates between -1 and 1. Returns whole quanta, and the value of
        a quantum; each row is rounded once.
        """
        unit, scaled = self._quantised(amount)
        number = None if node is None else node.number
        columns = features.astype(np.int32)
        sums: NDArray[np.int64] = self.backend.rate_moments(scaled, rate, number, columns)
        return sums, unit

    def _quantised(self, values: Vector) -> tuple[float, Vector]:
        """Value of a quantum, and the values in quanta."""
        largest = max(float(values.max()), -float(values.min()))
        if largest == 0:
            return 0.0, values
        shift = shift_of(largest, self.n_rows)
        return ldexp(1.0, -shift), each(times_power_of_two, values, shift)

    def amounts_above(
        self, splits: Splits, values: Floats, limit: Floats, row_limit: Any, amount: Any
    ) -> NDArray[Any]:
        """Amount of each class with a score above the limit, after each round of stumps."""
        given = splits, values, limit, row_limit, amount
        above: NDArray[Any] = self.backend.sum_staged(*given)
        return above


def leaf_loss(criterion: Criterion, p: float, q: float, bounds: Bounds = ALL_LEVELS) -> float:
    """Contribution of a leaf with the weight shares p and q to the criterion."""
    loss: float = _kernels.leaf_loss(criterion, p, q, bounds)
    return loss
