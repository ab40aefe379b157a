"""Small problems, classifiers and learners to try on them, and what any fitted one must fulfil."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

CLASSIFIERS = [AdaBoostClassifier, CGAdaClassifier, AdaMECClassifier]
LEARNERS = [None, "tree", DecisionTreeClassifier(max_depth=1)]

ignore_empty = pytest.mark.filterwarnings("ignore:.* added no learner")
ignore_blind = pytest.mark.filterwarnings("ignore:AdaBoostClassifier ignores costs")
each_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=["stump", "tree", "wrapped"])


def problem(n: int = 300, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes, a quarter positive, few enough values for exact bins."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, (n, d)) / 4
    score = X[:, 0] + X[:, 1] * X[:, -1] / 5 + rng.normal(0, 3, n)
    return X, (score > np.quantile(score, 0.75)).astype(int)


def row_costs(n: int, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"fn_cost": rng.uniform(1, 20, n), "fp_cost": rng.uniform(0.5, 4, n)}


def assert_finite(clf: Any, X: Any) -> None:
    for values in (
        clf.decision_function(X),
        clf.predict_proba(X),
        clf.estimator_weights_,
        clf.estimator_errors_,
        clf.train_cost_,
        clf.feature_importances_,
        *clf.staged_decision_function(X),
    ):
        assert np.isfinite(values).all()
    probability = clf.predict_proba(X)
    assert (probability >= 0).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert np.isin(clf.predict(X), clf.classes_).all()


def same_model(one: Any, other: Any) -> None:
    assert one.ensemble_.tobytes() == other.ensemble_.tobytes()
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.estimator_errors_, other.estimator_errors_)
    np.testing.assert_array_equal(one.train_cost_, other.train_cost_)


TRAIN_COSTS = [
    (AdaBoostClassifier, {}),
    (CGAdaClassifier, {}),
    (AdaMECClassifier, {"probability": "votes"}),
    (AdaMECClassifier, {"probability": "logistic"}),
    (AdaMECClassifier, {"probability": "logistic", "initial_weights": "balanced"}),
]
