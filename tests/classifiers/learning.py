"""Every family of algorithms on every weak learner it takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import costboost
from costboost.algorithms import (
    CLASSES,
    AsymAdaClassifier,
    CGAdaClassifier,
    CSGAClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    LogitBoostClassifier,
)

CLASSIFIERS = [
    cls
    for cls in CLASSES
    if cls is not costboost.CostBoostClassifier  # chooses its learner
]
BUILT_IN = [
    (classifier, learner)
    for classifier in CLASSIFIERS
    for learner in classifier.rule.learners
    if learner != "wrapped"
]
SPREADS = [AsymAdaClassifier, CSRAClassifier, CSGAClassifier, CSLBClassifier]
"""A round sees its share of the costs, one in M: another M is another algorithm."""
NEW = [
    (CSRealBoostClassifier, "lookup"),
    (CGAdaClassifier, "lookup"),
    (LogitBoostClassifier, "lookup"),
    (CSLogitBoostClassifier, "linear"),
    (CGAdaClassifier, "logistic"),
]
each = pytest.mark.parametrize(
    ("classifier", "learner"), BUILT_IN, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)
each_new = pytest.mark.parametrize(
    ("classifier", "learner"), NEW, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)


def problem(n: int = 90, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, d)) / 4
    score = X[:, 0] - X[:, -1] + rng.normal(0, 1.2, n)
    return X, (score > np.quantile(score, 0.7)).astype(int)


def costs_of(classifier: Any, fn: float = 4.0) -> dict[str, float]:
    return {} if classifier.rule.cost_blind else {"fn_cost": fn, "fp_cost": 1.5}


def with_holes(X: np.ndarray, learner: str) -> np.ndarray:
    """Missing values, where the learner takes them."""
    X = X.copy()
    if learner != "linear":
        X[np.random.default_rng(9).random(X.shape) < 0.1] = np.nan
    return X


def same(one: Any, other: Any) -> None:
    assert one.ensemble_.tobytes() == other.ensemble_.tobytes()
    for name in ("estimator_weights_", "estimator_errors_", "train_cost_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
