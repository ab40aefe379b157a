"""Decision, profit and lift curves: what is drawn is what the measures return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier

from costboost.metrics import bootstrap_interval, decision_curve, lift_curve, profit_curve
from costboost.plots import DecisionCurveDisplay, LiftCurveDisplay, ProfitCurveDisplay

X, Y = make_classification(200, weights=[0.7], flip_y=0.1, random_state=0)
CLF = LogisticRegression().fit(X, Y)
P = CLF.predict_proba(X)[:, 1]
MAIL = {"tp_cost": -15.0, "fp_cost": 1.0, "fn_cost": 0.0}
ALL = pytest.mark.parametrize(
    "display", [DecisionCurveDisplay, ProfitCurveDisplay, LiftCurveDisplay]
)


def texts(display: Any) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_a_decision_curve_and_its_defaults() -> None:
    drawn = DecisionCurveDisplay.from_predictions(Y, P, name="it")
    found = decision_curve(Y, P)
    assert_array_equal(drawn.line_.get_xdata(), found.threshold)
    assert_array_equal(drawn.line_.get_ydata(), found.net_benefit)
    everyone, none = drawn.defaults_
    assert_array_equal(everyone.get_ydata(), found.treat_all)
    assert_array_equal(none.get_ydata(), [0, 0])
    assert texts(drawn) == ["it", "treat none", "treat all"]
    assert drawn.ax_.get_ylim()[1] > found.net_benefit.max()
    assert drawn.band_ is None


def test_a_profit_curve_its_best_point_and_its_defaults() -> None:
    drawn = ProfitCurveDisplay.from_predictions(Y, P, **MAIL)
    found = profit_curve(Y, P, **MAIL)
    assert_array_equal(drawn.line_.get_xdata(), found.share)
    assert_array_equal(drawn.line_.get_ydata(), found.profit)
    assert drawn.best_.get_ydata()[0] == found.profit.max()
    assert_array_equal(drawn.defaults_[0].get_ydata(), found.profit[[0, -1]])


def test_gains_and_lift() -> None:
    found = lift_curve(Y, P)
    gain = LiftCurveDisplay.from_predictions(Y, P)
    assert_array_equal(gain.line_.get_ydata(), [0, *found.gain])
    assert_array_equal(gain.defaults_[0].get_ydata(), [0, 1])
    lift = LiftCurveDisplay.from_predictions(Y, P, kind="lift")
    seen = found.share > 0.01
    x, y = lift.line_.get_data()
    assert_allclose(y[np.searchsorted(x, found.share[seen])], found.lift[seen])
    assert_allclose(y * x, np.interp(x, [0, *found.share], [0, *found.gain]))
    assert_array_equal(lift.defaults_[0].get_ydata(), [1, 1])
    assert lift.ax_.get_ylabel() == "lift"


@ALL
def test_of_an_estimator_with_weights(display: Any) -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(Y))
    drawn = display.from_estimator(CLF, X, Y, sample_weight=weight)
    expected = display.from_predictions(Y, P, sample_weight=weight, pos_label=1)
    assert_array_equal(drawn.line_.get_ydata(), expected.line_.get_ydata())
    assert drawn.line_.get_label() == "LogisticRegression"
    other = display.from_estimator(CLF, X, Y, pos_label=0, name="other", ax=drawn.ax_)
    assert other.line_.get_color() != drawn.line_.get_color()
    again = other.plot(defaults=False, legend=None, color="red", linewidth=3)
    assert (again.line_.get_color(), again.line_.get_linewidth()) == ("red", 3)
    assert again.defaults_ == ()
    assert again.ax_.get_legend() is None


@ALL
def test_bands_are_bootstrap_intervals(display: Any) -> None:
    options: dict[str, Any] = {"confidence": 0.9, "n_resamples": 20, "random_state": 0}
    drawn = display.from_predictions(Y, P, fn_cost=np.arange(1.0, 201), **options)
    assert drawn.band_ is not None
    assert "90% interval over rows" in texts(drawn)
    assert np.all(drawn.lower <= drawn.upper + 1e-12)
    if display is DecisionCurveDisplay:
        found = bootstrap_interval(
            lambda y, p, fn_cost: decision_curve(y, p, fn_cost=fn_cost).net_benefit,
            Y, P, fn_cost=np.arange(1.0, 201), **options,
        )  # fmt: skip
        assert_allclose(drawn.lower, found.low)
    lift = LiftCurveDisplay.from_predictions(Y, P, kind="lift", **options)
    assert lift.upper[-1] == pytest.approx(1)


@ALL
def test_few_rows_and_ties(display: Any) -> None:
    drawn = display.from_predictions([0, 1, 1], [0.5, 0.5, 0.5], confidence=0.95, n_resamples=9)
    drawn.figure_.draw_without_rendering()
    assert np.all(np.isfinite(drawn.line_.get_ydata()))


def test_scores_without_probabilities() -> None:
    ridge = RidgeClassifier().fit(X, Y)
    drawn = LiftCurveDisplay.from_estimator(ridge, X, Y)
    assert_array_equal(drawn.gain, lift_curve(Y, ridge.decision_function(X)).gain)
    with pytest.raises(ValueError, match="has no predict_proba"):
        DecisionCurveDisplay.from_estimator(ridge, X, Y)


@pytest.mark.parametrize(
    ("display", "arrays", "message"),
    [
        (DecisionCurveDisplay, {"threshold": [0.1], "net_benefit": [0.1, 0.2]}, "of one length"),
        (DecisionCurveDisplay, {"threshold": [0.1], "net_benefit": [0.1], "lower": [0]}, "two lim"),
        (ProfitCurveDisplay, {"share": [0, 1], "profit": [1]}, "share and profit must be of one"),
        (
            ProfitCurveDisplay,
            {"share": [0, 1], "profit": [1, 2], "lower": [0, 1], "upper": [1, 2]},
            "lower, upper and the 201 shares",
        ),
        (LiftCurveDisplay, {"share": [0, 1], "gain": [0, 1]}, "share must be above 0"),
        (LiftCurveDisplay, {"share": [1], "gain": [1], "kind": "roc"}, "kind must be 'gain' or"),
    ],
)
def test_bad_arrays(display: Any, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        display(**arrays)
