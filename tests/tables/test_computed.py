"""Classifiers on features that are computed when they are needed."""

from __future__ import annotations

import pickle
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import CostBoostClassifier, algorithms
from costboost._core.tables import ComputedFeatures, computed
from costboost.algorithms import CSLogitBoostClassifier


class Stored(ComputedFeatures):
    """Features of an array, which records the ones that are computed."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values = values
        self.shape = values.shape[0], values.shape[1]
        self.asked: list[int] = []

    def compute(self, features: NDArray[np.intp]) -> NDArray[np.float64]:
        self.asked += features.tolist()
        return self.values[:, features]

    def take(self, rows: Any) -> Self:
        return type(self)(self.values[rows])


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    monkeypatch.setattr(computed, "CELLS_AT_A_TIME", 1000)  # several blocks
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 40)).round(2)
    X[random.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 3] + X[:, 17]) + random.normal(size=120) > 0).astype(int)
    return X, y


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "name", [name for name in algorithms.__all__ if name.endswith("Classifier")]
)
def test_models_are_those_of_the_array(name: str, data: Any) -> None:
    X, y = data
    clf = getattr(algorithms, name)(fn_cost=3, n_estimators=8, n_jobs=1)
    if clf.rule.learner == "linear":
        X = np.nan_to_num(X)
    expected = clf.fit(X, y).model_.ensemble.tobytes()
    of_array = clf.decision_function(X)
    clf.fit(Stored(X), y)
    assert clf.model_.ensemble.tobytes() == expected
    np.testing.assert_array_equal(clf.decision_function(Stored(X)), of_array)
    np.testing.assert_array_equal(clf.decision_function(X), of_array)


BUILT_IN = [name for name in CSLogitBoostClassifier.rule.learners if name != "wrapped"]


@pytest.mark.parametrize("estimator", BUILT_IN)
def test_learners(estimator: str, data: Any) -> None:
    X, y = data
    X = np.nan_to_num(X)
    clf = CSLogitBoostClassifier(estimator=estimator, n_estimators=5)
    expected = clf.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(clf.fit(Stored(X), y).predict_proba(Stored(X)), expected)
    staged = list(clf.staged_decision_function(Stored(X)))
    np.testing.assert_array_equal(staged, list(clf.staged_decision_function(X)))


def test_prediction_computes_only_tested_features(data: Any) -> None:
    X, y = data
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=5).fit(Stored(X), y)
    features = clf.model_.ensemble.feature
    new = Stored(X)
    clf.predict(new)
    assert new.asked == np.unique(features[features >= 0]).tolist()
    assert len(new.asked) <= 5


def test_calibration_early_stopping_and_weights(data: Any) -> None:
    X, y = data
    weight = np.arange(len(y)) % 3
    options: dict[str, Any] = {"n_estimators": 20, "random_state": 0}
    for clf in (
        CostBoostClassifier(**options),
        costboost.algorithms.CGAdaClassifier(early_stopping=True, calibration="platt", **options),
    ):
        expected = clf.fit(X, y, sample_weight=weight).predict_proba(X)
        clf.fit(Stored(X), y, sample_weight=weight)
        np.testing.assert_array_equal(clf.predict_proba(Stored(X)), expected)


def test_folds_of_scikit_learn(data: Any) -> None:
    X, y = data
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=5)
    expected = cross_val_predict(clf, X, y, cv=3)
    np.testing.assert_array_equal(cross_val_predict(clf, Stored(X), y, cv=3), expected)


def test_pickled_models_predict(data: Any) -> None:
    X, y = data
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=5).fit(Stored(X), y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict(Stored(X)), clf.predict(X))


def test_a_constant_model_predicts() -> None:
    X, y = np.zeros((20, 3)), np.arange(20) % 2
    with pytest.warns(UserWarning, match="added no learner"):
        clf = costboost.algorithms.AdaBoostClassifier().fit(Stored(X), y)
    np.testing.assert_array_equal(clf.predict(Stored(X)), clf.predict(X))


def test_messages(data: Any) -> None:
    X, y = data
    with pytest.raises(ValueError, match="needs an array"):
        costboost.algorithms.AdaBoostClassifier(estimator=DecisionTreeClassifier()).fit(
            Stored(X), y
        )
    with pytest.raises(ValueError, match="0 sample"):
        costboost.algorithms.AdaBoostClassifier().fit(Stored(X[:0]), y[:0])
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=2).fit(Stored(X), y)
    with pytest.raises(ValueError, match="40 features"):
        clf.predict(Stored(X[:, :5]))
    with pytest.raises(TypeError, match="only rows"):
        Stored(X)[:, :3]
