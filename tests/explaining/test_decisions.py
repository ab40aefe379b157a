"""Explanations of what decides: log-odds of probabilities against the threshold in force."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LinearRegression

import costboost
from costboost import CostBoostClassifier, EstimatedCostClassifier, OperatingPointClassifier
from costboost._core.explaining import Explanation, rescaled
from costboost._core.model.background import MOST_ROWS
from costboost.algorithms import (
    REGISTRY,
    AdaBoostClassifier,
    AdaMECClassifier,
    MultinomialLogitBoostClassifier,
)

MODELS = Path(__file__).parents[1] / "files" / "models"
CALIBRATIONS = [None, "platt", "logistic", "log-odds", "beta", "isotonic"]


@cache
def data(n_rows: int = 500) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n_rows, 6, n_informative=4, flip_y=0.1, weights=[0.8], random_state=0
    )
    return X, np.where(y == 1, "a", "b")


@cache
def fitted(kind: str = "CostBoost", pos_label: str = "a", **options: Any) -> Any:
    cls = REGISTRY[kind].cls
    more = {"random_state": 0} if kind == "CostBoost" else {}
    given = {"n_estimators": 8, "fn_cost": 4.0} | more | options
    return cls(pos_label=pos_label, **given).fit(*data())


def total(found: Explanation) -> np.ndarray:
    """Base and values of every row, added up."""
    return np.asarray(found.base_values + found.values.sum(axis=1))


def log_odds(probability: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probability) - np.log1p(-probability))


def check_decisions(found: Explanation, predicted: np.ndarray) -> None:
    """A row is predicted positive where its output is above the threshold."""
    beyond = total(found) - found.thresholds
    sure = np.abs(beyond) > 1e-9
    assert sure.any()
    np.testing.assert_array_equal(beyond[sure] > 0, (predicted == found.output_names)[sure])


# ---- base and values add up to what decides ------------------------------------------------------


@pytest.mark.parametrize("pos_label", ["a", "b"])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("learner", ["stump", "tree"])
def test_they_add_up_to_the_log_odds(learner: str, calibration: Any, pos_label: str) -> None:
    clf = fitted("AdaMEC", pos_label, calibration=calibration, estimator=learner)
    X, _ = data()
    column = list(clf.classes_).index(pos_label)
    for background in (None, X[:30]):
        found = clf.explain(X, background)
        assert found.unit == "log-odds"
        assert found.output_names == pos_label
        wanted = log_odds(clf.predict_proba(X)[:, column])
        known = np.isfinite(wanted)
        np.testing.assert_allclose(total(found)[known], wanted[known], rtol=0, atol=1e-9)
        assert np.isfinite(found.values).all()
        check_decisions(found, clf.predict(X))


def test_without_calibration_the_sign_of_the_score_decides() -> None:
    clf = fitted("CSAda", "a", estimator="tree")
    X, _ = data()
    found = clf.explain(X)
    assert found.unit == "score"
    assert not found.thresholds.any()
    np.testing.assert_allclose(total(found), -clf.raw_score(X), rtol=0, atol=1e-9)
    check_decisions(found, clf.predict(X))
    probable = clf.explain(X, output="log-odds")
    assert probable.thresholds is None
    wanted = log_odds(clf.predict_proba(X)[:, 0])
    np.testing.assert_allclose(total(probable), wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("pos_label", ["a", "b"])
def test_the_threshold_is_that_in_force(pos_label: str) -> None:
    clf, (X, _) = fitted("CostBoost", pos_label), data()
    random = np.random.default_rng(0)
    costs = {"fn_cost": random.uniform(1, 60, len(X)), "fp_cost": 3.0}
    for given in (costs, {"fn_cost": 30.0}, {"prevalence": 0.02}, costs | {"prevalence": 0.6}):
        found = clf.explain(X, **given)
        check_decisions(found, clf.predict(X, **given))
    share = costs["fp_cost"] / (costs["fn_cost"] + costs["fp_cost"])
    np.testing.assert_allclose(clf.explain(X, **costs).thresholds, log_odds(share))
    gains = {"fn_cost": 9.0, "fp_cost": 1.0, "tp_cost": -20.0, "tn_cost": 3.0}
    sure = clf.explain(X, **gains)  # a false alarm costs less than a right negative
    assert np.all(sure.thresholds == -np.inf)
    check_decisions(sure, clf.predict(X, **gains))


def test_signs_are_those_of_the_positive_class() -> None:
    X, y = data()
    names = np.where(y == "a", "yes", "no")  # sorts last
    other = AdaMECClassifier(n_estimators=8, fn_cost=4.0, pos_label="yes").fit(X, names)
    np.testing.assert_allclose(fitted("AdaMEC", "a").explain(X), other.explain(X))


def test_signs_and_proportions_are_those_of_the_score() -> None:
    clf, (X, _) = fitted("CostBoost", calibration="beta"), data()
    found, score = clf.explain(X).values, clf.explain(X, output="score").values
    assert np.all(found * score >= 0)
    slope = (found * score).sum(axis=1) / (score**2).sum(axis=1)
    np.testing.assert_allclose(found, slope[:, None] * score, rtol=0, atol=1e-9)


def test_rows_at_the_base_have_the_slope_there() -> None:
    """Where score and base agree, the slope of the line between them is not defined."""
    X = np.array([[-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [1.0, 1.0]] * 25)
    y = np.array([0, 1, 0, 1] * 20 + [1, 0, 1, 0] * 5)
    clf = AdaMECClassifier(n_estimators=4, calibration="platt", random_state=0).fit(X, y)
    score = clf.explain(X, output="score")
    near = score.base_values[0] - 1e-9 * np.arange(3)
    found = clf.explain(X)
    assert np.isfinite(found.values).all()
    np.testing.assert_allclose(total(found), log_odds(clf.predict_proba(X)[:, 1]), atol=1e-9)
    values = np.array([[0.5, -0.5 - 1e-9 * k] for k in range(3)])
    moved, base = rescaled((values, float(near[0])), near, lambda s: np.tanh(3 * s), 1.0)
    np.testing.assert_allclose(moved.sum(axis=1) + base, np.tanh(3 * near), rtol=0, atol=1e-12)
    slope = 3 / np.cosh(3 * near[0]) ** 2
    np.testing.assert_allclose(moved, slope * values, rtol=1e-4)


# ---- several classes -----------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", [None, "log-odds", "isotonic"])
@pytest.mark.parametrize("prevalence", [None, [0.1, 0.3, 0.6]])
def test_probabilities_of_several_classes(calibration: Any, prevalence: Any) -> None:
    X, y = load_iris(return_X_y=True)
    clf = AdaMECClassifier(n_estimators=6, calibration=calibration, estimator="tree").fit(X, y)
    found = clf.explain(X[::7], prevalence=prevalence)
    shares = np.exp(total(found))
    wanted = clf.predict_proba(X[::7], prevalence=prevalence)
    np.testing.assert_allclose(shares / shares.sum(axis=1, keepdims=True), wanted, atol=1e-9)
    np.testing.assert_allclose(total(found).sum(axis=1), 0, atol=1e-9)


def test_a_score_for_each_class() -> None:
    X, y = load_iris(return_X_y=True)
    clf = CostBoostClassifier(random_state=0, n_estimators=6).fit(X, y)
    found = clf.explain(X)
    shares = np.exp(total(found))
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(shares, clf.predict_proba(X), rtol=0, atol=1e-9)
    np.testing.assert_array_equal(total(found).argmax(axis=1), clf.predict(X))
    score = clf.explain(X, output="score")
    assert score.unit == "score"
    np.testing.assert_allclose(total(score), clf.raw_score(X), rtol=0, atol=1e-9)
    ignoring = MultinomialLogitBoostClassifier(n_estimators=6).fit(X, y).explain(X)
    assert ignoring.unit == "score"  # it decides by the largest


# ---- classifiers around another ------------------------------------------------------------------


@pytest.mark.parametrize("pos_label", ["a", "b"])
@pytest.mark.parametrize(
    "inner",
    [CostBoostClassifier(random_state=0, n_estimators=6), AdaBoostClassifier(n_estimators=5)],
)
def test_operating_points(inner: Any, pos_label: str) -> None:
    X, y = data()
    clf = OperatingPointClassifier(inner, at_least=0.9, pos_label=pos_label, random_state=0)
    found = clf.fit(X, y).explain(X)
    np.testing.assert_allclose(found.thresholds, log_odds(np.array(clf.threshold_)))
    check_decisions(found, clf.predict(X))


def test_operating_points_by_training_costs() -> None:
    X, y = data()
    clf = OperatingPointClassifier(
        costboost.algorithms.CSAdaClassifier(n_estimators=5),
        at_least=0.5,
        method="refit",
        pos_label="a",
        cv=2,
    ).fit(X, y)
    check_decisions(clf.explain(X), clf.predict(X))


def test_estimated_costs() -> None:
    X, y = data()
    cost = 1 + 10 * np.abs(X[:, 0])
    inner = CostBoostClassifier(random_state=0, n_estimators=6)
    clf = EstimatedCostClassifier(inner, LinearRegression(), pos_label="a")
    clf.fit(X, y, fn_cost=cost)
    check_decisions(clf.explain(X), clf.predict(X))
    assert len(np.unique(clf.explain(X).thresholds)) > 100
    for name, value in (("cost_matrix", np.eye(2)), ("prevalence", 0.2)):
        with pytest.raises(ValueError, match=f"EstimatedCostClassifier takes no {name}"):
            clf.explain(X, **{name: value})


# ---- what rows are compared with -----------------------------------------------------------------


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "linear", "logistic"])
def test_a_row_has_the_same_reasons_in_every_batch(learner: str, tmp_path: Path) -> None:
    kind = "CSLogitBoost" if learner == "linear" else "AdaMEC"
    clf, (X, _) = fitted(kind, estimator=learner), data()
    every = clf.explain(X)
    for rows in (slice(7, 8), slice(100, 120)):
        assert clf.explain(X[rows]).values.tobytes() == every.values[rows].tobytes()
    score = clf.explain(X, output="score")
    np.testing.assert_allclose(score.base_values, -clf.raw_score(X).mean(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(total(score), -clf.raw_score(X), rtol=0, atol=1e-9)
    costboost.save(clf, tmp_path / "model")
    again = costboost.load(tmp_path / "model").explain(X)
    assert again.values.tobytes() == every.values.tobytes()


def test_sums_are_those_of_the_training_rows() -> None:
    """Up to 512 rows count, and none of weight 0."""
    clf, (X, _) = fitted("CostBoost"), data()
    kept, along = clf.explain(X[:9]), clf.explain(X[:9], X, "tree_path_dependent")
    np.testing.assert_allclose(kept.values, along.values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(kept.base_values, along.base_values, rtol=0, atol=1e-9)
    X, y = data(5000)
    tree = AdaBoostClassifier(n_estimators=2, estimator="tree")
    assert tree.fit(X, y).model_.background[0] == MOST_ROWS
    weight = np.where(np.arange(len(X)) < 300, 1.0, 0.0)
    assert tree.fit(X, y, weight).model_.background[0] == 300


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
@pytest.mark.parametrize("name", ["trees", "stumps", "costboost", "costboost-three-classes"])
def test_models_of_earlier_versions(name: str) -> None:
    folder = MODELS / "0.2.0"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    rows = pd.DataFrame(expected["rows"])[expected["models"][name]["columns"]]
    clf = costboost.load(folder / f"{name}.costboost")
    with pytest.warns(UserWarning, match="keeps no background"):
        found = clf.explain(rows)
    np.testing.assert_allclose(found.values, clf.explain(rows, rows).values)
    with pytest.raises(ValueError, match="a single row compared with itself"):
        clf.explain(rows[:1])
    assert np.isfinite(clf.explain(rows[:1], rows).values).all()


# ---- parts of explanations -----------------------------------------------------------------------


def test_parts_keep_thresholds_and_units() -> None:
    clf, (X, _) = fitted("CostBoost"), data()
    found = clf.explain(X[:20], fn_cost=np.arange(1.0, 21.0))
    part = found[3:5]
    np.testing.assert_array_equal(part.thresholds, found.thresholds[3:5])
    assert part.unit == part[0].unit == "log-odds"
    assert part[0].thresholds == found.thresholds[3]
    other = found.opposite("b")
    np.testing.assert_array_equal(other.values, -found.values)
    np.testing.assert_array_equal(other.thresholds, -found.thresholds)
    assert other.output_names == "b"
