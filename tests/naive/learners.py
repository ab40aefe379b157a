"""Weak learners of the transcriptions: how stumps, trees and tables are found."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from naive.constants import TIE, Array
from naive.constrained import ANY_LEVEL, Bounds, in_order, pooled
from naive.model import Constant, Learner, Lookup, Node, Problem, Split, Stump, bins_of


def midpoints(column: Array) -> Array:
    """Thresholds of a column; one value and some missing rows can only be told apart at +inf."""
    values = np.unique(column[~np.isnan(column)])
    if len(values) == 1 and np.isnan(column).any():
        return np.array([np.inf])
    middle = (values[:-1] + values[1:]) / 2
    # Between neighbouring floats the midpoint may round up onto the upper value.
    return np.where(middle < values[1:], middle, values[:-1])


def first_of_least(criteria: list[float]) -> int:
    """Ties go to the first in the order of the candidates, so rounding cannot decide."""
    least = min(criteria)
    return next(i for i, value in enumerate(criteria) if value <= least + TIE)


def place_missing(
    column: Array,
    threshold: float,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
    copies: Array | None = None,
) -> tuple[float, bool] | None:
    """Criterion of a threshold and the side of the missing rows; None if a side is too small.

    `criterion` takes the mask of the rows on the right; a row counts as its copies.
    """
    copies = np.ones(len(column)) if copies is None else copies
    missing = np.isnan(column)
    above = column > threshold  # false for missing rows
    below = ~above & ~missing
    heavier_is_right = bool(w[above].sum() > w[below].sum() + TIE)

    def big_enough(right: Array) -> bool:
        return bool(min(copies[right].sum(), copies[~right].sum()) >= min_rows)

    if not missing.any():
        return (criterion(above), heavier_is_right) if big_enough(above) else None
    found = {
        is_right: criterion(above | missing if is_right else above)
        for is_right in (False, True)
        if big_enough(above | missing if is_right else above)
    }
    if not found:
        return None
    if len(found) == 1:
        ((is_right, value),) = found.items()
    elif abs(found[False] - found[True]) <= TIE:
        is_right = heavier_is_right
        value = found[is_right]
    else:
        is_right = found[True] < found[False]
        value = found[is_right]
    return value, is_right


def best_polarity_stump(
    problem: Problem,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
) -> Learner:
    """The stump h = p if x > t else -p, or constant, whose votes have the least criterion."""
    found = [
        best_stump_of(problem, w, criterion, min_rows, features) for features in problem.competing()
    ]
    return next((learner for learner in found if isinstance(learner, Stump)), found[0])


def best_stump_of(
    problem: Problem,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int,
    features: list[int],
) -> Learner:
    X = problem.X
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature, threshold in problem.thresholds(features, X, w):
        for p in (1.0, -1.0):
            if not in_order(problem.constraints.direction(feature), -p, p):
                continue
            placed = place_missing(
                X[:, feature],
                threshold,
                w,
                lambda right, p=p: criterion(np.where(right, p, -p)),
                min_rows,
                problem.copies,
            )
            if placed is not None:
                criteria.append(placed[0])
                learners.append(Stump(Split(feature, threshold, placed[1]), -p, p))
    for p in (1.0, -1.0):  # last, so that a constant wins only when it is strictly better
        criteria.append(criterion(np.full(len(X), p)))
        learners.append(Constant(p))
    return learners[first_of_least(criteria)]


def best_split(
    problem: Problem,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
    values: Callable[[Array], tuple[float, float]] | None = None,
) -> Split | None:
    """The threshold with the least criterion (a function of the mask of the right rows).

    `values` are those of the two sides, which a constraint may order.
    """
    whole = criterion(np.ones(len(w), dtype=bool))
    found = []
    for features in problem.competing():
        criteria: list[float] = []
        splits: list[Split] = []
        for feature, threshold in problem.thresholds(features, problem.X, w):
            column = problem.X[:, feature]
            direction = problem.constraints.direction(feature)

            def judged(right: Array, direction: int = direction) -> float:
                ordered = values is None or in_order(direction, *values(right))
                return criterion(right) if ordered else math.inf

            placed = place_missing(column, threshold, w, judged, min_rows, problem.copies)
            if placed is not None and placed[0] < math.inf:
                criteria.append(placed[0])
                splits.append(Split(feature, threshold, placed[1]))
        found.append(splits[first_of_least(criteria)] if splits else None)
        if splits and whole - min(criteria) > TIE:
            return found[-1]
    return found[0]


@dataclass(frozen=True)
class TreeShape:
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1

    @property
    def is_stump(self) -> bool:
        return self.max_depth == 1 or self.max_leaf_nodes == 2


@dataclass(frozen=True)
class WeakLearner:
    """Which learner is looked for, and its limits."""

    kind: str  # "stump", "tree", "lookup", "logistic", "linear"
    shape: TreeShape
    n_bins: int


@dataclass(frozen=True)
class Leaves:
    """What some rows (numbers or a mask) are as one leaf or bin of a learner.

    A learner's criterion is the sum of `loss` over its leaves, `value` is what a leaf answers. The
    rest is for constraints: `level` is the value that bounds clip, `at` the loss at another one,
    `bounded` what a leaf of bounds answers instead, `pool` the level of some bins together, and
    `answer` what these answer.
    """

    value: Callable[[Array], float]
    loss: Callable[[Array], float]
    level: Callable[[Array], float] | None = None
    at: Callable[[Array, float], float] | None = None
    bounded: Callable[[float, Bounds], float] = lambda value, bounds: bounds.clip(value)
    pool: Callable[[list[Array]], float] | None = None
    answer: Callable[[float], float] = lambda level: level  # of a level of pooled bins

    def level_within(self, rows: Array, bounds: Bounds) -> float:
        assert self.level is not None
        return bounds.clip(self.level(rows))

    def loss_within(self, rows: Array, bounds: Bounds) -> float:
        if bounds == ANY_LEVEL:
            return self.loss(rows)
        assert self.level is not None
        assert self.at is not None
        level = self.level(rows)
        return self.loss(rows) if bounds.clip(level) == level else self.at(rows, bounds.clip(level))


def spread(D: Array, y: Array) -> float:
    """2 sqrt(p q): the exponential loss of a leaf under its best real value."""
    return 2 * math.sqrt(D[y > 0].sum() * D[y < 0].sum())


def best_node_split(
    problem: Problem,
    w: Array,
    leaves: Leaves,
    rows: Array,
    min_rows: int,
    number: int,
    bounds: Bounds,
    path: frozenset[int],
) -> tuple[float, Split] | None:
    """Gain and split of one node (its row numbers), with the whole column's thresholds."""
    X, weight, copies = problem.X[rows], w[rows], problem.copies[rows]
    whole = leaves.loss_within(rows, bounds)
    following = problem.constraints.may_follow(path)

    def criterion(right: Array, direction: int) -> float:
        sides = rows[~right], rows[right]
        if direction:
            levels = (leaves.level_within(side, bounds) for side in sides)
            if not in_order(direction, *levels):
                return math.inf
        return sum(leaves.loss_within(side, bounds) for side in sides)

    for features in problem.competing(number, following):
        criteria: list[float] = []
        splits: list[Split] = []
        for feature, threshold in problem.thresholds(features, X, weight, number):
            direction = problem.constraints.direction(feature)
            judged = functools.partial(criterion, direction=direction)
            placed = place_missing(X[:, feature], threshold, weight, judged, min_rows, copies)
            if placed is not None and whole - placed[0] > TIE:
                criteria.append(placed[0])
                splits.append(Split(feature, threshold, placed[1]))
        if splits:
            best = first_of_least(criteria)
            return whole - criteria[best], splits[best]
    return None


@dataclass(frozen=True)
class GrowingLeaf:
    """A leaf of an unfinished tree with the best split it could have."""

    node: Node
    rows: Array
    bounds: Bounds
    path: frozenset[int]  # features it was split on above
    gain: float
    split: Split | None  # None if it must stay a leaf


def growing_leaf(
    problem: Problem,
    w: Array,
    leaves: Leaves,
    shape: TreeShape,
    rows: Array,
    depth: int,
    number: int,
    bounds: Bounds = ANY_LEVEL,
    path: frozenset[int] = frozenset(),
) -> GrowingLeaf:
    """A new leaf; its number is that in the order in which the nodes of the tree are made."""
    node = Node(leaves.bounded(leaves.value(rows), bounds), depth)
    found, least = None, shape.min_samples_leaf
    if shape.max_depth is None or depth < shape.max_depth:
        found = best_node_split(problem, w, leaves, rows, least, number, bounds, path)
    return GrowingLeaf(node, rows, bounds, path, *(found or (0.0, None)))


def grow_tree(problem: Problem, w: Array, leaves: Leaves, shape: TreeShape) -> Node:
    """Best gain first: of all leaves, in order of creation, the one of greatest gain is split."""
    root = growing_leaf(problem, w, leaves, shape, np.arange(len(w)), depth=0, number=0)
    tree = [root]
    while shape.max_leaf_nodes is None or len(tree) < shape.max_leaf_nodes:
        options = [leaf for leaf in tree if leaf.split is not None]
        if not options:
            break
        best = options[first_of_least([-leaf.gain for leaf in options])]
        node, rows, split = best.node, best.rows, best.split
        assert split is not None
        right = split.right(problem.X[rows])
        sides = rows[~right], rows[right]
        bounds = best.bounds, best.bounds
        direction = problem.constraints.direction(split.feature)
        if direction:
            levels = (leaves.level_within(side, best.bounds) for side in sides)
            bounds = best.bounds.of_sides(direction, *levels)
        path = best.path | {split.feature}
        left_leaf, right_leaf = (
            growing_leaf(problem, w, leaves, shape, side, node.depth + 1, number, own, path)
            for number, (side, own) in enumerate(zip(sides, bounds, strict=True), 2 * len(tree) - 1)
        )
        node.split, node.left, node.right = split, left_leaf.node, right_leaf.node
        tree = [leaf for leaf in tree if leaf is not best] + [left_leaf, right_leaf]
    return root.node


def quantile_cuts(column: Array, n_bins: int) -> Array:
    """Inner edges of the bins: every midpoint if the column has no more values than bins."""
    present = column[~np.isnan(column)]
    if len(np.unique(present)) <= n_bins:
        values = np.unique(present)
        return (values[:-1] + values[1:]) / 2
    return np.unique(np.quantile(present, np.arange(1, n_bins) / n_bins))


def lookup_table(problem: Problem, leaves: Leaves, n_bins: int) -> Learner | None:
    """Masnadi's weighted histogram of one feature's responses; the feature of least loss."""
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        column = problem.X[:, feature]
        if np.isnan(column).all():
            continue
        cuts = quantile_cuts(column, n_bins)
        bins = bins_of(column, cuts)
        members = [bins == b for b in range(len(cuts) + 2)]
        losses = [leaves.loss(rows) for rows in members]
        values = [leaves.value(rows) for rows in members]
        direction = problem.constraints.direction(feature)
        if direction:
            assert leaves.pool is not None
            assert leaves.at is not None
            levels = pooled(direction, members[:-1], leaves.pool)
            losses[:-1] = [leaves.at(*one) for one in zip(members[:-1], levels, strict=True)]
            values[:-1] = [leaves.answer(level) for level in levels]
        criteria.append(sum(losses))
        learners.append(Lookup(feature, cuts, np.array(values)))
    return learners[first_of_least(criteria)] if learners else None
