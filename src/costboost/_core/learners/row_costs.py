"""Splits under costs that belong to each row.

Candidates are screened by bounds first; those that may be the best are evaluated exactly, by sums
over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, each, first_least
from costboost._core.engine._kernels import ALL_LEVELS, BINS, MISSING, TIE, Split
from costboost._core.learners.joint import joint_split
from costboost._core.learners.screening import (
    BinMoments,
    Candidates,
    LeafBounds,
    Numbers,
    class_sums,
)
from costboost._core.rows import Bounds, NodeRows, Rows
from costboost._core.rules import Criterion
from costboost._core.rules.real import RowLosses

Found = tuple[Split, Floats | None]
"""A split, and the values of its left and right side if the search has computed them."""
LEAVES = {"cost exponential"}
PROBED = (0.0, 0.1, 0.3, 0.7, 0.9, 1.0)
"""Quantiles of the leaf values of a candidate, at which bounds are tightened."""
FEW = 1
"""So many candidates are evaluated rather than excluded by another pass over the rows."""
MOST_PROBES = 40
CRITERIA = {"joint", *LEAVES}
"""Criteria of stumps, and LEAVES of trees and tables, that need every row if rows have costs."""


def refuse_random_cuts(rows: Rows) -> None:
    """Raise a ValueError if thresholds are drawn: every one of them is evaluated here."""
    if rows.draws_cuts:
        raise ValueError(
            "splitter='random' is not possible for a rule that minimises the exponential loss of "
            "costs given for every row; take splitter='best', or one cost for each class"
        )


def best_split(rows: Rows, criterion: Criterion, min_samples_leaf: int) -> Found | None:
    """The best split of all rows, measured, and the values of its sides if they are known."""
    refuse_random_cuts(rows)
    if criterion.kind == "joint":

        def search(features: Numbers | None) -> Found | None:
            return joint_split(rows, min_samples_leaf, features), None

        def gains(split: Split) -> bool:
            return split.feature >= 0
    else:

        def search(features: Numbers | None) -> Found | None:
            return leaf_split(rows, None, criterion, min_samples_leaf, features)

        def gains(split: Split) -> bool:
            return node_loss(rows, None, criterion) - split.value > TIE

    found = first_that_gains(rows.drawn_features(0), search, gains)
    if found is None:
        return None
    split, values = found
    return split.measure(rows.histogram()), None if rows.samples else values


def node_split(
    rows: Rows,
    node: NodeRows,
    criterion: Criterion,
    min_samples_leaf: int,
    place: int = 0,
    bounds: Bounds = ALL_LEVELS,
    allowed: NDArray[np.uint8] | None = None,
) -> Split | None:
    """The best split of the rows of a node, measured; see `Rows.best_node_split`."""
    refuse_random_cuts(rows)

    def search(features: Numbers | None) -> Found | None:
        return leaf_split(rows, node, criterion, min_samples_leaf, features, bounds)

    def gains(split: Split) -> bool:
        return node_loss(rows, node, criterion, bounds) - split.value > TIE

    found = first_that_gains(rows.drawn_features(place, allowed), search, gains)
    return None if found is None else found[0].measure(node.histogram)


def first_that_gains(
    groups: Sequence[Numbers | None],
    search: Callable[[Numbers | None], Found | None],
    gains: Callable[[Split], bool],
) -> Found | None:
    """The best split of the first group of features that has one which gains.

    If there is none, the best split of the first group.
    """
    first = search(groups[0])
    if len(groups) == 1 or (first is not None and gains(first[0])):
        return first
    others = (search(features) for features in groups[1:])
    return next((one for one in others if one is not None and gains(one[0])), first)


def node_loss(
    rows: Rows, node: NodeRows | None, criterion: Criterion, bounds: Bounds = ALL_LEVELS
) -> float:
    """Loss of the rows of a node when they are one leaf."""
    return NodeLosses(rows, node, criterion, bounds).of_one_leaf()


def bounds_of_sides(
    rows: Rows, node: NodeRows, criterion: Criterion, bounds: Bounds, direction: int, split: Split
) -> tuple[Bounds, Bounds]:
    """Bounds of the values of both sides of a split; the middle of their values parts them."""
    if direction == 0:
        return bounds, bounds
    low, high = bounds
    middle = float(NodeLosses(rows, node, criterion, bounds).of_split(split)[1].sum() / 2)
    below, above = (low, middle), (middle, high)
    return (below, above) if direction > 0 else (above, below)


# ---- leaves with values --------------------------------------------------------------------------


def leaf_split(
    rows: Rows,
    node: NodeRows | None,
    criterion: Criterion,
    min_samples_leaf: int,
    features: Numbers | None = None,
    within: Bounds = ALL_LEVELS,
) -> Found | None:
    """The split on one of the features, or all, of least loss exp(-c y g) with its own g a side.

    Returns the values of its sides as well; these are in order if the feature has a direction, and
    within the bounds of the node.
    """
    weight = _order_weights(rows, node, features)
    candidates = Candidates(rows, node, weight, min_samples_leaf, features)
    if not candidates.allowed.any():
        return None
    moments = BinMoments(rows, node)
    n_sides, n, n_positions = candidates.allowed.shape
    bounds = LeafBounds(moments, criterion, (n, 2, n_sides, n_positions))
    allowed = np.ascontiguousarray(candidates.allowed.swapaxes(0, 1))
    least = np.where(allowed, 0.0, np.inf)
    losses = NodeLosses(rows, node, criterion, within)
    direction = np.array([rows.direction(f) for f in candidates.features])

    def evaluate(split: Split) -> tuple[float, Floats]:
        found = losses.of_split(split)
        split.value = found[0]
        return found

    def value_of(k: int) -> tuple[float, Floats]:
        f, missing, position = (int(i) for i in np.unravel_index(k, least.shape))
        return evaluate(candidates.split(f, position, bool(missing)))

    def probe(value: float, some: Numbers) -> None:
        at = bounds.near(value)
        quanta, unit = moments(at, candidates.features[some])
        left = np.stack([candidates.left(moment, some) for moment in quanta]).swapaxes(1, 2)
        total = quanta[:, 0].sum(axis=1)[:, None, None, None]
        bounds.raise_by(np.stack([left, total - left], axis=2), unit, at, some)
        if direction[some].any():
            limits = np.multiply(within, moments.largest)
            ends = (np.clip(one[some], *limits) for one in (bounds.low, bounds.high))
            allowed[some] &= ~_surely_in_wrong_order(direction[some], *ends)
        both = bounds.least[some].sum(axis=1)
        least[some] = np.where(allowed[some], both, np.inf)

    def features_of(chosen: NDArray[np.bool_]) -> Numbers:
        return np.flatnonzero(chosen.any(axis=(1, 2)))

    probe(0.0, np.arange(n))
    survivors = best_first(least, value_of, probe, features_of).swapaxes(0, 1)
    split = candidates.best(survivors[..., None], lambda split: evaluate(split)[0])
    return None if split is None else (split, evaluate(split)[1])


def _surely_in_wrong_order(direction: Numbers, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Which splits have sides whose intervals of values are in the wrong order."""
    d = direction[:, None, None]
    falls, rises = low[:, 0] > high[:, 1], high[:, 0] < low[:, 1]
    return np.asarray(((d > 0) & falls) | ((d < 0) & rises))


def _order_weights(rows: Rows, node: NodeRows | None, features: Numbers | None) -> Floats:
    """Weights of the bins of each class, by which categories are ordered."""
    if node is not None:
        return class_sums(rows, rows.row_weight, node, features)
    weight = rows.all_bin_weights()
    some = np.flatnonzero(rows.categorical)
    if some.size:
        weight[:, some] = class_sums(rows, rows.row_weight, None, some)
    return weight if features is None else weight[:, features]


def best_table(rows: Rows, criterion: Criterion) -> tuple[int, Floats]:
    """The feature of least loss exp(-c y g) when each of its bins takes its own value g.

    Returns the values of its bins as well, the last one that of missing values.
    """
    competes = rows.features_of_tables()
    moments = BinMoments(rows, None)
    bounds = LeafBounds(moments, criterion, (rows.n_features, BINS))
    least = np.where(competes, 0.0, np.inf)
    losses = NodeLosses(rows, None, criterion)

    def probe(value: float, some: Numbers) -> None:
        at = bounds.near(value)
        bounds.raise_by(*moments(at, some), at, some)
        least[some] = np.where(competes[some], bounds.least[some].sum(axis=1), np.inf)

    probe(0.0, np.arange(rows.n_features))
    best_first(least, losses.of_table, probe, np.flatnonzero)
    features = sorted(losses.of_tables)
    found = [losses.of_tables[f] for f in features]
    k = first_least(np.array([loss for loss, _ in found]))
    return features[k], found[k][1]


def table_values(rows: Rows, criterion: Criterion, feature: int) -> Floats:
    """Values of the bins of a feature, the last one that of missing values."""
    return NodeLosses(rows, None, criterion).of_table(feature)[1]


def best_first(
    least: Floats,
    value_of: Callable[[int], tuple[float, Floats]],
    probe: Callable[[float, Numbers], None],
    features_of: Callable[[NDArray[np.bool_]], Numbers],
) -> NDArray[np.bool_]:
    """Evaluate candidates, the lowest bound first, until all others have greater bounds.

    ``value_of`` returns the loss of a candidate and the values of its leaves. ``probe`` raises the
    bounds ``least`` by sums at some of these values, for the features that are left. Returns which
    candidates may be the best; all of them have been evaluated.
    """
    reached = np.inf
    done = np.zeros(least.shape, dtype=bool)
    probed = {0.0}
    while True:
        waiting = np.where(done, np.inf, least)
        k = int(np.argmin(waiting))
        if not waiting.flat[k] <= reached + TIE or np.isinf(waiting.flat[k]):
            return np.asarray(done & (least <= reached + TIE))
        loss, values = value_of(k)
        done.flat[k] = True
        reached = min(reached, loss)
        for at in np.unique(np.quantile(values, PROBED, method="nearest")).tolist():
            left = ~done & (least <= reached + TIE)
            if left.sum() > FEW and at not in probed and len(probed) < MOST_PROBES:
                probed.add(at)
                probe(at, features_of(left))


class NodeLosses:
    """Losses of the rows of a node, or of all rows or those drawn, when leaves have best values."""

    def __init__(
        self,
        rows: Rows,
        node: NodeRows | None,
        criterion: Criterion,
        bounds: Bounds = ALL_LEVELS,
    ) -> None:
        self.rows = rows
        self.bounds = bounds
        every = node is None and not rows.samples
        self._members = None if every else rows.members(node)
        weight, label, cost = map(self._of_members, (rows.row_weight, rows.label, rows.row_cost))
        self._of_rows = RowLosses(weight, label, cost, criterion)
        self._has_missing = rows.counts[:, :, MISSING].sum(axis=0) > 0
        self.of_splits: dict[tuple[int, bytes, bool], tuple[float, Floats]] = {}
        self.of_tables: dict[int, tuple[float, Floats]] = {}

    def _of_members(self, values: Vector) -> Vector:
        return values if self._members is None else values[self._members]

    def of_leaves(self, leaf: Vector, n_leaves: int, direction: int = 0) -> tuple[float, Floats]:
        """Loss when every leaf takes its own value, within bounds, and these values.

        It is infinite if two leaves are in the wrong order.
        """
        value = np.clip(self._of_rows.leaf_values(leaf, n_leaves), *self.bounds)
        if direction * value[0] > direction * value[-1]:
            return np.inf, value
        return self._of_rows.total(leaf, value), value

    def of_one_leaf(self) -> float:
        """Loss when all rows are in one leaf."""
        return self.of_leaves(self._of_members((self.rows.label * 0).astype(np.int64)), 1)[0]

    def of_split(self, split: Split) -> tuple[float, Floats]:
        """Loss when each side of the split takes its own value, and these values, left first."""
        missing_left = bool(split.left[MISSING] and self._has_missing[split.feature])
        key = split.feature, split.left[:MISSING].tobytes(), missing_left
        if key not in self.of_splits:
            leaf = 1 - self._of_members(self.rows.on_left(split)).astype(np.int64)
            self.of_splits[key] = self.of_leaves(leaf, 2, self.rows.direction(split.feature))
        return self.of_splits[key]

    def of_table(self, feature: int) -> tuple[float, Floats]:
        """Loss when each bin of the feature takes its own value, and these values."""
        if feature not in self.of_tables:
            n_bins = int(self.rows.n_bins[feature])
            leaf = np.minimum(self._of_members(self.rows.bins(feature)), n_bins)
            self.of_tables[feature] = self._of_table(leaf, n_bins, self.rows.direction(feature))
        return self.of_tables[feature]

    def _of_table(self, leaf: Vector, n_bins: int, direction: int) -> tuple[float, Floats]:
        """Loss of bins and missing values; bins in the wrong order are pooled."""
        if direction == 0:
            return self.of_leaves(leaf, n_bins + 1)
        pool = np.arange(n_bins + 1)
        while True:
            sizes = np.bincount(pool)
            merged = each(pool.__getitem__, leaf)
            value = self._of_rows.leaf_values(merged, sizes.size, sizes)
            wrong = direction * np.diff(value[:-1]) < 0
            if not wrong.any():
                return self._of_rows.total(merged, value), value[pool]
            joins = np.concatenate([[False], wrong, [False]])  # the pool before, of each pool
            pool = (np.cumsum(~joins) - 1)[pool]


def split_loss(rows: Rows, split: Split, criterion: Criterion) -> float:
    """Loss when each side of the split takes its own value."""
    return NodeLosses(rows, None, criterion).of_split(split)[0]
