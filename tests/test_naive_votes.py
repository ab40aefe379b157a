"""Transcriptions of SAMME, SAMME.C2, AdaC2.M1, BAdaCost: identities and independent numerics."""

from __future__ import annotations

import itertools
from typing import Any

import naive
import numpy as np
import pytest
from naive.model import Constant, Split, Stump
from naive.multiclass import VoteModel, class_codes, star, step_badacost
from naive.votes import best_vote_stump, misclassification_price, rows_problem
from naive_cases import three_classes, with_gaps
from scipy.optimize import minimize, minimize_scalar
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
STUMP: dict[str, Any] = {"learner": "stump"}
TREE: dict[str, Any] = {"learner": "tree", "max_depth": 2}
LEARNERS = pytest.mark.parametrize("learner", [STUMP, TREE], ids=["stump", "tree"])
COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [6.0, 3.0, 0.0]])


def row_votes(model: VoteModel, X: np.ndarray) -> list[np.ndarray]:
    return [learner.predict(X).astype(int) for learner in model.learners]


def assert_same_votes(a: VoteModel, b: VoteModel, X: np.ndarray, factor: float = 1.0) -> None:
    assert a.stop_reason == b.stop_reason
    np.testing.assert_allclose(a.scores(X), factor * b.scores(X), **CLOSE)
    for w, v in zip(a.weights, b.weights, strict=True):
        np.testing.assert_allclose(w, v, **CLOSE)


# ---- learners ------------------------------------------------------------------------------------


def test_the_stump_has_the_least_price_of_all_pairs_of_classes() -> None:
    X, y = three_classes(25)
    rng = np.random.default_rng(3)
    price = rng.random((len(y), 3))
    price /= price.max(axis=1).sum()
    problem = rows_problem(X, y, None)
    found = best_vote_stump(problem, problem.s, price, 1).predict(X).astype(int)
    least = min(
        price[np.arange(len(y)), np.where(X[:, j] > cut, b, a)].sum()
        for j in range(2)
        for cut in [*X[:, j], -np.inf]
        for a, b in itertools.product(range(3), repeat=2)
    )
    assert price[np.arange(len(y)), found].sum() == pytest.approx(least, rel=1e-12)


def test_ties_go_to_the_first_feature_cut_and_class() -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    y = np.array([0, 1, 2, 1])
    problem = rows_problem(X, y, None)
    price = misclassification_price(problem.s, y, 3)
    assert best_vote_stump(problem, problem.s, price, 1) == Stump(Split(0, 0.5, True), 0.0, 1.0)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([1, 1, 1], Constant(1.0)),
        ([1, 0, 1], Stump(Split(0, 0.5, True), 1.0, 0.0)),  # one mistake, as the constant 1
    ],
)
def test_a_constant_wins_only_if_it_is_strictly_better(y: list[int], expected: Any) -> None:
    problem = rows_problem(np.arange(3.0)[:, None], np.array(y), None)
    price = misclassification_price(problem.s, problem.y, 2)
    assert best_vote_stump(problem, problem.s, price, 1) == expected


# ---- SAMME ---------------------------------------------------------------------------------------


@LEARNERS
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_samme_of_two_classes_is_adaboost(learner: dict[str, Any], rate: float) -> None:
    X, y, s = with_gaps()
    binary = naive.fit("adaboost", X, y, sample_weight=s, learning_rate=rate, **learner)
    model = naive.fit_votes(
        "samme", X, (y > 0).astype(int), sample_weight=s, learning_rate=rate, **learner
    )
    np.testing.assert_allclose(model.scores(X)[:, 1], binary.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.steps, binary.steps, **CLOSE)
    np.testing.assert_allclose(model.weights, binary.weights, **CLOSE)


@pytest.mark.parametrize("depth", [1, 2])
def test_samme_over_the_trees_of_scikit_learn_is_its_adaboost(depth: int) -> None:
    X, y = three_classes(120)

    def tree(X: np.ndarray, y: np.ndarray, w: np.ndarray, price: np.ndarray) -> Any:
        return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=w)

    model = naive.fit_votes("samme", X, y, n_estimators=12, learner=tree)
    peer = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=depth), n_estimators=12, random_state=0
    ).fit(X, y)
    assert len(model.steps) == 12
    np.testing.assert_allclose(model.steps, peer.estimator_weights_ * 4 / 3, **CLOSE)
    np.testing.assert_allclose(
        model.scores(X) / sum(model.steps), peer.decision_function(X), **CLOSE
    )
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))


def multiclass_exponential(s: np.ndarray, y: np.ndarray, f: np.ndarray) -> np.ndarray:
    return s * np.exp(-(class_codes(f.shape[1])[y] * f).sum(axis=1) / f.shape[1])


def test_the_weights_of_samme_are_its_loss_and_its_step_minimises_it() -> None:
    X, y = three_classes()
    s = np.random.default_rng(5).uniform(0.5, 2.0, len(y))
    model = naive.fit_votes("samme", X, y, sample_weight=s, n_estimators=6)
    f = np.zeros((len(y), 3))
    for step, w, h in zip(model.steps, model.weights, row_votes(model, X), strict=True):
        loss = multiclass_exponential(s, y, f)
        np.testing.assert_allclose(w, loss / loss.sum(), **CLOSE)
        code = class_codes(3)[h]
        best = minimize_scalar(
            lambda b, f=f, code=code: multiclass_exponential(s, y, f + b * code).sum(),
            bracket=(0.0, 2.0),
            tol=1e-10,
        )
        assert step == pytest.approx(best.x, rel=1e-5)
        f = f + step * code


def test_samme_estimates_probabilities_by_the_softmax_of_its_scores() -> None:
    P = np.array([0.5, 0.3, 0.2])  # of three rows that no stump can separate
    model = naive.fit_votes(
        "samme",
        np.zeros((3, 1)),
        np.arange(3),
        sample_weight=P,
        n_estimators=400,
        learning_rate=0.1,
    )
    e = np.exp(model.scores(np.zeros((1, 1)))[0] / 2)
    np.testing.assert_allclose(e / e.sum(), P, atol=0.01)


def test_samme_adds_a_learner_that_is_right_less_often_than_half_and_ends_at_chance() -> None:
    X, y = np.zeros((5, 1)), np.array([0, 0, 1, 2, 3])
    model = naive.fit_votes("samme", X, y, n_estimators=1)
    assert model.errors == [pytest.approx(0.6)]
    assert model.steps == [pytest.approx(9 / 4 * np.log(0.4 / 0.6 * 3))]
    chance = naive.fit_votes("samme", np.zeros((4, 1)), np.arange(4))
    assert (chance.learners, chance.stop_reason) == ([], "no positive step")
    m1 = naive.fit_votes("adac2.m1", X, y)
    assert (m1.learners, m1.stop_reason) == ([], "no positive step")


@pytest.mark.parametrize("algorithm", ["samme", "samme.c2", "adac2.m1", "badacost"])
def test_a_learner_without_mistakes_ends_the_ensemble(algorithm: str) -> None:
    X, y = np.arange(3.0)[:, None], np.arange(3)
    model = naive.fit_votes(algorithm, X, y, **TREE)
    assert model.stop_reason == "perfect learner"
    assert len(model.steps) == 1
    assert np.isfinite(model.steps[0])
    np.testing.assert_array_equal(model.predict(X), y)


# ---- SAMME.C2 and AdaC2.M1 -----------------------------------------------------------------------


@LEARNERS
def test_samme_c2_with_equal_costs_is_samme(learner: dict[str, Any]) -> None:
    X, y = three_classes()
    samme = naive.fit_votes("samme", X, y, **learner)
    for costs in (np.ones(3), np.full(3, 0.25), np.full(len(y), 7.0)):
        assert_same_votes(naive.fit_votes("samme.c2", X, y, costs, **learner), samme, X)
    unequal = naive.fit_votes("samme.c2", X, y, np.array([1.0, 0.5, 0.9]), **learner)
    assert not np.allclose(unequal.weights[1], samme.weights[1])


def test_the_weights_of_samme_c2_have_one_cost_factor_for_each_round() -> None:
    X, y = three_classes()
    c = np.array([0.6, 1.0, 0.9])
    model = naive.fit_votes("samme.c2", X, y, c, n_estimators=5)
    f = np.zeros((len(y), 3))
    for t, (step, w, h) in enumerate(
        zip(model.steps, model.weights, row_votes(model, X), strict=True)
    ):
        loss = c[y] ** t * multiclass_exponential(np.ones(len(y)), y, f)
        np.testing.assert_allclose(w, loss / loss.sum(), **CLOSE)
        f = f + step * class_codes(3)[h]


@LEARNERS
@pytest.mark.parametrize("start", ["uniform", "cost"])
def test_adac2_m1_of_two_classes_is_adac2(learner: dict[str, Any], start: str) -> None:
    X, y, s = with_gaps()
    options = {"sample_weight": s, "initial_weights": start, **learner}
    binary = naive.fit("adac2", X, y, fn_cost=1.5, fp_cost=1.0, **options)
    model = naive.fit_votes(
        "adac2.m1", X, (y > 0).astype(int), costs=np.array([1.0, 1.5]), **options
    )
    assert len(model.steps) > 1
    np.testing.assert_allclose(model.scores(X)[:, 1], binary.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.weights, binary.weights, **CLOSE)


# ---- BAdaCost ------------------------------------------------------------------------------------


@LEARNERS
@pytest.mark.parametrize("criterion", ["unit step", "gradient"])
def test_badacost_with_costs_of_zero_and_one_is_samme(
    learner: dict[str, Any], criterion: str
) -> None:
    X, y = three_classes()
    samme = naive.fit_votes("samme", X, y, **learner)
    for unit in (1.0, 5.0):
        model = naive.fit_votes(
            "badacost", X, y, unit * (1 - np.eye(3)), criterion=criterion, **learner
        )
        assert_same_votes(samme, model, X, factor=6.0)
        np.testing.assert_array_equal(samme.predict(X), model.predict(X))


def test_badacost_of_two_classes_is_cost_sensitive_adaboost() -> None:
    X, y, s = with_gaps()
    binary = naive.fit("csada", X, y, fn_cost=1.0, fp_cost=0.4, sample_weight=s, **TREE)
    model = naive.fit_votes(
        "badacost",
        X,
        (y > 0).astype(int),
        costs=np.array([[0.0, 2.0], [5.0, 0.0]]),
        sample_weight=s,
        criterion="gradient",
        **TREE,
    )
    np.testing.assert_allclose(2 * model.scores(X)[:, 1], binary.decision_function(X), **CLOSE)
    np.testing.assert_allclose(model.weights, binary.weights, **CLOSE)
    np.testing.assert_array_equal(model.predict(X), binary.decision_function(X) > 0)


def test_the_weights_of_badacost_are_its_loss_and_its_step_minimises_it() -> None:
    X, y = three_classes()
    model = naive.fit_votes("badacost", X, y, COSTS, n_estimators=6)
    assert len(model.steps) == 6
    star_costs = star(COSTS / COSTS.max())

    def loss(f: np.ndarray) -> np.ndarray:
        return np.exp((star_costs[y] * f).sum(axis=1))

    f = np.zeros((len(y), 3))
    for step, w, h in zip(model.steps, model.weights, row_votes(model, X), strict=True):
        np.testing.assert_allclose(w, loss(f) / loss(f).sum(), **CLOSE)
        code = class_codes(3)[h]
        best = minimize_scalar(
            lambda b, f=f, code=code: loss(f + b * code).sum(), bracket=(0.0, 1.0), tol=1e-10
        )
        assert step == pytest.approx(best.x, rel=1e-5)
        f = f + step * code
    best_class = [min(range(3), key=lambda k, row=row: star_costs[k] @ row) for row in f]
    np.testing.assert_array_equal(model.predict(X), best_class)


def test_badacost_decides_by_the_rows_of_its_cost_matrix() -> None:
    model = VoteModel("badacost", 3, [Constant(0.0), Constant(1.0)], [1.0, 0.9])
    model.cost_star = star(np.array([[0.0, 1, 1], [1, 0, 2], [5, 1, 0]]))
    f = model.scores(np.zeros((1, 1)))[0]
    losses = model.cost_star @ f
    assert model.predict(np.zeros((1, 1))) == [1]
    assert losses.argmin() == 1
    assert f.argmax() == (f @ model.cost_star).argmin() == 0


def test_badacost_takes_no_step_where_its_loss_does_not_fall() -> None:
    G = 1.5 * star(COSTS / 6)
    assert step_badacost(np.where(np.eye(3) > 0, 0.01, 1.0), G) == 0.0


def test_the_minimum_of_the_loss_of_badacost_is_not_always_that_of_the_cost() -> None:
    """It decides for the greatest P_k / v_k, v C* = 0."""
    P, C = np.array([0.6, 0.2, 0.2]), np.array([[0.0, 1, 1], [1, 0, 1], [1, 10, 0]])
    v = np.array([4.0, 7.0, 1.0]) / 12
    S = star(C)
    np.testing.assert_allclose(v @ S, 0, atol=1e-12)
    f = minimize(lambda f: P @ np.exp(S @ f), np.zeros(3), tol=1e-10).x
    log_ratio = np.log(v / P)
    np.testing.assert_allclose(S @ f, log_ratio - v @ log_ratio, atol=1e-4)
    assert ((S @ f).argmin(), (P @ C).argmin()) == (2, 0)
