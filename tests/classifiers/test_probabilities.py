"""Probabilities have the costs taken out, and stages lead to the final result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from classifiers.trying import (
    LEARNERS,
    TRAIN_COSTS,
    each_classifier,
    each_learner,
    ignore_blind,
    ignore_empty,
    problem,
    row_costs,
)
from memory import peak
from scipy.special import expit, logit
from sklearn.metrics import log_loss

from costboost.algorithms import (
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    WeightBoostClassifier,
)

# ---- probabilities -------------------------------------------------------------------------------


@ignore_blind
@pytest.mark.parametrize("start", ["auto", "uniform", "cost", "balanced"])
@each_learner
def test_the_tilt_of_the_start_is_taken_out(learner: Any, start: str) -> None:
    X, y = problem()
    weight = np.random.default_rng(2).uniform(0.5, 2, len(y))
    prior = np.average(y, weights=weight)
    tilt = {
        "uniform": 0.0,
        "cost": np.log(8 / 0.5),
        "balanced": np.log((1 - prior) / prior),
    }
    for classifier, own, options in [
        (AdaBoostClassifier, "uniform", {}),
        (CGAdaClassifier, "cost", {}),
        (AdaMECClassifier, "uniform", {"probability": "logistic"}),
    ]:
        clf = classifier(
            estimator=learner,
            n_estimators=5,
            initial_weights=start,
            fn_cost=8,
            fp_cost=0.5,
            **options,
        ).fit(X, y, sample_weight=weight)
        taken_out = tilt[own if start == "auto" else start]
        np.testing.assert_allclose(
            clf.predict_proba(X)[:, 1], expit(2 * clf.raw_score(X) - taken_out), atol=1e-12
        )


def test_cgada_estimates_the_same_probability_at_any_cost() -> None:
    X, y = problem(3_000)
    expected = AdaBoostClassifier(n_estimators=10).fit(X, y).predict_proba(X)[:, 1]
    clf = CGAdaClassifier(n_estimators=10, fn_cost=20).fit(X, y)
    estimate = clf.predict_proba(X)[:, 1]
    with_costs_in = expit(2 * clf.raw_score(X))
    assert np.abs(estimate - expected).mean() < 0.1
    assert np.abs(with_costs_in - expected).mean() > 0.3
    assert log_loss(y, estimate) < log_loss(y, with_costs_in)


def test_the_tilt_of_row_costs_is_that_of_their_means() -> None:
    X, y = problem()
    costs = row_costs(len(y))
    for weight in (None, np.random.default_rng(0).uniform(0, 2, len(y)) * costs["fn_cost"]):
        clf = CGAdaClassifier(n_estimators=5).fit(X, y, sample_weight=weight, **costs)
        fn, fp = (np.average(costs[name], weights=weight) for name in ("fn_cost", "fp_cost"))
        np.testing.assert_allclose(
            logit(clf.predict_proba(X)[:, 1]),
            2 * clf.decision_function(X) - np.log(fn / fp),
            atol=1e-9,
        )


# ---- stages --------------------------------------------------------------------------------------


@each_learner
@each_classifier
def test_stages_end_at_the_final_result(classifier: Any, learner: Any) -> None:
    X, y = problem()
    fresh, truth = problem(seed=5)
    clf = classifier(estimator=learner, n_estimators=23, random_state=0).fit(X, y)
    for staged, final in [
        (clf.staged_decision_function(fresh), clf.decision_function(fresh)),
        (clf.staged_predict(fresh), clf.predict(fresh)),
        (clf.staged_predict_proba(fresh), clf.predict_proba(fresh)),
        (clf.staged_score(fresh, truth), clf.score(fresh, truth)),
    ]:
        stages = list(staged)
        assert len(stages) == clf.n_iter_ == 23
        np.testing.assert_array_equal(stages[-1], final)
    weight = np.random.default_rng(0).uniform(size=len(truth))
    scores = list(clf.staged_score(fresh, truth, sample_weight=weight))
    assert scores[-1] == clf.score(fresh, truth, sample_weight=weight)


@pytest.mark.parametrize("learner", [None, "tree"])
@each_classifier
def test_a_stage_is_the_model_of_so_many_rounds(classifier: Any, learner: Any) -> None:
    X, y = problem()
    long = classifier(estimator=learner, n_estimators=12).fit(X, y)
    stages = list(long.staged_predict_proba(X))
    for n in (1, 5, 11):
        short = classifier(estimator=learner, n_estimators=n).fit(X, y)
        np.testing.assert_allclose(stages[n - 1], short.predict_proba(X), atol=1e-12)
        np.testing.assert_array_equal(long.estimator_weights_[:n], short.estimator_weights_)
        np.testing.assert_array_equal(long.train_cost_[:n], short.train_cost_)


def test_memory_of_scores_that_are_not_sums_does_not_grow_with_the_rounds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = problem(3000)
    monkeypatch.setattr("costboost._core.model.providers.learners.STAGED_SCORES", 3 * len(X))
    few, many = (WeightBoostClassifier(n_estimators=n).fit(X, y) for n in (3, 40))
    more = peak(lambda: many.predict(X))
    assert more < peak(lambda: few.predict(X)) + 3 * X[:, 0].size * 8


def test_stages_are_arrays_of_their_own() -> None:
    X, y = problem()
    stages = list(AdaBoostClassifier(n_estimators=3).fit(X, y).staged_decision_function(X))
    stages[0][:] = 99
    assert not (stages[1] == 99).any()


def mean_cost(y: Any, called: Any, fn: Any, fp: Any, weight: Any = None) -> float:
    return float(np.average((y != called) * np.where(y == 1, fn, fp), weights=weight))


@ignore_blind
@ignore_empty
@each_learner
@pytest.mark.parametrize(("classifier", "options"), TRAIN_COSTS, ids=str)
def test_train_cost_is_the_mean_cost_of_every_stage(
    classifier: Any, options: dict[str, Any], learner: Any
) -> None:
    """On small problems full of draws too, where a score may lie exactly on the limit."""
    few = 4 if learner is LEARNERS[-1] else 40
    for seed in range(few):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([5, 8, 40, 200]))
        X, y = rng.integers(0, 3, (n, 3)).astype(float), rng.integers(0, 2, n)
        y[:2] = 0, 1
        fn, fp = [(1, 1), (3, 1), (1, 2), (7.3, 0.9)][seed % 4]
        weight = rng.integers(1, 4, n).astype(float) if seed % 3 else None
        clf = classifier(estimator=learner, n_estimators=9, fn_cost=fn, fp_cost=fp, **options)
        clf.fit(X, y, sample_weight=weight)
        expected = [mean_cost(y, called, fn, fp, weight) for called in clf.staged_predict(X)]
        np.testing.assert_allclose(clf.train_cost_, expected[: clf.n_iter_], rtol=1e-12)


@ignore_blind
@each_learner
@pytest.mark.parametrize(("classifier", "options"), TRAIN_COSTS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_train_cost_with_row_costs(
    weighted: bool, classifier: Any, options: dict[str, Any], learner: Any
) -> None:
    X, y = problem()
    costs = row_costs(len(y))
    weight = np.random.default_rng(0).uniform(0, 2, len(y)) if weighted else None
    if weight is not None:
        weight[::7] = 0
    clf = classifier(estimator=learner, n_estimators=20, **options)
    clf.fit(X, y, sample_weight=weight, **costs)
    given = costs if classifier is AdaMECClassifier else {}
    expected = [
        mean_cost(y, called, costs["fn_cost"], costs["fp_cost"], weight)
        for called in clf.staged_predict(X, **given)
    ]
    np.testing.assert_allclose(clf.train_cost_, expected, rtol=1e-12)
