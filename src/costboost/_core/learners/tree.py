"""Decision trees over rows, or over pairs (row, label), grown best gain first on histograms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, times_power_of_two
from costboost._core.caching import cached_property
from costboost._core.cells import Outcome
from costboost._core.engine._kernels import (
    ALL_LEVELS,
    BINS,
    TIE,
    BinnedRows,
    Features,
    Interactions,
    OpenLeaves,
    Split,
    Splits,
    TreeLimits,
    accept_pairs,
    bounds_of_sides,
    grow_pairs,
    may_follow,
    prune_pairs,
    search,
    values_at,
)
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble, Node
from costboost._core.learners import Laid, row_costs
from costboost._core.rows import (
    Bounds,
    Grown,
    Histogram,
    NodeRows,
    PairData,
    RowDivision,
    Rows,
    Shards,
    leaf_loss,
    mean_response,
)
from costboost._core.rules import DRAW, Criterion
from costboost._core.threads import PARALLEL_CELLS

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


# ---- trees over pairs (row, label), whose weights are positive or negative -----------------------

ENTROPY = Criterion("entropy")
QUANTA_BITS = 58
"""All weights of pairs together come to at most 2**58 quanta."""
MOST_LABELS = BINS - 1


@dataclass(frozen=True, eq=False)
class PairTree:
    """A relation h(x, y): whether label y is accepted for the row x.

    Attributes
    ----------
    feature : int32 array
        Feature that a node tests; the number of features for a test of the label, -1 for a leaf.
    left : int32 array
        Left child; the right one lies behind it.
    goes_left : uint64 array of 4 columns
        A bit for each bin, or for each label.
    accepts : uint8 array
        Whether a leaf accepts its pairs.
    gain : float64 array
        How much a test lowered the criterion.
    """

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    goes_left: NDArray[np.uint64]
    accepts: NDArray[np.uint8]
    gain: Floats

    def accepted(self, rows: BinnedRows | PairData, n_labels: int) -> NDArray[np.bool_]:
        """h(x, y) for every row and label."""
        if not isinstance(rows, BinnedRows):
            bits = rows.values(_accepted_bits, self, n_labels)
            return np.unpackbits(bits.T, axis=1, count=n_labels).view(np.bool_)
        found = accept_pairs(rows, self.feature, self.left, self.goes_left, self.accepts, n_labels)
        return found.view(np.bool_)


def _accepted_bits(rows: BinnedRows, tree: PairTree, n_labels: int) -> NDArray[np.uint8]:
    """h(x, y) for every row (a column) and label (a bit)."""
    return np.packbits(tree.accepted(rows, n_labels), axis=1).T


class PairTreeLearner:
    """Grows a tree on all pairs (row, label) without storing them.

    The label is one more feature, categorical: a test sends some labels left and the others right.
    Splits minimise the entropy of the signs on either side, by weight, as C4.5's do, and it may be
    pruned much as C4.5 is: a subtree becomes a leaf unless it is expected to err less, the errors
    of a leaf being those at the upper end of Wilson's interval for its pairs, at 25%.
    """

    def __init__(
        self,
        binning: Binning,
        n_labels: int,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        prune: bool = False,
    ) -> None:
        self.features = Features(
            np.append(binning.n_bins, np.int32(n_labels)),
            np.append(binning.categorical, np.uint8(1)),
        )
        self.limits = TreeLimits(max_depth, None, min_samples_leaf, LEAST_GAIN, PARALLEL_CELLS)
        self.prune = prune

    def find(self, rows: BinnedRows | PairData, weight: Floats) -> PairTree:
        """The tree for the weights, n_rows x n_labels; their signs are the classes of the pairs."""
        quanta = in_quanta(weight)
        if not isinstance(rows, BinnedRows):
            return GrowingPairTree(rows, quanta, self.features, self.limits).grown(self.prune)
        grown = grow_pairs(rows, quanta, self.features, ENTROPY, self.limits, self.prune)
        return PairTree(*grown)


def in_quanta(weight: Floats) -> NDArray[np.int64]:
    """Weights as whole numbers, as many bits as their sum allows."""
    shift = QUANTA_BITS - frexp(float(np.abs(weight).sum()))[1]
    return np.ascontiguousarray(np.rint(times_power_of_two(weight, shift)), dtype=np.int64)


# ---- growth on several shards --------------------------------------------------------------------


SUMS_AT_A_TIME = 2**21
"""Sums of nodes that are split together, so that few messages are needed and memory suffices."""


@dataclass(eq=False)
class PairBranch:
    """A node of a growing tree: a set of rows times a set of labels."""

    rows: int
    """Number of the set of rows in the shards."""
    n_rows: int
    labels: NDArray[np.uint8]
    share: tuple[float, float]
    """Weight of each class as a share of the total."""
    depth: int
    sums: Any = None
    """Weights and numbers of its pairs in every bin, while they are needed."""
    n_pairs: int = 0
    split: Any = None
    feature: int = -1
    gain: float = 0.0
    sides: list[PairBranch] = field(default_factory=list)
    """The two children, if there are any."""

    @property
    def size(self) -> int:
        """Number of its pairs, also those whose weight is 0."""
        return self.n_rows * self.labels.size

    @property
    def smaller(self) -> int:
        """Which of the two children is the smaller one."""
        return int(self.sides[0].size > self.sides[1].size)


class GrowingPairTree:
    """A tree over pairs of rows in several shards: the shards add up weights, this object decides.

    It is, bit for bit, the tree that `grow_pairs` grows on the same rows in one process.
    """

    def __init__(
        self,
        data: PairData,
        weight: NDArray[np.int64],
        features: Features,
        limits: TreeLimits,
    ) -> None:
        self.features = features
        self.limits = limits
        self.label = features.n_bins.size - 1
        self.of_label = Features(features.n_bins[-1:], features.categorical[-1:])
        self.counting = limits.min_samples_leaf > 1
        self.shards: Shards = data.pairs(weight, self.counting)
        n_sums = (4 if self.counting else 2) * features.n_bins.size * BINS
        self.n_at_a_time = max(1, SUMS_AT_A_TIME // n_sums)
        self.unit = 0.0
        self.n_sets = 1
        self.kept = {0}
        """Numbers of the sets of rows that the shards keep."""
        labels = np.arange(weight.shape[1], dtype=np.uint8)
        self.root = PairBranch(0, 0, labels, (0.0, 0.0), 0)

    def grown(self, pruned: bool) -> PairTree:
        """Grow the tree; prune it if asked to."""
        root = self.root
        self._measure([root])
        totals = [float(total) for total in root.sums[:2, self.label].sum(axis=1).tolist()]
        total = totals[0] + totals[1]
        self.unit = 1 / total if total > 0 else 0.0
        root.share = self.unit * totals[0], self.unit * totals[1]
        waiting = [root] if self._search(root) else []
        while waiting:
            parents = waiting[-self.n_at_a_time :]
            del waiting[-self.n_at_a_time :]
            self._divide(parents)
            waiting += [side for one in parents for side in one.sides if self._search(side)]
            self._release(waiting)
        return _laid(root, pruned)

    def _search(self, branch: PairBranch) -> bool:
        """Find the split of a node, the best one or, if none gains, that of the label."""
        sums, least = branch.sums, self.limits.least_gain
        branch.n_pairs = int(sums[2:, self.label].sum()) if self.counting else branch.size
        own = leaf_loss(ENTROPY, *branch.share)
        deepest = self.limits.max_depth
        if own > least and (deepest is None or branch.depth < deepest):
            split = self._best_split(sums, self.features)
            if split.feature >= 0 and own - split.value > least:
                branch.feature, branch.gain, branch.split = split.feature, own - split.value, split
            else:
                split = self._best_split(sums[:, self.label :].copy(), self.of_label)
                if split.feature == 0:
                    branch.feature, branch.split = self.label, split
        if branch.split is None:
            branch.sums = None
        return branch.split is not None

    def _best_split(self, sums: Histogram, features: Features) -> Split:
        counts = sums[2:] if self.counting else None
        given = (self.unit, self.unit), features, ENTROPY, counts, self.limits.min_samples_leaf
        return search(sums[:2], *given, False, 1)

    def _divide(self, parents: Sequence[PairBranch]) -> None:
        """Split nodes; the sums of the lighter sides are received, the others are the rest."""
        for parent in parents:
            parent.sides = self._sides(parent)
        divisions = [
            RowDivision(one.rows, one.split, *(side.rows for side in one.sides))
            for one in parents
            if one.feature != self.label
        ]
        if divisions:
            self.shards.tell("divide", divisions)
        sides = [sorted(one.sides, key=lambda side: sum(side.share)) for one in parents]
        self._measure([light for light, _ in sides])
        for one, (light, rest) in zip(parents, sides, strict=True):
            rest.sums = one.sums - light.sums
            rest.n_rows = one.n_rows - (0 if one.feature == self.label else light.n_rows)
            one.sums = None

    def _sides(self, parent: PairBranch) -> list[PairBranch]:
        """The children of a node, without sums and numbers of rows."""
        a, b, c, d = (self.unit * float(quanta) for quanta in parent.split.quanta)
        shares, depth = ((a, c), (b, d)), parent.depth + 1
        if parent.feature == self.label:
            left = parent.split.left[parent.labels] > 0
            labels = parent.labels[left], parent.labels[~left]
            numbers = parent.rows, parent.rows
        else:
            labels = parent.labels, parent.labels
            numbers = self.n_sets, self.n_sets + 1
            self.n_sets += 2
            self.kept.update(numbers)
        both = zip(numbers, labels, shares, strict=True)
        return [PairBranch(number, 0, own, share, depth) for number, own, share in both]

    def _measure(self, branches: Sequence[PairBranch]) -> None:
        """Set the sums and the numbers of rows of nodes, over all shards."""
        answers = self.shards.answers("sums", [(one.rows, one.labels) for one in branches])
        shape = 4 if self.counting else 2, self.features.n_bins.size, BINS
        for branch, parts in zip(branches, zip(*answers, strict=True), strict=True):
            branch.sums = np.zeros(shape, dtype=np.int64)
            flat = branch.sums.reshape(-1)
            for n_rows, place, value in parts:
                branch.n_rows += n_rows
                flat[place] += value

    def _release(self, waiting: Sequence[PairBranch]) -> None:
        """Let the shards forget sets of rows that no node needs any more."""
        needed = {one.rows for one in waiting}
        if needed < self.kept:
            self.shards.tell("release", sorted(self.kept - needed))
        self.kept = needed


def _laid(root: PairBranch, pruned: bool) -> PairTree:
    """The tree as arrays, with the nodes in the order in which `grow_pairs` makes them."""
    branches, left, waiting = [root], [-1], [root]
    number = {id(root): 0}
    while waiting:
        one = waiting.pop()
        if one.sides:
            left[number[id(one)]] = len(branches)
            for side in one.sides:
                number[id(side)] = len(branches)
                branches.append(side)
                left.append(-1)
            waiting += [one.sides[1 - one.smaller], one.sides[one.smaller]]
    goes_left = np.zeros((len(branches), BINS), dtype=np.uint8)
    for k, one in enumerate(branches):
        if one.split is not None:
            goes_left[k] = one.split.left
    share = np.array([one.share for one in branches])
    feature = np.array([one.feature for one in branches], dtype=np.int32)
    lefts = np.array(left, dtype=np.int32)
    if pruned:
        n_pairs = np.array([one.n_pairs for one in branches], dtype=np.int64)
        prune_pairs(feature, lefts, share, n_pairs)
    return PairTree(
        feature,
        lefts,
        np.packbits(goes_left > 0, axis=1, bitorder="little").view("<u8").astype(np.uint64),
        (share[:, 0] > share[:, 1] + TIE).astype(np.uint8),
        np.array([one.gain for one in branches]),
    )
