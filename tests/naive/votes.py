"""Weak learners that vote for one of K classes.

A learner minimises the sum over the rows of `price[i, h(x_i)]`, where `price[i, k]` is what a
vote for class k costs in row i under the current weights. Three prices are in use:

- misclassification: `w_i [k != y_i]` (SAMME, SAMME.C2, AdaC2.M1);
- a cost matrix: `w_i M[y_i, k]` (BAdaCost);
- costs of each row and class: the gradient of the p-norm (Lp-CSB).

Prices are scaled so that the greatest prices of the rows sum to 1, as weights do. They are the
weights by which a side is heavier, for missing values that training has not seen. Of candidates
within 1e-12 of the least, the first wins.

Stump: two leaves that vote for different classes, all pairs of classes and all cuts are tried, in
the order feature, cut, class of the left leaf, class of the right leaf. The K constant votes come
last and win only if they are strictly better. For K = 2 and misclassification, this is the stump
of the binary algorithms.

Tree: grown best gain first, each leaf votes for the class of least price (the first of equals). A
greedy tree needs a criterion that falls wherever a split separates classes, which the price
itself does not. With the merits `V_k = sum_i (max_j price[i, j] - price[i, k])`, the weights of
Data Space Expansion, and `V` their sum over the classes, the criterion of a leaf is `sum_k
sqrt(V_k (V - V_k))`. For misclassification V_k is the weight of class k, and for K = 2 the
criterion is 2 sqrt(p q), that of the binary trees (Kearns and Mansour 1996).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from naive.constants import Array
from naive.learners import (
    Leaves,
    TreeShape,
    WeakLearner,
    first_of_least,
    grow_tree,
    midpoints,
    place_missing,
)
from naive.model import Constant, Learner, Problem, Split, Stump, normalised

# A learner of the caller: (X, y, weights, prices) -> an object whose `predict` returns classes.
OwnLearner = Callable[[Array, Array, Array, Array], Learner]


def rows_problem(X: Array, y: Array, sample_weight: Array | None) -> Problem:
    """Training rows with classes 0 to K - 1; weights must be positive."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=int)
    s = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if not np.all(s > 0):
        raise ValueError("the multi-class transcriptions take positive sample weights only")
    return Problem(
        X=X,
        y=y,
        s=normalised(s),
        copies=s if np.all(s == np.rint(s)) else np.ones(len(y)),
        fn=np.ones(len(y)),
        fp=np.ones(len(y)),
        class_costs=True,
        rounds=0,
        learning_rate=1.0,
        initial_weights="auto",
        negative_step="stop",
        cuts=[midpoints(column) for column in X.T],
    )


def wanted_learner(learner: str, max_depth: int | None, min_samples_leaf: int) -> WeakLearner:
    """A stump, or a tree of at most `max_depth`; a tree of depth 1 is the stump."""
    if learner == "stump" or max_depth == 1:
        return WeakLearner("stump", TreeShape(1, None, min_samples_leaf), 0)
    return WeakLearner("tree", TreeShape(max_depth, None, min_samples_leaf), 0)


def misclassification_price(w: Array, y: Array, n_classes: int) -> Array:
    """w_i where the vote is not y_i, 0 where it is."""
    return w[:, None] * (np.arange(n_classes)[None, :] != y[:, None])


def least_price(price: Array) -> Callable[[Array], float]:
    """The class for which the rows of a leaf vote; the first of equals."""
    return lambda rows: float(first_of_least(list(price[rows].sum(axis=0))))


def merit_spread(price: Array) -> Callable[[Array], float]:
    """sum_k sqrt(V_k (V - V_k)) of the rows of a leaf, V_k = sum_i (max_j price_ij - price_ik)."""
    merit = price.max(axis=1, keepdims=True) - price

    def spread(rows: Array) -> float:
        V = merit[rows].sum(axis=0)
        return sum(math.sqrt(v * max(V.sum() - v, 0.0)) for v in V)

    return spread


def best_vote_stump(problem: Problem, w: Array, price: Array, min_rows: int) -> Learner:
    """The stump of two classes, or the constant, of least price."""
    n_classes = price.shape[1]
    criteria: list[float] = []
    learners: list[Learner] = []
    features = list(range(problem.X.shape[1]))
    for feature, threshold in problem.thresholds(features, problem.X, problem.s):
        for left in range(n_classes):
            for right in range(n_classes):
                if left == right:
                    continue
                placed = place_missing(
                    problem.X[:, feature],
                    threshold,
                    w,
                    lambda above, a=left, b=right: price[~above, a].sum() + price[above, b].sum(),
                    min_rows,
                    problem.copies,
                )
                if placed is not None:
                    criteria.append(placed[0])
                    split = Split(feature, threshold, placed[1])
                    learners.append(Stump(split, float(left), float(right)))
    for constant in range(n_classes):
        criteria.append(price[:, constant].sum())
        learners.append(Constant(float(constant)))
    return learners[first_of_least(criteria)]


@dataclass
class CategoryStump:
    """A stump of numbers and of sets of categories, which are columns of 0 and 1 behind them."""

    column: int
    sets: list[list[float]]
    stump: Learner

    def predict(self, X: Array) -> Array:
        return self.stump.predict(expanded(X, self.column, self.sets))


def expanded(X: Array, column: int, sets: list[list[float]]) -> Array:
    """The other columns, and 1 for each set that the category is not in."""
    category = X[:, column]
    outside = [np.where(np.isnan(category), np.nan, ~np.isin(category, one)) for one in sets]
    return np.column_stack([np.delete(X, column, axis=1), *outside])


def category_stump(column: int) -> OwnLearner:
    """A learner for rows with a category in one column.

    For each class, the categories are put in the order of their share of its merit, the first of
    equals first; every beginning of such an order is a candidate for the left side.
    """

    def learner(X: Array, y: Array, w: Array, price: Array) -> Learner:
        merit = price.max(axis=1, keepdims=True) - price
        sums = {c: merit[X[:, column] == c].sum(axis=0) for c in np.unique(X[:, column])}
        present = [c for c, of_classes in sums.items() if of_classes.sum() > 0]
        sets = []
        for k in range(price.shape[1]):
            order = sorted(present, key=lambda c, k=k: sums[c][k] / sums[c].sum())
            sets += [order[:m] for m in range(1, len(order))]
        problem = rows_problem(expanded(X, column, sets), y, None)
        stump = best_vote_stump(problem, price.max(axis=1), price, 1)
        return CategoryStump(column, sets, stump)

    return learner


def vote_learner(
    problem: Problem, w: Array, price: Array, wanted: WeakLearner | OwnLearner
) -> Learner:
    """The weak learner for weights `w` and prices `price` (rows x classes)."""
    greatest = price.max(axis=1).sum()
    if greatest > 0:
        price = price / greatest
    if not isinstance(wanted, WeakLearner):
        return wanted(problem.X, problem.y, w, price)
    weight = price.max(axis=1)
    if wanted.kind == "tree":
        leaves = Leaves(least_price(price), merit_spread(price))
        return grow_tree(problem, weight, leaves, wanted.shape)
    return best_vote_stump(problem, weight, price, wanted.shape.min_samples_leaf)


def classes_of(learner: Learner, X: Array) -> Array:
    """The votes of a learner as class numbers."""
    return np.asarray(learner.predict(np.asarray(X, dtype=float))).astype(int)
