"""Profit and decision curves, expected maximum profit: brute force, quadrature, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metrics.scored import Rows, rates, repeated, scored
from numpy.testing import assert_allclose
from scipy import special
from scipy.integrate import quad

from costboost.metrics import (
    decision_curve,
    empc,
    empc_score,
    empcs,
    empcs_score,
    mean_cost,
    net_benefit_score,
    profit_curve,
)

money = st.floats(-20, 20)


@settings(max_examples=40)
@given(scored(), st.tuples(money, money, money, money), st.booleans())
def test_profit_row_by_row(rows: Rows, costs: Any, of_rows: bool) -> None:
    y, p, w = rows
    factor = np.linspace(0.5, 2, len(y)) if of_rows else 1.0
    tp, fp, fn, tn = (cost * factor for cost in costs)
    curve = profit_curve(y, p, tp_cost=tp, fp_cost=fp, fn_cost=fn, tn_cost=tn, sample_weight=w)
    assert (curve.share[0], curve.share[-1]) == (0, 1)
    for share, profit, threshold in zip(*curve, strict=True):
        treated = p >= threshold
        cost = np.where(treated, np.where(y == 1, tp, fp), np.where(y == 1, fn, tn))
        assert share == pytest.approx(np.average(treated, weights=w))
        assert profit == pytest.approx(-np.average(cost, weights=w), abs=1e-9)


def test_the_usual_costs_are_those_of_errors() -> None:
    curve = profit_curve([0, 1, 1], [0.1, 0.5, 0.9])
    assert_allclose(curve.profit, [-2 / 3, -1 / 3, 0, -1 / 3])


def best(rows: Any, gain: float, loss: float) -> tuple[float, float]:
    """Greatest profit over all thresholds, and the least share of rows that has it."""
    tpr, fpr, share = rows
    profit = gain * share * tpr - loss * (1 - share) * fpr
    k = int(np.argmax(profit >= profit.max() - 1e-12))
    return float(profit[k]), float(share * tpr[k] + (1 - share) * fpr[k])


@settings(max_examples=6, deadline=None)
@given(scored(10), st.floats(0, 50), st.floats(0, 5))
def test_churn_is_an_integral(rows: Rows, incentive: float, contact: float) -> None:
    y, p = repeated(rows)
    points = (*rates(y, p), y.mean())
    constant = 1 / special.beta(6, 14)

    def density(gamma: float) -> float:
        return float(constant * gamma**5 * (1 - gamma) ** 13)

    def at(gamma: float) -> tuple[float, float]:
        return best(points, gamma * (200 - incentive) - contact, incentive + contact)

    found = empc(y, p, incentive_cost=incentive, contact_cost=contact)
    value = quad(lambda g: at(g)[0] * density(g), 0, 1, limit=100)[0]
    assert found.profit == pytest.approx(value, rel=1e-5, abs=1e-5)
    if incentive > 0.1:
        value = quad(lambda g: at(g)[1] * density(g), 0, 1, limit=100)[0]
        assert found.fraction == pytest.approx(value, abs=2e-3)


@settings(max_examples=6, deadline=None)
@given(scored(10), st.floats(0, 0.5), st.floats(0, 0.5), st.floats(0.01, 1))
def test_credit_is_an_integral(rows: Rows, p0: float, p1: float, roi: float) -> None:
    y, p = repeated(rows)
    points = (*rates(y, p), y.mean())
    parts = [quad(lambda x, k=k: best(points, x, roi)[k], 0, 1, limit=100)[0] for k in (0, 1)]
    found = empcs(y, p, p0=p0, p1=p1, roi=roi)
    for value, part, whole in zip(found, parts, best(points, 1, roi), strict=True):
        assert value == pytest.approx((1 - p0 - p1) * part + p1 * whole, abs=2e-3)
    value = (1 - p0 - p1) * parts[0] + p1 * best(points, 1, roi)[0]
    assert found.profit == pytest.approx(value, abs=1e-6)


def test_perfect_and_useless_scores() -> None:
    y = np.arange(10) < 4
    perfect = empc(y, y, contact_cost=0)
    assert perfect.profit == pytest.approx(0.4 * 0.3 * 190)
    assert perfect.fraction == pytest.approx(0.4)
    useless = empcs(y, np.zeros(10), roi=2)
    assert useless == (0, 0)
    assert empc_score(y, y) == empc(y, y).profit
    assert empcs_score(y, y) == empcs(y, y).profit


@pytest.mark.parametrize(
    ("measure", "options", "message"),
    [
        (empc, {"alpha": -1}, "alpha must be a number above 0, got -1"),
        (empc, {"lifetime_value": 0}, "lifetime_value must be a number above 0, got 0"),
        (empc, {"incentive_cost": 200}, "incentive_cost must be below lifetime_value=200, got 200"),
        (empc, {"contact_cost": -1}, "contact_cost"),
        (empcs, {"p0": 1.5}, "p0 must be a probability from 0 to 1, got 1.5"),
        (empcs, {"p0": 0.6, "p1": 0.6}, "p0 and p1 must not add up to more than 1"),
        (empcs, {"roi": -0.1}, "roi"),
        (profit_curve, {"tp_cost": [1, 2, 3]}, "tp_cost must be one number or one for each of"),
        (profit_curve, {"fn_cost": np.inf}, "fn_cost must be finite, got inf"),
    ],
)
def test_bad_input(measure: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        measure([0, 1], [0.1, 0.2], **options)


# ---- net benefit ---------------------------------------------------------------------------------


threshold = st.floats(0, 0.99)


@given(scored(), threshold)
def test_net_benefit_counts_hits_and_alarms(rows: Rows, t: float) -> None:
    y, p, w = rows
    treated = p > t
    hits, alarms = w[treated & (y == 1)].sum(), w[treated & (y == 0)].sum()
    expected = (hits - alarms * t / (1 - t)) / w.sum()
    found = net_benefit_score(y, p, threshold=t, sample_weight=w)
    assert found == pytest.approx(expected, abs=1e-9)
    assert found == pytest.approx(net_benefit_score(*repeated(rows), threshold=t), abs=1e-9)
    curve = decision_curve(y, p, thresholds=[t], sample_weight=w)
    assert curve.net_benefit[0] == pytest.approx(found, abs=1e-12)


@given(scored(), st.floats(0.01, 0.99))
def test_treating_all_has_a_closed_form(rows: Rows, t: float) -> None:
    y, p, w = rows
    share = np.average(y, weights=w)
    curve = decision_curve(y, p, thresholds=[0.0, t], sample_weight=w)
    assert_allclose(curve.treat_all, [share, share - (1 - share) * t / (1 - t)], atol=1e-9)
    assert np.all(curve.net_benefit <= share + 1e-12)


@settings(max_examples=40)
@given(scored(), st.floats(0.1, 20), st.floats(0.1, 20))
def test_it_is_what_is_saved_compared_with_treating_none(rows: Rows, fn: float, fp: float) -> None:
    y, p, w = rows
    costs: dict[str, Any] = {"fn_cost": fn, "fp_cost": fp, "sample_weight": w}
    treated = (p > fp / (fn + fp)).astype(int)
    saved = mean_cost(y, np.zeros(len(y)), **costs) - mean_cost(y, treated, **costs)
    assert net_benefit_score(y, p, **costs) == pytest.approx(saved / fn, abs=1e-9)


def test_costs_of_rows_decide_each_row() -> None:
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, 300), rng.random(300)
    fn, fp = rng.lognormal(size=300), rng.lognormal(size=300)
    treated = p * fn > (1 - p) * fp
    saved = np.sum(fn[treated & (y == 1)]) - np.sum(fp[treated & (y == 0)])
    expected = saved / 300 / fn[y == 1].mean()
    assert net_benefit_score(y, p, fn_cost=fn, fp_cost=fp) == pytest.approx(expected)


def test_the_default_thresholds_are_percentages() -> None:
    curve = decision_curve([0, 1], [0.2, 0.8])
    assert_allclose(curve.threshold, np.arange(1, 100) / 100)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a net benefit needs a threshold or costs"),
        ({"threshold": 1}, "threshold must be from 0 to below 1, got 1"),
        ({"threshold": np.nan}, "threshold must be from 0 to below 1, got nan"),
        ({"threshold": [0.1, 0.2]}, "threshold must be one number; decision_curve takes several"),
        ({"fn_cost": 0, "fp_cost": 1}, "fn_cost is zero for every positive row"),
        ({"fn_cost": [1, 2, 3]}, "fn_cost must be one number or one for each of the 4 rows"),
        ({"threshold": 0.5, "pos_label": 7}, "pos_label is 7, but the classes are 0, 1"),
    ],
    ids=str,
)
def test_bad_net_benefits(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        net_benefit_score([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], **options)


def test_bad_curves() -> None:
    with pytest.raises(ValueError, match=r"thresholds must be from 0 to below 1, got -0\.1"):
        decision_curve([0, 1], [0.1, 0.9], thresholds=[0.5, -0.1])
    with pytest.raises(ValueError, match="thresholds must be a list of numbers"):
        decision_curve([0, 1], [0.1, 0.9], thresholds=[])
    with pytest.raises(ValueError, match="y_prob must be probabilities from 0 to 1, got 3"):
        decision_curve([0, 1], [0.1, 3])
    with pytest.raises(ValueError, match="every row that counts is positive"):
        decision_curve([1, 1], [0.1, 0.3])
