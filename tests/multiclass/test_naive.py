"""The library against the transcription of the paper, without random sampling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import naive_multiclass as naive
import numpy as np
import pytest
from naive import pnorm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from costboost.multiclass import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    LpCSBClassifier,
    MetaCostClassifier,
)

ROUNDS = 8
ALPHAS: dict[str, tuple[float | None, Callable[[int], float]]] = {
    "1/t": (None, lambda t: 1 / t),
    "constant": (0.3, lambda t: 0.3),
}


class Tree(ClassifierMixin, BaseEstimator):
    """A tree that breaks ties in the same way each time, whatever the unit of the weights."""

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> Tree:
        inner = DecisionTreeClassifier(criterion="entropy", max_depth=4, random_state=0)
        shares = np.round(sample_weight / sample_weight.max(), 9)
        self.inner_ = inner.fit(X, y, sample_weight=shares)
        self.classes_ = inner.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.inner_.predict(X))


def learner(weighted: list[naive.Weighted]) -> Callable[[naive.Vector], int]:
    """A function that predicts like `Tree` fitted to weighted examples."""
    weighted = [one for one in weighted if one[2] > 0]  # examples of weight 0 have no effect
    x, label, weight = zip(*weighted, strict=True)
    if len(set(label)) == 1:
        return lambda _: label[0]
    fitted = Tree().fit(np.array(x), label, sample_weight=np.array(weight))
    predictions: dict[tuple[float, ...], int] = {}

    def h(x: naive.Vector) -> int:
        if tuple(x) not in predictions:
            predictions[tuple(x)] = int(fitted.predict([x])[0])
        return predictions[tuple(x)]

    return h


def problem(seed: int, k: int = 4, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.clip((X[:, 0] + X[:, 1] + rng.normal(scale=0.5, size=n) + 1.5) * k / 3, 0, k - 1)
    matrix = rng.uniform(0.1, 10, size=(k, k))
    np.fill_diagonal(matrix, 0)
    costs = matrix[y.astype(int)] * rng.uniform(0.5, 2, size=(n, 1)) + rng.uniform(0, 3, (n, 1))
    return X, costs


def sample(X: np.ndarray, costs: np.ndarray) -> list[naive.Example]:
    return [(tuple(x), list(c)) for x, c in zip(X.tolist(), costs.tolist(), strict=True)]


def shares_of(H: naive.Stochastic, X: np.ndarray) -> np.ndarray:
    return np.array([H(tuple(x)) for x in X.tolist()])


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("variant", ["gbse", "gbse-t"])
@pytest.mark.parametrize("seed", [0, 1])
def test_gbse(seed: int, variant: str, alpha: str) -> None:
    X, costs = problem(seed)
    given, function = ALPHAS[alpha]
    clf = GBSEClassifier(
        estimator=Tree(), sampling="weight", variant=variant, alpha=given, n_estimators=ROUNDS
    ).fit(X, costs=costs)
    rest = np.random.default_rng(seed + 100).normal(size=(20, 3))
    stages = naive.gbse(sample(X, costs), learner, ROUNDS, function, variant == "gbse-t")
    for rows in (X, rest):
        found = list(clf.staged_predict_proba(rows))
        for H, shares in zip(stages[1:], found, strict=False):
            np.testing.assert_allclose(shares, shares_of(H, rows), atol=1e-12)
    assert 1 < clf.n_iter_ <= ROUNDS


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_iterative_weighting(seed: int, alpha: str) -> None:
    X, costs = problem(seed)
    given, function = ALPHAS[alpha]
    clf = IterativeWeightingClassifier(
        estimator=Tree(), sampling="weight", alpha=given, n_estimators=ROUNDS
    ).fit(X, costs=costs)
    H, weighted = naive.iw(sample(X, costs), learner, ROUNDS, function)
    np.testing.assert_array_equal(clf.predict(X), shares_of(H, X).argmax(axis=1))
    np.testing.assert_allclose(clf.importance_, [c for *_, c in weighted], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("classifier", "method"),
    [
        (DSEClassifier, naive.dse),
        (CostingClassifier, naive.costing),
        (AverageCostClassifier, naive.average_cost),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_weighted_fit(classifier: Any, method: Any, seed: int) -> None:
    X, costs = problem(seed)
    clf = classifier(estimator=Tree(), sampling="weight").fit(X, costs=costs)
    assert clf.n_iter_ == 1
    rest = np.random.default_rng(seed + 100).normal(size=(20, 3))
    for rows in (X, rest):
        expected = shares_of(method(sample(X, costs), learner), rows).argmax(axis=1)
        np.testing.assert_array_equal(clf.predict(rows), expected)


@pytest.mark.parametrize("seed", [0, 1])
def test_metacost(seed: int) -> None:
    X, costs = problem(seed)
    y = costs.argmin(axis=1)
    matrix = np.random.default_rng(seed).uniform(1, 9, size=(4, 4)) * (1 - np.eye(4))
    options = {"cost_matrix": matrix, "n_estimators": 5, "random_state": 0}
    bag = MetaCostClassifier(relabel=False, **options).fit(X, y)
    expected = naive.metacost(bag.predict_proba(X).tolist(), matrix.tolist())
    np.testing.assert_array_equal(bag.predict(X), expected)
    meta = MetaCostClassifier(**options).fit(X, y)
    np.testing.assert_array_equal(meta.labels_, expected)
    refit = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    assert (refit.fit(X.astype(np.float32), expected).predict(X) == meta.predict(X)).mean() > 0.95


@pytest.mark.parametrize(("p", "k"), [(1.0, 3), (2.0, 2), (2.0, 7), (4.0, 4), (2.5, 12)])
def test_boosting_of_p_norms(p: float, k: int) -> None:
    X, costs = problem(5, k)

    def pairs(rows: np.ndarray, labels: np.ndarray, weight: np.ndarray) -> Any:
        kept = weight > 0
        return Tree().fit(rows[kept], labels[kept].astype(int), weight[kept])

    judge = pnorm.fit_lpcsb(X, costs, p, n_estimators=ROUNDS, component="pairs", learner=pairs)
    clf = LpCSBClassifier(estimator=Tree(), p=p, n_estimators=ROUNDS, sampling="weight")
    clf.fit(X, costs=costs)
    assert clf.n_iter_ == len(judge.steps)
    assert (clf.n_iter_ == 1) == (p == 1)
    fresh = np.vstack([X, np.random.default_rng(0).normal(size=(40, 3))])
    np.testing.assert_allclose(clf.predict_proba(fresh), judge.shares(fresh), rtol=0, atol=1e-9)


def test_p_norms_end_without_cost() -> None:
    X = np.array([[0.0], [1.0], [2.0]] * 4)
    costs = 1 - np.eye(3)[X[:, 0].astype(int)]
    clf = LpCSBClassifier(min_samples_leaf=1, prune=False, sampling="weight").fit(X, costs=costs)
    assert clf.stop_reason_ == "the training rows have no cost left"
    assert clf.predict(X).tolist() == X[:, 0].tolist()
    nothing = LpCSBClassifier(sampling="weight").fit(np.zeros((12, 1)), costs=costs)
    assert nothing.n_iter_ == 1
    assert np.isfinite(nothing.predict_proba(X)).all()
