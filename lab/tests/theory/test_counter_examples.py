"""Counter-examples, checked with the formulas of the papers and with real fits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC1Classifier,
    AdaC2Classifier,
    AdaC3Classifier,
    AdaCostClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSB0Classifier,
    CSB1Classifier,
    CSB2Classifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    WeightBoostClassifier,
)
from costboost_lab.theory import audit

FN, FP = 2.0, 1.0


def example(algorithm: Any, which: str) -> dict[str, Any]:
    return audit(algorithm, FN, FP).evidence[which].counter_example


# ---- weights that are no gradient ----------------------------------------------------------------


def csb_weight(cls: Any, outcomes: Any, steps: Any, cost: float) -> float:
    """The weight of a row by Ting's update."""
    outcomes, steps = np.array(outcomes), np.array(steps)
    gamma = np.where(outcomes < 0, cost, 1.0).prod()
    exponent = {CSB0Classifier: 0.0, CSB1Classifier: outcomes, CSB2Classifier: steps * outcomes}
    return float(cost * gamma * np.exp(-np.sum(exponent[cls])))


@pytest.mark.parametrize("cls", [CSB0Classifier, CSB1Classifier, CSB2Classifier])
def test_csb_weighs_rows_of_one_margin_differently(cls: Any) -> None:
    found = example(cls, "fgd_consistent")
    steps = found["steps"]
    margins = [np.dot(steps, path) for path in found["outcomes"]]
    assert_allclose(margins, found["margin"], atol=1e-12)
    cost = FN if found["class"] == "positive" else FP
    weights = [csb_weight(cls, path, steps, cost) for path in found["outcomes"]]
    assert_allclose(weights[0] / weights[1], found["weights"][0] / found["weights"][1])
    assert weights[0] != pytest.approx(weights[1])


@pytest.mark.parametrize("cls", [CSB0Classifier, CSB1Classifier, CSB2Classifier])
def test_gradients_of_csb_cancel_where_its_decision_is_wrong(cls: Any) -> None:
    found = example(cls, "cost_consistent")
    steps, votes = np.array(found["steps"]), np.array(found["votes"])
    assert_allclose(steps @ votes, found["score"])
    assert (found["score"] > 0) == found["predicted_positive"]
    up = found["probability"] * csb_weight(cls, votes, steps, FN)
    down = (1 - found["probability"]) * csb_weight(cls, -votes, steps, FP)
    assert_allclose(up, down, rtol=1e-9)
    assert (found["probability"] > FP / (FP + FN)) != found["predicted_positive"]


def adacost_weight(outcomes: Any, steps: Any, cost: float) -> float:
    """Fan's update with costs of at most 1/2."""
    outcomes, cost = np.array(outcomes), cost * 0.5 / max(FN, FP)
    beta = np.where(outcomes < 0, (1 + cost) / 2, (1 - cost) / 2)
    return float(cost * np.exp(-np.sum(beta * np.array(steps) * outcomes)))


def test_adacost_by_its_formula() -> None:
    found = example(AdaCostClassifier, "fgd_consistent")
    for step, ratio in zip(found["steps"], found["weights"], strict=True):
        both = [adacost_weight([1.0], [step], cost) for cost in (FN, FP)]
        assert_allclose(both[0] / both[1], ratio)
    found = example(AdaCostClassifier, "asymmetry_preserving")
    right = [np.ones(len(found["steps"])), -np.ones(len(found["steps"]))]
    for outcomes in right:  # the ratio does not depend on the way, only on the steps
        both = [adacost_weight(outcomes, found["steps"], cost) for cost in (FN, FP)]
        assert_allclose(both[0] / both[1], found["ratio"])
    found = example(AdaCostClassifier, "cost_consistent")
    votes = np.array(found["votes"])
    up = found["probability"] * adacost_weight(votes, found["steps"], FN)
    down = (1 - found["probability"]) * adacost_weight(-votes, found["steps"], FP)
    assert_allclose(up, down, rtol=1e-9)


# ---- steps that are no line search ---------------------------------------------------------------


def edge(weights: dict[str, float], costs: tuple[float, float], step: float) -> float:
    """Slope of sum D e^(-c step y h) / c, which a line search brings to 0."""
    fn, fp = costs
    return (
        weights["positives up"] * np.exp(-fn * step)
        - weights["positives down"] * np.exp(fn * step)
        + weights["negatives up"] * np.exp(-fp * step)
        - weights["negatives down"] * np.exp(fp * step)
    )


def test_adac1_by_suns_formula() -> None:
    found = example(AdaC1Classifier, "fgd_consistent")
    w, costs = found["weights"], (1.0, FP / FN)
    r = costs[0] * (w["positives up"] - w["positives down"])
    r += costs[1] * (w["negatives up"] - w["negatives down"])
    assert_allclose(found["step"], 0.5 * np.log((1 + r) / (1 - r)))
    assert_allclose(edge(w, costs, found["wanted"]["before"]), 0, atol=1e-12)
    assert abs(edge(w, costs, found["step"])) > 0.1


def test_adac3_by_suns_formula() -> None:
    found = example(AdaC3Classifier, "fgd_consistent")
    w, costs = found["weights"], (1.0, FP / FN)
    sums = [w["positives up"] + w["positives down"], w["negatives up"] + w["negatives down"]]
    edges = [w["positives up"] - w["positives down"], w["negatives up"] - w["negatives down"]]
    s, r = np.dot(costs, sums), np.dot(np.square(costs), edges)
    assert_allclose(found["step"], 0.5 * np.log((s + r) / (s - r)))
    assert_allclose(edge(w, costs, found["wanted"]["before"]), 0, atol=1e-12)
    ahead = {name: w[name] * (FN if name.startswith("pos") else FP) for name in w}
    assert_allclose(edge(ahead, costs, found["wanted"]["after"]), 0, atol=1e-12)


def test_weightboost_is_right_in_the_first_round_only() -> None:
    found = example(WeightBoostClassifier, "fgd_consistent")
    assert found["round"] > 1
    assert found["step"] < 0.9 * found["wanted"]["before"]


# ---- real fits on a distribution whose probabilities are known -----------------------------------

P = np.array([0.05, 0.15, 0.25, 0.4, 0.45, 0.7, 0.9])


def decisions(clf: Any) -> Any:
    """Predictions of a long fit on the distribution, for each value of P."""
    X = np.repeat(np.arange(P.size), 2).reshape(-1, 1)
    weight = np.column_stack([P, 1 - P]).ravel()
    clf.fit(X, np.tile([1, 0], P.size), sample_weight=weight)
    return clf.predict(X[::2])


@pytest.mark.parametrize(
    "clf",
    [
        CGAdaClassifier(n_estimators=300),
        AsymAdaClassifier(n_estimators=300),
        CSAdaClassifier(n_estimators=300),
        AdaC1Classifier(n_estimators=300),
        CSRAClassifier(n_estimators=300),
        CSLBClassifier(n_estimators=300),
        CSRealBoostClassifier(n_estimators=50),
        CSLogitBoostClassifier(n_estimators=300, estimator="stump"),
    ],
    ids=lambda clf: type(clf).__name__,
)
def test_cost_consistent_classifiers_minimise_the_expected_cost(clf: Any) -> None:
    assert audit(clf).cost_consistent
    clf.set_params(fn_cost=FN, fp_cost=FP)
    assert np.array_equal(decisions(clf), P > FP / (FP + FN))


@pytest.mark.parametrize("cls", [AdaBoostClassifier, AdaC2Classifier, AdaC3Classifier])
@pytest.mark.filterwarnings("ignore:.*ignores costs")
def test_other_classifiers_do_not_minimise_the_expected_cost(cls: Any) -> None:
    clf = cls(n_estimators=30, fn_cost=FN, fp_cost=FP)
    assert not audit(clf).cost_consistent
    assert not np.array_equal(decisions(clf), P > FP / (FP + FN))


def test_scores_of_a_long_fit_are_the_population_minimiser() -> None:
    clf = CGAdaClassifier(n_estimators=500, fn_cost=FN, fp_cost=FP)
    decisions(clf)
    score = clf.decision_function(np.arange(P.size).reshape(-1, 1))
    assert_allclose(expit(2 * score - np.log(FN / FP)), P, atol=1e-6)
