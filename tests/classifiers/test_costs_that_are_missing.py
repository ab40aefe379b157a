"""Warnings where costs are left out, so that decisions or searches cost more than they need."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import costboost
from costboost import CostBoostClassifier, CostSearchCV, EstimatedCostClassifier
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    LogitBoostClassifier,
)
from costboost.metrics import make_cost_scorer, total_cost
from costboost.multiclass import GBSEClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(600, 3))
Y = (X[:, 0] + RANDOM.normal(size=600) > 1).astype(int)
AMOUNT = RANDOM.lognormal(3, 1, 600)
MEC = AdaMECClassifier(n_estimators=20, calibration="platt", random_state=0)
BY_MEANS = "fitted with costs of rows, but predict.* decides by their means"
ACCURACY = "is the accuracy, in which all mistakes count the same"


def silently(call: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call()


# ---- predictions without the costs of their rows -------------------------------------------------


def test_predictions_by_mean_costs_are_warned_of() -> None:
    clf = MEC.fit(X, Y, fn_cost=AMOUNT, fp_cost=5.0)
    with pytest.warns(UserWarning, match=BY_MEANS):
        by_means = clf.predict(X)
    by_rows = silently(lambda: clf.predict(X, fn_cost=AMOUNT, fp_cost=5.0))
    given = {"fn_cost": AMOUNT, "fp_cost": 5.0}
    assert total_cost(Y, by_rows, **given) < total_cost(Y, by_means, **given)
    same = silently(lambda: clf.predict(X, fn_cost=clf.model_.costs.fn, fp_cost=5.0))
    np.testing.assert_array_equal(same, by_means)
    with pytest.warns(UserWarning, match=BY_MEANS):
        list(clf.staged_predict(X))
    with pytest.warns(UserWarning, match=BY_MEANS):
        make_pipeline(StandardScaler(), MEC).fit(X, Y, adamecclassifier__fn_cost=AMOUNT).predict(X)


@pytest.mark.parametrize("given", [{"tp_cost": -AMOUNT}, {"fp_cost": AMOUNT, "tn_cost": 0.0}])
def test_any_of_the_four_costs_may_differ(given: Any) -> None:
    clf = AdaMECClassifier(n_estimators=3).fit(X, Y, **given)
    with pytest.warns(UserWarning, match=BY_MEANS):
        clf.predict(X)


def test_nothing_is_warned_of_where_no_money_is_lost() -> None:
    same = AdaMECClassifier(n_estimators=3).fit(X, Y, fn_cost=np.full(600, 4.0))
    fixed = AdaC2Classifier(n_estimators=3).fit(X, Y, fn_cost=AMOUNT)  # takes no others
    again = AdaMECClassifier(n_estimators=3).fit(X, Y, fn_cost=AMOUNT).fit(X, Y)
    for clf in (same, fixed, again):
        assert silently(lambda clf=clf: clf.predict(X)).shape == (600,)


def test_a_saved_model_remembers_the_costs_of_rows(tmp_path: Path) -> None:
    clf = AdaMECClassifier(n_estimators=3).fit(X, Y, fn_cost=AMOUNT)
    costboost.save(clf, tmp_path / "m")
    with pytest.warns(UserWarning, match=BY_MEANS):
        costboost.load(tmp_path / "m").predict(X)


def test_collections_are_warned_of_at_once() -> None:
    da = pytest.importorskip("dask.array")
    clf = AdaMECClassifier(n_estimators=3).fit(X, Y, fn_cost=AMOUNT)
    rows = da.from_array(X, chunks=(200, 3))
    with pytest.warns(UserWarning, match=BY_MEANS):
        clf.predict(rows)
    silently(lambda: clf.predict(rows, fn_cost=AMOUNT))
    silently(lambda: clf.predict_proba(rows))


# ---- searches that maximise the accuracy ---------------------------------------------------------


def test_a_search_without_scoring_is_warned_of() -> None:
    grid = {"n_estimators": [2, 3]}
    clf = LogitBoostClassifier(fn_cost=3, calibration="platt", random_state=0)
    with pytest.warns(UserWarning, match=ACCURACY):
        GridSearchCV(clf, grid, cv=2).fit(X, Y)
    for scoring in (make_cost_scorer(fn_cost=3), "accuracy"):
        silently(lambda scoring=scoring: GridSearchCV(clf, grid, cv=2, scoring=scoring).fit(X, Y))


@pytest.mark.parametrize(
    "clf",
    [
        AdaC2Classifier(n_estimators=3, fn_cost=5),
        CostBoostClassifier(n_estimators=3, fn_cost=5, random_state=0),
        CostSearchCV(MEC, fn_cost=5, cv=2),
        EstimatedCostClassifier(MEC, LinearRegression()),
        GBSEClassifier(n_estimators=2, cost_matrix=[[0, 1], [5, 0]], random_state=0),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_score_is_the_accuracy(clf: Any) -> None:
    given = {"fn_cost": AMOUNT} if isinstance(clf, EstimatedCostClassifier) else {}
    clf.fit(X, Y, **given)
    with pytest.warns(UserWarning, match=f"{type(clf).__name__} {ACCURACY}"):
        score = clf.score(X, Y)
    assert score == np.mean(clf.predict(X) == Y)


@pytest.mark.parametrize("clf", [AdaMECClassifier(n_estimators=3), AdaBoostClassifier()])
def test_equal_costs_make_no_difference(clf: Any) -> None:
    clf.fit(X, Y)
    assert silently(lambda: clf.score(X, Y)) > 0.5
    several = clf.fit(X, np.arange(600) % 3)
    assert silently(lambda: several.score(X, np.arange(600) % 3)) > 0
