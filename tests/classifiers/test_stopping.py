"""Fits that end early, and fits that go on from an earlier one."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from classifiers.trying import (
    TRAIN_COSTS,
    each_classifier,
    each_learner,
    ignore_blind,
    problem,
    row_costs,
    same_model,
)
from scipy import sparse
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from costboost.algorithms import AdaMECClassifier, CGAdaClassifier, WeightBoostClassifier

# ---- early stopping ------------------------------------------------------------------------------


def check_patience(clf: Any) -> None:
    """The fit ended at the first round after which patience was exhausted."""
    scores, patience, tol = clf.validation_score_, clf.n_iter_no_change, clf.tol
    assert len(scores) == clf.n_iter_
    exhausted = [
        t
        for t in range(patience, len(scores))
        if not (scores[t - patience + 1 : t + 1] > scores[t - patience] + tol).any()
    ]
    if clf.n_iter_ < clf.n_estimators:
        assert exhausted == [clf.n_iter_ - 1]
        assert "validation score" in clf.stop_reason_
    else:
        assert not exhausted[:-1]


@ignore_blind
@each_learner
@each_classifier
def test_early_stopping_by_mean_cost(classifier: Any, learner: Any) -> None:
    X, y = problem(400)
    clf = classifier(
        estimator=learner,
        n_estimators=300,
        fn_cost=4,
        early_stopping=True,
        n_iter_no_change=6,
        random_state=0,
    ).fit(X, y)
    assert clf.n_iter_ < 300
    check_patience(clf)
    again = classifier(**clf.get_params(deep=False)).fit(X, y)
    np.testing.assert_array_equal(again.validation_score_, clf.validation_score_)
    np.testing.assert_array_equal(again.decision_function(X), clf.decision_function(X))


def test_patience_and_tolerance() -> None:
    X, y = problem(400)
    rounds = {}
    for patience in (2, 10, 40):
        clf = CGAdaClassifier(
            n_estimators=200, early_stopping=True, n_iter_no_change=patience, random_state=0
        ).fit(X, y)
        check_patience(clf)
        rounds[patience] = clf.n_iter_
    assert rounds[2] < rounds[10] < rounds[40]
    clf.set_params(tol=1.0, n_iter_no_change=5).fit(X, y)  # nothing ever gains that much
    assert clf.n_iter_ == 6


@ignore_blind
@each_learner
@pytest.mark.parametrize(("classifier", "options"), TRAIN_COSTS, ids=str)
@pytest.mark.parametrize("given", ["class costs", "row costs", "weights"])
def test_without_a_fraction_the_training_rows_are_watched(
    given: str, classifier: Any, options: dict[str, Any], learner: Any
) -> None:
    X, y = problem(200)
    more: dict[str, Any] = {"fn_cost": 4.0}
    if given == "row costs":
        more = row_costs(200)
    elif given == "weights":
        more["sample_weight"] = np.random.default_rng(0).uniform(0.1, 3, 200)
    clf = classifier(
        estimator=learner,
        n_estimators=40,
        early_stopping=True,
        validation_fraction=None,
        n_iter_no_change=8,
        random_state=0,
        **options,
    ).fit(X, y, **more)
    check_patience(clf)
    np.testing.assert_allclose(clf.validation_score_, -clf.train_cost_, rtol=1e-12)
    whole = classifier(estimator=learner, n_estimators=clf.n_iter_, random_state=0, **options).fit(
        X, y, **more
    )
    np.testing.assert_array_equal(clf.decision_function(X), whole.decision_function(X))


@each_learner
@pytest.mark.parametrize(
    ("scoring", "measure"),
    [
        ("accuracy", lambda y, called, P, w: np.average(y == called, weights=w)),
        ("neg_log_loss", lambda y, called, P, w: -log_loss(y, P, sample_weight=w)),
        ("roc_auc", lambda y, called, P, w: roc_auc_score(y, P[:, 1], sample_weight=w)),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_early_stopping_by_a_named_score(
    weighted: bool, scoring: str, measure: Any, learner: Any
) -> None:
    X, y = problem(200)
    weight = np.random.default_rng(0).uniform(0.1, 3, 200) if weighted else None
    clf = CGAdaClassifier(
        estimator=learner,
        n_estimators=25,
        fn_cost=3,
        early_stopping=True,
        validation_fraction=None,
        n_iter_no_change=5,
        scoring=scoring,
    ).fit(X, y, sample_weight=weight)
    check_patience(clf)
    stages = zip(clf.staged_predict(X), clf.staged_predict_proba(X), strict=True)
    expected = [measure(y, called, P, weight) for called, P in stages]
    np.testing.assert_allclose(clf.validation_score_, expected)


class Witness:
    """A scorer that remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[tuple[Any, Any, Any]] = []

    def __call__(self, clf: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        self.seen.append((X, y, sample_weight))
        return float(np.average(clf.predict(X) == y, weights=sample_weight))


@pytest.mark.parametrize("learner", [None, "tree"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_the_rows_held_out_are_not_trained_on(as_frame: bool, learner: Any) -> None:
    X, y = problem(400)
    X[:, 3] = np.arange(400)  # so that every row can be recognised
    labels = np.array(["no", "yes"])[y]
    weight = np.random.default_rng(0).uniform(0.1, 3, 400)
    witness = Witness()
    clf = CGAdaClassifier(
        estimator=learner,
        n_estimators=12,
        early_stopping=True,
        validation_fraction=0.25,
        scoring=witness,
        n_iter_no_change=12,
        random_state=3,
    ).fit(pd.DataFrame(X, columns=list("abcd")) if as_frame else X, labels, sample_weight=weight)
    assert len(witness.seen) == clf.n_iter_ == 12
    shown, its_labels, its_weight = witness.seen[-1]
    rows = np.asarray(shown)[:, 3].astype(int)
    assert len(rows) == len(set(rows)) == 100
    assert (its_labels == "yes").sum() == round(y.sum() / 4)  # stratified
    np.testing.assert_array_equal(its_labels, labels[rows])
    np.testing.assert_array_equal(its_weight, weight[rows])
    rest = np.setdiff1d(np.arange(400), rows)
    direct = CGAdaClassifier(estimator=learner, n_estimators=12)
    direct.fit(X[rest], labels[rest], sample_weight=weight[rest])
    same_model(clf, direct)
    other = CGAdaClassifier(**{**clf.get_params(), "random_state": 4}).fit(X, labels)
    assert set(np.asarray(witness.seen[-1][0])[:, 3].astype(int)) != set(rows)
    assert other.n_iter_ == 12


def test_a_scorer_without_sample_weight_is_fine_when_there_is_none() -> None:
    X, y = problem(200)

    def scorer(clf: Any, X: Any, y: Any) -> float:
        return clf.score(X, y)

    clf = CGAdaClassifier(
        n_estimators=20, early_stopping=True, scoring=scorer, random_state=0, n_iter_no_change=3
    ).fit(X, y)
    check_patience(clf)


def test_early_stopping_holds_out_row_costs_too() -> None:
    X, y = problem(400)
    costs = row_costs(400)
    clf = AdaMECClassifier(
        n_estimators=60, early_stopping=True, random_state=0, n_iter_no_change=5
    ).fit(X, y, **costs)
    check_patience(clf)
    assert len(clf.validation_score_) < 60


class Comparing:
    """A scorer that predicts the watched rows, whose scores are known, and a copy of them."""

    def __init__(self) -> None:
        self.copies: list[Any] = []
        self.n_rounds: list[int] = []

    def __call__(self, clf: Any, X: Any, y: Any) -> float:
        for method in ("predict_proba", "decision_function", "predict"):
            output, of_copy = getattr(clf, method)(X), getattr(clf, method)(X.copy())
            np.testing.assert_allclose(output.astype(float), of_copy.astype(float), atol=1e-12)
        output[:] = 7  # a scorer may change the arrays it gets
        assert len(clf.ensemble_) == clf.n_iter_ == len(clf.estimator_weights_)
        *_, last = clf.staged_predict_proba(X)
        np.testing.assert_allclose(last, clf.predict_proba(X), atol=1e-12)
        self.copies.append(copy.deepcopy(clf) if clf.n_iter_ % 2 else pickle.dumps(clf))
        self.n_rounds.append(clf.n_iter_)
        return float(clf.score(X, y))


@ignore_blind
@each_learner
@pytest.mark.parametrize("classifier", [CGAdaClassifier, AdaMECClassifier, WeightBoostClassifier])
@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, sparse.csr_matrix])
def test_a_scorer_sees_the_rounds_so_far(container: Any, classifier: Any, learner: Any) -> None:
    X, y = problem(120)
    scorer = Comparing()
    clf = classifier(
        estimator=learner, n_estimators=6, early_stopping=True, scoring=scorer, random_state=0
    ).fit(container(X), y)
    assert scorer.n_rounds == list(range(1, clf.n_iter_ + 1))
    for kept, stage in zip(scorer.copies, clf.staged_decision_function(container(X)), strict=True):
        then = pickle.loads(kept) if isinstance(kept, bytes) else kept
        np.testing.assert_allclose(then.decision_function(container(X)), stage, atol=1e-12)
        assert "_in_training" not in vars(then)
    assert "_in_training" not in vars(clf)


class CountingTree(DecisionTreeClassifier):
    """Counts how often it predicts."""

    n_calls = 0

    def predict(self, X: Any, check_input: bool = True) -> Any:
        CountingTree.n_calls += 1
        return super().predict(X, check_input)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "roc_auc", None])
def test_a_round_scores_no_learner_of_earlier_rounds(scoring: Any) -> None:
    X, y = problem(200)
    CountingTree.n_calls = 0
    clf = CGAdaClassifier(
        estimator=CountingTree(max_depth=1),
        n_estimators=30,
        early_stopping=True,
        n_iter_no_change=30,
        scoring=scoring,
        random_state=0,
    ).fit(X, y)
    assert clf.n_iter_ == 30
    # on the training rows, on the watched ones, and once at the end, for the check of one class
    assert CountingTree.n_calls == 3 * 30


def test_a_second_fit_with_a_scorer_forgets_the_first() -> None:
    X, y = problem(200)
    options = {"early_stopping": True, "scoring": Comparing(), "random_state": 0}
    clf = CGAdaClassifier(n_estimators=4, **options).fit(X[:, :2], 1 - y)
    clf.fit(X, y)
    same_model(clf, CGAdaClassifier(n_estimators=4, **options).fit(X, y))


# ---- warm start ----------------------------------------------------------------------------------


def categorical_frame(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = problem(n)
    town = pd.Categorical(np.array(["Ulm", "Bonn", "Jena", "Trier", None])[np.arange(n) % 5])
    return pd.DataFrame({"town": town, "a": X[:, 0], "b": X[:, 1]}), y


WARM: dict[str, dict[str, Any]] = {
    "stumps": {},
    "trees": {"estimator": "tree", "max_depth": 3},
    "leaves": {"estimator": "tree", "max_leaf_nodes": 4, "min_samples_leaf": 9},
    "shrunk": {"learning_rate": 0.3},
    "balanced": {"initial_weights": "balanced"},
    "kept": {"negative_step": "keep"},
    "few bins": {"max_bins": 5},
}


@pytest.mark.parametrize("data", ["numbers", "missing", "categories", "weights", "row costs"])
@pytest.mark.parametrize("options", WARM)
@pytest.mark.parametrize("classifier", [CGAdaClassifier, AdaMECClassifier])
def test_fifty_and_fifty_more_are_a_hundred(classifier: Any, options: str, data: str) -> None:
    X, y = categorical_frame() if data == "categories" else problem()
    given: dict[str, Any] = {}
    if data == "missing":
        X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    if data == "weights":
        given["sample_weight"] = np.random.default_rng(0).integers(0, 3, len(y))
    if data == "row costs":
        given = row_costs(len(y))
    more = WARM[options] | {"fn_cost": 3.0}
    warm = classifier(n_estimators=50, warm_start=True, **more).fit(X, y, **given)
    assert warm.n_iter_ == 50
    half = warm.ensemble_.tobytes()
    warm.set_params(n_estimators=100).fit(X, y, **given)
    cold = classifier(n_estimators=100, **more).fit(X, y, **given)
    assert cold.n_iter_ == 100
    same_model(warm, cold)
    np.testing.assert_array_equal(warm.decision_function(X), cold.decision_function(X))
    np.testing.assert_array_equal(warm.feature_importances_, cold.feature_importances_)
    assert half != cold.ensemble_.tobytes()


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_wrapped_learners_are_continued(splitter: str) -> None:
    X, y = problem()
    inner = DecisionTreeClassifier(max_depth=2, max_features=2, splitter=splitter)
    options = {"estimator": inner, "random_state": 7}
    warm = CGAdaClassifier(n_estimators=20, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=40).fit(X, y)
    cold = CGAdaClassifier(n_estimators=40, **options).fit(X, y)
    np.testing.assert_array_equal(warm.estimator_weights_, cold.estimator_weights_)
    np.testing.assert_array_equal(warm.estimator_errors_, cold.estimator_errors_)
    np.testing.assert_array_equal(warm.train_cost_, cold.train_cost_)
    np.testing.assert_array_equal(warm.decision_function(X), cold.decision_function(X))


def test_continuing_with_nothing_to_add() -> None:
    X, y = problem()
    clf = CGAdaClassifier(n_estimators=10, warm_start=True).fit(X, y)
    before = clf.ensemble_.tobytes()
    assert clf.fit(X, y).ensemble_.tobytes() == before
    perfect = CGAdaClassifier(n_estimators=10, warm_start=True).fit(X[:, :1], X[:, 0] > 5)
    assert perfect.n_iter_ == 1
    same = perfect.set_params(n_estimators=30).fit(X[:, :1], X[:, 0] > 5)
    assert same.n_iter_ == 1
    assert same.stop_reason_ == "a perfect learner was found"


def test_without_warm_start_a_second_fit_forgets_the_first() -> None:
    X, y = problem()
    clf = CGAdaClassifier(n_estimators=10).fit(X[:, :2], 1 - y)
    clf.fit(X, y)
    same_model(clf, CGAdaClassifier(n_estimators=10).fit(X, y))
    assert clf.n_features_in_ == 4
    clf.set_params(early_stopping=True).fit(X, y)
    assert hasattr(clf, "validation_score_")
    clf.set_params(early_stopping=False).fit(X, y)
    assert not hasattr(clf, "validation_score_")


@pytest.mark.parametrize(
    "change",
    [
        {"estimator": "tree"},
        {"estimator": DecisionTreeClassifier()},
        {"estimator": None},
        {"pos_label": 0},
        {"fn_cost": 50.0},
        {"initial_weights": "balanced"},
        {"n_estimators": 2},
        {"categorical_features": [0]},
    ],
    ids=str,
)
@each_learner
def test_parameters_set_after_the_fit_wait_for_the_next(learner: Any, change: Any) -> None:
    X, y = problem()
    clf = AdaMECClassifier(
        estimator=learner, n_estimators=5, fn_cost=3, probability="logistic", initial_weights="cost"
    ).fit(X, y)
    score, P, called = clf.decision_function(X), clf.predict_proba(X), clf.predict(X)
    clf.set_params(**change)
    np.testing.assert_array_equal(clf.decision_function(X), score)
    np.testing.assert_array_equal(clf.predict_proba(X), P)
    np.testing.assert_array_equal(clf.predict(X), called)


def test_continuing_with_early_stopping_watches_the_same_rows() -> None:
    X, y = problem(400)
    options = {"early_stopping": True, "n_iter_no_change": 50, "random_state": 2}
    warm = CGAdaClassifier(n_estimators=15, warm_start=True, **options).fit(X, y)
    warm.set_params(n_estimators=30).fit(X, y)
    cold = CGAdaClassifier(n_estimators=30, **options).fit(X, y)
    same_model(warm, cold)
    np.testing.assert_array_equal(warm.validation_score_, cold.validation_score_)
