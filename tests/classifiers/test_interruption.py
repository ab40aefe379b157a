"""A fit that fails or is interrupted leaves the earlier model, bit for bit."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import costboost
from costboost import CostBoostClassifier
from costboost._core.training import ensemble
from costboost.algorithms import AdaBoostClassifier, LogitBoostClassifier

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(90, 4)).round(1)
TWO = (X[:, 0] + RANDOM.normal(size=90) > 0).astype(int)
THREE = np.digitize(X[:, 0] + RANDOM.normal(size=90), [-0.5, 0.5])

FITS: dict[str, tuple[Any, Any]] = {
    "two classes": (AdaBoostClassifier(n_estimators=3), TWO),
    "three classes": (AdaBoostClassifier(n_estimators=3, random_state=0), THREE),
    "calibrated": (LogitBoostClassifier(calibration="platt", n_estimators=3, random_state=0), TWO),
    "early stopping": (
        AdaBoostClassifier(n_estimators=3, early_stopping=True, random_state=0),
        TWO,
    ),
    "average": (CostBoostClassifier(n_estimators=3, random_state=0, calibration_split=2), TWO),
    "average, three classes": (
        CostBoostClassifier(n_estimators=2, random_state=0, calibration_split=2),
        THREE,
    ),
}


class Interrupter:
    """The boosting loop, with an exception at the yield of a given number, over all ensembles."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error
        self.left = -1
        self.count = 0

    def __call__(self, *given: Any) -> Iterator[Any]:
        rounds = BOOST(*given)
        while True:
            try:
                one = next(rounds)
            except StopIteration as end:
                return end.value  # why there are no more rounds
            self.count += 1
            if self.count == self.left:
                raise self.error
            yield one


BOOST = ensemble.boost


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("name", FITS)
def test_an_interrupted_fit_leaves_the_earlier_model(
    name: str, warm_start: bool, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, y = FITS[name]
    clf = made.__class__(**made.get_params()).fit(X, y)
    interrupter = Interrupter(error)
    monkeypatch.setattr(ensemble, "boost", interrupter)
    clf.set_params(warm_start=warm_start, n_estimators=5)
    before, expected = pickle.dumps(clf), clf.predict_proba(X)
    again = pickle.loads(before).fit(X, y)
    n_yields = interrupter.count
    assert n_yields >= again.n_iter_ > clf.n_iter_
    for at in range(1, n_yields + 1):
        interrupter.count, interrupter.left = 0, at
        with pytest.raises(error):
            clf.fit(X, y)
        assert pickle.dumps(clf) == before
    assert_array_equal(clf.predict_proba(X), expected)
    interrupter.left = -1
    assert_array_equal(clf.fit(X, y).predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("name", FITS)
def test_a_first_fit_that_is_interrupted_leaves_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, y = FITS[name]
    clf = made.__class__(**made.get_params())
    interrupter = Interrupter(KeyboardInterrupt)
    interrupter.left = 2
    monkeypatch.setattr(ensemble, "boost", interrupter)
    before = dict(vars(clf))
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert vars(clf) == before


def test_a_warning_that_is_an_error_leaves_the_earlier_model() -> None:
    clf = AdaBoostClassifier(n_estimators=2).fit(X, TWO)
    before = pickle.dumps(clf)
    clf.set_params(fn_cost=3)
    with pytest.raises(UserWarning, match="ignores costs"):
        clf.fit(X[:, :2], TWO)
    clf.set_params(fn_cost=1.0)
    assert pickle.dumps(clf) == before


def test_a_model_is_frozen() -> None:
    for y in (TWO, THREE):
        clf = costboost.algorithms.AdaBoostClassifier(n_estimators=2).fit(X, y)
        for name in ("learner", "classes", "stop_reason"):
            with pytest.raises(AttributeError):
                setattr(clf.model_, name, None)


def test_fitted_attributes_are_views_of_the_model() -> None:
    clf = AdaBoostClassifier(n_estimators=2)
    assert not hasattr(clf, "n_iter_")
    clf.fit(X, TWO)
    assert clf.estimator_weights_ is clf.model_.estimator_weights
    assert not hasattr(clf, "validation_score_")
    assert not hasattr(clf, "estimators_")
    clf.fit(X, THREE)
    assert [one.model_ for one in clf.estimators_] == list(clf.model_.members)
    assert not hasattr(clf, "ensemble_")
