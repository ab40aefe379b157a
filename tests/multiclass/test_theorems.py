"""Theorems of Abe, Zadrozny and Langford, checked on samples."""

from __future__ import annotations

from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_digits
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from costboost.multiclass import (
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
)
from costboost.multiclass.components import WrappedRelations, read_problem


def rows_with_costs(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.uniform(0, 10, size=(n, k))


# ---- Theorem 1 -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_iterative_weighting_at_convergence(seed: int) -> None:
    """After convergence, the weighted error is the cost minus the least possible cost."""
    X, costs = rows_with_costs(seed, 40, 3)
    clf = IterativeWeightingClassifier(
        estimator=DecisionTreeClassifier(max_depth=2, random_state=0),
        sampling="weight",
        alpha=0.5,
        n_estimators=200,
    ).fit(X, costs=costs)
    before = clone(clf).set_params(n_estimators=199).fit(X, costs=costs)
    converged = np.allclose(clf.importance_, before.importance_, rtol=1e-9)
    y_pred, label, rows = clf.predict(X), costs.argmin(axis=1), np.arange(40)
    weighted_error = np.mean(clf.importance_ * (y_pred != label))
    cost = np.mean(costs[rows, y_pred] - costs.min(axis=1))
    if converged:
        assert weighted_error == pytest.approx(cost, rel=1e-6)
    else:  # the paper: it need not converge; then some row still moves
        assert not np.allclose(before.importance_, clf.importance_)


def test_some_of_them_converge() -> None:
    """Check that the assumption of the test above holds."""
    X, costs = rows_with_costs(0, 40, 3)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    runs = [
        IterativeWeightingClassifier(
            estimator=stump, sampling="weight", alpha=0.5, n_estimators=n
        ).fit(X, costs=costs)
        for n in (199, 200)
    ]
    np.testing.assert_allclose(runs[0].importance_, runs[1].importance_, rtol=1e-9)
    y_pred, label = runs[1].predict(X), costs.argmin(axis=1)
    cost = np.mean(costs[np.arange(40), y_pred] - costs.min(axis=1))
    assert np.mean(runs[1].importance_ * (y_pred != label)) == pytest.approx(cost, rel=1e-6)
    assert cost > 0


# ---- Theorem 2 -----------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 4), n_cells=st.integers(1, 4))
def test_the_expanded_sample_has_the_same_minimiser(seed: int, k: int, n_cells: int) -> None:
    """By enumeration of all functions from a few cells of X to the labels."""
    rng = np.random.default_rng(seed)
    cell = rng.integers(0, n_cells, size=15)
    _, problem = read_problem(None, rng.uniform(0, 10, size=(15, k)), None, 15)
    sample = DSEClassifier()._sample(problem)
    error, cost = [], []
    for h in product(range(k), repeat=n_cells):
        y_pred = np.array(h)[cell]
        error.append(float(sample.weight[y_pred[sample.row] != sample.label].sum()))
        cost.append(problem.mean_cost(y_pred))
    assert int(np.argmin(error)) == int(np.argmin(cost))
    # and they differ by a constant: every hypothesis is ranked alike
    gap = np.array(error) * problem.unit / 15 - np.array(cost)
    np.testing.assert_allclose(gap, gap[0], rtol=1e-9)


# ---- Lemma 1 -------------------------------------------------------------------------------------


class Recorder(ClassifierMixin, BaseEstimator):
    """Stores the data that it is fitted to."""

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> Recorder:
        self.pairs_, self.label_, self.weight_ = X, y, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError


@settings(deadline=None, derandomize=True, max_examples=50)
@given(seed=st.integers(0, 10_000))
def test_relational_gain_is_binary_accuracy(seed: int) -> None:
    """The learner is fitted to ((x, y), [c > 0]) with the weight |c|."""
    rng = np.random.default_rng(seed)
    c, h = rng.normal(size=(12, 4)), rng.random((12, 4)) < 0.5
    X = np.arange(12.0).reshape(-1, 1)
    seen = WrappedRelations(Recorder(), 4, True).find(X, c, np.random.RandomState(0))
    row, label = seen.pairs_[:, 0].astype(int), seen.pairs_[:, 1:].argmax(axis=1)
    assert len(set(zip(row, label, strict=True))) == c.size
    right = h[row, label] == seen.label_
    accuracy = np.sum(seen.weight_ * right) / c.size
    bad = np.sum(seen.weight_ * (seen.label_ == 0)) / c.size
    assert np.mean(c * h) == pytest.approx(accuracy - bad)


# ---- Theorem 3 -----------------------------------------------------------------------------------


class Measured(ClassifierMixin, BaseEstimator):
    """A tree that stores its edge over predicting every pair to be bad, on its training sample."""

    edges: ClassVar[list[float]] = []

    def __init__(self, max_depth: int = 3) -> None:
        self.max_depth = max_depth

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> Measured:
        self.tree_ = DecisionTreeClassifier(max_depth=self.max_depth, random_state=0)
        self.tree_.fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.tree_.classes_
        right = sample_weight @ (self.tree_.predict(X) == y)
        bad, good = sample_weight @ (y == 0), sample_weight @ (y == 1)
        Measured.edges.append(float((right - bad) / good))
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.tree_.predict(X))


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_gbse_t_falls_at_the_proven_rate(k: int, alpha: float) -> None:
    X, costs = rows_with_costs(k, 80, k)
    Measured.edges.clear()
    clf = GBSEClassifier(
        estimator=Measured(6), sampling="weight", variant="gbse-t", alpha=alpha, n_estimators=15
    ).fit(X, costs=costs)
    beyond = costs - costs.min(axis=1, keepdims=True)
    start = beyond.mean()
    bound = 1.0
    stages = list(clf.staged_predict_proba(X))
    assert len(Measured.edges) == len(stages)
    assert max(Measured.edges) > 0.1
    for gamma, shares in zip(Measured.edges, stages, strict=True):
        bound *= np.exp(-max(gamma, 0) * alpha / k)  # gamma of each round: no weaker than theirs
        assert np.mean((shares * beyond).sum(axis=1)) <= bound * start * (1 + 1e-12)
    gamma = min(Measured.edges)
    rate = np.exp(-gamma * alpha * len(stages) / k)
    assert np.mean((stages[-1] * beyond).sum(axis=1)) <= rate * start * (1 + 1e-12)


# ---- reductions ----------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_two_classes_weigh_the_difference_of_their_costs(seed: int) -> None:
    costs = np.random.default_rng(seed).uniform(0, 10, size=(12, 2))
    _, problem = read_problem(None, costs, None, 12)
    difference = np.abs(costs[:, 0] - costs[:, 1])
    for classifier in (DSEClassifier(), CostingClassifier()):
        sample = classifier._sample(problem)
        np.testing.assert_allclose(sample.weight * problem.unit, difference)
        np.testing.assert_array_equal(sample.label, costs.argmin(axis=1))


def test_two_classes_decide_as_a_weighted_tree() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0.5).astype(int)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=3, random_state=0)
    expected = clone(tree).fit(X, y, sample_weight=np.where(y == 1, 7.0, 2.0)).predict(X)
    for classifier in (DSEClassifier, CostingClassifier):
        clf = classifier(estimator=tree, sampling="weight", cost_matrix=[[0, 2], [7, 0]])
        np.testing.assert_array_equal(clf.fit(X, y).predict(X), expected)


def test_equal_costs_are_as_good_as_bagging() -> None:
    X, y = load_digits(return_X_y=True)
    bag = BaggingClassifier(
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2), 30, random_state=0
    ).fit(X[::2], y[::2])
    clf = GBSEClassifier(random_state=0).fit(X[::2], y[::2])
    assert clf.score(X[1::2], y[1::2]) >= bag.score(X[1::2], y[1::2]) - 0.03
