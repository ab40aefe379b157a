"""Calibrated classifiers among others: scikit-learn's tools, other parameters, another fit."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import costboost._core.backends.shard.nodes
import costboost._core.threads.counts
from costboost import CostBoostClassifier
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSLogitBoostClassifier,
    CSRealBoostClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
)
from costboost.calibration import PlattCalibrator
from costboost.metrics import make_cost_scorer, mean_cost

X, Y = make_classification(
    300, n_features=6, n_informative=4, weights=[0.75], flip_y=0.1, class_sep=1.3, random_state=3
)
N = len(Y)
CV = StratifiedKFold(3, shuffle=True, random_state=1)
AMOUNT = np.random.default_rng(0).lognormal(1, 1, N)
MODELS = [
    CGAdaClassifier(n_estimators=8, fn_cost=3, calibration="platt", random_state=0),
    AdaC2Classifier(
        n_estimators=8, fn_cost=3, calibration="isotonic", calibration_split=0.3, random_state=0
    ),
    LogitBoostClassifier(
        estimator="tree", n_estimators=8, calibration="beta", calibration_split=CV, random_state=0
    ),
    CostBoostClassifier(n_estimators=4, fn_cost=3, random_state=0),
]
EACH = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__[:-10])


def same(one: Any, other: Any) -> None:
    """Assert that two models are equal, bit by bit."""
    assert one.ensemble_ == other.ensemble_
    assert one.stop_reason_ == other.stop_reason_
    ours, theirs = one.model_.calibrator.get_state(), other.model_.calibrator.get_state()
    assert all(np.array_equal(ours[name], theirs[name]) for name in ours | theirs)
    for method in ("decision_function", "predict_proba", "predict"):
        assert_array_equal(getattr(one, method)(X), getattr(other, method)(X))
    assert_array_equal(one.train_cost_, other.train_cost_)


# ---- estimators of scikit-learn ------------------------------------------------------------------


def excused(estimator: Any) -> dict[str, str]:
    """scikit-learn excuses its own CalibratedClassifierCV from these as well."""
    twice = "a row written twice may be in two folds"
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": twice for kind in ("dense", "sparse")
    }


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@parametrize_with_checks(
    [
        cls(n_estimators=3, calibration=calibration, calibration_split=split, random_state=0)
        for cls, calibration, split in (
            (AdaBoostClassifier, "platt", 2),
            (CSRealBoostClassifier, "isotonic", 0.4),
            (CSLogitBoostClassifier, "beta", 2),
        )
    ],
    expected_failed_checks=excused,
)
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


@EACH
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibrated_once_more_by_scikit_learn(model: Any, ensemble: bool) -> None:
    outer = CalibratedClassifierCV(clone(model), method="sigmoid", ensemble=ensemble, cv=CV)
    p = outer.fit(X, Y, sample_weight=np.ones(N)).predict_proba(X)
    assert np.all((p >= 0) & (p <= 1))
    alone = clone(model).fit(X, Y)
    if not ensemble:  # one sigmoid of our scores
        scores = cross_val_predict(clone(model), X, Y, cv=CV, method="decision_function")
        expected = PlattCalibrator().fit(scores, Y).probability(alone.decision_function(X))
        assert_allclose(p[:, 1], expected, atol=1e-4)
        assert roc_auc_score(Y, p[:, 1]) == roc_auc_score(Y, alone.decision_function(X))


@EACH
@pytest.mark.parametrize("fn_cost", [1.0, 4.0, 50.0])
def test_a_fixed_threshold_is_a_ratio_of_costs(model: Any, fn_cost: float) -> None:
    at = 1 / (1 + fn_cost)
    outer = FixedThresholdClassifier(clone(model), threshold=at, response_method="predict_proba")
    outer.fit(X, Y)
    called = outer.estimator_.predict(X, fn_cost=fn_cost, fp_cost=1)
    tie = outer.estimator_.predict_proba(X)[:, 1] == at  # positive there, negative here
    assert_array_equal(outer.predict(X), called | tie)


@EACH
def test_a_tuned_threshold(model: Any) -> None:
    scorer = make_cost_scorer(fn_cost=6)
    outer = TunedThresholdClassifierCV(clone(model), scoring=scorer, cv=CV, thresholds=50)
    outer.fit(X, Y)
    p = outer.estimator_.predict_proba(X)[:, 1]
    assert_array_equal(outer.predict(X), p >= outer.best_threshold_)
    pooled = cross_val_predict(clone(model), X, Y, cv=CV, method="predict_proba")[:, 1]
    by_formula = [mean_cost(Y[test], pooled[test] > 1 / 7, fn_cost=6) for _, test in CV.split(X, Y)]
    assert 0 < -outer.best_score_ < 1.2 * np.mean(by_formula)


def test_a_search_over_ways_to_calibrate() -> None:
    grid = {
        "calibration": [None, "platt", "isotonic", "log-odds"],
        "calibration_split": [2, 0.3, CV],
    }
    model = CGAdaClassifier(n_estimators=6, fn_cost=4, random_state=0)
    search = GridSearchCV(model, grid, scoring=make_cost_scorer(fn_cost=4), cv=CV).fit(X, Y)
    assert len(search.cv_results_["params"]) == 12
    for k in (0, 5, 10):
        own = clone(model).set_params(**search.cv_results_["params"][k])
        called = [own.fit(X[a], Y[a]).predict(X[b]) for a, b in CV.split(X, Y)]
        costs = [
            mean_cost(Y[b], one, fn_cost=4)
            for one, (_, b) in zip(called, CV.split(X, Y), strict=True)
        ]
        assert search.cv_results_["mean_test_score"][k] == pytest.approx(-np.mean(costs))
    best = clone(model).set_params(**search.best_params_).fit(X, Y)
    assert_array_equal(search.predict(X), best.predict(X))


@EACH
def test_costs_of_rows_reach_it_through_a_pipeline(model: Any) -> None:
    with config_context(enable_metadata_routing=True):
        inner = clone(model).set_fit_request(fn_cost=True, sample_weight=True)
        inner.set_predict_request(fn_cost=True, fp_cost=True)
        pipeline = make_pipeline(MinMaxScaler(), inner)
        weight = np.linspace(0.5, 2, N)
        pipeline.fit(X, Y, fn_cost=AMOUNT, sample_weight=weight)
        scaled = pipeline[0].transform(X)
        direct = clone(model).fit(scaled, Y, fn_cost=AMOUNT, sample_weight=weight)
        assert_array_equal(pipeline.predict_proba(X), direct.predict_proba(scaled))
        assert_array_equal(
            pipeline.predict(X, fn_cost=AMOUNT, fp_cost=2.0),
            direct.predict_proba(scaled)[:, 1] > 2 / (2 + AMOUNT),
        )
        scorer = make_cost_scorer().set_score_request(fn_cost=True)
        result = cross_validate(
            pipeline,
            X,
            Y,
            cv=CV,
            params={"fn_cost": AMOUNT, "sample_weight": weight},
            scoring=scorer,
            return_estimator=True,
        )
    for (train, test), fitted, score in zip(
        CV.split(X, Y), result["estimator"], result["test_score"], strict=True
    ):
        low = fitted[0].transform(X)
        own = clone(model).fit(
            low[train], Y[train], fn_cost=AMOUNT[train], sample_weight=weight[train]
        )
        assert_array_equal(own.predict_proba(low), fitted[1].predict_proba(low))
        costs = {"fn_cost": AMOUNT[test], "fp_cost": 1.0} if own.decides_by_cost else {}
        cost = mean_cost(Y[test], own.predict(low[test], **costs), fn_cost=AMOUNT[test])
        assert score == pytest.approx(-cost)


@EACH
def test_folds_side_by_side(model: Any) -> None:
    scores = []
    for jobs in (1, 2):
        with joblib.parallel_config("threading"):
            scores.append(cross_validate(clone(model), X, Y, cv=CV, n_jobs=jobs)["test_score"])
    assert_array_equal(*scores)


# ---- copies --------------------------------------------------------------------------------------


@EACH
def test_copies_of_every_kind(model: Any, tmp_path: Path) -> None:
    clf = clone(model).fit(X, Y)
    joblib.dump(clf, tmp_path / "model.joblib")
    for other in (
        pickle.loads(pickle.dumps(clf)),
        joblib.load(tmp_path / "model.joblib"),
        copy.deepcopy(clf),
        clone(clf).fit(X, Y),
    ):
        same(other, clf)
        assert_array_equal(other.predict(X, fn_cost=AMOUNT), clf.predict(X, fn_cost=AMOUNT))
    fresh = clone(clf)
    assert not hasattr(fresh, "_calibrator")
    assert fresh.get_params(deep=False).keys() == clf.get_params(deep=False).keys()
    assert repr(fresh) == repr(clone(model))


# ---- chance and threads --------------------------------------------------------------------------


@EACH
def test_any_number_of_threads(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costboost._core.threads.counts, "PARALLEL_CELLS", 1)
    monkeypatch.setattr(costboost._core.backends.shard.nodes, "PARALLEL_CELLS", 1)
    one, two = (clone(model).set_params(n_jobs=jobs).fit(X, Y) for jobs in (1, 2))
    same(one, two)


@EACH
def test_random_state_decides(model: Any) -> None:
    first, again = (clone(model).set_params(random_state=7).fit(X, Y) for _ in range(2))
    same(first, again)
    by_generator = [
        clone(model).set_params(random_state=np.random.RandomState(7)).fit(X, Y) for _ in range(2)
    ]
    same(*by_generator)
    same(first, by_generator[0])
    other = clone(model).set_params(random_state=8).fit(X, Y)
    draws = isinstance(model, CostBoostClassifier) or model.calibration_split == 0.3
    assert np.array_equal(first.predict_proba(X), other.predict_proba(X)) != draws  # folds do not


def test_a_fit_draws_one_number() -> None:
    """However many of its parts need one: the split, early stopping, a random weak learner."""
    state = np.random.RandomState(5)
    CGAdaClassifier(
        estimator=DecisionTreeClassifier(max_depth=2, max_features=2),
        n_estimators=3,
        calibration="platt",
        calibration_split=0.3,
        early_stopping=True,
        random_state=state,
    ).fit(X, Y)
    expected = np.random.RandomState(5)
    expected.randint(2**31 - 1)
    assert state.randint(10**6) == expected.randint(10**6)


def test_where_nothing_is_random_none_is_drawn() -> None:
    state = np.random.RandomState(5)
    model = CGAdaClassifier(n_estimators=3, calibration="platt", random_state=state)
    model.set_params(calibration_split=list(CV.split(X, Y))).fit(X, Y)
    assert state.randint(10**6) == np.random.RandomState(5).randint(10**6)


# ---- with early stopping -------------------------------------------------------------------------

STOPPING: dict[str, Any] = {
    "n_estimators": 200,
    "early_stopping": True,
    "n_iter_no_change": 3,
    "validation_fraction": 0.2,
    "random_state": 0,
}


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
@pytest.mark.parametrize("cls", [CGAdaClassifier, RealBoostClassifier])
def test_early_stopping_watches_the_ensemble_before_it_is_calibrated(
    cls: Any, scoring: Any
) -> None:
    plain = cls(scoring=scoring, **STOPPING).fit(X, Y)
    assert plain.n_iter_ < 200
    clf = cls(scoring=scoring, calibration="platt", calibration_split=3, **STOPPING).fit(X, Y)
    assert clf.ensemble_ == plain.ensemble_
    assert_array_equal(clf.validation_score_, plain.validation_score_)
    p = clf.predict_proba(X)[:, 1]
    assert not np.array_equal(p, plain.predict_proba(X)[:, 1])
    assert_array_equal(clf.predict(X, fn_cost=3, fp_cost=1), p > 0.25)
    once = clone(clf).set_params(calibration_split=0.3).fit(X, Y)
    assert len(once.validation_score_) == once.n_iter_ < 200


def test_early_stopping_of_the_default() -> None:
    """Every member of its ensemble stops by itself."""
    clf = CostBoostClassifier(**STOPPING).fit(X, Y)
    assert clf.n_iter_ < clone(clf).set_params(early_stopping=False).fit(X, Y).n_iter_
    assert not hasattr(clf, "validation_score_")
    assert np.isfinite(clf.predict_proba(X)).all()


# ---- with warm starts ----------------------------------------------------------------------------


@EACH
def test_a_warm_start_ends_where_a_cold_one_does(model: Any) -> None:
    """All is calibrated anew: the folds from scratch, the ensemble that is kept by going on."""
    warm = clone(model).set_params(warm_start=True).fit(X, Y)
    first, rounds = warm.ensemble_, warm.n_iter_
    warm.set_params(n_estimators=2 * model.n_estimators).fit(X, Y)
    assert warm.n_iter_ > rounds  # twice as many where no member is left out for want of effect
    assert warm.ensemble_ != first
    cold = clone(model).set_params(n_estimators=2 * model.n_estimators).fit(X, Y)
    same(warm, cold)


@pytest.mark.parametrize("early_stopping", [False, True])
@pytest.mark.parametrize("split", [None, 0.3])
def test_a_warm_start_holds_out_the_rows_of_the_first_fit(split: Any, early_stopping: bool) -> None:
    """Also where the first fit was not meant to be continued, and chance has no seed."""
    options = {"calibration": "platt", "calibration_split": split, "validation_fraction": 0.3}
    options |= {"early_stopping": early_stopping, "n_iter_no_change": 30}
    state = np.random.RandomState(3)
    clf = CGAdaClassifier(n_estimators=10, random_state=state, **options).fit(X, Y)
    clf.set_params(n_estimators=20, warm_start=True).fit(X, Y)
    cold = CGAdaClassifier(n_estimators=20, random_state=np.random.RandomState(3), **options)
    same(clf, cold.fit(X, Y))


def test_a_warm_start_may_calibrate_otherwise() -> None:
    """With no rounds to add too: calibration, folds and costs are those of the last fit."""
    clf = CGAdaClassifier(n_estimators=8, warm_start=True, random_state=0).fit(X, Y)
    score = clf.raw_score(X)
    for options in (
        {"calibration": "platt"},
        {"calibration": "isotonic"},
        {"calibration": "isotonic", "calibration_split": 3},
        {"calibration": None, "calibration_split": None},
    ):
        clf.set_params(**options).fit(X, Y)
        cold = CGAdaClassifier(n_estimators=8, random_state=0, **options).fit(X, Y)
        assert_array_equal(clf.predict_proba(X), cold.predict_proba(X))
        assert_array_equal(clf.predict(X), cold.predict(X))
        assert_array_equal(clf.raw_score(X), score)
    mec = LogitBoostClassifier(n_estimators=8, calibration="platt", warm_start=True, random_state=0)
    before = mec.fit(X, Y).predict(X).sum()
    assert mec.fit(X, Y, fn_cost=30).predict(X).sum() > before


@pytest.mark.parametrize("how", ["constructor", "class costs in fit", "costs of rows in fit"])
def test_a_warm_start_without_rounds_to_add_has_the_costs_of_the_last_fit(how: str) -> None:
    options: dict[str, Any] = {} if how == "constructor" else {"fn_cost": 20.0, "fp_cost": 2.0}
    if how == "costs of rows in fit":
        options = {name: np.linspace(1, 2, len(Y)) * cost for name, cost in options.items()}
    mec = AdaMECClassifier(n_estimators=8, warm_start=True).fit(X, Y)
    costs = {"fn_cost": 20.0, "fp_cost": 2.0} if how == "constructor" else {}
    mec.set_params(**costs).fit(X, Y, **options)
    cold = AdaMECClassifier(n_estimators=8, **costs).fit(X, Y, **options)
    assert mec.ensemble_ == cold.ensemble_
    assert_array_equal(mec.predict(X), cold.predict(X))
    assert_array_equal(mec.train_cost_, cold.train_cost_)
    stump = CGAdaClassifier(n_estimators=1, warm_start=True).fit(X, Y)
    before = stump.estimator_weights_
    assert stump.fit(X, Y, fn_cost=1.1).estimator_weights_ != before


@pytest.mark.parametrize(
    ("first", "then"),
    [(None, 0.3), (0.3, None), (0.3, 0.4)],
    ids=["all rows first", "some rows first", "another share"],
)
def test_a_warm_start_does_not_change_the_rows_it_learns_from(first: Any, then: Any) -> None:
    clf = CGAdaClassifier(calibration="platt", n_estimators=5, warm_start=True, random_state=0)
    clf.set_params(calibration_split=first).fit(X, Y)
    p = clf.predict_proba(X)
    clf.set_params(calibration_split=then, n_estimators=9)
    message = f"a share of {first or 0:g} of them and is to hold out {then or 0:g} now; refit with"
    with pytest.raises(ValueError, match=message):
        clf.fit(X, Y)
    assert_array_equal(clf.predict_proba(X), p)
    clf.set_params(warm_start=False).fit(X, Y)
    assert clf.n_iter_ == 9


def test_without_a_warm_start_nothing_is_left_of_an_earlier_calibration() -> None:
    clf = CGAdaClassifier(n_estimators=5, calibration="platt", random_state=0).fit(X, Y)
    clf.set_params(calibration=None).fit(X, Y)
    cold = CGAdaClassifier(n_estimators=5).fit(X, Y)
    assert_array_equal(clf.predict_proba(X), cold.predict_proba(X))
    with pytest.raises(ValueError, match="cannot be given other costs after training"):
        clf.predict(X, fn_cost=2)
