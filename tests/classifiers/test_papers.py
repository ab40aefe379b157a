"""Examples, bounds and losses of the papers, round by round."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from classifiers.paper_problems import SMOOTHING, classifier, each_seed, ignore_blind, noisy, stages


def class_or_row_costs(kind: str, y: np.ndarray) -> tuple[Any, Any]:
    """(fn_cost, fp_cost), numbers or arrays."""
    if kind == "row":
        rng = np.random.default_rng(len(y))
        return rng.uniform(1, 9, len(y)), rng.uniform(0.5, 2, len(y))
    return 5.0, 1.0


each_kind_of_costs = pytest.mark.parametrize("kind", ["class", "row"])


# ---- Nyga's three points -------------------------------------------------------------------------

THREE = np.array([[1.0], [2.0], [3.0]])
THREE_Y = np.array([0, 1, 0])
AS_NYGA = {"fn_cost": 3, "initial_weights": "uniform", "negative_step": "keep"}


def training_errors(clf: Any) -> np.ndarray:
    return 1 - np.array(list(clf.staged_score(THREE, THREE_Y)))


def test_adaboost_solves_the_three_points_in_four_rounds() -> None:
    """Nyga, Figure 2.3 (a)."""
    errors = training_errors(classifier("AdaBoost")(n_estimators=10).fit(THREE, THREE_Y))
    assert errors[0] > 0
    assert (errors[3:] == 0).all()


def test_adac1_never_settles_on_the_three_points() -> None:
    """Nyga, Figure 2.3 (b): ten rounds of growing steps; the error leaves zero again and again."""
    clf = classifier("AdaC1")(n_estimators=10, step="nyga", **AS_NYGA).fit(THREE, THREE_Y)
    steps = clf.estimator_weights_
    np.testing.assert_allclose(steps[:5], [0.69, 0.95, 1.81, 1.92, 3.09], atol=0.006)
    assert len(steps) == 10
    assert (steps[2:] > 1.5 * steps[:-2]).all()
    solved = training_errors(clf) == 0
    left_again = solved[:-1] & ~solved[1:]
    assert left_again.sum() == 3
    assert not solved[-1]


def test_adac1_with_costs_of_at_most_one_stalls_on_the_three_points() -> None:
    """Sun's inequality needs c <= 1; the steps then die away and nothing is ever solved."""
    clf = classifier("AdaC1")(n_estimators=40, step="sun", **AS_NYGA).fit(THREE, THREE_Y)
    steps = np.abs(clf.estimator_weights_)
    assert len(steps) == 40
    assert (steps[1:] < 0.7 * steps[:-1]).all()
    assert (training_errors(clf) > 0).all()


@pytest.mark.parametrize("cost", [500.0, 1e4, 1e6])
def test_adac1_stays_finite_however_large_its_steps(cost: float) -> None:
    """Unstable is not undefined: "never an exception, never NaN", nor a warning of overflow."""
    X, y, weight = noisy()
    clf = classifier("AdaC1")(n_estimators=20, step="nyga", fn_cost=cost, negative_step="keep")
    clf.fit(X, y, sample_weight=weight)
    assert np.isfinite(clf.estimator_weights_).all()
    assert np.isfinite(clf.estimator_errors_).all()
    assert np.isfinite(clf.decision_function(X)).all()


# ---- steps that are not real numbers (Nikolaou, footnote 9) --------------------------------------

FIVE = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
FIVE_Y = np.array([1, 0, 0, 1, 1])  # the best stump is wrong on the first row
NOT_REAL = "not a finite real number"


@pytest.mark.parametrize("negative_step", ["stop", "keep"])
@pytest.mark.parametrize("name", ["AdaC1", "AdaC3"])
def test_an_imaginary_step_ends_the_ensemble(name: str, negative_step: str) -> None:
    """One row of five is wrong: 1 - r = 1 - c 3/5, so that c = 5/3 is the end of the formula."""
    options = {"max_cost": None, "negative_step": negative_step, "n_estimators": 1}
    for cost in (5 / 3, 2.0, 40.0, 1e9):
        clf = classifier(name)(fn_cost=cost, fp_cost=cost, **options)
        with pytest.warns(UserWarning, match=NOT_REAL):
            clf.fit(FIVE, FIVE_Y)
        assert (clf.n_iter_, NOT_REAL in clf.stop_reason_) == (0, True)
        assert "set max_cost=1" in clf.stop_reason_
    clf = classifier(name)(fn_cost=1.6, fp_cost=1.6, **options).fit(FIVE, FIVE_Y)
    np.testing.assert_allclose(clf.estimator_weights_, [0.5 * np.log(1.96 / 0.04)])
    perfect = classifier(name)(fn_cost=2, n_estimators=9).fit(THREE[1:], THREE_Y[1:])
    assert (perfect.n_iter_, perfect.stop_reason_) == (1, "a perfect learner was found")


@pytest.mark.parametrize("cost", [1.5, 2.0, 5.0, 20.0])
@pytest.mark.parametrize("name", ["AdaC1", "AdaC3", "AdaCost"])
@each_seed
def test_no_floor_stands_in_for_a_step(seed: int, name: str, cost: float) -> None:
    """With raw costs, every step is what the formula gives, not that of a perfect learner."""
    X, y, weight = noisy(seed)
    clf = classifier(name)(n_estimators=30, max_cost=None, fn_cost=cost)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf.fit(X, y, sample_weight=weight)
    c = np.where(y == 1, cost, 1.0)
    w = weight * c
    score = np.zeros(len(y))
    for step, after in zip(clf.estimator_weights_, clf.staged_raw_score(X), strict=False):
        w = w / w.sum()
        u = np.sign(after - score) * np.where(y == 1, 1, -1)
        score = after
        beta = (1 - u * c) / 2
        part = {"AdaC1": c, "AdaC3": c, "AdaCost": beta}[name] * u
        power = w * c if name == "AdaC3" else w
        np.testing.assert_allclose(step, np.arctanh(part @ power / power.sum()), rtol=1e-6)
        w = w * np.exp(-step * part) * (c if name == "AdaC3" else 1)
    assert "perfect" not in clf.stop_reason_


def test_raw_costs_turn_right_answers_of_adacost_into_mistakes() -> None:
    """(1 - c)/2 is below 0: a perfect learner has r = -1/2, and its step is negative."""
    X, y = THREE[1:], THREE_Y[1:]
    clf = classifier("AdaCost")(max_cost=None, fn_cost=2, fp_cost=2, n_estimators=4)
    with pytest.warns(UserWarning, match="no learner with a positive step"):
        clf.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = clf.set_params(negative_step="keep").fit(X, y)
    np.testing.assert_allclose(kept.estimator_weights_[0], np.arctanh(-0.5))
    assert "perfect" not in kept.stop_reason_
    raw = {"beta": "ting", "max_cost": None, "fn_cost": 2, "fp_cost": 2}
    assert (classifier("AdaCost")(**raw).fit(X, y).predict(X) == y).all()


# ---- steps of CS-LogitBoost ----------------------------------------------------------------------


def gaussians(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """One feature, N(1, 1) for the positive and N(-1, 1) for the negative class."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return (rng.normal(size=n) + y)[:, None], y


@pytest.mark.parametrize(("seed", "n"), [(2, 3000), (6, 300), (8, 3000), (9, 1000), (10, 1000)])
def test_no_step_uphill_is_taken_however_short(seed: int, n: int) -> None:
    """At costs of 20 and 1 the paper's weights make a learner point uphill; steps of 4e-10 did."""
    X, y = gaussians(seed, n)
    gamma, eta = 10.5, -0.5 * np.log(20)

    def losses(clf: Any) -> np.ndarray:
        stages = [np.zeros(n), *clf.staged_raw_score(X)]
        return np.array([np.logaddexp(0, -2 * y * (gamma * F + eta)).mean() for F in stages])

    costs = {"fn_cost": 20, "fp_cost": 1}
    clf = classifier("CSLogitBoost")(weighting="margin", **costs).fit(X, y)
    assert clf.n_iter_ < 10
    assert clf.stop_reason_ == "no step of the next learner lowers the loss"
    assert (np.diff(losses(clf)) < 0).all()
    F = clf.raw_score(X)
    t, weight = 2 * (gamma * F + eta), 1 / (4 * np.cosh(F) ** 2)
    gradient = 1 / (1 + np.exp(-t)) - (y > 0)
    z = -gradient * (2 + 2 * np.cosh(t))
    slope, intercept = np.polyfit(X[:, 0], z, 1, w=np.sqrt(weight))
    assert gradient @ (slope * X[:, 0] + intercept) > 0  # the loss rises along the next line
    newton = classifier("CSLogitBoost")(**costs).fit(X, y)
    assert newton.n_iter_ == 100
    assert losses(newton)[-1] < losses(clf)[-1]


# ---- AdaBoost's bound ----------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["stump", "tree"])
@each_seed
def test_training_error_is_below_the_product_of_the_normalisers(seed: int, estimator: str) -> None:
    """Sun, eq. 1, and Nyga, eq. 2.8: error <= mean of e^(-yF) = prod Z <= e^(-2 sum of edges^2)."""
    X, y, weight = noisy(seed)
    clf = classifier("AdaBoost")(n_estimators=40, estimator=estimator)
    clf.fit(X, y, sample_weight=weight)
    errors = clf.estimator_errors_
    bound = np.cumprod(2 * np.sqrt(errors * (1 - errors)))
    wrong = [np.average(p != y, weights=weight) for p in clf.staged_predict(X)]
    sign = 2 * y - 1
    loss = [np.average(np.exp(-sign * F), weights=weight) for F in stages(clf, X)[1:]]
    assert (np.array(wrong) <= bound).all()
    np.testing.assert_allclose(loss, bound, rtol=1e-9)
    assert (bound <= np.exp(-2 * np.cumsum((0.5 - errors) ** 2))).all()


# ---- the weights of the next round ---------------------------------------------------------------

Weights = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
GRADIENT: dict[str, tuple[Weights, dict[str, Any]]] = {
    "AdaBoost": (lambda c, margin, part: np.exp(-margin), {}),
    "CGAda": (lambda c, margin, part: c * np.exp(-margin), {}),
    "AsymAda": (lambda c, margin, part: c**part * np.exp(-margin), {}),
    "CSAda": (lambda c, margin, part: c * np.exp(-c * margin), {}),
    "AdaDB": (lambda c, margin, part: c * np.exp(-c * margin), {}),
    "AdaBoostReg": (lambda c, margin, part: np.exp(-margin / 2), {"C": 0.0}),
}
"""Slope of each algorithm's loss in the margin, given the part t/M of the rounds that are done."""


@ignore_blind
@each_kind_of_costs
@pytest.mark.parametrize("estimator", ["stump", "tree"])
@pytest.mark.parametrize("name", GRADIENT)
def test_the_last_learner_is_no_better_than_chance(name: str, estimator: str, kind: str) -> None:
    """Nyga after eq. 2.35: the new weights give it an error of one half, since its step was best.

    For CSAda they are the weights of the gradient, c w: its step sets sum c w y h to 0. To 1e-7,
    because a class without mistakes is taken to be wrong by 1e-10 of its weight.
    """
    X, y, weight = noisy()
    fn, fp = class_or_row_costs(kind, y)
    c, sign = np.where(y == 1, fn, fp), 2 * y - 1
    weights, options = GRADIENT[name]
    clf = classifier(name)(n_estimators=12, estimator=estimator, **options)
    clf.fit(X, y, sample_weight=weight, fn_cost=fn, fp_cost=fp)
    scores = stages(clf, X)
    assert clf.n_iter_ == 12
    for t in range(1, 13):
        right = np.sign(scores[t] - scores[t - 1]) == sign
        w = weight * weights(c, sign * scores[t], t / 12)
        assert w[right].sum() / w.sum() == pytest.approx(0.5, abs=1e-7)


@each_kind_of_costs
@pytest.mark.parametrize("name", ["AsymAda", "CSRA", "CSGA"])
def test_round_t_sees_the_cost_to_the_power_of_t_by_m(name: str, kind: str) -> None:
    """Nyga, eq. 2.61: the costs come in share by share, and the last round sees c e^(-yF)."""
    X, y, weight = noisy()
    fn, fp = class_or_row_costs(kind, y)
    c, sign = np.where(y == 1, fn, fp), 2 * y - 1
    clf = classifier(name)(n_estimators=8)
    clf.fit(X, y, sample_weight=weight, fn_cost=fn, fp_cost=fp)
    scores = stages(clf, X)
    for t in range(1, 9):
        w = weight * c ** (t / 8) * np.exp(-sign * scores[t - 1])
        wrong = sign * (scores[t] - scores[t - 1]) < 0
        assert clf.estimator_errors_[t - 1] == pytest.approx(w[wrong].sum() / w.sum(), abs=1e-9)


# ---- losses that fall ----------------------------------------------------------------------------


def exponential_loss(margin: np.ndarray, fn: Any, fp: Any, sign: np.ndarray) -> Any:
    return np.exp(-np.where(sign > 0, fn, fp) * margin)


def logistic_loss(margin: np.ndarray, fn: Any, fp: Any, sign: np.ndarray) -> Any:
    return np.logaddexp(0, -2 * margin)


def cost_logistic_loss(margin: np.ndarray, fn: Any, fp: Any, sign: np.ndarray) -> Any:
    gamma, eta = (fn + fp) / 2, np.log(fp / fn) / 2
    return np.logaddexp(0, -2 * (gamma * margin + sign * eta))


def relative_losses(name: str, options: dict[str, Any], loss: Any, kind: str) -> Any:
    """Loss after each round, in units of the loss before the first."""
    X, y, weight = noisy(1)
    fn, fp = class_or_row_costs(kind, y)
    clf = classifier(name)(n_estimators=60, **options)
    clf.fit(X, y, sample_weight=weight, fn_cost=fn, fp_cost=fp)
    sign = 2 * y - 1
    values = np.array([(weight * loss(sign * F, fn, fp, sign)).sum() for F in stages(clf, X)])
    return values / values[0]


FALLING: dict[str, tuple[str, dict[str, Any], Any]] = {
    "CSAda": ("CSAda", {}, exponential_loss),
    "CSAda on trees": ("CSAda", {"estimator": "tree"}, exponential_loss),
    "AdaDB": ("AdaDB", {}, exponential_loss),
    "LogitBoost": ("LogitBoost", {}, logistic_loss),
    "LogitBoost on trees": ("LogitBoost", {"estimator": "tree"}, logistic_loss),
    "CSLogitBoost": ("CSLogitBoost", {}, cost_logistic_loss),
    "CSLogitBoost on stumps": ("CSLogitBoost", {"estimator": "stump"}, cost_logistic_loss),
    "CSLogitBoost by margin": ("CSLogitBoost", {"weighting": "margin"}, cost_logistic_loss),
}


@ignore_blind
@each_kind_of_costs
@pytest.mark.parametrize("case", FALLING)
def test_the_loss_never_rises(case: str, kind: str) -> None:
    """Masnadi, Theorems 3 and 5: each round is a step of descent on the algorithm's own loss."""
    name, options, loss = FALLING[case]
    values = relative_losses(name, options, loss, kind)
    assert len(values) > 5
    assert (np.diff(values) <= 1e-12).all()
    assert values[-1] < 0.95


@each_kind_of_costs
@pytest.mark.parametrize("estimator", ["stump", "lookup"])
def test_the_loss_of_csrealboost_falls_up_to_smoothing(estimator: str, kind: str) -> None:
    """Masnadi, Theorem 4. Leaves minimise the loss of one more row of weight e in either class.

    So a round multiplies the loss by at most 1 + 2 e for each leaf (and the leaf of the missing).
    """
    options = {"estimator": estimator, "max_bins": 16}
    values = relative_losses("CSRealBoost", options, exponential_loss, kind)
    leaves = 2 if estimator == "stump" else 17
    assert (values[1:] <= values[:-1] * (1 + 2 * SMOOTHING * leaves)).all()
    assert (np.diff(values[:10]) < 0).all()
    assert values[-1] < 0.95


@each_seed
def test_the_loss_of_cslb_falls_within_each_round(seed: int) -> None:
    """Nyga, eq. 2.66 with k^m: the loss changes from round to round, but no step raises it."""
    X, y, weight = noisy(seed)
    sign, log_k = 2 * y - 1, np.log(5) / 30
    clf = classifier("CSLB")(n_estimators=30, fn_cost=5).fit(X, y, sample_weight=weight)
    scores = stages(clf, X)
    assert clf.n_iter_ == 30
    for m in range(1, 31):
        before, after = (
            (weight * np.logaddexp(0, sign * (m * log_k - 2 * F))).sum()
            for F in scores[m - 1 : m + 1]
        )
        assert after <= before * (1 + 1e-12)
