"""Compatibility with scikit-learn: estimator checks, routing of costs, cloning, pickling."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from costboost import multiclass
from costboost.multiclass import GBSEClassifier, LpCSBClassifier, MetaCostClassifier

CLASSES = [getattr(multiclass, name) for name in multiclass.__all__]
PAIRED = GBSEClassifier, LpCSBClassifier
"""A linear model of rows and labels knows no interaction of the two."""
SAMPLING = [cls for cls in CLASSES if cls is not MetaCostClassifier]

CHECKED = [
    *(cls(n_estimators=5) for cls in CLASSES),
    *(cls(n_estimators=5, sampling="weight") for cls in SAMPLING),
    *(cls(n_estimators=5, estimator=DecisionTreeClassifier(max_depth=4)) for cls in CLASSES),
    GBSEClassifier(n_estimators=5, variant="gbse-t"),
    GBSEClassifier(n_estimators=5, calibration="dirichlet"),
    MetaCostClassifier(n_estimators=5, relabel=False),
    MetaCostClassifier(n_estimators=5, relabel=False, calibration="dirichlet"),
    MetaCostClassifier(n_estimators=5, bootstrap=True, max_samples=1.0),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learn_compatible(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("cls", CLASSES)
def test_every_parameter_is_keyword_only_and_stored_untouched(cls: Any) -> None:
    parameters = inspect.signature(cls).parameters.values()
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters)
    marks = {p.name: object() for p in parameters}
    assert cls(**marks).get_params(deep=False) == marks


@pytest.mark.parametrize("cls", CLASSES)
def test_clone_and_pickle(cls: Any) -> None:
    X, y = load_wine(return_X_y=True)
    clf = cls(n_estimators=4, random_state=0).fit(X, y)
    for copy in (pickle.loads(pickle.dumps(clf)), clone(clf).fit(X, y)):
        np.testing.assert_array_equal(copy.predict_proba(X), clf.predict_proba(X))
        assert copy.rows_used_ == clf.rows_used_
    assert len(pickle.dumps(clf)) < 400_000, "the training rows must not be kept"


@pytest.mark.parametrize("cls", CLASSES)
def test_costs_are_routed(cls: Any) -> None:
    X, y = load_wine(return_X_y=True)
    costs = np.where(y[:, None] == np.arange(3), 0, 1.0 + y[:, None])
    with config_context(enable_metadata_routing=True):
        clf = cls(n_estimators=3, random_state=0).set_fit_request(costs=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), clf)
        pipeline.fit(X, y, costs=costs)
        result = cross_validate(pipeline, X, y, params={"costs": costs}, cv=3)
        assert result["test_score"].min() > 0.5
        search = GridSearchCV(clf, {"n_estimators": [2, 3]}, cv=2).fit(X, y, costs=costs)
        assert search.best_params_["n_estimators"] in (2, 3)


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
@pytest.mark.parametrize("cls", CLASSES)
def test_frames_with_categories_and_missing_values(cls: Any) -> None:
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    size = rng.normal(size=200)
    size[::9] = np.nan
    X = pd.DataFrame({"size": size, "colour": pd.Categorical(colour)})
    clf = cls(n_estimators=5, random_state=0).fit(X, colour)
    assert clf.score(X, colour) > 0.98
    np.testing.assert_array_equal(clf.feature_names_in_, ["size", "colour"])
    other = X.assign(colour=pd.Categorical(["mauve"] * 200))
    assert set(clf.predict(other)) <= set(colour)


@pytest.mark.parametrize("inner", [GaussianNB(), LogisticRegression()])
@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls not in PAIRED])
def test_any_classifier_is_a_component(cls: Any, inner: Any) -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    clf = cls(estimator=inner, n_estimators=4, random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.85


def test_gbse_wants_a_learner_that_sees_which_label_suits_which_row() -> None:
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"n_estimators": 20, "random_state": 0}
    near = KNeighborsClassifier(3)
    products = make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=2000))
    for inner in (near, products):
        assert GBSEClassifier(estimator=inner, **options).fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("cls", CLASSES)
def test_a_pipeline_as_component_sees_the_frame(cls: Any) -> None:
    X, y = load_wine(return_X_y=True, as_frame=True)
    inner = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=5))
    options = {"n_estimators": 4, "random_state": 0}
    assert cls(estimator=inner, **options).fit(X, y).score(X, y) > 0.8
