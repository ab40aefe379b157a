"""Nikolaou's theorem 2: AdaBoost's probabilities are a product of experts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from costboost.algorithms import (
    AdaBoostClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
)

problems = st.integers(0, 2**32 - 1)


def problem(seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 3))
    return X, (X.sum(axis=1) + random.normal(size=60) > 0).astype(int)


def experts(clf: Any, X: Any) -> tuple[Any, Any]:
    """Products over learners of 1 - error or error for either class."""
    scores = np.array([np.zeros(len(X)), *clf.staged_raw_score(X)])
    error = clf.estimator_errors_[:, None]
    positive = np.where(np.diff(scores, axis=0) > 0, 1 - error, error)
    return positive.prod(axis=0), (1 - positive).prod(axis=0)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(problems)
def test_adaboost_is_a_product_of_experts(seed: int) -> None:
    X, y = problem(seed)
    clf = AdaBoostClassifier(n_estimators=15).fit(X, y)
    yes, no = experts(clf, X)
    assert_allclose(clf.predict_proba(X)[:, 1], yes / (yes + no), rtol=1e-9)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(problems, st.floats(0.1, 10), st.floats(0.1, 10))
def test_adamec_adds_an_expert_for_the_costs(seed: int, fn: float, fp: float) -> None:
    """Equation 23 with its costs exchanged: fn_cost belongs to the positive class."""
    X, y = problem(seed)
    clf = AdaMECClassifier(n_estimators=15, probability="logistic", fn_cost=fn, fp_cost=fp).fit(
        X, y
    )
    yes, no = experts(clf, X)
    with_costs = fn * yes / (fn * yes + fp * no)
    clear = np.abs(with_costs - 0.5) > 1e-9
    assert np.array_equal(clf.predict(X)[clear], (with_costs > 0.5)[clear])


@pytest.mark.parametrize("cls", [CGAdaClassifier, AsymAdaClassifier])
def test_cost_sensitive_classifiers_are_products_of_experts(cls: Any) -> None:
    """Products of experts times the cost factor that is in the last weights."""
    X, y = problem(0)
    clf = cls(n_estimators=15, fn_cost=4, fp_cost=1).fit(X, y)
    assert clf.n_iter_ == 15
    yes, no = experts(clf, X)
    assert_allclose(clf.predict_proba(X)[:, 1], yes / (yes + 4 * no), rtol=1e-9)


def test_more_experts_push_probabilities_apart() -> None:
    """The distortion that the theorem explains."""
    X, y = problem(1)
    spread = [
        np.abs(AdaBoostClassifier(n_estimators=n).fit(X, y).predict_proba(X)[:, 1] - 0.5).mean()
        for n in (5, 50, 200)
    ]
    assert spread == sorted(spread)
