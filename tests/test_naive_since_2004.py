"""Transcriptions of AdaCC1, AdaCC2, AdaUBoost and average expected cost."""

from __future__ import annotations

import itertools
import math
from typing import Any

import naive
import numpy as np
import pytest
from naive.discrete import least_is_one
from naive.uneven import (
    adauboost_polynomial,
    aec_curvature,
    aec_gradient,
    aec_loss,
    aec_second_derivative,
    cumulative_costs,
    fit_adacc,
)
from naive_cases import noisy, scores_by_round, with_gaps
from scipy.optimize import minimize_scalar

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
STUMP: dict[str, Any] = {"learner": "stump"}
TREE: dict[str, Any] = {"learner": "tree", "max_depth": 2}
LEARNERS = pytest.mark.parametrize("learner", [STUMP, TREE], ids=["stump", "tree"])
ALGORITHMS = pytest.mark.parametrize("algorithm", naive.UNEVEN)


# ---- all binary ones -----------------------------------------------------------------------------


@ALGORITHMS
@LEARNERS
def test_a_weight_of_two_is_a_row_written_twice(algorithm: str, learner: dict[str, Any]) -> None:
    X, y = noisy(40)
    s = np.random.default_rng(0).integers(1, 4, 40)
    options = {"fn_cost": 3.0, "n_estimators": 6, **learner}
    weighted = naive.fit(algorithm, X, y, sample_weight=s, **options)
    repeated = naive.fit(algorithm, np.repeat(X, s, axis=0), np.repeat(y, s), **options)
    assert len(weighted.steps) > 1
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), **CLOSE
    )


@pytest.mark.parametrize("algorithm", ["adacc1", "adacc2", "adauboost"])
def test_a_learner_without_mistakes_ends_the_ensemble(algorithm: str) -> None:
    X, y = np.arange(6.0)[:, None], np.array([-1.0, -1, -1, 1, 1, 1])
    model = naive.fit(algorithm, X, y, fn_cost=4.0)
    assert (len(model.steps), model.stop_reason) == (1, "perfect learner")
    assert math.isfinite(model.steps[0])


# ---- AdaCC ---------------------------------------------------------------------------------------


def test_costs_follow_the_greater_rate() -> None:
    y = np.array([1.0, 1, 1, 1, -1, -1])
    s = np.full(6, 1 / 6)
    assert cumulative_costs(s, y, np.array([1.0, -1, 0, 1, -1, -1])) == (1.5, 1.0)
    assert cumulative_costs(s, y, np.array([1.0, 1, 1, -1, 1, -1])) == (1.0, 1.5)
    assert cumulative_costs(s, y, np.array([1.0, 1, -1, -1, 1, -1])) == (1.5, 1.0)
    assert cumulative_costs(s, y, y) == (1.0, 1.0)


@LEARNERS
def test_adacc_without_its_costs_is_adaboost(
    learner: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, s = with_gaps()
    ada = naive.fit("adaboost", X, y, sample_weight=s, **learner)

    def fit_without_costs(*arguments: Any) -> None:
        fit_adacc(lambda c, alpha: np.full(len(c), math.exp(2 * alpha)), *arguments)

    monkeypatch.setitem(naive.UNEVEN, "adacc1", fit_without_costs)
    model = naive.fit("adacc1", X, y, sample_weight=s, **learner)
    np.testing.assert_allclose(model.decision_function(X), ada.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.weights, ada.weights, **CLOSE)


@pytest.mark.parametrize("algorithm", ["adacc1", "adacc2"])
def test_adacc_in_the_arithmetic_of_the_repository(algorithm: str) -> None:
    """Steps of SAMME, votes for two classes, and factors of wrong rows alone."""
    X, y = noisy(60)
    model = naive.fit(algorithm, X, y, n_estimators=8)
    w, ballots = np.full(60, 1 / 60), np.zeros((60, 2))
    costly = []
    for t, learner in enumerate(model.learners):
        np.testing.assert_allclose(model.weights[t], w, **CLOSE)
        votes = learner.predict(X)
        wrong = votes != y
        error = w[wrong].sum()
        alpha = math.log((1 - error) / error)
        assert model.steps[t] == pytest.approx(alpha / 2, rel=1e-9)
        ballots[np.arange(60), (votes > 0).astype(int)] += alpha
        predicted = np.where(ballots.argmax(axis=1) == 1, 1.0, -1.0)
        cost = {
            1.0: 2 - (predicted[y > 0] > 0).mean(),
            -1.0: 2 - (predicted[y < 0] < 0).mean(),
        }
        costly.append(cost[1.0] >= cost[-1.0])
        cost[-1.0 if costly[-1] else 1.0] = 1.0
        c = np.where(y > 0, cost[1.0], cost[-1.0])
        factor = np.exp(c * alpha) if algorithm == "adacc1" else c * np.exp(alpha)
        w = np.where(wrong, w * factor, w)
        w = w / w.sum()
    assert len(costly) == 8
    np.testing.assert_array_equal(model.decision_function(X) > 0, ballots[:, 1] > ballots[:, 0])


def test_adacc_need_not_converge() -> None:
    """One cell, 40 % positive: the score of AdaCC2 alternates, that of AdaCC1 ends at 0."""
    X, y = np.zeros((2, 1)), np.array([1.0, -1.0])
    model = naive.fit("adacc2", X, y, sample_weight=[0.4, 0.6], n_estimators=20)
    first, second = -math.log(1.5) / 2, (math.log(2) - math.log(1.5)) / 2
    scores = [F[0] for F in model.staged_decision_function(X)]
    np.testing.assert_allclose(scores, [first, second] * 10, **CLOSE)
    model = naive.fit("adacc1", X, y, sample_weight=[0.4, 0.6], n_estimators=20)
    assert (len(model.steps), model.stop_reason) == (2, "no positive step")
    np.testing.assert_allclose(model.decision_function(X), 0, atol=1e-12)


# ---- AdaUBoost -----------------------------------------------------------------------------------


@LEARNERS
def test_adauboost_with_equal_costs_is_adaboost(learner: dict[str, Any]) -> None:
    X, y, s = with_gaps()
    ada = naive.fit("adaboost", X, y, sample_weight=s, **learner)
    model = naive.fit("adauboost", X, y, 3.0, 3.0, sample_weight=s, **learner)
    np.testing.assert_allclose(model.decision_function(X), ada.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.weights, ada.weights, **CLOSE)


@pytest.mark.parametrize("weights", [{}, {"learner_weights": "slope"}], ids=["loss", "slope"])
def test_the_step_of_adauboost_is_a_root_of_the_polynomial_and_weights_are_the_loss(
    weights: dict[str, str],
) -> None:
    X, y = noisy(60)
    beta = 3.0
    model = naive.fit("adauboost", X, y, fn_cost=2 * beta, fp_cost=2.0, **weights)
    assert len(model.steps) > 3
    c = np.where(y > 0, beta, 1.0)
    F = np.zeros(60)
    for alpha, w, learner in zip(model.steps, model.weights, model.learners, strict=True):
        loss = c * np.exp(-y * F / c)
        np.testing.assert_allclose(w, loss / loss.sum(), **CLOSE)
        h = learner.predict(X)
        W = {
            a + b: w[(h == u) & (y == v)].sum()
            for (a, u), (b, v) in itertools.product([("+", 1), ("-", -1)], repeat=2)
        }
        assert adauboost_polynomial(beta, W, math.exp(alpha)) == pytest.approx(0, abs=1e-9)
        best = minimize_scalar(
            lambda a, F=F, h=h: (c * np.exp(-y * (F + a * h) / c)).sum(), bracket=(0, 1), tol=1e-10
        )
        assert alpha == pytest.approx(best.x, rel=1e-5, abs=1e-7)
        F = F + alpha * h


def test_adauboost_stalls_where_its_learner_has_an_edge_and_its_loss_no_slope() -> None:
    """The learner of the last round is chosen again, but the step along it has been taken."""
    X, y = noisy(60)
    loss = naive.fit("adauboost", X, y, fn_cost=3.0, n_estimators=30)
    slope = naive.fit("adauboost", X, y, fn_cost=3.0, n_estimators=30, learner_weights="slope")
    assert (loss.stop_reason, slope.stop_reason) == ("no positive step", "n_estimators")
    assert len(loss.steps) < 10
    w, h = loss.weights[-1], loss.learners[-1].predict(X)
    c = np.where(y > 0, 3.0, 1.0)
    after = w * np.exp(-loss.steps[-1] * y * h / c)
    assert (after * y * h / c).sum() == pytest.approx(0, abs=1e-9)
    assert (after * y * h).sum() > 0.01


def test_adauboost_mirrors_exchanged_classes_and_depends_on_the_ratio_of_costs() -> None:
    X, y = noisy(60)
    a = naive.fit("adauboost", X, y, 4.0, 1.0).decision_function(X)
    np.testing.assert_allclose(naive.fit("adauboost", X, y, 8.0, 2.0).decision_function(X), a)
    mirrored = naive.fit("adauboost", X, -y, 1.0, 4.0).decision_function(X)
    np.testing.assert_allclose(mirrored, -a, **CLOSE)
    rows = naive.fit("adauboost", X, y, np.full(60, 4.0), np.ones(60)).decision_function(X)
    np.testing.assert_allclose(rows, a, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("P", "sign"), [(0.30, -1), (0.40, 0), (0.45, 0), (0.55, 1)])
def test_adauboost_takes_no_step_between_the_threshold_of_least_cost_and_one_half(
    P: float, sign: int
) -> None:
    """C+ = 2 C-: positive costs less from P = 1/3 on, but the loss has its minimum at F > 0 from
    1/2 on."""
    X, y = np.zeros((2, 1)), np.array([1.0, -1.0])
    model = naive.fit("adauboost", X, y, 2.0, sample_weight=[P, 1 - P])
    assert np.sign(model.decision_function(X)[0]) == sign
    slope = naive.fit("adauboost", X, y, 2.0, sample_weight=[P, 1 - P], learner_weights="slope")
    assert np.sign(slope.decision_function(X)[0]) == np.sign(P - 0.5)
    c = least_is_one(np.array([2.0, 1.0]))
    best = minimize_scalar(
        lambda F: P * c[0] * math.exp(-F / c[0]) + (1 - P) * c[1] * math.exp(F / c[1])
    )
    assert (best.x > 0) == (P > 0.5)


# ---- average expected cost -----------------------------------------------------------------------


def derivative(f: Any, x: np.ndarray, h: float = 1e-5) -> np.ndarray:
    return (f(x + h) - f(x - h)) / (2 * h)


def test_the_derivatives_of_the_average_expected_cost() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1.0, -1.0], 20)
    F = rng.normal(0, 2, 40)
    tp, fn, fp, tn = rng.uniform(0, 5, (4, 40)) + np.array([[0], [5], [5], [0]])
    d = np.where(y > 0, fn - tp, fp - tn)
    gradient = derivative(lambda F: aec_loss(y, F, tp, fn, fp, tn), F)
    np.testing.assert_allclose(aec_gradient(y, F, d), gradient, rtol=1e-6, atol=1e-8)
    second = derivative(lambda F: aec_gradient(y, F, d), F)
    np.testing.assert_allclose(aec_second_derivative(y, F, d), second, rtol=1e-6, atol=1e-8)
    assert (second < 0).any()
    assert np.all(aec_curvature(F, d) >= np.abs(second))


@LEARNERS
def test_costs_of_the_average_expected_cost_are_weights(learner: dict[str, Any]) -> None:
    X, y = noisy(60)
    d = np.random.default_rng(0).lognormal(0, 1, 60)
    costs = naive.fit("aec", X, y, d, d, **learner)
    weights = naive.fit("aec", X, y, sample_weight=d, **learner)
    np.testing.assert_allclose(costs.decision_function(X), weights.decision_function(X), **CLOSE)
    unit = naive.fit("aec", X, y, 50 * d, 50 * d, **learner)
    np.testing.assert_allclose(costs.decision_function(X), unit.decision_function(X), **CLOSE)


@LEARNERS
def test_the_average_expected_cost_never_rises(learner: dict[str, Any]) -> None:
    X, y = noisy(60)
    rng = np.random.default_rng(0)
    fn, fp, none = rng.lognormal(1, 1, 60), rng.lognormal(0, 1, 60), np.zeros(60)
    model = naive.fit("aec", X, y, fn, fp, n_estimators=25, **learner)
    losses = [aec_loss(y, F, none, fn, fp, none).mean() for F in scores_by_round(model, X)]
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(losses))
    assert losses[-1] < 0.8 * min(np.where(y > 0, fn, 0).mean(), np.where(y < 0, fp, 0).mean())


def test_the_leaves_of_the_average_expected_cost_are_mean_labels() -> None:
    X, y = noisy(60)
    model = naive.fit("aec", X, y, 4.0, 1.0, n_estimators=1)
    right = model.learners[0].predict(X) == model.learners[0].predict(X).max()
    d = np.where(y > 0, 4.0, 1.0)
    for leaf in (right, ~right):
        expected = (d * y)[leaf].sum() / d[leaf].sum()
        np.testing.assert_allclose(model.learners[0].predict(X)[leaf], expected)


@pytest.mark.parametrize("P", [0.1, 0.19, 0.21, 0.6])
def test_the_average_expected_cost_is_minimal_at_infinity_on_the_side_of_least_cost(
    P: float,
) -> None:
    """C+ = 4 C-: positive from P = 1/5 on, and the score grows without bound."""
    model = naive.fit(
        "aec",
        np.arange(4.0)[:, None] // 2,
        np.array([1.0, -1.0] * 2),
        4.0,
        sample_weight=[P, 1 - P, P, 1 - P],
        n_estimators=200,
    )
    F = model.decision_function(np.zeros((1, 1)))[0]
    assert (F > 0) == (P > 0.2)
    assert abs(F) > 2
