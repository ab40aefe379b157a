"""Costs of all four outcomes: decisions, models, money and messages."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import costboost
from costboost import CostBoostClassifier
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSLogitBoostClassifier,
)
from costboost.metrics import mean_cost

RNG = np.random.default_rng(0)
N = 120
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0.4).astype(int)
FAST = {"n_estimators": 6, "random_state": 0}
CELLS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")

BY_COST = [
    CostBoostClassifier(**FAST).fit(X, Y),
    CostBoostClassifier(calibration=None, **FAST).fit(X, Y),
    AdaMECClassifier(**FAST).fit(X, Y),
    AdaMECClassifier(probability="votes", **FAST).fit(X, Y),
    CGAdaClassifier(calibration="isotonic", fn_cost=2, **FAST).fit(X, Y),
]
BY_TRAINING = [
    CGAdaClassifier(**FAST),
    CSAdaClassifier(**FAST),
    AdaC2Classifier(**FAST),
    CSLogitBoostClassifier(**FAST),
    CostBoostClassifier(initial_weights="cost", estimator="tree", **FAST),
]

whole = arrays(np.int64, (4, N), elements=st.integers(-8, 8))


def row_costs(cells: Any) -> dict[str, Any]:
    """Costs of rows of which none has both mistakes cheaper than the right predictions."""
    fn, fp, tp, tn = cells.astype(float)
    fp = np.where((fn < tp) & (fp < tn), tn + 1, fp)
    return dict(zip(CELLS, (fn, fp, tp, tn), strict=True))


# ---- decisions -----------------------------------------------------------------------------------


@given(whole, st.sampled_from(BY_COST))
@settings(max_examples=60, deadline=None)
def test_each_row_gets_the_prediction_of_least_expected_cost(cells: Any, clf: Any) -> None:
    costs = row_costs(cells)
    p = clf.predict_proba(X)[:, 1]
    positive = p * costs["tp_cost"] + (1 - p) * costs["fp_cost"]
    negative = p * costs["fn_cost"] + (1 - p) * costs["tn_cost"]
    clear = np.abs(positive - negative) > 1e-9
    predicted = clf.predict(X, **costs)
    assert np.array_equal(predicted[clear], (positive < negative)[clear].astype(int))
    beyond = clf.decision_function(X, **costs)
    assert np.isfinite(beyond).all()
    assert np.array_equal(beyond > 0, predicted == 1)
    *_, last = clf.staged_predict(X, **costs)
    assert np.array_equal(last, predicted)


@given(whole, st.sampled_from(BY_COST), st.integers(-50, 50), st.integers(-50, 50))
@settings(max_examples=40, deadline=None)
def test_a_constant_in_both_cells_of_a_class_changes_no_decision(
    cells: Any, clf: Any, a: int, b: int
) -> None:
    costs = row_costs(cells)
    shift = {"fn_cost": a, "tp_cost": a, "fp_cost": b, "tn_cost": b}
    moved = {name: cost + shift[name] for name, cost in costs.items()}
    assert np.array_equal(clf.predict(X, **moved), clf.predict(X, **costs))
    there, again = (clf.decision_function(X, **one) for one in (moved, costs))
    assert np.array_equal(there, again)


@pytest.mark.parametrize("clf", BY_COST, ids=lambda clf: type(clf).__name__)
def test_dominance(clf: Any) -> None:
    assert clf.predict(X, fn_cost=1, tp_cost=0, fp_cost=1, tn_cost=2).all()
    assert not clf.predict(X, fn_cost=1, tp_cost=2, fp_cost=1, tn_cost=0).any()
    assert not clf.predict(X, fn_cost=1, tp_cost=1, fp_cost=1).any()
    beyond = clf.decision_function(X, fn_cost=1, tp_cost=0, fp_cost=1, tn_cost=2)
    assert np.isfinite(beyond).all()
    assert (beyond > 0).all()


def test_costs_that_predict_is_not_given_are_those_of_training() -> None:
    clf = CostBoostClassifier(fn_cost=9, tp_cost=4, fp_cost=-1, tn_cost=-3, **FAST).fit(X, Y)
    same = CostBoostClassifier(fn_cost=5, fp_cost=2, **FAST).fit(X, Y)
    assert np.array_equal(clf.predict(X), same.predict(X))
    assert np.array_equal(clf.predict(X, fn_cost=7), same.predict(X, fn_cost=3))
    assert np.array_equal(clf.predict(X, tp_cost=8), same.predict(X, fn_cost=1))
    assert np.array_equal(clf.predict(X, tn_cost=-9), same.predict(X, fp_cost=8))
    assert np.array_equal(same.predict(X, tp_cost=4), same.predict(X, fn_cost=1))


# ---- training ------------------------------------------------------------------------------------


@pytest.mark.parametrize("clf", BY_TRAINING, ids=lambda clf: type(clf).__name__)
@pytest.mark.parametrize("of_rows", [False, True])
def test_a_constant_in_both_cells_of_a_class_changes_no_model(clf: Any, of_rows: bool) -> None:
    fn, fp = RNG.integers(1, 9, (2, N)) if of_rows else (5, 2)
    plain = clone(clf).fit(X, Y, fn_cost=fn, fp_cost=fp)
    moved = clone(clf).fit(X, Y, fn_cost=fn + 7, tp_cost=7, fp_cost=fp - 30, tn_cost=-30)
    assert moved.ensemble_ == plain.ensemble_
    assert np.array_equal(moved.decision_function(X), plain.decision_function(X))
    right = np.where(Y == 1, 7, -30).mean()
    assert np.allclose(moved.train_cost_, plain.train_cost_ + right)


@pytest.mark.parametrize("clf", BY_TRAINING, ids=lambda clf: type(clf).__name__)
def test_dominated_rows_have_no_weight_where_costs_train(clf: Any) -> None:
    fn, fp = RNG.integers(1, 9, (2, N)).astype(float)
    out = np.arange(N) % 5 == 0
    fn[out], fp[::10] = 0.0, 3.0
    found = clone(clf).fit(X, Y, fn_cost=fn, fp_cost=fp, tp_cost=0)
    if found.calibration is None:
        kept = clone(clf).fit(X[~out], Y[~out], fn_cost=fn[~out], fp_cost=fp[~out])
        assert found.ensemble_ == kept.ensemble_
        assert np.allclose(found.train_cost_, kept.train_cost_)


@pytest.mark.parametrize("clf", [CostBoostClassifier(**FAST), AdaMECClassifier(**FAST)])
def test_dominated_rows_are_trained_on_where_probabilities_decide(clf: Any) -> None:
    fn = RNG.integers(-8, 9, N).astype(float)
    plain = clone(clf).fit(X, Y)
    found = clone(clf).fit(X, Y, fn_cost=fn, tp_cost=-3, fp_cost=2)
    assert found.ensemble_ == plain.ensemble_
    assert np.array_equal(found.predict_proba(X), plain.predict_proba(X))


def test_calibration_uses_dominated_rows() -> None:
    """The calibrator is fitted to all rows; the ensemble is trained without the dominated ones."""
    fn = np.where(np.arange(N) % 3 == 0, -1.0, 4.0)
    clf = CGAdaClassifier(calibration="platt", calibration_split=0.5, **FAST)
    found = clone(clf).fit(X, Y, fn_cost=fn, tp_cost=0)
    fewer = clone(clf).fit(X, Y, sample_weight=(fn > 0).astype(float), fn_cost=abs(fn), tp_cost=0)
    assert found.model_.calibrator.slope_ != fewer.model_.calibrator.slope_


@pytest.mark.parametrize("name", ["AdaBoost", "AdaMEC", "CostBoost"])
def test_train_cost_is_the_mean_cost_of_all_outcomes(name: str) -> None:
    costs = row_costs(RNG.integers(-8, 9, (4, N)))
    clf = {"AdaBoost": AdaBoostClassifier, "AdaMEC": AdaMECClassifier}.get(
        name, CostBoostClassifier
    )(calibration=None, **FAST)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, Y, **costs)
    predicted = clf.predict(X, **costs) if clf.decides_by_cost else clf.predict(X)
    assert clf.train_cost_[-1] == pytest.approx(mean_cost(Y, predicted, **costs))


# ---- parameters, pipelines, files ----------------------------------------------------------------


def test_parameters() -> None:
    clf = CostBoostClassifier(fn_cost=3, tp_cost=1, tn_cost=-2)
    assert clone(clf).get_params() == clf.get_params()
    assert clf.get_params()["tn_cost"] == -2
    assert CostBoostClassifier().get_params()["tp_cost"] == 0.0


def test_metadata_routing() -> None:
    costs = row_costs(RNG.integers(-8, 9, (4, N)))
    alone = CostBoostClassifier(**FAST)
    with sklearn.config_context(enable_metadata_routing=True):
        requested = dict.fromkeys(CELLS, True)
        clf = clone(alone).set_fit_request(**requested).set_predict_request(**requested)
        pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), clf)
        pipe.fit(X, Y, **costs)
        assert np.array_equal(
            pipe.predict(X, **costs), alone.fit(X, Y, **costs).predict(X, **costs)
        )


@pytest.mark.parametrize(
    "clf",
    [
        CostBoostClassifier(tp_cost=-1, tn_cost=2, fp_cost=9, **FAST),
        CGAdaClassifier(tp_cost=-1, **FAST),
        AdaMECClassifier(tn_cost=-4, fn_cost=3, **FAST),
    ],
)
def test_files(clf: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.costboost"
    costboost.save(clf.fit(X, Y), path)
    loaded = costboost.load(path)
    assert loaded.get_params() == clf.get_params()
    assert loaded.model_.right_costs == clf.model_.right_costs
    assert np.array_equal(loaded.predict(X), clf.predict(X))
    if clf.decides_by_cost:
        assert np.array_equal(loaded.predict(X, tp_cost=-7), clf.predict(X, tp_cost=-7))


def test_a_model_whose_mean_costs_are_dominated_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "m.costboost"
    clf = AdaMECClassifier(**FAST).fit(X, Y, fn_cost=np.arange(N) - 100.0, tp_cost=0)
    assert clf.model_.costs.fn < 0
    assert not clf.predict(X).any()
    costboost.save(clf, path)
    assert costboost.load(path).model_.costs == clf.model_.costs


# ---- bad input -----------------------------------------------------------------------------------


BAD = {
    "reversed": (
        {"fn_cost": 1, "tp_cost": 3, "fp_cost": 1, "tn_cost": 2},
        "both mistakes are cheaper than the right predictions: fn_cost - tp_cost is -2",
    ),
    "reversed row": (
        {"fn_cost": np.r_[[5.0] * (N - 1), 1], "tp_cost": 3, "fp_cost": 1, "tn_cost": 2},
        f"both mistakes are cheaper than the right predictions in row {N - 1}",
    ),
    "equal": (
        {"fn_cost": 2, "tp_cost": 2, "fp_cost": -1, "tn_cost": -1},
        "the costs make both predictions equal",
    ),
    "NaN": ({"tp_cost": np.nan}, "tp_cost must be finite and at most 1e\\+300 in size"),
    "infinite": ({"tn_cost": [np.inf] * N}, "it contains inf in row 0"),
    "huge": ({"tn_cost": -1e301}, "tn_cost must be finite and at most"),
    "length": ({"tp_cost": [1, 2, 3]}, "tp_cost must be one number or one for each of the 120"),
    "text": ({"tp_cost": "much"}, "tp_cost must be a number"),
    "tiny": ({"tp_cost": 0, "fn_cost": 1e-305}, "measure costs in another unit"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_costs(case: str) -> None:
    costs, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        CGAdaClassifier(**FAST).fit(X, Y, **costs)
    if case == "equal":
        assert not BY_COST[0].predict(X, **costs).any()
        return
    with pytest.raises(ValueError, match=message):
        BY_COST[0].predict(X, **costs)


def test_without_costs_of_right_predictions_mistakes_cost_something() -> None:
    zeros = np.zeros(N)
    for clf in (CostBoostClassifier(**FAST), CGAdaClassifier(**FAST)):
        with pytest.raises(ValueError, match="fn_cost must be above 0, got 0 in row 0"):
            clf.fit(X, Y, fn_cost=zeros)


@pytest.mark.parametrize("clf", BY_TRAINING, ids=lambda clf: type(clf).__name__)
def test_nothing_to_learn(clf: Any) -> None:
    with pytest.raises(ValueError, match="no positive row has both fn_cost above tp_cost"):
        clone(clf).fit(X, Y, fn_cost=1, tp_cost=2)
    with pytest.raises(ValueError, match="Give every row all its costs"):
        clone(clf).fit(X, Y, fn_cost=np.where(Y == 1, 5.0, 0.0), tp_cost=0)


def test_one_prediction_is_best_for_every_row() -> None:
    clf = CostBoostClassifier(fn_cost=1, tp_cost=2, **FAST)
    with pytest.warns(UserWarning, match="predicting 0 costs no more than predicting 1"):
        clf.fit(X, Y)
    assert not clf.predict(X).any()
    assert clf.predict(X, tp_cost=0).any()


def test_more_than_two_classes() -> None:
    y = np.arange(N) % 3
    with pytest.raises(ValueError, match="are for two classes, but y has 3; give cost_matrix"):
        CostBoostClassifier(tp_cost=-1, **FAST).fit(X, y)
    with pytest.raises(ValueError, match="are for two classes, but y has 3; give cost_matrix"):
        CostBoostClassifier(**FAST).fit(X, y, tn_cost=1)


def test_costs_given_twice() -> None:
    clf = CostBoostClassifier(cost_matrix=[[0, 1], [5, 0]], tp_cost=1, **FAST)
    with pytest.raises(ValueError, match="costs are given twice"):
        clf.fit(X, Y)
    with pytest.raises(ValueError, match="costs are given twice"):
        BY_COST[0].predict(X, tp_cost=1, cost_matrix=[[0, 1], [5, 0]])
    with pytest.raises(ValueError, match="cannot be given other costs after training"):
        CGAdaClassifier(**FAST).fit(X, Y).predict(X, tp_cost=1)
