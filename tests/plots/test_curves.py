"""Brier and cost curves: what is drawn is what the measures say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot as plt
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import ShuffleSplit, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from costboost.algorithms import AdaBoostClassifier, LogitBoostClassifier
from costboost.app.plots.numbers import values_at
from costboost.metrics import (
    area_under_brier_curve,
    brier_curve,
    cost_curve,
    mean_cost,
    normalized_cost,
)
from costboost.plots import BrierCurveDisplay, CostCurveDisplay

X, Y = make_classification(300, weights=[0.7], flip_y=0.1, random_state=0)
CLF = LogitBoostClassifier(n_estimators=20).fit(X, Y)
P = CLF.predict_proba(X)[:, 1]
EITHER = pytest.mark.parametrize(
    ("display", "curve"), [(BrierCurveDisplay, brier_curve), (CostCurveDisplay, cost_curve)]
)


FORM = pytest.mark.parametrize("by", ["skew", "cost"])


def cross_validated(n: int = 3) -> dict[str, Any]:
    folds = ShuffleSplit(n, test_size=0.3, random_state=0)
    clf = LogitBoostClassifier(n_estimators=5)
    return cross_validate(clf, X, Y, cv=folds, return_estimator=True, return_indices=True)


# ---- what is drawn -------------------------------------------------------------------------------


@EITHER
@FORM
def test_the_line_is_the_curve(display: Any, curve: Any, by: str) -> None:
    drawn = display.from_predictions(Y, P, by=by)
    z, q = curve(Y, P, by=by)
    assert_array_equal(drawn.line_.get_xdata(), z)
    assert_array_equal(drawn.line_.get_ydata(), q)
    assert drawn.band_ is None
    assert drawn.skew_line_ is None
    assert drawn.ax_.figure is drawn.figure_


@EITHER
def test_of_an_estimator(display: Any, curve: Any) -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(Y))
    drawn = display.from_estimator(CLF, X, Y, sample_weight=weight)
    z, q = curve(Y, P, sample_weight=weight)
    assert_array_equal(drawn.line_.get_xdata(), z)
    assert_array_equal(drawn.line_.get_ydata(), q)
    assert drawn.line_.get_label().startswith("LogitBoostClassifier\n")


def test_the_area_is_in_the_legend() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, P, name="it")
    area = area_under_brier_curve(Y, P)
    assert drawn.area == pytest.approx(area, abs=1e-12)
    assert drawn.line_.get_label() == f"it\nbalanced Brier score {area:.3f}"
    drawn = BrierCurveDisplay.from_predictions(Y, P, name="it", by="cost")
    assert drawn.area == pytest.approx(brier_score_loss(Y, P), abs=1e-12)
    assert drawn.line_.get_label() == f"it\nBrier score {drawn.area:.3f}"


@EITHER
@FORM
def test_trivial_classifiers(display: Any, curve: Any, by: str) -> None:
    drawn = display.from_predictions(Y, P, by=by)
    for line, constant in zip(drawn.trivial_, (0, 1), strict=True):
        y_pred = np.full(len(Y), constant)
        for x, q in zip(line.get_xdata(), line.get_ydata(), strict=True):
            expected = {
                "skew": normalized_cost(Y, y_pred, skew=x),
                "cost": mean_cost(Y, y_pred, fn_cost=2 - 2 * x, fp_cost=2 * x),
            }
            assert q == pytest.approx(expected[by], abs=1e-12)
    negative, positive = drawn.trivial_
    assert negative.get_linestyle() != positive.get_linestyle()
    assert len(display.from_predictions(Y, P, trivial=False).ax_.lines) == 1


def test_several_on_the_same_axes() -> None:
    first = BrierCurveDisplay.from_predictions(Y, P, name="a")
    second = CostCurveDisplay.from_predictions(Y, P, name="b", ax=first.ax_)
    assert first.ax_ is second.ax_
    assert len(first.ax_.lines) == 4  # two curves, and the trivial ones once
    assert second.trivial_ == first.trivial_
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    texts = [text.get_text().split("\n")[0] for text in first.ax_.get_legend().get_texts()]
    assert texts == ["a", "b", "all negative (1 − z)", "all positive (z)"]


def test_no_curve_is_cut_off() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, 1 - P)  # worse than trivial, up to Q = 1
    bottom, top = drawn.ax_.get_ylim()
    assert bottom == 0
    assert top >= drawn.q.max()
    assert drawn.ax_.get_xlim() == (0, 1)
    assert drawn.ax_.get_xlabel() == "skew z"
    assert drawn.ax_.get_ylabel() == "normalised cost Q"


def test_the_axes_name_skew_or_cost_proportion() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, P, by="cost", fn_cost=4)
    assert drawn.ax_.get_xlabel().startswith("cost proportion c")
    assert drawn.ax_.get_ylabel() == "mean cost Q"
    texts = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert texts[1:] == ["all negative", "all positive", "proportion of the costs, c = 0.2"]
    trivial = 2 * Y.mean() * (1 - Y.mean())
    assert drawn.ax_.get_ylim()[1] >= max(trivial, drawn.q.max())


def test_skew_and_cost_proportion_have_no_common_axes() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, P, by="cost")
    with pytest.raises(ValueError, match="these axes have a curve by='cost'"):
        CostCurveDisplay.from_predictions(Y, P, ax=drawn.ax_)


def test_probabilities_for_another_prior() -> None:
    drawn = BrierCurveDisplay.from_estimator(CLF, X, Y, prior=0.5)
    assert_array_equal((drawn.z, drawn.q), brier_curve(Y, P, prior=0.5))
    least = CostCurveDisplay.from_estimator(CLF, X, Y, prior=0.5)
    assert_array_equal((least.z, least.q), cost_curve(Y, P))


# ---- costs ---------------------------------------------------------------------------------------


costs = st.floats(0.1, 50)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(costs, costs, st.booleans())
def test_at_the_mark_the_curve_is_the_cost_of_the_decisions(
    fn: float, fp: float, of_rows: bool
) -> None:
    """The decisions are p fn > (1 - p) fp."""
    rng = np.random.default_rng(0)
    given_costs: dict[str, Any] = {"fn_cost": fn, "fp_cost": fp}
    if of_rows:
        given_costs = {
            name: cost * rng.lognormal(size=len(Y)) for name, cost in given_costs.items()
        }
    y_pred = (P * given_costs["fn_cost"] > (1 - P) * given_costs["fp_cost"]).astype(int)
    by_class = {1: given_costs["fn_cost"], 0: given_costs["fp_cost"]}
    means = [np.broadcast_to(cost, len(Y))[k == Y].mean() for k, cost in by_class.items()]
    expected = {
        "skew": normalized_cost(Y, y_pred, **given_costs),
        "cost": 2 * mean_cost(Y, y_pred, **given_costs) / sum(means),
    }
    for by, cost in expected.items():
        drawn = BrierCurveDisplay.from_predictions(Y, P, by=by, **given_costs)
        plt.close("all")
        mark = drawn.skew_line_.get_xdata()[0]
        assert values_at(drawn.z, drawn.q, np.array([mark]))[0] == pytest.approx(cost, abs=1e-9)


def test_costs_of_classes_do_not_move_the_curve() -> None:
    plain, priced = (BrierCurveDisplay.from_predictions(Y, P, fn_cost=c) for c in (None, 7))
    assert_allclose(plain.q, priced.q, atol=1e-12)
    assert priced.skew == pytest.approx(np.mean(Y == 0) / (np.mean(Y == 0) + 7 * np.mean(Y == 1)))


# ---- runs ----------------------------------------------------------------------------------------


@EITHER
@FORM
def test_runs_of_a_cross_validation(display: Any, curve: Any, by: str) -> None:
    runs = cross_validated()
    drawn = display.from_cv_results(runs, X, Y, by=by)
    each = []
    for model, rows in zip(runs["estimator"], runs["indices"]["test"], strict=True):
        z, q = curve(Y[rows], model.predict_proba(X[rows])[:, 1], by=by)
        each.append(values_at(z, q, drawn.z))
    assert_allclose(drawn.line_.get_ydata(), np.mean(each, axis=0), atol=1e-12)
    half = 4.302652729911275 * np.std(each, axis=0, ddof=1) / np.sqrt(3)  # t of 2 degrees
    assert_allclose(drawn.upper, np.minimum(drawn.q + half, 1), atol=1e-9)
    assert_allclose(drawn.lower, np.maximum(drawn.q - half, 0), atol=1e-9)
    assert drawn.n_runs == 3
    edge = drawn.band_.get_paths()[0].vertices
    assert edge[:, 1].max() == pytest.approx(drawn.upper.max())
    assert "95% band, 3 runs" in [t.get_text() for t in drawn.ax_.get_legend().get_texts()]


def test_a_single_run_has_no_band() -> None:
    drawn = BrierCurveDisplay.from_cv_results(cross_validated(1), X, Y)
    assert drawn.band_ is None
    assert drawn.n_runs == 1


def test_costs_of_several_runs() -> None:
    drawn = CostCurveDisplay.from_runs([0.2, 0.8], [[0.1, 0.2], [0.3, 0.2]], name="AdaC2")
    assert_allclose(drawn.line_.get_ydata(), [0.2, 0.2])
    assert_allclose(drawn.lower, [0, 0.2])
    assert drawn.line_.get_label() == "AdaC2"


# ---- classes and classifiers ---------------------------------------------------------------------


def test_the_positive_class_is_that_of_the_classifier() -> None:
    names = np.array(["sick", "well"])[Y]
    clf = AdaBoostClassifier(pos_label="sick", n_estimators=5).fit(X, names)
    p = clf.predict_proba(X)[:, 0]
    drawn = BrierCurveDisplay.from_estimator(clf, X, names)
    assert_array_equal(drawn.q, brier_curve(names, p, pos_label="sick")[1])
    turned = BrierCurveDisplay.from_estimator(clf, X, names, pos_label="well")
    assert_array_equal(turned.q, brier_curve(names, 1 - p, pos_label="well")[1])


def test_scores_are_enough_for_a_cost_curve() -> None:
    clf = make_pipeline(StandardScaler(), RidgeClassifier()).fit(X, Y)
    drawn = CostCurveDisplay.from_estimator(clf, X, Y)
    assert_array_equal(drawn.q, cost_curve(Y, clf.decision_function(X))[1])
    assert drawn.line_.get_label().startswith("RidgeClassifier")
    with pytest.raises(ValueError, match="has no predict_proba"):
        BrierCurveDisplay.from_estimator(clf, X, Y)


def test_options_of_lines() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, P, line_kw={"c": "red", "ls": ":", "lw": 3})
    assert drawn.line_.get_color() == "red"
    assert drawn.line_.get_linewidth() == 3


def test_plotting_again_on_other_axes() -> None:
    drawn = BrierCurveDisplay.from_predictions(Y, P, name="a")
    first = drawn.ax_
    again = drawn.plot(name="b", legend=None)
    assert again is drawn
    assert drawn.ax_ is not first
    assert drawn.line_.get_label().startswith("b")
    assert drawn.ax_.get_legend() is None


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BrierCurveDisplay.from_predictions(Y, 2 * P), "from 0 to 1"),
        (lambda: BrierCurveDisplay.from_predictions(Y[:5], P), "rows"),
        (lambda: BrierCurveDisplay.from_predictions(np.ones(5), P[:5]), "two classes, but there"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, pos_label=7), "pos_label is 7"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, fn_cost=[1, 2]), "one for each of the"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, fn_cost=0, fp_cost=0), "are zero"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, sample_weight=1 - Y), "of one class"),
        (lambda: BrierCurveDisplay.from_estimator(LogitBoostClassifier(), X, Y), "not fitted"),
        (lambda: BrierCurveDisplay.from_estimator(LogitBoostClassifier, X, Y), "must be a scikit"),
        (lambda: BrierCurveDisplay.from_cv_results({}, X, Y), "return_estimator=True"),
        (lambda: BrierCurveDisplay.from_cv_results(cross_validated(), X[:99], Y[:99]), "beyond"),
        (lambda: BrierCurveDisplay.from_runs([0.5], [[0.1]]), "at least two runs"),
        (lambda: BrierCurveDisplay.from_runs([0.5, 2], [[0, 1], [0, 1]]), "from 0 to 1"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, by="z"), "by must be 'skew' or 'cost'"),
        (lambda: BrierCurveDisplay.from_predictions(Y, P, prior=1), "prior must be a number"),
        (lambda: CostCurveDisplay.from_predictions(Y, 2 * P, fn_cost=P), "must be probabilities"),
        (lambda: BrierCurveDisplay(z=[0, 1], q=[0, 0], positive_share=2), "positive_share must"),
        (lambda: BrierCurveDisplay(z=[0, 1], q=[0]), "of one length"),
        (lambda: BrierCurveDisplay(z=[0, 1], q=[0, 0], lower=[0, 0]), "two limits"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
