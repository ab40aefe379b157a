"""At home in scikit-learn: its checks, its other thresholds, its routing of metadata."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from decisions.setting import CV, MEC, PLATT, X, Y
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from costboost import CostSearchCV
from costboost import OperatingPointClassifier as OperatingPoint
from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier
from costboost.metrics import make_cost_scorer, mean_cost

# ---- estimator checks ----------------------------------------------------------------------------


OLD = tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7)
WEIGHTS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "the check gives folds from 1.7 on"
    for kind in ("dense", "sparse")
}
MOVED = {"check_classifiers_train": "as for scikit-learn's own: the threshold is not at one half"}


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@pytest.mark.filterwarnings("ignore:the cheapest way to meet the goal:UserWarning")
@parametrize_with_checks(
    [
        OperatingPoint(AdaMECClassifier(n_estimators=10), at_least=0.9, cv=3),
        OperatingPoint(LogisticRegression(), target="fpr", at_most=0.2, cv=3),
        OperatingPoint(
            CGAdaClassifier(n_estimators=10),
            at_least=0.0,
            method="refit",
            fn_costs=[1.0, 10.0],
            cv=3,
        ),
        CostSearchCV(CGAdaClassifier(n_estimators=10), fn_costs=[0.5, 1.0], cv=3),
    ],
    expected_failed_checks=lambda clf: (
        (MOVED if clf.get_params().get("target") == "fpr" else {}) | (WEIGHTS if OLD else {})
    ),
)
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


# ---- parameters and copies -----------------------------------------------------------------------

BOTH = [
    OperatingPoint(MEC, at_least=0.9, cv=CV),
    OperatingPoint(
        CGAdaClassifier(n_estimators=9), at_least=0.5, method="refit", fn_costs=[2, 9], cv=CV
    ),
    CostSearchCV(CGAdaClassifier(n_estimators=9), fn_costs=[1, 4], fn_cost=4, cv=CV),
]


@pytest.mark.parametrize("clf", BOTH, ids=["threshold", "refit", "search"])
def test_clone_and_pickle(clf: Any) -> None:
    with pytest.raises(NotFittedError):
        clone(clf).predict(X)
    fitted = clone(clf).fit(X, Y)
    assert not hasattr(clone(fitted), "classes_")
    assert_array_equal(clone(fitted).fit(X, Y).predict(X), fitted.predict(X))
    assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))
    assert fitted.n_features_in_ == X.shape[1]
    assert not hasattr(clf.estimator, "classes_")  # the one given is left alone


def test_all_but_the_estimator_are_keyword_arguments() -> None:
    for cls in (OperatingPoint, CostSearchCV):
        with pytest.raises(TypeError):
            cls(MEC, "recall")
        assert cls(MEC).set_params(estimator__n_estimators=3).estimator.n_estimators == 3
        MEC.set_params(n_estimators=20)


# ---- inside and around others --------------------------------------------------------------------


@pytest.mark.parametrize("clf", BOTH, ids=["threshold", "refit", "search"])
def test_inside_pipelines_and_cross_validation(clf: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clf).fit(X, Y)
    assert pipeline.score(X, Y) > 0.5
    result = cross_validate(pipeline, X, Y, scoring=make_cost_scorer(fn_cost=4), cv=3)
    assert np.isfinite(result["test_score"]).all()
    calibrated = CalibratedClassifierCV(clf, cv=2).fit(X, Y)
    assert calibrated.predict_proba(X).shape == (len(Y), 2)


def test_the_goal_can_be_searched() -> None:
    grid = {"at_least": [0.5, 0.7, 0.9], "estimator__n_estimators": [5, 20]}
    search = GridSearchCV(
        OperatingPoint(clone(MEC), cv=CV), grid, scoring=make_cost_scorer(fn_cost=10), cv=3
    ).fit(X, Y)
    assert search.best_params_["at_least"] == 0.9


# ---- beside scikit-learn's thresholds ------------------------------------------------------------


def test_the_same_decisions_as_a_fixed_threshold() -> None:
    clf = OperatingPoint(PLATT, at_least=0.9, cv=CV).fit(X, Y)
    fixed = FixedThresholdClassifier(FrozenEstimator(clf.estimator_), threshold=clf.threshold_)
    assert_array_equal(fixed.fit(X, Y).predict(X), clf.predict(X))


@pytest.mark.parametrize("model", [CGAdaClassifier(n_estimators=20), MEC, PLATT], ids=str)
def test_our_classifiers_inside_those_of_scikit_learn(model: Any) -> None:
    fixed = FixedThresholdClassifier(model, threshold=1 / 11, pos_label=1).fit(X, Y)
    assert_array_equal(fixed.predict(X), model.fit(X, Y).predict_proba(X)[:, 1] >= 1 / 11)
    tuned = TunedThresholdClassifierCV(model, scoring=make_cost_scorer(fn_cost=10), cv=CV).fit(X, Y)
    by_half = cross_val_predict(model, X, Y, cv=CV)
    assert tuned.best_score_ >= -mean_cost(Y, by_half, fn_cost=10)
    assert_array_equal(tuned.predict(X), model.predict_proba(X)[:, 1] >= tuned.best_threshold_)


def test_at_least_as_cheap_as_the_tuned_threshold() -> None:
    """A goal that is always met leaves the cheapest of all thresholds, not of 100."""
    tuned = TunedThresholdClassifierCV(PLATT, scoring=make_cost_scorer(fn_cost=10), cv=CV).fit(X, Y)
    clf = OperatingPoint(PLATT, at_least=0, fn_cost=10, cv=CV).fit(X, Y)
    assert clf.cost_ <= -tuned.best_score_ + 1e-3
    assert clf.cv_results_["cost"].min() == clf.cost_


def test_breast_cancer_recall_of_one_half_of_the_rows_on_the_other() -> None:
    """The goal holds about as often as not on rows not seen; with a margin, nearly always."""
    data, y = load_breast_cancer(return_X_y=True)
    met = {0: [], 2: []}
    for train, test in StratifiedShuffleSplit(10, test_size=0.5, random_state=0).split(data, y):
        for margin, results in met.items():
            clf = OperatingPoint(
                AdaBoostClassifier(n_estimators=30, pos_label=0),
                at_least=0.9,
                margin=margin,
                random_state=0,
            ).fit(data[train], y[train])
            results.append(np.mean(clf.predict(data[test])[y[test] == 0] == 0) >= 0.9)
    assert np.mean(met[2]) >= 0.9
    assert np.mean(met[0]) <= np.mean(met[2])


# ---- metadata ------------------------------------------------------------------------------------


@pytest.mark.parametrize("clf", BOTH, ids=["threshold", "refit", "search"])
def test_weights_reach_a_pipeline_by_routing(clf: Any) -> None:
    weight = np.random.default_rng(0).uniform(0.1, 3, len(Y))
    direct = clone(clf).fit(X, Y, sample_weight=weight)
    inside = clone(clf.estimator)
    outer = clone(clf).set_params(estimator=make_pipeline(MinMaxScaler(), inside))
    with pytest.raises(ValueError, match="takes no sample_weight"):
        outer.fit(X, Y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            outer.fit(X, Y, sample_weight=weight)
        inside.set_fit_request(sample_weight=True)
        outer.fit(X, Y, sample_weight=weight)
        assert_array_equal(outer.predict(X), direct.predict(X))
        outer.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        result = cross_validate(
            outer, X, Y, params={"sample_weight": weight}, cv=3, return_estimator=True
        )
    train, _ = next(StratifiedKFold(3).split(X, Y))
    own = clone(clf).fit(X[train], Y[train], sample_weight=weight[train])
    assert_array_equal(result["estimator"][0].predict(X), own.predict(X))


def test_costs_of_rows_reach_an_estimator_that_requests_them() -> None:
    amount = np.random.default_rng(0).lognormal(1, 1, len(Y))
    model = CGAdaClassifier(n_estimators=9)
    quiet = OperatingPoint(model, at_least=0.9, cv=CV).fit(X, Y, fn_cost=amount)
    assert quiet.estimator_.ensemble_ == clone(model).fit(X, Y).ensemble_
    with sklearn.config_context(enable_metadata_routing=True):
        asking = clone(model).set_fit_request(fn_cost=True)
        clf = OperatingPoint(asking, at_least=0.9, cv=CV).fit(X, Y, fn_cost=amount)
        assert clf.estimator_.ensemble_ == clone(model).fit(X, Y, fn_cost=amount).ensemble_
        clf.set_params(method="refit", at_least=0.3, fn_costs=[5.0]).fit(X, Y, fn_cost=amount)
        trained = clone(model).set_params(fn_cost=5.0).fit(X, Y)
        assert clf.estimator_.ensemble_ == trained.ensemble_
