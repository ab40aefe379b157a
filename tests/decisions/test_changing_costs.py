"""Other costs after training, and costs of rows: nothing is trained again."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
from decisions.setting import CV, GOALS, MEC, PLATT, X, Y
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import (
    cross_val_predict,
)

from costboost import CostBoostClassifier
from costboost import OperatingPointClassifier as OperatingPoint
from costboost._core.training import ensemble
from costboost.algorithms import CGAdaClassifier, LogitBoostClassifier
from costboost.metrics import mean_cost


class Counting(CGAdaClassifier):
    """Counts how often it is fitted."""

    fits: ClassVar[int] = 0

    def fit(self, *args: Any, **options: Any) -> Any:
        Counting.fits += 1
        return super().fit(*args, **options)


def test_changing_costs_never_refits() -> None:
    Counting.fits = 0
    model = Counting(n_estimators=10, calibration="platt", random_state=0)
    clf = OperatingPoint(model, target="recall", at_least=0.5, cv=CV).fit(X, Y)
    assert Counting.fits == 4 + 1
    predicted = [clf.predict(X, fn_cost=ratio) for ratio in (1, 5, 25)]
    clf.predict_proba(X)
    assert Counting.fits == 4 + 1
    positives = [int(np.sum(one)) for one in predicted]
    assert positives == sorted(positives)
    assert positives[0] < positives[2]


@pytest.mark.parametrize(
    "model",
    [
        MEC,
        PLATT,
        LogitBoostClassifier(n_estimators=10, calibration="isotonic"),
        CostBoostClassifier(n_estimators=10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_classifier_that_decides_by_cost_is_trained_once(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every training goes through one function."""
    trained = []
    training = ensemble._training
    monkeypatch.setattr(ensemble, "_training", lambda *given: trained.append(1) or training(*given))
    clf = clone(model).fit(X, Y)
    once, state = len(trained), pickle.dumps(clf)
    amount = np.random.default_rng(0).lognormal(1, 1, len(Y))
    predicted = [clf.predict(X, fn_cost=cost, fp_cost=1).sum() for cost in (1, 5, 25, amount)]
    assert len(set(predicted)) > 1
    assert len(trained) == once > 0
    assert pickle.dumps(clf) == state


@pytest.mark.parametrize("goal", GOALS[:4], ids=str)
def test_other_costs_give_the_point_that_a_fit_would_find(goal: dict[str, Any]) -> None:
    clf = OperatingPoint(MEC, cv=CV, **goal).fit(X, Y)
    for costs in ({"fn_cost": 7}, {"fp_cost": 4.0}, {"fn_cost": 0.5, "fp_cost": 2}):
        other = OperatingPoint(MEC, cv=CV, **goal, **costs).fit(X, Y)
        assert_array_equal(clf.predict(X, **costs), other.predict(X))


def test_a_budget_that_other_costs_break() -> None:
    clf = OperatingPoint(MEC, target="cost", at_most=0.2, cv=CV).fit(X, Y)
    with pytest.raises(ValueError, match="the best achievable mean cost is"):
        clf.predict(X, fn_cost=50, fp_cost=50)


def test_costs_of_rows_decide_between_points() -> None:
    amount = np.random.default_rng(0).lognormal(1, 1, len(Y))
    clf = OperatingPoint(MEC, target="fpr", at_most=0.5, cv=CV).fit(X, Y, fn_cost=amount)
    p = cross_val_predict(MEC, X, Y, cv=CV, method="predict_proba")[:, 1]
    costs = []
    for t in [-1, *np.unique(p)]:
        called = (p > t).astype(int)
        if called[Y == 0].mean() <= 0.5:
            costs.append(mean_cost(Y, called, fn_cost=amount))
    assert clf.cost_ == pytest.approx(min(costs))
