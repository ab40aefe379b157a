"""Losses derived from the rules against the formulas of the papers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.special import expit

from costboost import CostBoostClassifier, OperatingPointClassifier
from costboost._core.engine._kernels import Likelihood
from costboost._core.rules import discrete, newton
from costboost._core.rules.record import NetCosts, RowData
from costboost.algorithms import (
    CLASSES,
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC2M1Classifier,
    AdaC3Classifier,
    AdaCC1Classifier,
    AdaCC2Classifier,
    AdaCostClassifier,
    AdaDBClassifier,
    AdaMECClassifier,
    AdaUBoostClassifier,
    AsymAdaClassifier,
    BAdaCostClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
    CSBoostClassifier,
    CSGAClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    GELBoostClassifier,
    GentleBoostClassifier,
    GLLBoostClassifier,
    LogitBoostClassifier,
    MultinomialLogitBoostClassifier,
    RareBoostClassifier,
    RealBoostClassifier,
    SAMMEC2Classifier,
    SAMMEClassifier,
    WeightBoostClassifier,
)
from costboost_lab.theory import losses

M = 8
MARGIN = np.linspace(-2, 2, 9)


def cost(fn: float, fp: float, positive: bool) -> float:
    return fn if positive else fp


def log1p_exp(x: Any) -> Any:
    return np.log1p(np.exp(x))


Formula = Callable[[Any, float, float, bool, int], Any]
"""Loss up to a factor, as a function of margin, both costs, class and round."""

FORMULAS: dict[Any, Formula] = {
    AdaBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    AdaMECClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    CGAdaClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) * np.exp(-m),
    AsymAdaClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** (t / M) * np.exp(-m),
    AdaC2Classifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** (t + 1) * np.exp(-m),
    CSAdaClassifier: lambda m, fn, fp, pos, t: np.exp(-cost(fn, fp, pos) * m),
    AdaDBClassifier: lambda m, fn, fp, pos, t: np.exp(-cost(fn, fp, pos) * m),
    AdaC1Classifier: lambda m, fn, fp, pos, t: np.exp(-cost(fn, fp, pos) / max(fn, fp) * m),
    AdaC3Classifier: lambda m, fn, fp, pos, t: (
        cost(fn, fp, pos) ** t * np.exp(-cost(fn, fp, pos) / max(fn, fp) * m)
    ),
    RealBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    GentleBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    RareBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    WeightBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    CSRAClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** (t / M) * np.exp(-m),
    CSGAClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** (t / M) * np.exp(-m),
    CSRealBoostClassifier: lambda m, fn, fp, pos, t: np.exp(-cost(fn, fp, pos) * m),
    LogitBoostClassifier: lambda m, fn, fp, pos, t: log1p_exp(-2 * m),
    CostBoostClassifier: lambda m, fn, fp, pos, t: log1p_exp(-2 * m),
    CSLBClassifier: lambda m, fn, fp, pos, t: log1p_exp(
        (1 if pos else -1) * t / M * np.log(fn / fp) - 2 * m
    ),
    AdaUBoostClassifier: lambda m, fn, fp, pos, t: (
        cost(fn, fp, pos) ** 2 * np.exp(-min(fn, fp) / cost(fn, fp, pos) * m)
    ),
    MultinomialLogitBoostClassifier: lambda m, fn, fp, pos, t: log1p_exp(-2 * m),
    GLLBoostClassifier: lambda m, fn, fp, pos, t: np.log1p(cost(fn, fp, pos) * np.exp(-2 * m)),
    GELBoostClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) * np.exp(-m),
    SAMMEClassifier: lambda m, fn, fp, pos, t: np.exp(-m),
    SAMMEC2Classifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** (t - 1) * np.exp(-m),
    AdaC2M1Classifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) ** t * np.exp(-m),
    BAdaCostClassifier: lambda m, fn, fp, pos, t: (
        np.sinh(2 * cost(fn, fp, pos) / max(fn, fp))
        / cost(fn, fp, pos)
        * np.exp(-cost(fn, fp, pos) * m)
    ),
    CSBoostClassifier: lambda m, fn, fp, pos, t: cost(fn, fp, pos) * expit(-m),
    CSLogitBoostClassifier: lambda m, fn, fp, pos, t: log1p_exp(
        (1 if pos else -1) * np.log(fn / fp) - (fn + fp) * m
    ),
}
WITHOUT = [
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
    AdaCostClassifier,
    AdaCostClassifier(beta="ting"),
    AdaBoostRegClassifier,
    AdaCC1Classifier,
    AdaCC2Classifier,
]


@pytest.mark.parametrize("cls", FORMULAS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("costs", [(2.0, 1.0), (1.0, 3.0), (5.0, 4.0), (0.2, 0.1)])
def test_losses_are_those_of_the_papers(cls: Any, costs: tuple[float, float]) -> None:
    loss, formula = losses(cls, *costs, n_rounds=M), FORMULAS[cls]
    less_costly = costs[0] < costs[1]
    for t in (1, 3, M):
        one = formula(0.0, *costs, less_costly, t)
        for positive in (True, False):
            expected = formula(MARGIN, *costs, positive, t) / one
            assert_allclose(loss(MARGIN, positive, t), expected, rtol=1e-9)


def test_every_classifier_has_a_loss_or_none() -> None:
    without = {one if isinstance(one, type) else type(one) for one in WITHOUT}
    assert set(FORMULAS) | without == set(CLASSES)
    assert not set(FORMULAS) & without


@pytest.mark.parametrize("algorithm", WITHOUT, ids=str)
def test_without_a_loss_the_error_has_a_counter_example(algorithm: Any) -> None:
    with pytest.raises(ValueError, match=r"implies no loss of the margin: .* weigh as"):
        losses(algorithm)


@pytest.mark.parametrize(
    ("algorithm", "rate"),
    [(WeightBoostClassifier(beta=0), 1.0), (AdaBoostRegClassifier(C=0), 0.5)],
)
def test_regularisation_can_be_switched_off(algorithm: Any, rate: float) -> None:
    assert_allclose(losses(algorithm, n_rounds=M)(MARGIN), np.exp(-rate * MARGIN), rtol=1e-9)


# ---- the figures of the papers -------------------------------------------------------------------


def test_figures_1_and_2_of_nikolaou() -> None:
    assert losses(AdaBoostClassifier).swap() is None
    assert losses(CGAdaClassifier).swap() is None
    assert losses(CSAdaClassifier).swap() == pytest.approx(0, abs=1e-6)
    # The caption has t - 1 for AdaC3, because it does not count the factor of the initial weights.
    loss = losses(AdaC3Classifier, 2, 1)
    assert loss.swap(3) == pytest.approx(3 / (1 - 0.5) * np.log(2), rel=1e-5)


def test_figure_2_2_of_nyga() -> None:
    """Both losses pass through (0, 1)."""
    for cls in (AdaBoostClassifier, LogitBoostClassifier):
        for positive in (True, False):
            assert losses(cls, 1, 1)(0.0, positive) == pytest.approx(1)
    assert losses(LogitBoostClassifier)(-1.0) == pytest.approx(np.log2(1 + np.exp(2)))


# ---- what a loss can do --------------------------------------------------------------------------

algorithms = st.sampled_from([c for c in FORMULAS if c not in (AdaDBClassifier, AdaMECClassifier)])
with_minimum = algorithms.filter(lambda cls: cls is not CSBoostClassifier)
costs = st.floats(0.1, 10)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(with_minimum, costs, costs, st.floats(0.01, 0.99), st.integers(1, M))
def test_the_minimiser_minimises(cls: Any, fn: float, fp: float, p: float, t: int) -> None:
    loss = losses(cls, fn, fp, n_rounds=M)

    def expected(score: float) -> float:
        return float(p * loss(score, True, t) + (1 - p) * loss(-score, False, t))

    found = float(loss.minimiser(p, t))
    unit = 1 / loss.curves.rates.max()
    other = minimize_scalar(expected, (found - unit, found + unit), tol=1e-10)
    assert expected(found) <= other.fun * (1 + 1e-10)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(algorithms, costs, costs, st.floats(-5, 5), st.integers(1, M))
def test_the_ratio_is_that_of_the_losses(cls: Any, fn: float, fp: float, m: float, t: int) -> None:
    loss = losses(cls, fn, fp, n_rounds=M)
    positive, negative = loss(m, True, t), loss(m, False, t)
    expected = positive / negative if fn >= fp else negative / positive
    assert_allclose(loss.ratio(m, t), expected, rtol=1e-9)
    swap = loss.swap(t)
    if swap is not None and abs(m - swap) > 1e-3 * loss.unit:
        below = cls is AdaUBoostClassifier
        assert (loss.ratio(m, t) < 1) == (m < swap if below else m > swap)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(costs, costs, st.floats(0.01, 0.99))
def test_the_expected_cost_is_least_at_infinity(fn: float, fp: float, p: float) -> None:
    if abs(p - fp / (fn + fp)) > 1e-9:
        found = losses(CSBoostClassifier, fn, fp).minimiser(p)
        assert float(found) == (np.inf if p > fp / (fn + fp) else -np.inf)


@pytest.mark.parametrize(
    "rule",
    [newton.LOGITBOOST, newton.CSLB, newton.CSLOGITBOOST, newton.CSBOOST],
    ids=lambda rule: rule.name,
)
def test_likelihoods_are_those_of_the_engine(rule: Any) -> None:
    """The loss that Newton steps may not raise is the loss of `costboost_lab.theory`."""
    both = NetCosts(3.0, 1.0)
    score = np.linspace(-2, 2, 12)
    label = np.where(np.arange(12) % 2 == 0, 1.0, -1.0)
    rows = RowData(label, np.full(12, 1 / 12), both, both, M)
    loss = losses(rule, *both, n_rounds=M)
    for t in (1, M):
        start = rows.start * rule.focus(np.where(label > 0, *both))
        likelihood = Likelihood(label, start, None, *rule.logit(rows, t), rule.expected)
        found = np.empty(12)
        likelihood.loss(score, found, 1)
        parts = [loss(label * score, positive, t) for positive in (True, False)]
        ratio = found / np.where(label > 0, *parts)
        assert_allclose(ratio, ratio[0], rtol=1e-12)


def test_the_shape_of_the_margins_is_kept() -> None:
    loss = losses(CGAdaClassifier)
    assert loss(0.5).shape == ()
    assert loss([[0.5, 1.0]]).shape == (1, 2)
    assert loss.minimiser([[0.5], [0.7]]).shape == (2, 1)
    assert losses(CGAdaClassifier(n_estimators=7)).n_rounds == 7
    assert losses(discrete.CGADA).n_rounds == 100


def test_extreme_margins_and_costs_make_no_nan() -> None:
    for cls in FORMULAS:
        for pair in ((1e6, 1.0), (1.0, 1e6)):
            loss = losses(cls, *pair, n_rounds=3)
            values = [loss([-1e3, 0, 1e3], positive, 3) for positive in (True, False)]
            assert not np.isnan(values).any()
            assert not np.isnan(loss.log_ratio(np.array([-1e3, 0, 1e3]), 3)).any()


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: losses(OperatingPointClassifier), "boosting classifiers of costboost"),
        (lambda: losses("AdaBoost"), "got 'AdaBoost'"),
        (lambda: losses(CGAdaClassifier, 0, 1), "fn_cost must be above 0"),
        (lambda: losses(CGAdaClassifier, 1, float("nan")), "fp_cost"),
        (lambda: losses(CGAdaClassifier, [1, 2], 1), r"fn_cost must be one number.*\(2,\)"),
        (lambda: losses(CGAdaClassifier, n_rounds=0), "n_rounds must be a whole number"),
        (lambda: losses(CGAdaClassifier, n_rounds=2.5), "got 2.5"),
        (lambda: losses(AdaCostClassifier(beta="me")), "beta must be one of"),
        (lambda: losses(CGAdaClassifier(n_estimators=-1)), "n_estimators"),
        (lambda: losses(CGAdaClassifier)(np.nan), "margins must be finite"),
        (lambda: losses(CGAdaClassifier)(0.0, True, 0), "round must be a number from 1 to 100"),
        (lambda: losses(CGAdaClassifier)(0.0, True, 101), "got 101"),
        (lambda: losses(CGAdaClassifier).minimiser(1.0), "between 0 and 1"),
        (lambda: losses(CGAdaClassifier).minimiser([0.5, np.nan]), "between 0 and 1"),
    ],
)
def test_bad_input_raises(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
