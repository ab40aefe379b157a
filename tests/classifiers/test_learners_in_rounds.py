"""Every algorithm on every learner, round by round: stages, going on, stopping early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from classifiers.learning import SPREADS, costs_of, each, each_new, problem, same, with_holes
from scipy.special import expit

from costboost.algorithms import AdaC2Classifier, AsymAdaClassifier, CSLBClassifier, CSRAClassifier

# ---- stages --------------------------------------------------------------------------------------


@each
def test_the_last_stage_is_the_final_result(classifier: Any, learner: str) -> None:
    X, y = problem()
    X, fresh = with_holes(X, learner), with_holes(problem(40, seed=1)[0], learner)
    clf = classifier(estimator=learner, n_estimators=9, **costs_of(classifier)).fit(X, y)
    for staged, final in (
        (clf.staged_decision_function(fresh), clf.decision_function(fresh)),
        (clf.staged_predict_proba(fresh), clf.predict_proba(fresh)),
        (clf.staged_predict(fresh), clf.predict(fresh)),
    ):
        stages = list(staged)
        assert len(stages) == clf.n_iter_ > 1
        assert stages[-1].tobytes() == final.tobytes()


@each
@pytest.mark.parametrize("given", ["class costs", "row costs"])
def test_what_training_saw_is_what_prediction_says(
    classifier: Any, learner: str, given: str
) -> None:
    """Scores on bins and on raw values: the cost after each round is that of its predictions."""
    X, y = problem()
    X = with_holes(X, learner)
    fn, fp = costs_of(classifier).get("fn_cost", 1.0), costs_of(classifier).get("fp_cost", 1.0)
    more: dict[str, Any] = costs_of(classifier)
    if given == "row costs":
        if classifier.rule.cost_blind:
            return
        fn, fp = np.random.default_rng(1).uniform(0.5, 5, (2, len(y)))
        more = {"fn_cost": fn, "fp_cost": fp}
    clf = classifier(estimator=learner, n_estimators=9).fit(X, y, **more)
    decide = more if classifier.rule.decides_by_cost else {}
    costs = [
        np.mean((called != y) * np.where(y == 1, fn, fp))
        for called in clf.staged_predict(X, **decide)
    ]
    np.testing.assert_allclose(clf.train_cost_, costs, rtol=1e-12)


# ---- going on ------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("given", ["plain", "row costs and weights"])
def test_going_on_is_as_if_never_stopped(classifier: Any, learner: str, given: str) -> None:
    if classifier in SPREADS:
        return
    X, y = problem()
    X = with_holes(X, learner)
    more: dict[str, Any] = {}
    options = costs_of(classifier) | {"estimator": learner, "learning_rate": 0.8}
    if given != "plain":
        rng = np.random.default_rng(2)
        more["sample_weight"] = rng.integers(0, 3, len(y))
        if not classifier.rule.cost_blind:
            more["fn_cost"], more["fp_cost"] = rng.uniform(0.5, 5, (2, len(y)))
    warm = classifier(n_estimators=4, warm_start=True, **options).fit(X, y, **more)
    first = warm.ensemble_.tobytes()
    warm.set_params(n_estimators=10).fit(X, y, **more)
    cold = classifier(n_estimators=10, **options).fit(X, y, **more)
    same(warm, cold)
    assert warm.stop_reason_ == cold.stop_reason_
    assert cold.n_iter_ > 4
    assert first != cold.ensemble_.tobytes()
    assert warm.predict_proba(X).tobytes() == cold.predict_proba(X).tobytes()


@pytest.mark.parametrize("learner", ["stump", "logistic"])
def test_going_on_after_negative_steps(learner: str) -> None:
    """Kept learners whose step is negative keep their vote."""
    X, y = problem(80, seed=3)
    options = {"estimator": learner, "fn_cost": 8.0, "negative_step": "keep"}
    warm = AdaC2Classifier(n_estimators=12, warm_start=True, **options).fit(X, y)
    assert (warm.estimator_weights_ < 0).any()
    warm.set_params(n_estimators=20).fit(X, y)
    same(warm, AdaC2Classifier(n_estimators=20, **options).fit(X, y))


@each
def test_learners_are_recalled_and_not_searched_for(classifier: Any, learner: str) -> None:
    """Under other labels other learners would be found; those that are there stay."""
    X, y = problem()
    X = with_holes(X, learner)
    options = costs_of(classifier) | {"estimator": learner, "negative_step": "keep"}
    clf = classifier(n_estimators=2, warm_start=True, **options).fit(X, y)
    before = [structure(clf, t) for t in range(clf.n_iter_)]
    other = (X[:, 1] > np.nanmedian(X[:, 1])) ^ (np.arange(len(y)) % 5 == 0)
    try:
        clf.set_params(n_estimators=6).fit(X, other)
    except UserWarning:  # no step for the first of them
        return
    kept = min(clf.n_iter_, len(before))
    assert [structure(clf, t) for t in range(kept)] == before[:kept]
    cold = classifier(n_estimators=6, **options).fit(X, other)
    assert structure(cold, 0) != before[0]


def leaf_of(nodes: Any, x: np.ndarray) -> int:
    k = 0
    while nodes[k].left >= 0:
        v = x[nodes[k].feature]
        goes_left = nodes[k].missing_left if np.isnan(v) else v <= nodes[k].threshold
        k = nodes[k].left + (not goes_left)
    return k


def structure(clf: Any, t: int) -> Any:
    """The tests of a round, without the values of its leaves."""
    if not hasattr(clf.ensemble_, "tree"):
        return int(clf.ensemble_.feature[t])
    return repr([(n.feature, n.threshold, n.left, n.missing_left) for n in clf.ensemble_.tree(t)])


def replayed(clf: Any, X: np.ndarray, y: np.ndarray, ratio: float) -> np.ndarray:
    """The score if the learners there are had found their steps for M = n_estimators."""
    M, label = clf.n_estimators, np.where(y == 1, 1.0, -1.0)
    share = np.where(y == 1, ratio, 1.0) ** (1 / M)
    w = share / share.sum()
    F = np.zeros(len(y))
    for t in range(clf.n_iter_):
        nodes = clf.ensemble_.tree(t)
        leaf = np.array([leaf_of(nodes, x) for x in X])
        p, q = (np.bincount(leaf, w * (label == s), len(nodes)) for s in (1, -1))
        if isinstance(clf, AsymAdaClassifier):
            h = np.where(np.array([n.value for n in nodes]) > 0, 1.0, -1.0)[leaf]
            right = w[h == label].sum()
            g = 0.5 * np.log(right / (1 - right)) * h
        elif isinstance(clf, CSRAClassifier):
            g = 0.5 * np.log((p + 1e-4) / (q + 1e-4))[leaf]
        else:
            with np.errstate(invalid="ignore"):
                g = ((p - q) / (p + q))[leaf]
        F = F + g
        w = w * share * np.exp(-label * g)
        w = w / w.sum()
    return F


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "logistic", "linear"])
@pytest.mark.parametrize("classifier", SPREADS)
def test_going_on_where_the_number_of_rounds_counts(classifier: Any, learner: str) -> None:
    """The learners there are stay; all steps and values are found for the new M."""
    if learner not in classifier.rule.learners:
        return
    X, y = problem()
    X = with_holes(X, learner)
    options = {"estimator": learner, "fn_cost": 12.0}
    warm = classifier(n_estimators=2, warm_start=True, **options).fit(X, y)
    before = [structure(warm, t) for t in range(2)]
    old = warm.decision_function(X)
    warm.set_params(n_estimators=9).fit(X, y)
    assert warm.n_iter_ == 9 or learner == "logistic"
    assert [structure(warm, t) for t in range(2)] == before
    second = list(warm.staged_decision_function(X))[1]
    assert not np.allclose(second, old)
    if classifier is not CSLBClassifier:
        np.testing.assert_allclose(
            warm.decision_function(X), replayed(warm, X, y, 12.0), rtol=1e-9, atol=1e-10
        )
        return
    F, votes = np.zeros(len(y)), np.diff([0 * y, *warm.staged_decision_function(X)], axis=0)
    for m, (step, g) in enumerate(zip(warm.estimator_weights_, votes, strict=True), 1):
        P = expit(2 * F - m / 9 * np.log(12))
        w, r = P * (1 - P), y - P
        if learner == "linear":  # least squares: what is left has no part along the line
            f = int(warm.ensemble_.feature[m - 1])
            for along in (np.ones(len(y)), X[:, f]):
                assert (r - w * g / step) @ along == pytest.approx(0, abs=1e-7)
        else:
            for value in np.unique(g):
                here = g == value
                mean = np.clip(r[here].sum() / w[here].sum(), -4, 4)
                assert value == pytest.approx(step * mean, rel=1e-7)
        F = F + g


# ---- early stopping ------------------------------------------------------------------------------


@each_new
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_early_stopping(classifier: Any, learner: str, scoring: Any) -> None:
    X, y = problem(150)
    options = costs_of(classifier) | {
        "estimator": learner, "n_estimators": 80, "early_stopping": True, "n_iter_no_change": 4,
        "random_state": 0, "scoring": scoring,
    }  # fmt: skip
    clf = classifier(**options).fit(X, y)
    assert clf.n_iter_ < 80
    assert len(clf.validation_score_) == clf.n_iter_
    scores = clf.validation_score_
    if learner != "logistic":  # whose regressions soon vote no better than chance
        assert not (scores[-4:] > scores[-5] + clf.tol).any()
        assert "validation score" in clf.stop_reason_
    again = classifier(**options).fit(X, y)
    same(clf, again)
    watched = classifier(**options | {"validation_fraction": None}).fit(X, y)
    if scoring is None:
        np.testing.assert_allclose(watched.validation_score_, -watched.train_cost_, rtol=1e-12)
    else:
        stages = watched.staged_predict_proba(X)
        loss = [np.mean(np.log(P[np.arange(len(y)), y])) for P in stages]
        np.testing.assert_allclose(watched.validation_score_, loss, rtol=1e-9)
    whole = classifier(**options | {"early_stopping": False, "n_estimators": watched.n_iter_})
    same(whole.fit(X, y), watched)
