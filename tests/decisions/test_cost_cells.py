"""Costs of all four outcomes in operating points, cost searches, scorers and comparisons."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, cross_validate

import costboost
from costboost import CostBoostClassifier, CostSearchCV, OperatingPointClassifier, compare
from costboost.algorithms import CGAdaClassifier
from costboost.metrics import make_cost_scorer, mean_cost, normalized_cost, savings, total_cost

RNG = np.random.default_rng(1)
N = 200
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0.4).astype(int)
LOGISTIC = LogisticRegression()


# ---- operating points ----------------------------------------------------------------------------


@pytest.mark.parametrize("of_rows", [False, True])
def test_right_predictions_change_the_money_and_not_the_point(of_rows: bool) -> None:
    fn, fp = RNG.integers(1, 9, (2, N)) if of_rows else (6, 1)
    goal = {"at_least": 0.8, "cv": 3, "random_state": 0}
    plain = OperatingPointClassifier(LOGISTIC, **goal).fit(X, Y, fn_cost=fn, fp_cost=fp)
    costs = {"fn_cost": fn + 3, "tp_cost": 3, "fp_cost": fp - 5, "tn_cost": -5}
    clf = OperatingPointClassifier(LOGISTIC, **goal).fit(X, Y, **costs)
    assert clf.threshold_ == plain.threshold_
    right = np.where(Y == 1, 3, -5).mean()
    assert clf.cost_ == pytest.approx(plain.cost_ + right)
    if not of_rows:
        again = clf.predict(X, fn_cost=33, tp_cost=3)
        assert np.array_equal(again, plain.predict(X, fn_cost=30))
        assert np.array_equal(clf.predict(X, tn_cost=-9), plain.predict(X, fp_cost=5))


def test_a_goal_for_the_gain() -> None:
    costs = {"fn_cost": 0, "tp_cost": -10, "fp_cost": 2, "tn_cost": 0}
    clf = OperatingPointClassifier(
        LOGISTIC, target="cost", at_most=-1.0, cv=3, random_state=0, margin=1.0, **costs
    ).fit(X, Y)
    assert clf.cost_ <= -1
    assert clf.interval_[0] < clf.cost_ < clf.interval_[1]
    points, chosen = clf.cv_results_, np.flatnonzero(clf.cv_results_["threshold"] == clf.threshold_)
    assert points["cost"].min() == pytest.approx(points["cost"][chosen[0]])


@pytest.mark.parametrize("method", ["threshold", "refit"])
def test_operating_points_in_files(method: str, tmp_path: Path) -> None:
    clf = OperatingPointClassifier(
        CGAdaClassifier(n_estimators=5), at_least=0.5, method=method, tp_cost=-2.0, cv=3,
        fn_costs=[1, 4], random_state=0,
    ).fit(X, Y)  # fmt: skip
    costboost.save(clf, tmp_path / "m.costboost")
    loaded = costboost.load(tmp_path / "m.costboost")
    assert loaded.get_params(deep=False)["tp_cost"] == -2.0
    assert loaded.cost_ == clf.cost_
    assert np.array_equal(loaded.cv_results_["cost"], clf.cv_results_["cost"])
    if method == "threshold":
        assert np.array_equal(loaded.predict(X, tp_cost=-9), clf.predict(X, tp_cost=-9))


# ---- searches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("of_rows", [False, True])
def test_searches(of_rows: bool) -> None:
    fn = RNG.integers(2, 9, N) if of_rows else 6
    options = {"fn_costs": [1, 3, 9], "cv": 3, "random_state": 0}
    inner = CGAdaClassifier(n_estimators=5)
    plain = CostSearchCV(inner, **options).fit(X, Y, fn_cost=fn)
    found = CostSearchCV(inner, **options).fit(X, Y, fn_cost=fn - 4, tp_cost=-4, tn_cost=0)
    assert found.best_fn_cost_ == plain.best_fn_cost_
    assert set(found.best_params_) == set(plain.best_params_)
    counts = [Y[held].mean() for _, held in found.search_.cv.split(X, Y)]
    assert found.best_cost_ == pytest.approx(plain.best_cost_ - 4 * np.mean(counts))
    with_own = CostSearchCV(CGAdaClassifier(n_estimators=5, tp_cost=-9), **options)
    assert with_own.fit(X, Y, fn_cost=fn).best_estimator_.tp_cost == 0


def test_searches_need_mistakes_that_cost_something() -> None:
    search = CostSearchCV(CGAdaClassifier(n_estimators=5), tp_cost=2.0)
    with pytest.raises(ValueError, match="on average fn_cost - tp_cost is -1"):
        search.fit(X, Y)


# ---- measures ------------------------------------------------------------------------------------


def test_measures_count_all_outcomes() -> None:
    predicted = (X[:, 0] > 0).astype(int)
    fn, fp, tp, tn = RNG.integers(-9, 9, (4, N)).astype(float)
    of_rows = np.where(Y == 1, np.where(predicted == 1, tp, fn), np.where(predicted == 1, fp, tn))
    costs = {"fn_cost": fn, "fp_cost": fp, "tp_cost": tp, "tn_cost": tn}
    assert total_cost(Y, predicted, **costs) == pytest.approx(of_rows.sum())
    weight = RNG.random(N)
    weighted = mean_cost(Y, predicted, sample_weight=weight, **costs)
    assert weighted == pytest.approx(np.average(of_rows, weights=weight))
    assert 0 <= normalized_cost(Y, predicted, **costs) <= 1


def test_shares_do_not_depend_on_constants() -> None:
    predicted = (X[:, 0] > 0).astype(int)
    moved = {"fn_cost": 1, "tp_cost": -4, "fp_cost": 12, "tn_cost": 10}
    plain = {"fn_cost": 5, "fp_cost": 2}
    for measure in (partial(savings, counted="avoidable"), normalized_cost):
        assert measure(Y, predicted, **moved) == pytest.approx(measure(Y, predicted, **plain))
    skews = [normalized_cost(Y, predicted, skew=0.3, **one) for one in (moved, plain)]
    assert skews[0] == pytest.approx(skews[1])
    assert savings(Y, Y, **moved, counted="avoidable") == 1


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({"fn_cost": 1, "tp_cost": np.nan}, "tp_cost must be finite, got nan"),
        ({"fn_cost": -1}, "fn_cost must be finite and not negative"),
        ({"tp_cost": 1, "cost_matrix": [[0, 1], [1, 0]]}, "costs are given twice"),
        ({"tn_cost": [1, 2]}, "tn_cost must be one number or one for each of the 200 rows"),
    ],
)
def test_bad_costs_of_measures(costs: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mean_cost(Y, Y, **costs)


def test_scorers() -> None:
    clf = CostBoostClassifier(n_estimators=5, random_state=0)
    scorer = make_cost_scorer(fn_cost=0, fp_cost=2, tp_cost=-10)
    scores = cross_val_score(clf, X, Y, cv=3, scoring=scorer)
    assert scores.mean() > 0
    fn = RNG.integers(0, 9, N).astype(float)
    tp = RNG.integers(-9, 0, N).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        clf.set_fit_request(fn_cost=False, tp_cost=False)
        of_rows = make_cost_scorer().set_score_request(fn_cost=True, tp_cost=True)
        found = cross_validate(
            clf, X, Y, cv=3, scoring=of_rows, params={"fn_cost": fn, "tp_cost": tp},
            return_estimator=True, return_indices=True,
        )  # fmt: skip
    for one, held, score in zip(
        found["estimator"], found["indices"]["test"], found["test_score"], strict=True
    ):
        costs = {"fn_cost": fn[held], "tp_cost": tp[held]}
        predicted = one.predict(X[held], **costs)
        assert score == pytest.approx(-mean_cost(Y[held], predicted, **costs))


def test_a_scorer_for_the_other_class() -> None:
    clf = CostBoostClassifier(n_estimators=5, random_state=0, pos_label=0).fit(X, Y)
    costs = dict(zip(("fn_cost", "fp_cost", "tp_cost", "tn_cost"), RNG.random((4, N)), strict=True))
    costs["fn_cost"] += 1
    costs["fp_cost"] += 1
    swapped = {
        "fp_cost": costs["fn_cost"], "fn_cost": costs["fp_cost"],
        "tn_cost": costs["tp_cost"], "tp_cost": costs["tn_cost"],
    }  # fmt: skip
    value = make_cost_scorer()(clf, X, Y, **costs)
    assert value == pytest.approx(-mean_cost(Y, clf.predict(X, **swapped), **costs))


def test_comparisons() -> None:
    both = {"CGAda": CGAdaClassifier(n_estimators=5), "logistic": LOGISTIC}
    plain = compare(both, X, Y, cv=3, fn_cost=6, random_state=0)
    found = compare(both, X, Y, cv=3, fn_cost=2, tp_cost=-4, random_state=0)
    for name in both:
        mean = found.estimate(name, "cost").mean
        assert mean == pytest.approx(plain.estimate(name, "cost").mean - 4 * Y.mean(), abs=0.02)
    fn = RNG.integers(-3, 9, N).astype(float)
    rows = compare(
        {"CostBoost": CostBoostClassifier(n_estimators=5)}, X, Y, cv=3, fn_cost=fn, tp_cost=-1,
        random_state=0,
    )  # fmt: skip
    assert all(np.isfinite(rows.estimate(name, "cost").mean) for name in rows.estimators)
