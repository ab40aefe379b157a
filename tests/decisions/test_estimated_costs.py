"""`EstimatedCostClassifier`: costs that are not known when deciding."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost import CostBoostClassifier, Costs, EstimatedCostClassifier
from costboost.algorithms import CGAdaClassifier
from costboost.metrics import make_cost_scorer, total_cost

RNG = np.random.default_rng(3)
N = 300
X = RNG.normal(size=(N, 3))
Y = (RNG.random(N) < 1 / (1 + np.exp(1.5 - X[:, 0]))).astype(int)
GIFT = np.maximum(10 + 4 * X[:, 1] + RNG.normal(size=N), 0)
SEEN = np.where(Y == 1, GIFT, np.nan)
COSTS = Costs.direct_mail(SEEN, mailing_cost=2)


def made(estimator: Any = None, **options: Any) -> EstimatedCostClassifier:
    return EstimatedCostClassifier(estimator or LogisticRegression(), LinearRegression(), **options)


@pytest.mark.parametrize("estimator", [None, CostBoostClassifier(n_estimators=5, random_state=0)])
def test_decisions_are_those_of_least_expected_cost(estimator: Any) -> None:
    clf = made(estimator).fit(X, Y, costs=COSTS)
    donors = Y == 1
    gift = 2 - LinearRegression().fit(X[donors], COSTS.tp_cost[donors]).predict(X)
    p = clf.predict_proba(X)[:, 1]
    assert np.array_equal(clf.predict(X), (p * (gift - 2) > (1 - p) * 2).astype(int))
    assert np.array_equal(clf.decision_function(X) > 0, clf.predict(X) == 1)
    assert clf.estimate_costs(X).tp_cost == pytest.approx(2 - gift)
    assert set(clf.cost_estimators_) == {"tp_cost"}
    assert clf.known_costs_ == {"fn_cost": 0, "fp_cost": 2, "tn_cost": 0}


def test_known_costs_replace_estimates() -> None:
    clf = made().fit(X, Y, costs=COSTS)
    p = clf.predict_proba(X)[:, 1]
    known = clf.predict(X, tp_cost=2 - GIFT)
    assert np.array_equal(known, (p * (GIFT - 2) > (1 - p) * 2).astype(int))
    assert not clf.predict(X, fp_cost=1e6).any()


def test_the_other_class() -> None:
    plain = made().fit(X, Y, costs=COSTS)
    other = made(pos_label=0).fit(X, 1 - Y, costs=COSTS)
    assert np.array_equal(other.predict(X), 1 - plain.predict(X))
    assert np.array_equal(other.decision_function(X) > 0, other.predict(X) == 1)


def test_classifiers_that_train_by_cost_get_observed_costs_and_estimates() -> None:
    inner = CGAdaClassifier(n_estimators=5, calibration="platt")
    clf = made(inner).fit(X, Y, costs=COSTS)
    filled = np.where(np.isnan(COSTS.tp_cost), clf.estimate_costs(X).tp_cost, COSTS.tp_cost)
    same = clone(inner).fit(X, Y, **{**COSTS.named, "tp_cost": filled})
    assert clf.estimator_.ensemble_ == same.ensemble_


def test_estimates_earn_more_than_the_mean() -> None:
    train, held = np.arange(N) < 200, np.arange(N) >= 200
    paid = Costs.direct_mail(GIFT, 2).rows(held)
    found = []
    for regressor in (LinearRegression(), DummyRegressor()):
        clf = EstimatedCostClassifier(LogisticRegression(), regressor)
        clf.fit(X[train], Y[train], costs=COSTS.rows(train))
        found.append(-total_cost(Y[held], clf.predict(X[held]), costs=paid))
    assert found[0] > found[1]


def test_weights_reach_both() -> None:
    weight = (np.arange(N) % 2).astype(float)
    half = weight > 0
    clf = made().fit(X, Y, sample_weight=weight, costs=COSTS)
    same = made().fit(X[half], Y[half], costs=COSTS.rows(half))
    assert clf.estimate_costs(X).tp_cost == pytest.approx(same.estimate_costs(X).tp_cost)
    assert clf.predict_proba(X) == pytest.approx(same.predict_proba(X), abs=1e-3)


def test_pipelines_copies_and_scorers() -> None:
    clf = made(tp_cost=-1.0)
    assert clone(clf).get_params(deep=False)["tp_cost"] == -1.0
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), made().set_fit_request(costs=True))
        pipe.fit(X, Y, costs=COSTS)
    alone = made().fit(StandardScaler().fit_transform(X), Y, costs=COSTS)
    assert np.array_equal(pipe.predict(X), alone.predict(StandardScaler().fit_transform(X)))
    again = pickle.loads(pickle.dumps(alone))
    assert np.array_equal(again.predict(X), alone.predict(X))
    score = make_cost_scorer(fn_cost=0, fp_cost=2, tp_cost=-8)(made().fit(X, Y, costs=COSTS), X, Y)
    assert np.isfinite(score)


@pytest.mark.parametrize(
    ("clf", "costs", "message"),
    [
        (made(), {}, "all costs are numbers, so that there is nothing to estimate"),
        (made(), {"tp_cost": np.full(N, np.nan)}, "tp_cost is NaN in every row"),
        (made(), {"tp_cost": [1.0, 2.0]}, "costs have 2 rows, but y has 300"),
        (made(Perceptron()), COSTS.named, "Perceptron has no predict_proba"),
        (
            EstimatedCostClassifier(LogisticRegression(), LinearRegression),
            COSTS.named,
            "cost_estimator must be a scikit-learn regressor",
        ),
    ],
)
def test_bad_input(clf: Any, costs: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clf.fit(X, Y, **costs)
