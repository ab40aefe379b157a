"""Labels of any kind, and costs: those of training, and others after training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from classifiers.trying import (
    CLASSIFIERS,
    each_classifier,
    each_learner,
    problem,
    row_costs,
    same_model,
)
from sklearn.metrics import roc_auc_score

from costboost import CostBoostClassifier, compare
from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

# ---- labels --------------------------------------------------------------------------------------

LABELS: dict[str, tuple[Any, Any]] = {
    "integers": (-1, 1),
    "large": (10**9, 3 * 10**9),
    "floats": (1.0, 2.0),
    "strings": ("bad", "good"),
    "bools": (False, True),
}


@each_learner
@pytest.mark.parametrize("kind", LABELS)
def test_any_two_labels(kind: str, learner: Any) -> None:
    X, y = problem(120)
    expected = CGAdaClassifier(estimator=learner, n_estimators=9, random_state=0).fit(X, y)
    labels = np.array(LABELS[kind])[y]
    variants = [labels, labels.tolist(), pd.Series(labels), pl.Series(labels)]
    variants += [pd.Series(labels).astype("category"), pa.array(labels.tolist())]
    if kind == "strings":  # numbers in an array of objects are refused by scikit-learn too
        variants.append(labels.astype(object))
    for given in variants:
        clf = CGAdaClassifier(estimator=learner, n_estimators=9, random_state=0).fit(X, given)
        np.testing.assert_array_equal(clf.classes_, LABELS[kind])
        np.testing.assert_array_equal(clf.decision_function(X), expected.decision_function(X))
        np.testing.assert_array_equal(clf.predict(X), np.array(LABELS[kind])[expected.predict(X)])
        assert clf.predict(X).dtype == clf.classes_.dtype
        assert clf.score(X, labels) == expected.score(X, y)


def test_a_column_of_labels() -> None:
    X, y = problem(120)
    with pytest.warns(UserWarning, match="A column-vector y was passed"):
        clf = CGAdaClassifier(n_estimators=3).fit(X, y[:, None])
    same_model(clf, CGAdaClassifier(n_estimators=3).fit(X, y))


@each_learner
@pytest.mark.parametrize("classifier", [CGAdaClassifier, AdaMECClassifier])
def test_pos_label_says_whose_misses_fn_cost_counts(classifier: Any, learner: Any) -> None:
    """Only the meaning of the classes changes; columns and signs stay scikit-learn's."""
    X, y = problem()
    options = {"estimator": learner, "n_estimators": 15, "fn_cost": 6.0, "random_state": 0}
    clf = classifier(pos_label=0, **options).fit(X, y)
    mirrored = classifier(**options).fit(X, 1 - y)
    np.testing.assert_array_equal(clf.classes_, [0, 1])
    np.testing.assert_array_equal(clf.decision_function(X), -mirrored.decision_function(X))
    np.testing.assert_array_equal(clf.predict_proba(X), mirrored.predict_proba(X)[:, ::-1])
    np.testing.assert_array_equal(clf.predict(X), 1 - mirrored.predict(X))
    np.testing.assert_array_equal(clf.train_cost_, mirrored.train_cost_)
    stages = zip(clf.staged_decision_function(X), mirrored.staged_decision_function(X), strict=True)
    assert all((ours == -theirs).all() for ours, theirs in stages)
    explicit = classifier(pos_label=1, **options).fit(X, y)
    default = classifier(**options).fit(X, y)
    np.testing.assert_array_equal(explicit.decision_function(X), default.decision_function(X))


@each_classifier
def test_decision_function_is_positive_for_the_second_class(classifier: Any) -> None:
    X, y = problem()
    for pos_label in ("calm", "storm"):
        clf = classifier(pos_label=pos_label, n_estimators=21).fit(
            X, np.array(["calm", "storm"])[y]
        )
        score = clf.decision_function(X)
        np.testing.assert_array_equal(clf.predict(X) == "storm", score > 0)
        np.testing.assert_array_equal(clf.predict_proba(X)[:, 1] > 0.5, score > 0)
        assert roc_auc_score(y, score) > 0.7


def test_the_positive_class_is_never_silently_the_rarer_one() -> None:
    X, y = problem()
    y = 1 - y  # now class 1 is the common one
    dear_misses = CGAdaClassifier(n_estimators=15, fn_cost=20).fit(X, y)
    assert (dear_misses.predict(X)[y == 1] == 1).mean() > 0.98
    assert (dear_misses.predict(X)[y == 0] == 0).mean() < 0.6


# ---- costs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("per_row", [False, True])
def test_blind_adaboost_says_so(per_row: bool) -> None:
    X, y = problem(100)
    costs: Any = row_costs(100) if per_row else {"fn_cost": 5.0}
    with pytest.warns(
        UserWarning, match="AdaBoostClassifier ignores costs.*Take CostBoostClassifier"
    ):
        clf = AdaBoostClassifier(n_estimators=9).fit(X, y, **costs)
    plain = AdaBoostClassifier(n_estimators=9).fit(X, y)
    assert clf.ensemble_ == plain.ensemble_
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))
    with pytest.warns(UserWarning, match="ignores costs"):
        AdaBoostClassifier(n_estimators=9, fp_cost=2.0).fit(X, y)


def test_equal_costs_and_cost_sensitive_algorithms_do_not_warn() -> None:
    X, y = problem(100)  # in these tests a warning is an error
    AdaBoostClassifier(n_estimators=3, fn_cost=4, fp_cost=4).fit(X, y)
    CGAdaClassifier(n_estimators=3, fn_cost=4).fit(X, y)
    AdaMECClassifier(n_estimators=3, fn_cost=4).fit(X, y)


def test_costs_given_to_fit_replace_those_of_the_constructor() -> None:
    X, y = problem(100)
    ones = np.ones(100)
    expected = CGAdaClassifier(n_estimators=9, fn_cost=4, fp_cost=0.5).fit(X, y)
    clf = CGAdaClassifier(n_estimators=9, fn_cost=100, fp_cost=0.5).fit(X, y, fn_cost=4)
    same_model(clf, expected)
    assert clf.fn_cost == 100  # the parameter itself stays as it was
    by_row = CGAdaClassifier(n_estimators=9).fit(X, y, fn_cost=4 * ones, fp_cost=0.5 * ones)
    np.testing.assert_allclose(by_row.decision_function(X), expected.decision_function(X))


@each_learner
def test_row_costs_are_weights_to_cgada(learner: Any) -> None:
    X, y = problem()
    costs = row_costs(len(y))
    options = {"estimator": learner, "n_estimators": 15, "random_state": 0}
    clf = CGAdaClassifier(**options).fit(X, y, **costs)
    weight = np.where(y == 1, costs["fn_cost"], costs["fp_cost"])
    weighted = AdaBoostClassifier(**options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(clf.decision_function(X), weighted.decision_function(X), atol=1e-12)


def test_equal_costs_make_all_three_one() -> None:
    X, y = problem()
    models = [cls(n_estimators=15, fn_cost=3, fp_cost=3).fit(X, y) for cls in CLASSIFIERS]
    assert models[0].ensemble_ == models[1].ensemble_ == models[2].ensemble_
    for model in models[1:]:
        np.testing.assert_array_equal(model.predict(X), models[0].predict(X))


def test_dear_misses_become_fewer() -> None:
    X, y = problem(600)
    for classifier in (CGAdaClassifier, AdaMECClassifier):
        caught = [
            classifier(n_estimators=20, fn_cost=cost).fit(X, y).predict(X)[y == 1].mean()
            for cost in (0.1, 1, 10)
        ]
        assert caught[0] < caught[1] < caught[2]


# ---- AdaMEC: costs after training ----------------------------------------------------------------

each_probability = pytest.mark.parametrize("probability", ["votes", "logistic"])


@each_probability
@each_learner
@pytest.mark.parametrize("pos_label", [1, 0])
def test_adamec_decides_by_probability_and_cost(
    pos_label: int, learner: Any, probability: str
) -> None:
    X, y = problem()
    clf = AdaMECClassifier(
        estimator=learner, n_estimators=15, probability=probability, fn_cost=3, pos_label=pos_label
    ).fit(X, y)
    P = clf.predict_proba(X)[:, pos_label]
    scores = clf.decision_function(X)
    rows = row_costs(len(y))
    fn, fp = rows["fn_cost"], rows["fp_cost"]
    for given, limit in [
        ({}, 1 / (1 + 3)),
        ({"fn_cost": 1, "fp_cost": 1}, 0.5),
        ({"fn_cost": 40.0, "fp_cost": 1.5}, 1.5 / 41.5),
        ({"fp_cost": 8.0}, 8 / 11),  # the other cost is that of training
        ({"fn_cost": fn}, 1 / (1 + fn)),
        ({"fn_cost": fn, "fp_cost": fp}, fp / (fp + fn)),
        ({"fn_cost": list(fn), "fp_cost": 2}, 2 / (2 + fn)),
    ]:
        called = clf.predict(X, **given) == pos_label
        np.testing.assert_array_equal(called, limit < P)
        np.testing.assert_array_equal(
            list(clf.staged_predict(X, **given))[-1], clf.predict(X, **given)
        )
    np.testing.assert_array_equal(clf.decision_function(X), scores)


@pytest.mark.parametrize("kind", [int, bool, float, np.int8])
def test_labels_of_the_type_object(kind: Any) -> None:
    """As pandas has them after missing labels were dropped."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 2))
    y = (X[:, 0] + random.normal(size=120) > 0).astype(int)
    labels = np.empty(len(y), dtype=object)
    labels[:] = [kind(one) for one in y]
    for clf in (
        AdaMECClassifier(n_estimators=5),
        CostBoostClassifier(n_estimators=3, random_state=0),
    ):
        clf.fit(X, labels)
        assert clf.classes_.dtype != object
        assert clf.score(X, labels) == clf.score(X, y) == list(clf.staged_score(X, labels))[-1]
        np.testing.assert_array_equal(clf.predict(X), clf.fit(X, y).predict(X))
    found = compare([AdaMECClassifier(n_estimators=2)], X, labels, cv=2, random_state=0)
    assert found.estimate("logistic regression") is not None


@pytest.mark.parametrize("labels", [[True, 0], ["a", 1], [None, 1]])
def test_mixed_labels_are_refused(labels: Any) -> None:
    with pytest.raises(ValueError, match="label"):
        AdaMECClassifier().fit(np.arange(20.0)[:, None], np.array(labels * 10, dtype=object))


@each_probability
def test_adamec_need_not_be_refitted(probability: str) -> None:
    X, y = problem()
    costs = row_costs(len(y))
    once = AdaMECClassifier(n_estimators=15, probability=probability).fit(X, y)
    for given in ({"fn_cost": 7.0, "fp_cost": 1.0}, {"fn_cost": 0.2, "fp_cost": 3.0}):
        again = AdaMECClassifier(n_estimators=15, probability=probability, **given).fit(X, y)
        assert again.ensemble_ == once.ensemble_
        np.testing.assert_array_equal(once.predict(X, **given), again.predict(X))
        stages = zip(once.staged_predict(X, **given), again.staged_predict(X), strict=True)
        assert all((a == b).all() for a, b in stages)
    by_row = AdaMECClassifier(n_estimators=15, probability=probability).fit(X, y, **costs)
    means = {name: float(values.mean()) for name, values in costs.items()}
    np.testing.assert_array_equal(by_row.predict(X), once.predict(X, **means))


def test_the_votes_are_the_share_of_the_steps_for_the_positive_class() -> None:
    X, y = problem()
    for negative_step in ("stop", "keep"):
        clf = AdaMECClassifier(
            n_estimators=15, probability="votes", negative_step=negative_step
        ).fit(X, y)
        stages = np.array([np.zeros(len(y)), *clf.staged_raw_score(X)])
        for_positive = (np.diff(stages, axis=0) > 0).T @ np.abs(clf.estimator_weights_)
        share = for_positive / np.abs(clf.estimator_weights_).sum()
        np.testing.assert_allclose(clf.predict_proba(X)[:, 1], share, atol=1e-12)


@each_probability
@pytest.mark.parametrize("start", ["uniform", "cost", "balanced"])
def test_other_costs_do_not_change_the_probability(start: str, probability: str) -> None:
    """The tilt belongs to the weights of training, not to the costs decided by."""
    X, y = problem()
    clf = AdaMECClassifier(
        n_estimators=15, probability=probability, initial_weights=start, fn_cost=6
    ).fit(X, y)
    P = clf.predict_proba(X)[:, 1]
    for fn in (1.0, 6.0, 30.0):
        np.testing.assert_array_equal(clf.predict(X, fn_cost=fn), (1 / (1 + fn) < P).astype(int))
