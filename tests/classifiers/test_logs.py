"""Logarithms of probabilities, of every classifier that has probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.svm import LinearSVC

from costboost import CostSearchCV, OperatingPointClassifier, multiclass
from costboost.algorithms import CLASSES, AdaMECClassifier

BOOSTING = list(CLASSES)
SEVERAL = [getattr(multiclass, name) for name in multiclass.__all__]
X, y = load_wine(return_X_y=True)
QUIET = pytest.mark.filterwarnings("ignore:.*(added no learner|one class|all rows):UserWarning")


def check(clf: Any) -> None:
    P = clf.predict_proba(X)
    found = clf.predict_log_proba(X)
    assert found.shape == P.shape
    np.testing.assert_array_equal(np.isneginf(found), P == 0)
    np.testing.assert_allclose(np.exp(found), P)


@QUIET
@pytest.mark.parametrize("cls", BOOSTING)
def test_boosting(cls: Any) -> None:
    check(cls(n_estimators=3, random_state=0).fit(X, y == 1))


@pytest.mark.parametrize("cls", [AdaMECClassifier, *SEVERAL])
def test_several_classes(cls: Any) -> None:
    check(cls(n_estimators=3, random_state=0).fit(X, y))


@QUIET
def test_around_a_classifier() -> None:
    inner = AdaMECClassifier(n_estimators=3)
    check(OperatingPointClassifier(inner, at_least=0.5).fit(X, y == 1))
    check(CostSearchCV(inner, fn_costs=[1, 2], cv=3).fit(X, y == 1))
    without = OperatingPointClassifier(LinearSVC(), at_least=0.5)
    assert not hasattr(without, "predict_log_proba")


def test_no_probability_is_no_warning() -> None:
    """Votes for one class leave nothing to the others."""
    clf = multiclass.GBSEClassifier(n_estimators=1, random_state=0).fit(X, y)
    assert np.isneginf(clf.predict_log_proba(X)).any()
