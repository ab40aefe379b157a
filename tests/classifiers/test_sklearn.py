"""At home in scikit-learn: its estimator checks, metadata routing, cloning, pickling, names."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone, is_classifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import costboost
from costboost.algorithms import (
    CLASSES,
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    LogitBoostClassifier,
)

CLASSIFIERS = [AdaBoostClassifier, CGAdaClassifier, AdaMECClassifier]
LEARNERS = [None, "tree", DecisionTreeClassifier(max_depth=1)]


def problem(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0.8).astype(int)


# ---- estimator checks ----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@parametrize_with_checks(
    [cls(estimator=learner, n_estimators=20) for cls in CLASSIFIERS for learner in LEARNERS]
    + [LogitBoostClassifier(n_estimators=20, warm_start=True)]
)
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    """Without exception: scikit-learn excuses its own AdaBoost from two checks, we need neither."""
    check(estimator)


def not_for_drawn_rows(estimator: Any) -> dict[str, str]:
    """A weight is a chance to be drawn, and that is not a row written so often."""
    if not estimator.resample:
        return {}
    same = "the rows drawn are others"
    return {
        "check_sample_weight_equivalence_on_dense_data": same,
        "check_sample_weight_equivalence_on_sparse_data": same,
    }


OTHERS = [cls(n_estimators=10) for cls in CLASSES if cls not in CLASSIFIERS]


def not_for_folds(estimator: Any) -> dict[str, str]:
    """scikit-learn excuses its own CalibratedClassifierCV for the same reason."""
    if not isinstance(estimator, costboost.CostBoostClassifier):
        return {}
    reason = "a row written twice may be in two folds"
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")
    }


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@parametrize_with_checks(OTHERS, expected_failed_checks=not_for_folds)
def test_the_others_are_compatible_too(estimator: Any, check: Any) -> None:
    check(estimator)


BY_LEARNER = [
    costboost.algorithms.RealBoostClassifier(estimator="stump", n_estimators=5),
    costboost.algorithms.LogitBoostClassifier(estimator="tree", n_estimators=5),
    CGAdaClassifier(estimator="lookup", n_estimators=5),
    costboost.algorithms.LogitBoostClassifier(estimator="linear", n_estimators=5),
    CGAdaClassifier(estimator="logistic", n_estimators=5),
    CGAdaClassifier(
        estimator=KNeighborsClassifier(3), resample=True, n_estimators=5, random_state=0
    ),
]


@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@parametrize_with_checks(BY_LEARNER, expected_failed_checks=not_for_drawn_rows)
def test_every_learner_is_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


# ---- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_parameter_is_keyword_only_and_stored_untouched(classifier: Any) -> None:
    parameters = inspect.signature(classifier).parameters.values()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    marks = {p.name: object() for p in parameters}
    clf = classifier(**marks)
    assert clf.get_params(deep=False) == marks
    assert all(getattr(clf, name) is mark for name, mark in marks.items())
    with pytest.raises(TypeError):
        classifier(None)


def test_the_shared_parameters_and_their_defaults() -> None:
    expected = {
        "estimator": None,
        "n_estimators": 100,
        "fn_cost": 1.0,
        "fp_cost": 1.0,
        "pos_label": None,
        "learning_rate": 1.0,
        "initial_weights": "auto",
        "negative_step": "stop",
        "max_bins": 255,
        "categorical_features": "from_dtype",
        "early_stopping": False,
        "scoring": None,
        "warm_start": False,
        "random_state": None,
        "n_jobs": None,
        "verbose": 0,
    }
    for classifier in CLASSIFIERS:
        assert expected.items() <= classifier().get_params().items()
    assert AdaMECClassifier().probability == "logistic"


def test_set_params_reaches_the_wrapped_learner() -> None:
    clf = CGAdaClassifier(estimator=DecisionTreeClassifier(), fn_cost=3)
    clf.set_params(estimator__max_depth=4, fn_cost=5)
    assert clf.get_params()["estimator__max_depth"] == clf.estimator.max_depth == 4
    assert clf.fn_cost == 5
    with pytest.raises(ValueError, match="Invalid parameter 'rounds'"):
        clf.set_params(rounds=3)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_clone_is_unfitted_and_trains_the_same_model(learner: Any) -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=learner, fn_cost=4, n_estimators=9, random_state=0).fit(X, y)
    copy = clone(clf)
    assert not hasattr(copy, "ensemble_")
    assert copy.get_params(deep=False).keys() == clf.get_params(deep=False).keys()
    assert copy.fn_cost == 4
    copy.fit(X, y)
    np.testing.assert_array_equal(copy.decision_function(X), clf.decision_function(X))


def test_fit_leaves_the_wrapped_learner_and_the_data_alone() -> None:
    X, y = problem()
    weight, cost = np.ones(len(y)), np.linspace(1, 2, len(y))
    before = [values.copy() for values in (X, y, weight, cost)]
    inner = DecisionTreeClassifier(max_depth=1)
    for learner in (None, "tree", inner):
        clf = CGAdaClassifier(estimator=learner, n_estimators=3)
        clf.fit(X, y, sample_weight=weight, fn_cost=cost)
    assert not hasattr(inner, "tree_")
    for values, old in zip((X, y, weight, cost), before, strict=True):
        np.testing.assert_array_equal(values, old)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_pickle(classifier: Any, learner: Any) -> None:
    X, y = problem()
    labels = np.array(["no", "yes"])[y]
    clf = classifier(estimator=learner, n_estimators=8).fit(X, labels)
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict(X), clf.predict(X))
    np.testing.assert_array_equal(copy.predict_proba(X), clf.predict_proba(X))
    stages = zip(copy.staged_predict(X), clf.staged_predict(X), strict=True)
    assert all((a == b).all() for a, b in stages)
    np.testing.assert_array_equal(copy.feature_importances_, clf.feature_importances_)


def test_a_pickled_model_can_be_continued() -> None:
    X, y = problem()
    half = CGAdaClassifier(n_estimators=10, warm_start=True).fit(X, y)
    half = pickle.loads(pickle.dumps(half)).set_params(n_estimators=20).fit(X, y)
    assert half.ensemble_ == CGAdaClassifier(n_estimators=20).fit(X, y).ensemble_


# ---- seen from outside ---------------------------------------------------------------------------


def test_representations() -> None:
    clf = CGAdaClassifier(fn_cost=5.0, estimator="tree")
    text = repr(clf)
    assert text.startswith("CGAdaClassifier(")
    assert "fn_cost=5.0" in text
    assert "estimator='tree'" in text
    assert "learning_rate" not in text  # parameters left at their default are not shown
    html = clf._repr_html_()
    assert "CGAdaClassifier" in html
    assert "Not fitted" in html
    X, y = problem()
    assert "<span>Fitted</span>" in clf.fit(X, y)._repr_html_()
    assert "AdaMECClassifier" in make_pipeline(StandardScaler(), AdaMECClassifier())._repr_html_()


def test_it_is_a_classifier_with_the_usual_attributes() -> None:
    X, y = problem()
    for classifier in CLASSIFIERS:
        clf = classifier(n_estimators=7)
        assert is_classifier(clf)
        assert clf.fit(X, y) is clf
        check_is_fitted(clf)
        np.testing.assert_array_equal(clf.classes_, [0, 1])
        assert clf.n_features_in_ == 3
        assert not hasattr(clf, "feature_names_in_")
        assert clf.n_iter_ == 7
        assert clf.estimator_weights_.shape == clf.estimator_errors_.shape == (7,)
        assert clf.train_cost_.shape == (7,)
        assert clf.feature_importances_.shape == (3,)
        assert isinstance(clf.stop_reason_, str)
        assert clf.score(X, y) == np.mean(clf.predict(X) == y)
        for flag in ("fgd_consistent", "cost_consistent", "asymmetry_preserving"):
            assert isinstance(getattr(classifier, flag), bool)
        assert "(" in classifier.reference


def test_feature_names() -> None:
    X, y = problem()
    frame = pd.DataFrame(X, columns=["age", "income", "debt"])
    clf = CGAdaClassifier(n_estimators=5).fit(frame, y)
    np.testing.assert_array_equal(clf.feature_names_in_, ["age", "income", "debt"])
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        clf.predict(X)
    clf.fit(X, y)
    assert not hasattr(clf, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names"):
        clf.predict(frame)


# ---- metadata routing ----------------------------------------------------------------------------


class Recorder(TransformerMixin, BaseEstimator):
    """Passes X on unchanged: a pipeline step that takes no metadata."""

    def fit(self, X: Any, y: Any = None) -> Recorder:
        self.fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        return X


@pytest.fixture
def routed() -> Any:
    with config_context(enable_metadata_routing=True):
        yield


def metadata() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    return {
        "sample_weight": rng.uniform(0.1, 3, 200),
        "fn_cost": 10 ** rng.uniform(0, 2, 200),
        "fp_cost": 10 ** rng.uniform(-1, 1, 200),
    }


def wanting(**options: Any) -> CGAdaClassifier:
    clf = CGAdaClassifier(n_estimators=15, **options)
    return clf.set_fit_request(sample_weight=True, fn_cost=True, fp_cost=True)


@pytest.mark.usefixtures("routed")
@pytest.mark.parametrize("name", ["sample_weight", "fn_cost", "fp_cost"])
def test_pipeline_passes_each_of_them_on(name: str) -> None:
    X, y = problem()
    given = {name: metadata()[name]}
    direct = CGAdaClassifier(n_estimators=15).fit(X, y, **given)
    without = CGAdaClassifier(n_estimators=15).fit(X, y)
    assert direct.ensemble_ != without.ensemble_
    pipeline = make_pipeline(Recorder(), wanting()).fit(X, y, **given)
    assert pipeline[-1].ensemble_ == direct.ensemble_


@pytest.mark.usefixtures("routed")
def test_pipeline_passes_costs_to_predict() -> None:
    X, y = problem()
    clf = AdaMECClassifier(n_estimators=15).set_predict_request(fn_cost=True, fp_cost=True)
    pipeline = Pipeline([("scale", StandardScaler()), ("clf", clf)]).fit(X, y)
    costs = {name: metadata()[name] for name in ("fn_cost", "fp_cost")}
    y_pred = pipeline.predict(X, **costs)
    expected = pipeline[-1].predict(pipeline[0].transform(X), **costs)
    np.testing.assert_array_equal(y_pred, expected)
    assert (y_pred != pipeline.predict(X)).any()


@pytest.mark.usefixtures("routed")
def test_metadata_without_a_request_are_refused() -> None:
    X, y = problem()
    costs = {"fn_cost": metadata()["fn_cost"]}
    with pytest.raises(UnsetMetadataPassedError, match="fn_cost"):
        make_pipeline(Recorder(), CGAdaClassifier()).fit(X, y, **costs)
    with pytest.raises(UnsetMetadataPassedError, match="fn_cost"):
        cross_validate(CGAdaClassifier(), X, y, params=costs)
    declined = CGAdaClassifier(n_estimators=15).set_fit_request(fn_cost=False)
    with pytest.raises(TypeError, match="fn_cost"):
        make_pipeline(Recorder(), declined).fit(X, y, **costs)


@pytest.mark.usefixtures("routed")
def test_cross_validate_gives_each_fold_its_rows() -> None:
    X, y = problem()
    given = metadata()
    folds = KFold(4, shuffle=True, random_state=0)
    result = cross_validate(
        make_pipeline(Recorder(), wanting()),
        X,
        y,
        cv=folds,
        params=given,
        return_estimator=True,
        scoring=make_scorer(lambda truth, called: np.mean(truth == called)),
    )
    for pipeline, (train, _) in zip(result["estimator"], folds.split(X), strict=True):
        own = {name: values[train] for name, values in given.items()}
        direct = CGAdaClassifier(n_estimators=15).fit(X[train], y[train], **own)
        assert pipeline[-1].ensemble_ == direct.ensemble_
        assert (
            direct.ensemble_ != CGAdaClassifier(n_estimators=15).fit(X[train], y[train]).ensemble_
        )


@pytest.mark.usefixtures("routed")
def test_grid_search_gives_each_fold_its_rows() -> None:
    X, y = problem()
    given = metadata()
    search = GridSearchCV(
        wanting(),
        {"n_estimators": [1, 5, 25]},
        cv=KFold(3),
        scoring=make_scorer(_mean_cost, greater_is_better=False).set_score_request(
            fn_cost=True, fp_cost=True
        ),
    ).fit(X, y, **given)
    for k, (train, test) in enumerate(KFold(3).split(X)):
        own = {name: values[train] for name, values in given.items()}
        for row, n_estimators in enumerate([1, 5, 25]):
            clf = CGAdaClassifier(n_estimators=n_estimators).fit(X[train], y[train], **own)
            cost = _mean_cost(
                y[test], clf.predict(X[test]), given["fn_cost"][test], given["fp_cost"][test]
            )
            assert search.cv_results_[f"split{k}_test_score"][row] == pytest.approx(-cost)
    best = CGAdaClassifier(**search.best_params_).fit(X, y, **given)
    assert search.best_estimator_.ensemble_ == best.ensemble_


def _mean_cost(y: np.ndarray, called: np.ndarray, fn_cost: Any, fp_cost: Any) -> float:
    return float(np.mean((y != called) * np.where(y == 1, fn_cost, fp_cost)))


@pytest.mark.usefixtures("routed")
def test_requests_can_be_read_back() -> None:
    clf = AdaMECClassifier().set_fit_request(fn_cost=True).set_predict_request(fp_cost="amount")
    routing = clf.get_metadata_routing()
    assert routing.fit.requests["fn_cost"] is True
    assert routing.fit.requests["sample_weight"] is None
    assert routing.predict.requests["fp_cost"] == "amount"
    assert clone(clf).get_metadata_routing().fit.requests["fn_cost"] is True


def test_without_routing_a_pipeline_takes_step_parameters() -> None:
    X, y = problem()
    cost = metadata()["fn_cost"]
    pipeline = Pipeline([("clf", CGAdaClassifier(n_estimators=15))]).fit(X, y, clf__fn_cost=cost)
    direct = CGAdaClassifier(n_estimators=15).fit(X, y, fn_cost=cost)
    assert pipeline[-1].ensemble_ == direct.ensemble_
