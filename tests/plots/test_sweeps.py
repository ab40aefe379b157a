"""Swept costs and parameters, against fits and decisions made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from costboost import CostSearchCV
from costboost.algorithms import AdaBoostRegClassifier, AdaMECClassifier, CGAdaClassifier
from costboost.metrics import make_cost_scorer, mean_cost, normalized_cost
from costboost.plots import Band, CostSweepDisplay, confidence_band

X, Y = make_classification(240, weights=[0.7], flip_y=0.1, random_state=0)
FOLDS = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, Y))
COSTS = np.array([0.5, 2.0, 8.0])


def by_hand(clf: Any, measure: Any, parameter: str = "fn_cost", values: Any = COSTS) -> np.ndarray:
    """The measure in every fold for every value of the parameter."""
    table = np.empty((len(FOLDS), len(values)))
    for fold, (train, test) in enumerate(FOLDS):
        for k, value in enumerate(values):
            model = clone(clf).set_params(**{parameter: value}).fit(X[train], Y[train])
            table[fold, k] = measure(Y[test], model.predict(X[test]), value)
    return table


# ---- training anew -------------------------------------------------------------------------------


def test_a_classifier_is_trained_for_each_cost() -> None:
    clf = CGAdaClassifier(n_estimators=8)
    drawn = CostSweepDisplay.from_estimator(
        clf, X, Y, param_range=COSTS[::-1], cv=FOLDS, measures=["recall", "precision", "cost"]
    )
    runs = {
        "recall": by_hand(clf, lambda y, y_pred, c: recall_score(y, y_pred)),
        "precision": by_hand(clf, lambda y, y_pred, c: precision_score(y, y_pred)),
        "cost": by_hand(clf, lambda y, y_pred, c: mean_cost(y, y_pred, fn_cost=c)),
    }
    for name, table in runs.items():
        line = drawn.lines_[name]
        assert_array_equal(line.get_xdata(), COSTS)
        assert_allclose(line.get_ydata(), table.mean(axis=0))
        band = confidence_band(table, least=0, most=np.inf if name == "cost" else 1)
        assert_allclose(drawn.values[name].upper, band.upper)
        assert drawn.bands_[name] is not None
    assert drawn.ax_.get_xlabel() == "cost of a miss (fn_cost)"
    assert drawn.ax_.get_xscale() == "log"
    assert drawn.cost_ax_ is not drawn.ax_
    assert clf.fn_cost == 1


def test_true_costs() -> None:
    clf = CGAdaClassifier(n_estimators=8, fp_cost=2)
    true = np.linspace(1, 5, 240)
    drawn = CostSweepDisplay.from_estimator(
        clf, X, Y, param_range=COSTS, cv=FOLDS, measures="cost", fn_cost=true
    )
    found = []
    for train, test in FOLDS:
        models = [clone(clf).set_params(fn_cost=c).fit(X[train], Y[train]) for c in COSTS]
        found.append(
            [mean_cost(Y[test], m.predict(X[test]), fn_cost=true[test], fp_cost=2) for m in models]
        )
    assert_allclose(drawn.values["cost"].middle, np.mean(found, axis=0))


def test_any_parameter() -> None:
    clf, values = AdaBoostRegClassifier(n_estimators=6), np.array([1.0, 5.0])
    drawn = CostSweepDisplay.from_estimator(
        clf, X, Y, param_name="C", param_range=values, cv=FOLDS, measures="f1"
    )
    expected = by_hand(clf, lambda y, y_pred, c: f1_score(y, y_pred), "C", values)
    assert_allclose(drawn.values["f1"].middle, expected.mean(axis=0))
    assert drawn.ax_.get_xlabel() == "C"
    assert drawn.ax_.get_xscale() == "linear"


def test_inside_a_pipeline() -> None:
    clf = make_pipeline(StandardScaler(), CGAdaClassifier(n_estimators=4))
    short = CostSweepDisplay.from_estimator(clf, X, Y, param_range=COSTS, cv=FOLDS)
    long = CostSweepDisplay.from_estimator(
        clf, X, Y, param_name="cgadaclassifier__fn_cost", param_range=COSTS, cv=FOLDS
    )
    assert_array_equal(short.values["f1"].middle, long.values["f1"].middle)
    assert short.ax_.get_xlabel() == long.ax_.get_xlabel()


def test_weights_count_in_training_and_in_measures() -> None:
    clf = CGAdaClassifier(n_estimators=4)
    weight = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)
    drawn = CostSweepDisplay.from_estimator(
        clf, X, Y, param_range=[2], cv=FOLDS, measures="recall", sample_weight=weight
    )
    found = []
    for train, test in FOLDS:
        model = clone(clf).set_params(fn_cost=2).fit(X[train], Y[train], weight[train])
        found.append(recall_score(Y[test], model.predict(X[test]), sample_weight=weight[test]))
    assert drawn.values["recall"].middle[0] == pytest.approx(np.mean(found))


# ---- deciding anew -------------------------------------------------------------------------------


def test_one_fit_predicts_for_every_cost() -> None:
    clf = AdaMECClassifier(n_estimators=20, probability="logistic")
    options = {"param_range": COSTS, "cv": FOLDS, "measures": ["recall", "normalized_cost"]}
    once = CostSweepDisplay.from_estimator(clf, X, Y, refit=False, **options)
    anew = CostSweepDisplay.from_estimator(clf, X, Y, refit=True, **options)
    for name in ("recall", "normalized_cost"):
        assert_allclose(once.values[name].middle, anew.values[name].middle)
    expected = by_hand(clf, lambda y, y_pred, c: normalized_cost(y, y_pred, fn_cost=c))
    assert_allclose(once.values["normalized_cost"].middle, expected.mean(axis=0))


@pytest.mark.parametrize("varied", ["fn_cost", "fp_cost"])
def test_probabilities_decide_by_least_expected_cost(varied: str) -> None:
    p = np.random.default_rng(0).random(len(Y))
    other = {"fn_cost": "fp_cost", "fp_cost": "fn_cost"}[varied]
    fixed = np.linspace(1, 3, len(Y))
    drawn = CostSweepDisplay.from_predictions(
        Y, p, param_name=varied, param_range=COSTS, measures=["recall", "cost"], **{other: fixed}
    )
    for k, value in enumerate(COSTS):
        costs: Any = {varied: value, other: fixed}
        y_pred = (p > costs["fp_cost"] / (costs["fp_cost"] + costs["fn_cost"])).astype(int)
        assert drawn.values["recall"].middle[k] == pytest.approx(recall_score(Y, y_pred))
        assert drawn.values["cost"].middle[k] == pytest.approx(mean_cost(Y, y_pred, **costs))
    assert drawn.bands_ == {"recall": None, "cost": None}


# ---- searches ------------------------------------------------------------------------------------


def test_a_grid_search() -> None:
    scoring = {"cost": make_cost_scorer(fn_cost=5), "recall": "recall"}
    search = GridSearchCV(
        CGAdaClassifier(n_estimators=4), {"fn_cost": [8, 1, 3]}, scoring=scoring, refit=False, cv=3
    ).fit(X, Y)
    drawn = CostSweepDisplay.from_cv_results(search.cv_results_)
    assert_array_equal(drawn.param_values, [1, 3, 8])
    cost = search.cv_results_["mean_test_cost"][[1, 2, 0]]
    assert_allclose(drawn.lines_["cost"].get_ydata(), -cost)
    assert_allclose(
        drawn.lines_["recall"].get_ydata(), search.cv_results_["mean_test_recall"][[1, 2, 0]]
    )
    renamed = CostSweepDisplay.from_cv_results(search.cv_results_, measures={"hit rate": "recall"})
    assert list(renamed.lines_) == ["hit rate"]


def test_a_search_of_costs() -> None:
    search = CostSearchCV(
        CGAdaClassifier(n_estimators=4), fn_costs=[1, 2, 9], fn_cost=5, cv=3, random_state=0
    ).fit(X, Y)
    drawn = CostSweepDisplay.from_cv_results(search.cv_results_)
    assert_allclose(drawn.lines_["cost"].get_ydata(), search.cv_results_["mean_test_cost"])
    assert drawn.ax_.get_ylabel() == "mean cost per row"


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"param_range": []}, "a list of finite numbers"),
        ({"param_range": [0, 1]}, "above 0 for fn_cost, got 0"),
        ({"param_range": [1], "param_name": "C"}, "has no parameter C"),
        ({"param_range": [1], "param_name": "tol", "refit": False}, "one of fn_cost, fp_cost"),
        ({"param_range": [1], "measures": ["auc"]}, "measures must be some of"),
        ({"param_range": [1], "pos_label": 4}, "pos_label is 4"),
        ({"param_range": [1], "cv": 1}, "at least 2"),
        ({"param_range": [1], "cv": [(np.arange(200), np.flatnonzero(Y)[-3:])]}, "one class"),
    ],
)
def test_bad_input(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CostSweepDisplay.from_estimator(CGAdaClassifier(n_estimators=2), X, Y, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.from_predictions(Y, Y, param_range=[1], param_name="C"), "one of fn_cost"),
        (lambda d: d.from_predictions(Y, Y, param_range=[1], fn_cost=2), "given twice"),
        (lambda d: d.from_predictions(Y, 2 * Y, param_range=[1]), "from 0 to 1"),
        (lambda d: d.from_cv_results({"param_C": [1]}), "search over fn_cost"),
        (
            lambda d: d.from_cv_results({"fn_cost": [1, 1], "split0_test_f": [1, 1]}),
            "other parameters vary",
        ),
        (
            lambda d: d.from_cv_results({"fn_cost": [1], "split0_test_f": [1]}, measures=["g"]),
            "some of f, got 'g'",
        ),
        (lambda d: d.from_cv_results({"fn_cost": ["a"], "split0_test_f": [1]}), "must be numbers"),
        (
            lambda d: d.from_cv_results({"fn_cost": [1], "split0_test_f": [np.nan]}),
            "some fits have failed",
        ),
        (lambda d: d(values={"f1": Band(np.ones(2))}, param_values=[1]), "one entry for each"),
        (lambda d: d(values={}, param_values=[]), "at least one measure"),
    ],
)
def test_bad_predictions_and_results(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(CostSweepDisplay)


def test_weights_for_a_classifier_without_weights() -> None:
    clf = make_pipeline(StandardScaler(), LinearSVC())
    with pytest.raises(ValueError, match="takes no sample_weight"):
        CostSweepDisplay.from_estimator(
            clf, X, Y, param_name="linearsvc__C", param_range=[1], sample_weight=np.ones(len(Y))
        )
