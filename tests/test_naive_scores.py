"""Transcriptions of multinomial Newton boosting and of the guess-averse losses GLL and GEL."""

from __future__ import annotations

import itertools
import math
from typing import Any

import naive
import numpy as np
import pytest
from naive.scores import GEL, GLL, ScoreLoss, unit_costs
from naive_cases import three_classes, with_gaps
from scipy.optimize import minimize
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import log_loss

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
STUMP: dict[str, Any] = {"learner": "stump"}
TREE: dict[str, Any] = {"learner": "tree", "max_depth": 2}
LEARNERS = pytest.mark.parametrize("learner", [STUMP, TREE], ids=["stump", "tree"])
COSTS = np.array([[0.0, 0.5, 3.0], [2.0, 0.0, 1.0], [1.5, 0.2, 0.0]])
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


@LOSSES
def test_three_classes_need_not_decide_by_cost(loss: ScoreLoss) -> None:
    P = np.array([0.56, 0.08, 0.36] if loss is GLL else [0.33, 0.4, 0.27])
    C = np.array([[0.0, 2.45, 2.8], [0.95, 0.0, 1.45], [2.8, 0.3, 0.0]])
    if loss is GLL:
        C = np.array([[0.0, 1.75, 1.9], [2.6, 0.0, 1.35], [2.75, 0.3, 0.0]])
    assert (P @ C).argmin() == 1
    F = minimiser(loss, P, C)
    assert F.argmax() == 0
    assert F[0] > F[1] + 0.05
