"""`decision_function` is above 0 exactly where `predict` returns the second class."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from classifiers.trying import problem, row_costs
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.metrics import roc_auc_score

from costboost import CostBoostClassifier, CostSearchCV, OperatingPointClassifier
from costboost._core.model.threshold import bisected
from costboost.algorithms import (
    CLASSES,
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    LogitBoostClassifier,
)
from costboost.calibration import CALIBRATORS

ALL = list(CLASSES)
X, Y = problem(200)
RATIOS = st.floats(-30, 30).map(lambda power: 10.0**power)
CLASSIFIERS = {
    "votes": AdaMECClassifier(probability="votes", n_estimators=5),
    "logistic": AdaMECClassifier(probability="logistic", n_estimators=5),
    "balanced": AdaMECClassifier(
        probability="logistic", n_estimators=5, initial_weights="balanced"
    ),
    "costboost": CostBoostClassifier(n_estimators=5, random_state=0),
    "costboost, tree": CostBoostClassifier(estimator="tree", n_estimators=5, random_state=0),
    "costboost, likelihood": CostBoostClassifier(n_estimators=5, calibration=None),
} | {
    f"{cls.__name__}, {name}": cls(n_estimators=5, calibration=name, random_state=0)
    for name in CALIBRATORS
    for cls in (AdaBoostClassifier, CSAdaClassifier, LogitBoostClassifier)
}
FITTED = {
    (name, label): clf.set_params(pos_label=label).fit(X, Y) and clf
    for label in (None, 0)
    for name, clf in ((name, type(clf)(**clf.get_params())) for name, clf in CLASSIFIERS.items())
}


def check(clf: Any, rows: Any, **costs: Any) -> Any:
    """The contract, at the end and after every round."""
    value = clf.decision_function(rows, **costs)
    assert np.isfinite(value).all()
    assert_array_equal(value > 0, clf.predict(rows, **costs) == clf.classes_[1])
    if hasattr(clf, "staged_predict"):
        stages = clf.staged_decision_function(rows, **costs), clf.staged_predict(rows, **costs)
        for found, predicted in zip(*stages, strict=True):
            assert np.isfinite(found).all()
            assert_array_equal(found > 0, predicted == clf.classes_[1])
        assert_array_equal(found, value)
    return value


@pytest.mark.parametrize("key", FITTED, ids=str)
@given(fn_cost=RATIOS, fp_cost=RATIOS)
@settings(max_examples=4, deadline=None)
def test_it_is_the_decision_at_any_cost(key: Any, fn_cost: float, fp_cost: float) -> None:
    check(FITTED[key], X[:50], fn_cost=fn_cost, fp_cost=fp_cost)


@pytest.mark.parametrize("key", FITTED, ids=str)
def test_it_is_the_decision_for_costs_of_rows_and_at_ties(key: Any) -> None:
    clf = FITTED[key]
    check(clf, X)
    check(clf, X, **row_costs(len(X)))
    costs = np.array([[0.0, 3.0], [8.0, 0.0]])
    assert_array_equal(
        check(clf, X, cost_matrix=costs),
        check(
            clf,
            X,
            fn_cost=costs[clf.model_.positive_index, 1 - clf.model_.positive_index],
            fp_cost=costs[1 - clf.model_.positive_index, clf.model_.positive_index],
        ),
    )
    p = clf.predict_proba(X)[:, clf.model_.positive_index]
    inner = (p > 0) & (p < 1)
    check(clf, X[inner], fn_cost=1 - p[inner], fp_cost=p[inner])  # indifferent, up to rounding


@pytest.mark.parametrize("key", FITTED, ids=str)
def test_costs_shift_it_and_keep_the_order(key: Any) -> None:
    clf = FITTED[key]
    F = clf.raw_score(X)
    assert_array_equal(list(clf.staged_raw_score(X))[-1], F)
    for cost in (0.1, 1.0, 7.0):
        value = clf.decision_function(X, fn_cost=cost)
        np.testing.assert_allclose(value - F, value[0] - F[0], atol=1e-9)
        assert roc_auc_score(Y, value) == pytest.approx(roc_auc_score(Y, F), abs=1e-3)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("pos_label", [None, 0])
@pytest.mark.filterwarnings("ignore:.* ignores costs")
def test_every_classifier_decides_by_it(cls: Any, pos_label: Any) -> None:
    clf = cls(n_estimators=5, fn_cost=3, pos_label=pos_label).fit(X, Y)
    value = check(clf, X)
    if not clf.decides_by_cost:
        assert_array_equal(value, clf.raw_score(X))


@pytest.mark.parametrize("pos_label", [None, 0])
@pytest.mark.filterwarnings("ignore:.* added no learner")
@pytest.mark.parametrize(
    "clf",
    [
        AdaMECClassifier(),
        AdaBoostClassifier(),
        CostBoostClassifier(),
        AdaBoostClassifier(calibration="platt"),
    ],
    ids=str,
)
def test_without_rounds(clf: Any, pos_label: Any) -> None:
    constant = np.zeros((20, 1))
    y = np.arange(20) % 5 == 0
    model = type(clf)(**clf.get_params() | {"pos_label": None if pos_label is None else False})
    model.fit(constant, y)
    check(model, constant)
    if model.decides_by_cost:
        for ratio in (1e-300, 0.25, 4.0, 1e300):
            check(model, constant, fn_cost=ratio)


def test_a_draw_of_the_sign_goes_to_the_negative_class() -> None:
    rows, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 5, [0, 0, 1, 1] * 5
    for pos_label in (0, 1):
        clf = CGAdaClassifier(n_estimators=1, pos_label=pos_label).fit(rows, y)
        clf.ensemble_.value[:] = 0.0
        clf = pickle.loads(pickle.dumps(clf))  # without what was computed for predictions
        assert_array_equal(clf.predict(rows), [1 - pos_label] * 20)
        check(clf, rows)


@pytest.mark.parametrize("name", ["platt", "logistic", "log-odds"])
def test_scores_that_run_against_the_labels(name: str) -> None:
    """A calibrator with a negative slope predicts the positive class at low scores."""
    clf = AdaBoostClassifier(n_estimators=5, calibration=name, random_state=0).fit(X, Y)
    clf.model_.calibrator.slope_ = -clf.model_.calibrator.slope_
    value = check(clf, X)
    assert roc_auc_score(Y, value) < 0.5 < roc_auc_score(Y, clf.raw_score(X))
    check(clf, X, **row_costs(len(X)))
    clf.model_.calibrator.slope_ = 0.0
    assert len(np.unique(check(clf, X) > 0)) == 1


def test_costs_are_refused_where_predict_refuses_them() -> None:
    clf = CGAdaClassifier(n_estimators=3).fit(X, Y)
    for method in (clf.predict, clf.decision_function):
        with pytest.raises(ValueError, match="cannot be given other costs"):
            method(X, fn_cost=3)


def test_a_boundary_drawn_by_scikit_learn_is_the_decision() -> None:
    plane = X[:, :2]
    clf = CostBoostClassifier(n_estimators=20, fn_cost=5, random_state=0).fit(plane, Y)
    drawn = {
        method: DecisionBoundaryDisplay.from_estimator(
            clf, plane, response_method=method, grid_resolution=40, plot_method="contour"
        )
        for method in ("predict", "decision_function")
    }
    assert 0 < drawn["predict"].response.mean() < 1
    assert_array_equal(drawn["decision_function"].response > 0, drawn["predict"].response == 1)


def test_bisection_finds_the_last_score_that_is_not_above() -> None:
    limits = np.array([-0.3, 0.0, 0.7])
    found = bisected(lambda score: score > limits, np.full(3, 2.0))
    np.testing.assert_allclose(found, limits, atol=1e-15)
    assert bisected(lambda score: score > -5, np.ones(1)) == -np.inf
    assert bisected(lambda score: score > 5, np.ones(1)) == np.inf


# ---- several classes and classifiers around others -----------------------------------------------


@pytest.mark.parametrize(
    "clf",
    [
        AdaMECClassifier(n_estimators=3),
        AdaBoostClassifier(n_estimators=3),
        CGAdaClassifier(n_estimators=3),
        CostBoostClassifier(n_estimators=3, random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_several_classes(clf: Any) -> None:
    three = Y + (X[:, 0] > 6)
    clf.fit(X, three)
    assert_array_equal(clf.classes_[clf.decision_function(X).argmax(axis=1)], clf.predict(X))
    stages = zip(clf.staged_decision_function(X), clf.staged_predict(X), strict=True)
    for value, predicted in stages:
        assert_array_equal(clf.classes_[value.argmax(axis=1)], predicted)
    assert clf.raw_score(X).shape == (len(X), 3)
    assert_array_equal(list(clf.staged_raw_score(X))[-1], clf.raw_score(X))
    if hasattr(clf, "estimators_") and clf.decides_by_cost:
        costs = np.ones((3, 3)) - np.eye(3)
        costs[2] *= 9
        value, predicted = (
            method(X, cost_matrix=costs) for method in (clf.decision_function, clf.predict)
        )
        assert_array_equal(clf.classes_[value.argmax(axis=1)], predicted)


@pytest.mark.parametrize("pos_label", [0, 1])
@pytest.mark.parametrize("method", ["threshold", "refit"])
@pytest.mark.filterwarnings("ignore:the cheapest way to meet the goal")
def test_an_operating_point(method: str, pos_label: int) -> None:
    clf = OperatingPointClassifier(
        AdaMECClassifier(n_estimators=5, probability="logistic", pos_label=pos_label),
        at_least=0.8,
        method=method,
        cv=2,
        random_state=0,
    ).fit(X, Y)
    check(clf, X)
    if method == "threshold":
        check(clf, X, fn_cost=3)
        clf.threshold_ = np.inf
        check(clf, X)
        clf.threshold_ = -np.inf
        check(clf, X)


def test_searched_costs() -> None:
    search = CostSearchCV(
        AdaMECClassifier(n_estimators=5, probability="logistic"), fn_cost=2, fn_costs=[1, 2], cv=2
    ).fit(X, Y)
    check(search, X)
    check(search, X, fn_cost=4)
