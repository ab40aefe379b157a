"""Cost scorers inside scikit-learn's cross-validation and search."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import CGAdaClassifier
from costboost.metrics import make_cost_scorer, mean_cost, normalized_cost, savings, total_cost

X, Y = make_classification(300, weights=[0.8], flip_y=0.1, random_state=0)
FN = np.random.default_rng(0).uniform(1, 20, len(Y))
CV = StratifiedKFold(3)
MEASURES: dict[str, tuple[Any, int]] = {
    "mean_cost": (mean_cost, -1),
    "total_cost": (total_cost, -1),
    "normalized_cost": (normalized_cost, -1),
    "savings": (savings, 1),
}


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize("measure", MEASURES)
def test_scorer_is_the_measure_with_a_sign(measure: str) -> None:
    function, sign = MEASURES[measure]
    clf = LogisticRegression().fit(X, Y)
    scorer = make_cost_scorer(fn_cost=10, fp_cost=2, measure=measure)
    expected = sign * function(Y, clf.predict(X), fn_cost=10, fp_cost=2)
    assert scorer(clf, X, Y) == expected
    assert pickle.loads(pickle.dumps(scorer))(clf, X, Y) == expected


def test_positive_class_and_costs_by_position() -> None:
    clf = LogisticRegression().fit(X, Y)
    said = clf.predict(X)
    scorer = make_cost_scorer(3, 7, pos_label=0)
    assert scorer(clf, X, Y) == -mean_cost(Y, said, fn_cost=3, fp_cost=7, pos_label=0)


def test_cost_matrix() -> None:
    matrix = np.array([[0, 1, 4], [2, 0, 3], [7, 5, 0]])
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    clf = LogisticRegression().fit(X, y)
    scorer = make_cost_scorer(cost_matrix=matrix, labels=[0, 1, 2])
    assert scorer(clf, X, y) == -mean_cost(y, clf.predict(X), cost_matrix=matrix)
    only = y == 1
    assert scorer(clf, X[only], y[only]) <= 0  # a fold that lacks classes


def test_in_a_search() -> None:
    grid = {"fn_cost": [1, 5, 20]}
    search = GridSearchCV(CGAdaClassifier(n_estimators=10), grid, scoring=make_cost_scorer(20))
    search.fit(X, Y)
    assert search.best_params_["fn_cost"] > 1
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()


@pytest.mark.usefixtures("_routing")
def test_costs_of_each_row_are_routed() -> None:
    clf = CGAdaClassifier(n_estimators=10).set_fit_request(fn_cost=True)
    scorer = make_cost_scorer(fp_cost=2).set_score_request(fn_cost=True)
    found = cross_validate(clf, X, Y, cv=CV, scoring=scorer, params={"fn_cost": FN})["test_score"]
    expected = []
    for train, test in CV.split(X, Y):
        said = CGAdaClassifier(n_estimators=10).fit(X[train], Y[train], fn_cost=FN[train])
        cost = mean_cost(Y[test], said.predict(X[test]), fn_cost=FN[test], fp_cost=2)
        expected.append(-cost)
    assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.usefixtures("_routing")
def test_costs_are_routed_through_a_search_over_a_pipeline() -> None:
    clf = CGAdaClassifier(n_estimators=10).set_fit_request(fn_cost=True)
    scorer = make_cost_scorer().set_score_request(fn_cost=True, sample_weight=True)
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    search = GridSearchCV(
        make_pipeline(scaler, clf.set_fit_request(fn_cost=True, sample_weight=False)),
        {"cgadaclassifier__n_estimators": [1, 10]},
        scoring=scorer,
        cv=CV,
    )
    search.fit(X, Y, fn_cost=FN, sample_weight=np.ones(len(Y)))
    assert np.all(np.isfinite(search.cv_results_["mean_test_score"]))
    assert_allclose(
        search.score(X, Y, fn_cost=FN, sample_weight=np.ones(len(Y))),
        -mean_cost(Y, search.predict(X), fn_cost=FN),
        rtol=1e-12,
    )


def test_folds_of_one_class() -> None:
    y = np.repeat([0, 1], [200, 100])
    scores = cross_val_score(
        LogisticRegression(), X, y, cv=[(np.arange(300), np.arange(50))], scoring=make_cost_scorer()
    )
    assert np.isfinite(scores).all()


def test_bad_scorers() -> None:
    with pytest.raises(ValueError, match=r"fn_cost must be a number here.*set_score_request"):
        make_cost_scorer(fn_cost=FN)
    with pytest.raises(ValueError, match=r"measure must be one of mean_cost, .* got 'accuracy'"):
        make_cost_scorer(measure="accuracy")
