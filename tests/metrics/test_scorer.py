"""Cost scorers inside scikit-learn's cross-validation and search."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import CostSearchCV, OperatingPointClassifier
from costboost.algorithms import CGAdaClassifier, LogitBoostClassifier
from costboost.metrics import make_cost_scorer, mean_cost, normalized_cost, savings, total_cost
from costboost.metrics.costs import decides_by_cost

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
    y_pred = clf.predict(X)
    scorer = make_cost_scorer(3, 7, pos_label=0)
    assert scorer(clf, X, Y) == -mean_cost(Y, y_pred, fn_cost=3, fp_cost=7, pos_label=0)


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
        model = CGAdaClassifier(n_estimators=10).fit(X[train], Y[train], fn_cost=FN[train])
        cost = mean_cost(Y[test], model.predict(X[test]), fn_cost=FN[test], fp_cost=2)
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
    fold, scorer = (np.arange(300), np.arange(50)), make_cost_scorer(fn_cost=1)
    scores = cross_val_score(LogisticRegression(), X, y, cv=[fold], scoring=scorer)
    assert np.isfinite(scores).all()


def test_bad_scorers() -> None:
    with pytest.raises(ValueError, match=r"fn_cost must be a number here.*set_score_request"):
        make_cost_scorer(fn_cost=FN)
    with pytest.raises(ValueError, match=r"measure must be one of mean_cost, .* got 'accuracy'"):
        make_cost_scorer(measure="accuracy")


# ---- decisions by the costs of rows --------------------------------------------------------------


def by_rows(model: Any, X: Any, fn: Any, fp: Any = 1) -> Any:
    """What a classifier with probabilities decides by costs of rows."""
    p = model.predict_proba(X)[:, 1]
    return (p * fn > (1 - p) * fp).astype(int)


def deciding(**options: Any) -> LogitBoostClassifier:
    return LogitBoostClassifier(n_estimators=10, calibration="platt", random_state=0, **options)


WRAPPED: dict[str, Callable[[], Any]] = {
    "alone": deciding,
    "pipeline": lambda: make_pipeline(StandardScaler(), deciding()),
    "nested pipelines": lambda: make_pipeline(
        make_pipeline(StandardScaler()), "passthrough", make_pipeline(deciding())
    ),
    "grid search": lambda: GridSearchCV(deciding(), {"learning_rate": [0.5, 1.0]}, cv=2),
    "search in a pipeline": lambda: make_pipeline(
        StandardScaler(), GridSearchCV(deciding(), {"learning_rate": [0.5, 1.0]}, cv=2)
    ),
    "cost search": lambda: CostSearchCV(deciding(), fn_costs=[1, 10], cv=2, random_state=0),
    "frozen": lambda: FrozenEstimator(deciding().fit(X, Y)),
}


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("name", WRAPPED)
def test_classifiers_decide_by_the_costs_of_the_rows(name: str, routing: bool) -> None:
    with sklearn.config_context(enable_metadata_routing=routing):
        model = WRAPPED[name]().fit(X, Y)
        assert decides_by_cost(model)
        y_pred = by_rows(model, X, FN, 2)
        assert np.any(y_pred != model.predict(X))  # or the test could not fail
        found = make_cost_scorer(fp_cost=2)(model, X, Y, fn_cost=FN)
        assert found == -mean_cost(Y, y_pred, fn_cost=FN, fp_cost=2)


CANNOT: dict[str, Callable[[], Any]] = {
    "trained by cost": lambda: CGAdaClassifier(n_estimators=10),
    "search of such": lambda: CostSearchCV(
        CGAdaClassifier(n_estimators=10), fn_costs=[1, 5], cv=2, random_state=0
    ),
    "operating point": lambda: OperatingPointClassifier(deciding(), at_least=0.8, cv=2),
    "scikit-learn": LogisticRegression,
    "scikit-learn's pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
    "calibrated": lambda: CalibratedClassifierCV(deciding(), cv=2),
    "fixed threshold": lambda: FixedThresholdClassifier(deciding(), threshold=0.2),
    "votes": lambda: VotingClassifier([("a", deciding()), ("b", LogisticRegression())]),
}


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("name", CANNOT)
def test_others_are_scored_as_they_decide(name: str, routing: bool) -> None:
    with sklearn.config_context(enable_metadata_routing=routing):
        model = CANNOT[name]().fit(X, Y)
        assert not decides_by_cost(model)
        found = make_cost_scorer()(model, X, Y, fn_cost=FN)
        assert found == -mean_cost(Y, model.predict(X), fn_cost=FN)


def test_a_search_of_costs_decides_by_cost_if_its_classifier_does() -> None:
    assert WRAPPED["cost search"]().fit(X, Y).decides_by_cost
    assert not CANNOT["search of such"]().fit(X, Y).decides_by_cost


def test_one_cost_for_all_rows_leaves_the_decision_to_the_classifier() -> None:
    """A search over costs of training would compare nothing otherwise."""
    model = deciding(fn_cost=3).fit(X, Y)
    expected = -mean_cost(Y, model.predict(X), fn_cost=9)
    assert make_cost_scorer(fn_cost=9)(model, X, Y) == expected
    assert make_cost_scorer()(model, X, Y, fn_cost=9) == expected


@pytest.mark.parametrize("stated", [None, 0, 1])
@pytest.mark.parametrize("of_model", [None, 0, 1])
def test_costs_belong_to_the_scorers_positive_class(stated: Any, of_model: Any) -> None:
    model = deciding(pos_label=of_model).fit(X, Y)
    y_pred = by_rows(model, X, *((2, FN) if stated == 0 else (FN, 2)))
    options: dict[str, Any] = {"fn_cost": FN, "fp_cost": 2, "pos_label": stated}
    found = make_cost_scorer(fp_cost=2, pos_label=stated)(model, X, Y, fn_cost=FN)
    assert found == -mean_cost(Y, y_pred, **options)


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("several", [False, True])
def test_a_search_ranks_decisions_by_the_costs_of_the_rows(several: bool) -> None:
    scorer = make_cost_scorer(fp_cost=2).set_score_request(fn_cost=True)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), deciding().set_fit_request(fn_cost=False)),
        {"logitboostclassifier__n_estimators": [1, 20]},
        scoring={"cost": scorer, "accuracy": "accuracy"} if several else scorer,
        refit="cost" if several else True,
        cv=CV,
    ).fit(X, Y, fn_cost=FN)
    key = "cost" if several else "score"
    for k, n in enumerate((1, 20)):
        pipe = make_pipeline(StandardScaler(), deciding().set_params(n_estimators=n))
        costs = [
            mean_cost(
                Y[test],
                by_rows(pipe.fit(X[train], Y[train]), X[test], FN[test], 2),
                fn_cost=FN[test],
                fp_cost=2,
            )
            for train, test in CV.split(X, Y)
        ]
        assert_allclose(search.cv_results_[f"mean_test_{key}"][k], -np.mean(costs), rtol=1e-12)
    whole = -mean_cost(Y, by_rows(search, X, FN, 2), fn_cost=FN, fp_cost=2)
    assert search.score(X, Y, fn_cost=FN) == pytest.approx(whole)


def test_steps_that_resample_take_no_part_in_predictions() -> None:
    class Resampler(BaseEstimator):
        """Stands for a step of an imbalanced-learn pipeline, which has no transform."""

        def fit(self, X: Any, y: Any) -> Resampler:
            return self

    scaler, model = StandardScaler().fit(X), deciding()
    model.fit(scaler.transform(X), Y)
    pipe = Pipeline([("scale", scaler), ("resample", Resampler()), ("model", model)])
    found = make_cost_scorer()(pipe, X, Y, fn_cost=FN)
    assert found == make_cost_scorer()(model, scaler.transform(X), Y, fn_cost=FN)


def test_what_else_scikit_learn_does_with_scorers() -> None:
    scorer = make_cost_scorer(fn_cost=4)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=CV).fit(X, Y)
    fixed = LogisticRegression().fit(X, Y)
    assert scorer(tuned, X, Y) > scorer(fixed, X, Y)
    for again in (copy.deepcopy(scorer), pickle.loads(pickle.dumps(scorer))):
        assert again(fixed, X, Y) == scorer(fixed, X, Y)
    assert repr(scorer) == "make_cost_scorer(fn_cost=4, measure='mean_cost')"
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        scorer.nothing_of_the_kind  # noqa: B018
