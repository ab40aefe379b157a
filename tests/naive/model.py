"""The problem, the fitted ensemble, and what weak learners are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from naive.constants import Array
from naive.constrained import Constraints


@dataclass
class Problem:
    """The training rows of positive weight, with costs and settings."""

    X: Array
    y: Array
    s: Array  # the user's sample weights, summing to 1
    copies: Array  # rows that each row stands for in a leaf: its weight if all are whole, else 1
    fn: Array  # cost of a false negative, per row
    fp: Array  # cost of a false positive, per row
    class_costs: bool  # both costs are the same for every row
    rounds: int
    learning_rate: float
    initial_weights: str
    negative_step: str
    cuts: list[Array]  # thresholds of each column
    draws: Any = None  # how rows and features are drawn; None for all
    features: Callable[[int, set[int]], list[list[int]]] | None = (
        None  # those that compete in a node
    )
    drawn_cut: Callable[..., list[int]] | None = None  # the one that competes in a node
    l2: float = 0.0  # added to the weight of a leaf, a row having the weight 1
    constraints: Constraints = field(default_factory=lambda: Constraints({}))

    def competing(self, node: int = 0, among: set[int] | None = None) -> list[list[int]]:
        """Groups of features of a node: the next group competes if no split of the last gains."""
        all_features = set(range(self.X.shape[1])) if among is None else among
        return (
            [sorted(all_features)] if self.features is None else self.features(node, all_features)
        )

    def thresholds(
        self, features: list[int], X: Array, w: Array, node: int = 0
    ) -> Iterator[tuple[int, float]]:
        """Every feature that competes in a node (its rows and their weights) and threshold, in the
        order that settles ties."""
        for feature in features:
            cuts = self.cuts[feature]
            if self.drawn_cut is not None:
                bins = bins_of(X[:, feature], cuts)[~np.isnan(X[:, feature]) & (w > 0)]
                cuts = cuts[self.drawn_cut(node, feature, bins)]
            for threshold in cuts:
                yield feature, float(threshold)

    @property
    def c(self) -> Array:
        return np.where(self.y > 0, self.fn, self.fp)


@dataclass
class NaiveModel:
    """A fitted ensemble: F = sum of steps times learners (WeightBoost damps each term)."""

    algorithm: str
    damping: float = 0.0  # WeightBoost's beta; 0 for everyone else
    learners: list[Learner] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    stop_reason: str = "n_estimators"
    waiting: list[Any] = field(default_factory=list)  # learners of step 0 since the last other

    def wait(self, *given: Any) -> None:
        """Add a learner of step 0, of a round that drew rows or features, before the next other."""
        self.waiting.append(given)

    def add(self, learner: Learner, step: float, w: Array, error: float | None = None) -> None:
        waiting, self.waiting = self.waiting, []
        for given in waiting:
            self.add(*given)
        self.learners.append(learner)
        self.steps.append(float(step))
        self.weights.append(normalised(w))
        if error is not None:
            self.errors.append(float(error))

    def staged_decision_function(self, X: Array) -> list[Array]:
        X = np.asarray(X, dtype=float)
        F = np.zeros(len(X))
        stages = []
        for step, learner in zip(self.steps, self.learners, strict=True):
            F = F + step * np.exp(-np.abs(self.damping * F)) * learner.predict(X)
            stages.append(F)
        return stages

    def decision_function(self, X: Array) -> Array:
        stages = self.staged_decision_function(X)
        return stages[-1] if stages else np.zeros(len(X))


def normalised(w: Array) -> Array:
    return w / w.sum()


def start(problem: Problem, table_column: Array) -> Array:
    """Initial weights; `table_column` is what the algorithm's own table says ("auto")."""
    y, s = problem.y, problem.s
    if problem.initial_weights == "auto":
        return normalised(s * table_column)
    if problem.initial_weights == "uniform":
        return normalised(s)
    if problem.initial_weights == "cost":
        return normalised(s * problem.c)
    if problem.initial_weights == "balanced":
        class_total = np.where(y > 0, s[y > 0].sum(), s[y < 0].sum())
        return normalised(s / (2 * class_total))
    raise ValueError(f"initial_weights={problem.initial_weights!r}")


def may_be_added(problem: Problem, step: float) -> bool:
    """Nikolaou stops at a step that is not positive; Nyga keeps a negative one with its sign."""
    if not math.isfinite(step) or step == 0:
        return False
    return step > 0 or problem.negative_step == "keep"


class Learner(Protocol):
    def predict(self, X: Array) -> Array: ...


@dataclass(frozen=True)
class Split:
    feature: int
    threshold: float
    missing_right: bool

    def right(self, X: Array) -> Array:
        column = X[:, self.feature]
        return np.where(np.isnan(column), self.missing_right, column > self.threshold)


@dataclass(frozen=True)
class Stump:
    split: Split
    left: float
    right: float

    def predict(self, X: Array) -> Array:
        return np.where(self.split.right(X), self.right, self.left)


@dataclass(frozen=True)
class Constant:
    value: float

    def predict(self, X: Array) -> Array:
        return np.full(len(X), self.value)


@dataclass
class Node:
    """A tree's node; without a split it is a leaf and `value` is its vote or leaf value."""

    value: float
    depth: int
    split: Split | None = None
    left: Node | None = None
    right: Node | None = None

    def predict(self, X: Array) -> Array:
        if self.split is None or self.left is None or self.right is None:
            return np.full(len(X), self.value)
        right = self.split.right(X)
        return np.where(right, self.right.predict(X), self.left.predict(X))


@dataclass(frozen=True)
class Lookup:
    """One value for each bin of one feature; missing values are a bin of their own, the last."""

    feature: int
    cuts: Array
    values: Array

    def predict(self, X: Array) -> Array:
        return self.values[bins_of(X[:, self.feature], self.cuts)]


@dataclass(frozen=True)
class Linear:
    feature: int
    slope: float
    intercept: float

    def predict(self, X: Array) -> Array:
        return self.slope * X[:, self.feature] + self.intercept


def bins_of(column: Array, cuts: Array) -> Array:
    """The number of cuts below each value; the bin after the last one is for missing values."""
    below = (column[:, None] > cuts[None, :]).sum(axis=1)
    return np.where(np.isnan(column), len(cuts) + 1, below)
