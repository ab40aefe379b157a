"""Goals met at least cost: the point that is found, and what is done with it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from decisions.setting import CV, GOALS, MEC, PLATT, X, Y
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import (
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from costboost import OperatingPointClassifier as OperatingPoint
from costboost.algorithms import AdaMECClassifier, CGAdaClassifier
from costboost.metrics import mean_cost

# ---- the threshold -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [MEC, PLATT, LogisticRegression()], ids=str)
@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_no_other_threshold_is_cheaper(goal: dict[str, Any], model: Any) -> None:
    """Against scikit-learn's out-of-fold probabilities and a plain search."""
    clf = OperatingPoint(model, fn_cost=3, cv=CV, **goal).fit(X, Y)
    p = cross_val_predict(model, X, Y, cv=CV, method="predict_proba")[:, 1]
    least, most = goal.get("at_least", 0), goal.get("at_most", np.inf)
    best = np.inf
    for t in [-1, *np.unique(p)]:
        called = p > t
        cost = np.mean(np.where(Y, 3 * ~called, called))
        value = {
            "recall": called[Y == 1].mean(),
            "precision": Y[called].mean() if called.any() else np.nan,
            "fpr": called[Y == 0].mean(),
            "cost": cost,
        }[goal["target"]]
        if least <= value <= most:
            best = min(best, cost)
    assert clf.cost_ == pytest.approx(best)
    assert least <= clf.achieved_ <= most
    assert mean_cost(Y, (p > clf.threshold_).astype(int), fn_cost=3) == pytest.approx(best)


def test_what_is_reported() -> None:
    clf = OperatingPoint(MEC, at_least=0.9, cv=CV).fit(X, Y)
    p = cross_val_predict(MEC, X, Y, cv=CV, method="predict_proba")[:, 1]
    called = p > clf.threshold_
    assert clf.achieved_ == clf.measures_["recall"] == called[Y == 1].mean()
    assert clf.measures_["precision"] == Y[called].mean()
    assert clf.measures_["fpr"] == called[Y == 0].mean()
    assert clf.cost_ == clf.measures_["cost"] == pytest.approx(np.mean(called != Y))
    expected = [called[held][Y[held] == 1].mean() for _, held in CV.split(X, Y)]
    assert_allclose(clf.fold_values_, expected)
    half = 3.182446 * np.std(expected, ddof=1) / 2  # Student's t for 3 degrees of freedom
    assert_allclose(clf.interval_, [clf.achieved_ - half, min(clf.achieved_ + half, 1)], rtol=1e-6)
    at = np.searchsorted(clf.cv_results_["threshold"], clf.threshold_)
    assert clf.cv_results_["recall"][at] == clf.achieved_
    assert clf.method_ == "threshold"
    assert not hasattr(clf, "fn_cost_")


def test_the_model_is_trained_on_all_rows_and_decides_by_the_threshold() -> None:
    clf = OperatingPoint(MEC, at_least=0.9, cv=CV).fit(X, Y)
    alone = AdaMECClassifier(n_estimators=20, probability="logistic").fit(X, Y)
    assert clf.estimator_.ensemble_ == alone.ensemble_
    assert_array_equal(clf.predict_proba(X), alone.predict_proba(X))
    beyond = alone.predict_proba(X)[:, 1] - clf.threshold_
    assert_array_equal(clf.decision_function(X), beyond)
    assert_array_equal(clf.predict(X), beyond > 0)


def test_a_threshold_is_a_cost_ratio() -> None:
    """A classifier that decides by cost can be given the costs that lead to the threshold."""
    for model in (MEC, PLATT):
        clf = OperatingPoint(model, at_least=0.9, cv=CV).fit(X, Y)
        ratio = (1 - clf.threshold_) / clf.threshold_
        assert_array_equal(clf.predict(X), clf.estimator_.predict(X, fn_cost=ratio, fp_cost=1))


@settings(max_examples=15, deadline=None)
@given(
    st.floats(0.05, 1),
    st.sampled_from([0.2, 1.0, 30.0]),
    st.sampled_from(["no", "yes"]),
)
def test_a_recall_is_met_for_either_class(goal: float, fn_cost: float, pos_label: str) -> None:
    labels = np.array(["no", "yes"])[Y]
    clf = OperatingPoint(
        LogisticRegression(), at_least=goal, fn_cost=fn_cost, pos_label=pos_label, cv=CV
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the cheapest way")
        clf.fit(X, labels)
    column = ["no", "yes"].index(pos_label)
    p = cross_val_predict(LogisticRegression(), X, labels, cv=CV, method="predict_proba")
    found = (p[:, column] > clf.threshold_)[labels == pos_label].mean()
    assert clf.achieved_ == pytest.approx(found)
    assert found >= goal - 1e-12
    y_pred = clf.predict(X)
    assert_array_equal(y_pred == pos_label, clf.predict_proba(X)[:, column] > clf.threshold_)


def test_the_positive_class_is_that_of_the_estimator() -> None:
    inherited = OperatingPoint(
        AdaMECClassifier(pos_label=0, n_estimators=10), target="precision", at_least=0.9, cv=CV
    ).fit(X, Y)
    stated = OperatingPoint(
        AdaMECClassifier(n_estimators=10), target="precision", at_least=0.9, cv=CV, pos_label=0
    ).fit(X, Y)
    assert inherited.threshold_ == pytest.approx(stated.threshold_)
    assert inherited.achieved_ == stated.achieved_


def test_scores_without_probabilities() -> None:
    for pos_label in (0, 1):
        clf = OperatingPoint(LinearSVC(), at_least=0.95, cv=CV, pos_label=pos_label).fit(X, Y)
        assert clf.method_ == "threshold"
        assert not hasattr(clf, "predict_proba")
        score = clf.estimator_.decision_function(X) * (1 if pos_label else -1)
        assert_array_equal(clf.predict(X) == pos_label, score > clf.threshold_)
        assert_array_equal(clf.predict(X) == 1, clf.decision_function(X) > 0)
        assert_allclose(np.abs(clf.decision_function(X)), np.abs(score - clf.threshold_))


def test_a_model_that_is_fitted_already_is_not_fitted_again() -> None:
    model = clone(MEC).fit(X[:300], Y[:300])
    clf = OperatingPoint(FrozenEstimator(model), at_least=0.9, cv=CV).fit(X[300:], Y[300:])
    p = model.predict_proba(X[300:])[:, 1]
    assert clf.achieved_ == (p > clf.threshold_)[Y[300:] == 1].mean()
    other = FrozenEstimator(AdaMECClassifier(pos_label=0, n_estimators=5).fit(X[:300], Y[:300]))
    clf = OperatingPoint(other, at_least=0.9, cv=CV).fit(X[300:], Y[300:])
    p = other.predict_proba(X[300:])[:, 0]
    assert clf.achieved_ == (p > clf.threshold_)[Y[300:] == 0].mean()


def test_margin_and_what_it_is_for() -> None:
    points = [OperatingPoint(MEC, at_least=0.8, margin=z, cv=CV).fit(X, Y) for z in (0, 1, 2)]
    assert points[0].threshold_ > points[1].threshold_ > points[2].threshold_
    n = np.sum(Y == 1)
    recall = points[2].achieved_
    centre, spread = recall + 4 / (2 * n), 2 * np.sqrt(recall * (1 - recall) / n + 1 / n**2)
    assert (centre - spread) / (1 + 4 / n) >= 0.8


# ---- the training cost ---------------------------------------------------------------------------


def test_refit_tries_training_costs() -> None:
    model = CGAdaClassifier(n_estimators=15)
    clf = OperatingPoint(
        model, at_least=0.8, method="refit", fn_costs=[20, 1, 3, 8], fn_cost=2, fp_cost=0.5, cv=CV
    ).fit(X, Y)
    points = []
    for fn_cost in (1, 3, 8, 20):
        trained = CGAdaClassifier(n_estimators=15, fn_cost=fn_cost, fp_cost=0.5)
        y_pred = cross_val_predict(trained, X, Y, cv=CV)
        points.append(
            (recall_score(Y, y_pred), mean_cost(Y, y_pred, fn_cost=2, fp_cost=0.5), fn_cost)
        )
    assert_allclose(clf.cv_results_["recall"], [p[0] for p in points])
    assert_allclose(clf.cv_results_["cost"], [p[1] for p in points])
    _, cost, best = min((p for p in points if p[0] >= 0.8), key=lambda p: p[1])
    assert (clf.fn_cost_, clf.fp_cost_, clf.method_) == (best, 0.5, "refit")
    assert clf.cost_ == pytest.approx(cost)
    assert not hasattr(clf, "threshold_")
    alone = CGAdaClassifier(n_estimators=15, fn_cost=best, fp_cost=0.5).fit(X, Y)
    assert_array_equal(clf.predict(X), alone.predict(X))


def test_refit_inside_a_pipeline_and_for_the_other_class() -> None:
    pipeline = make_pipeline(StandardScaler(), CGAdaClassifier(n_estimators=10))
    goal = {"at_least": 0.97, "method": "refit", "fn_costs": [1, 10], "pos_label": 0, "cv": CV}
    clf = OperatingPoint(pipeline, **goal).fit(X, Y)
    assert clf.estimator_[-1].pos_label == 0
    assert clf.estimator_[-1].fn_cost == clf.fn_cost_
    y_pred = cross_val_predict(clf.estimator_, X, Y, cv=CV)
    assert clf.achieved_ == np.mean(y_pred[Y == 0] == 0)


def test_auto_takes_the_training_cost_where_there_is_no_score() -> None:
    class Mute(CGAdaClassifier):
        predict_proba = decision_function = None

        def __getattribute__(self, name: str) -> Any:
            if name in ("predict_proba", "decision_function"):
                raise AttributeError(name)
            return super().__getattribute__(name)

    clf = OperatingPoint(Mute(n_estimators=5), at_least=0.7, fn_costs=[1, 100], cv=CV).fit(X, Y)
    assert clf.method_ == "refit"
