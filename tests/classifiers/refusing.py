"""Helpers for fits and predictions that must raise an error with a clear message."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

CLASSIFIERS = [AdaBoostClassifier, CGAdaClassifier, AdaMECClassifier]
LEARNERS = [None, "tree", DecisionTreeClassifier(max_depth=1)]

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
N = len(Y)


def refuses(*messages: str, clf: Any = None, X: Any = X, y: Any = Y, **given: Any) -> None:
    """Assert that `fit` raises a ValueError whose message contains all of `messages`."""
    clf = CGAdaClassifier() if clf is None else clf
    with pytest.raises(ValueError, match=re.escape(messages[0])) as caught:
        clf.fit(X, y, **given)
    for words in messages[1:]:
        assert words in str(caught.value)


def changed(values: Any, row: int, to: Any) -> np.ndarray:
    values = np.array(values, dtype=float)
    values[row] = to
    return values


BAD_COSTS = {
    "NaN": (np.nan, "NaN"),
    "infinite": (np.inf, "infinity"),
    "negative": (-2.0, "-2"),
    "zero": (0.0, "above 0"),
}

METHODS = [
    "predict",
    "predict_proba",
    "decision_function",
    "staged_predict",
    "staged_predict_proba",
    "staged_decision_function",
]


def call(clf: Any, method: str, X: Any) -> Any:
    result = getattr(clf, method)(X)
    return list(result) if method.startswith("staged") else result
