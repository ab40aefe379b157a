"""Transcriptions of AdaCC, AdaUBoost, average expected cost, and of boosted multi-class scores."""

from __future__ import annotations

import itertools
import math
from typing import Any

import naive
import numpy as np
import pytest
from naive.discrete import least_is_one
from naive.scores import GEL, GLL, ScoreLoss, unit_costs
from naive.uneven import (
    adauboost_polynomial,
    aec_curvature,
    aec_gradient,
    aec_loss,
    aec_second_derivative,
    cumulative_costs,
    fit_adacc,
)
from naive_cases import noisy, scores_by_round, three_classes, with_gaps
from scipy.optimize import minimize, minimize_scalar
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
STUMP: dict[str, Any] = {"learner": "stump"}
TREE: dict[str, Any] = {"learner": "tree", "max_depth": 2}
LEARNERS = pytest.mark.parametrize("learner", [STUMP, TREE], ids=["stump", "tree"])
ALGORITHMS = pytest.mark.parametrize("algorithm", naive.UNEVEN)
COSTS = np.array([[0.0, 0.5, 3.0], [2.0, 0.0, 1.0], [1.5, 0.2, 0.0]])


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


# ---- AdaUBoost -----------------------------------------------------------------------------------


@LEARNERS
def test_adauboost_with_equal_costs_is_adaboost(learner: dict[str, Any]) -> None:
    X, y, s = with_gaps()
    ada = naive.fit("adaboost", X, y, sample_weight=s, **learner)
    model = naive.fit("adauboost", X, y, 3.0, 3.0, sample_weight=s, **learner)
    np.testing.assert_allclose(model.decision_function(X), ada.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.weights, ada.weights, **CLOSE)


@pytest.mark.parametrize("weights", [{}, {"learner_weights": "slope"}], ids=["paper", "slope"])
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
    paper = naive.fit("adauboost", X, y, fn_cost=3.0, n_estimators=30)
    slope = naive.fit("adauboost", X, y, fn_cost=3.0, n_estimators=30, learner_weights="slope")
    assert (paper.stop_reason, slope.stop_reason) == ("no positive step", "n_estimators")
    assert len(paper.steps) < 10
    w, h = paper.weights[-1], paper.learners[-1].predict(X)
    c = np.where(y > 0, 3.0, 1.0)
    after = w * np.exp(-paper.steps[-1] * y * h / c)
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
def test_adauboost_is_not_cost_consistent(P: float, sign: int) -> None:
    """At C+ = 2 C-, positive costs less from P = 1/3 on; up to 1/2 the ensemble is empty."""
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


# ---- scores of K classes -------------------------------------------------------------------------

LOSSES = pytest.mark.parametrize("loss", [GLL, GEL], ids=["gll", "gel"])


@LOSSES
def test_the_derivatives_of_losses_of_scores(loss: ScoreLoss) -> None:
    rng = np.random.default_rng(0)
    F, y = rng.normal(0, 1.5, (30, 3)), rng.integers(0, 3, 30)
    for k in range(3):
        move = np.zeros((1, 3))
        move[0, k] = 1e-5
        slope = (loss.value(F + move, y, COSTS) - loss.value(F - move, y, COSTS)) / 2e-5
        np.testing.assert_allclose(loss.gradient(F, y, COSTS)[:, k], slope, rtol=1e-6, atol=1e-8)
        bend = (loss.gradient(F + move, y, COSTS) - loss.gradient(F - move, y, COSTS)) / 2e-5
        np.testing.assert_allclose(
            loss.diagonal(F, y, COSTS)[:, k], bend[:, k], rtol=1e-6, atol=1e-8
        )
    np.testing.assert_allclose(loss.gradient(F, y, COSTS).sum(axis=1), 0, atol=1e-12)


def test_costs_of_one_give_the_multinomial_and_the_exponential_loss() -> None:
    rng = np.random.default_rng(1)
    F, y = rng.normal(0, 2, (50, 4)), np.arange(50) % 4
    p = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    assert GLL.value(F, y, unit_costs(4)).mean() == pytest.approx(log_loss(y, p), rel=1e-12)
    pairs = np.array(
        [sum(math.exp(f[k] - f[j]) for k in range(4)) - 1 for f, j in zip(F, y, strict=True)]
    )
    np.testing.assert_allclose(GEL.value(F, y, unit_costs(4)), pairs)


@LOSSES
def test_right_scores_have_less_loss_than_equal_scores(loss: ScoreLoss) -> None:
    rng = np.random.default_rng(2)
    F = rng.normal(0, 3, (500, 3))
    y = F.argmax(axis=1)
    assert np.all(loss.value(F, y, COSTS) < loss.value(0 * F, y, COSTS))


@LEARNERS
@pytest.mark.parametrize("rate", [1.0, 0.2])
def test_multinomial_boosting_of_two_classes_is_logitboost(
    learner: dict[str, Any], rate: float
) -> None:
    X, y, s = with_gaps()
    options = {"sample_weight": s, "learning_rate": rate, "n_estimators": 15, **learner}
    binary = naive.fit("logitboost", X, y, **options)
    model = naive.fit_scores("multinomial", X, (y > 0).astype(int), **options)
    F = model.scores(X)
    np.testing.assert_allclose(F[:, 1], binary.decision_function(X), **CLOSE)
    np.testing.assert_allclose(F[:, 0], -F[:, 1], **CLOSE)
    np.testing.assert_allclose(model.steps, binary.steps, **CLOSE)


@LEARNERS
def test_gll_with_costs_of_one_is_multinomial_boosting(learner: dict[str, Any]) -> None:
    X, y = three_classes()
    a = naive.fit_scores("multinomial", X, y, COSTS, **learner).scores(X)
    np.testing.assert_allclose(naive.fit_scores("gll", X, y, unit_costs(3), **learner).scores(X), a)
    assert not np.allclose(naive.fit_scores("gll", X, y, COSTS, **learner).scores(X), a)


@LEARNERS
def test_gel_of_two_classes_with_costs_of_one_is_gentleboost(learner: dict[str, Any]) -> None:
    X, y, s = with_gaps()
    gentle = naive.fit("gentleboost", X, y, sample_weight=s, **learner)
    model = naive.fit_scores("gel", X, (y > 0).astype(int), sample_weight=s, **learner)
    assert model.halvings == [0] * 10
    difference = np.diff(model.scores(X), axis=1)[:, 0]
    np.testing.assert_allclose(difference, gentle.decision_function(X), **CLOSE)


@pytest.mark.parametrize("depth", [1, 2])
def test_residual_splits_are_the_gradient_boosting_of_scikit_learn(depth: int) -> None:
    X, y = three_classes(90)
    s = np.random.default_rng(0).uniform(0.5, 1.5, 90)  # no ties
    options: dict[str, Any] = {"n_estimators": 6, "learning_rate": 0.3, "max_depth": depth}
    options["min_samples_leaf"] = 8  # no leaf value is clipped
    model = naive.fit_scores(
        "multinomial", X, y, sample_weight=s, split="residual", learner="tree", **options
    )
    peer = GradientBoostingClassifier(init="zero", random_state=0, **options)
    peer.fit(X, y, sample_weight=s)
    assert model.halvings == [0] * 6
    np.testing.assert_allclose(model.scores(X), peer.decision_function(X), **CLOSE)


def test_both_kinds_of_splits_agree_while_all_probabilities_are_equal() -> None:
    X, y = three_classes()
    newton = naive.fit_scores("multinomial", X, y, n_estimators=1).scores(X)
    residual = naive.fit_scores("multinomial", X, y, n_estimators=1, split="residual").scores(X)
    np.testing.assert_allclose(newton, residual - residual.mean(axis=1, keepdims=True), **CLOSE)


@pytest.mark.parametrize("loss", ["multinomial", "gll", "gel"])
@LEARNERS
def test_losses_of_scores_never_rise(loss: str, learner: dict[str, Any]) -> None:
    X, y = three_classes()
    model = naive.fit_scores(loss, X, y, COSTS, n_estimators=20, **learner)
    assert all(b <= a * (1 + 1e-12) for a, b in itertools.pairwise(model.losses))
    np.testing.assert_allclose(model.scores(X).sum(axis=1), 0, atol=1e-9)


def test_a_common_factor_of_costs_changes_gll_but_not_gel() -> None:
    X, y = three_classes()
    a, b = (naive.fit_scores("gel", X, y, c).scores(X) for c in (COSTS, 9 * COSTS))
    np.testing.assert_allclose(a, b, **CLOSE)
    a, b = (naive.fit_scores("gll", X, y, c).scores(X) for c in (COSTS, 9 * COSTS))
    assert not np.allclose(a, b)


def minimiser(loss: ScoreLoss, P: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Scores of least expected loss under the probabilities P."""
    K = len(P)

    def expected(F: np.ndarray) -> float:
        return float(P @ loss.value(np.tile(np.append(0.0, F), (K, 1)), np.arange(K), C))

    return np.append(0.0, minimize(expected, np.zeros(K - 1), tol=1e-12).x)


def test_two_classes_decide_by_cost_under_gel_but_not_under_gll() -> None:
    C = np.array([[0.0, 1.0], [4.0, 0.0]])
    for P in (0.15, 0.19, 0.21, 0.3, 0.38, 0.39, 0.6):
        shares = np.array([1 - P, P])
        assert minimiser(GEL, shares, C).argmax() == (P > 1 / 5)
        assert minimiser(GLL, shares, C).argmax() == (P > (1 / 2) / (1 / 2 + 4 / 5))
