"""What the classifiers do: odd data, fallbacks, labels, costs, stopping, continuing, tables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from costboost import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

CLASSIFIERS = [AdaBoostClassifier, CGAdaClassifier, AdaMECClassifier]
LEARNERS = [None, "tree", DecisionTreeClassifier(max_depth=1)]
XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_Y = np.array([0, 1, 1, 0])

ignore_empty = pytest.mark.filterwarnings("ignore:.* added no learner")
ignore_blind = pytest.mark.filterwarnings("ignore:AdaBoostClassifier ignores costs")
each_classifier = pytest.mark.parametrize("classifier", CLASSIFIERS)
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=["stump", "tree", "wrapped"])


def problem(n: int = 300, d: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping classes, a quarter positive, few enough values for exact bins."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 40, (n, d)) / 4
    score = X[:, 0] + X[:, 1] * X[:, -1] / 5 + rng.normal(0, 3, n)
    return X, (score > np.quantile(score, 0.75)).astype(int)


def row_costs(n: int, seed: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {"fn_cost": rng.uniform(1, 20, n), "fp_cost": rng.uniform(0.5, 4, n)}


def assert_finite(clf: Any, X: Any) -> None:
    for values in (
        clf.decision_function(X),
        clf.predict_proba(X),
        clf.estimator_weights_,
        clf.estimator_errors_,
        clf.train_cost_,
        clf.feature_importances_,
        *clf.staged_decision_function(X),
    ):
        assert np.isfinite(values).all()
    probability = clf.predict_proba(X)
    assert (probability >= 0).all()
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert np.isin(clf.predict(X), clf.classes_).all()


def same_model(one: Any, other: Any) -> None:
    assert one.ensemble_.tobytes() == other.ensemble_.tobytes()
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.estimator_errors_, other.estimator_errors_)
    np.testing.assert_array_equal(one.train_cost_, other.train_cost_)


# ---- odd data ------------------------------------------------------------------------------------


@each_learner
@each_classifier
def test_constant_features_are_never_used(classifier: Any, learner: Any) -> None:
    X, y = problem()
    wide = np.column_stack([np.full(len(y), 3.0), X[:, 0], np.zeros(len(y)), X[:, 1]])
    clf = classifier(estimator=learner, n_estimators=20).fit(wide, y)
    assert_finite(clf, wide)
    assert clf.feature_importances_[[0, 2]].tolist() == [0, 0]
    narrow = classifier(estimator=learner, n_estimators=20).fit(X[:, :2], y)
    np.testing.assert_array_equal(clf.predict(wide), narrow.predict(X[:, :2]))


@each_learner
@each_classifier
def test_only_constant_features(classifier: Any, learner: Any) -> None:
    X, y = np.ones((8, 2)), np.array([1, 0, 0, 0, 0, 0, 0, 1])
    clf = classifier(estimator=learner).fit(X, y)  # always "no" is right three times in four
    assert_finite(clf, X)
    assert (clf.predict(X) == 0).all()
    np.testing.assert_allclose(clf.decision_function(X), -np.log(3) / 2)


@each_learner
def test_duplicate_rows_with_both_labels(learner: Any) -> None:
    X = np.repeat(np.array([[0.0], [1.0]]), 10, axis=0)
    y = np.array([0] * 8 + [1] * 2 + [1] * 7 + [0] * 3)
    clf = AdaBoostClassifier(estimator=learner, n_estimators=5).fit(X, y)
    assert_finite(clf, X)
    assert clf.estimator_errors_[0] == pytest.approx(0.25)
    np.testing.assert_array_equal(clf.predict(X), X[:, 0])


@each_learner
@each_classifier
def test_two_rows(classifier: Any, learner: Any) -> None:
    X, y = np.array([[1.0, 5.0], [2.0, 5.0]]), np.array(["b", "a"])
    clf = classifier(estimator=learner).fit(X, y)
    assert_finite(clf, X)
    np.testing.assert_array_equal(clf.predict(X), y)


@ignore_empty
@each_learner
def test_two_rows_that_are_the_same(learner: Any) -> None:
    X = np.ones((2, 1))
    clf = AdaBoostClassifier(estimator=learner).fit(X, [0, 1])
    assert_finite(clf, X)


@pytest.mark.parametrize("learner", [None, "tree"])
def test_ten_thousand_columns(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 10_000)).astype(np.float32)
    y = np.arange(60) % 2
    X[:, 7_777] += 1.5 * y
    clf = CGAdaClassifier(estimator=learner, n_estimators=8, fn_cost=3).fit(X, y)
    assert_finite(clf, X)
    assert clf.score(X, y) > 0.9


@each_learner
@each_classifier
def test_weights_from_1e_300_to_1e300(classifier: Any, learner: Any) -> None:
    X, y = problem()
    weight = 10.0 ** np.linspace(-300, 300, len(y))
    weight = np.random.default_rng(0).permutation(weight)
    clf = classifier(estimator=learner, n_estimators=20).fit(X, y, sample_weight=weight)
    assert_finite(clf, X)
    heaviest = np.argmax(weight)
    assert clf.predict(X[[heaviest]]) == y[heaviest]


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e300])
@pytest.mark.parametrize("learner", [None, "tree"])
def test_the_scale_of_the_weights_does_not_matter(learner: Any, scale: float) -> None:
    X, y = problem()
    weight = np.random.default_rng(0).uniform(0.1, 1, len(y))
    one = CGAdaClassifier(estimator=learner, n_estimators=20).fit(X, y, sample_weight=weight)
    other = CGAdaClassifier(estimator=learner, n_estimators=20)
    other.fit(X, y, sample_weight=weight * scale)
    np.testing.assert_allclose(other.decision_function(X), one.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(other.train_cost_, one.train_cost_)


@each_learner
@pytest.mark.parametrize("classifier", [CGAdaClassifier, AdaMECClassifier])
@pytest.mark.parametrize("ratio", [1e-12, 1e12])
def test_a_cost_ratio_of_1e12(ratio: float, classifier: Any, learner: Any) -> None:
    X, y = problem()
    clf = classifier(estimator=learner, n_estimators=20, fn_cost=ratio).fit(X, y)
    assert_finite(clf, X)
    dear = int(ratio > 1)
    assert (clf.predict(X)[y == dear] == dear).all()


def test_huge_and_tiny_values() -> None:
    X, y = problem()
    plain = AdaBoostClassifier(n_estimators=10).fit(X, y)
    for scale in (2.0**-1000, 2.0**1000):
        clf = AdaBoostClassifier(n_estimators=10).fit(X * scale, y)
        assert_finite(clf, X * scale)
        np.testing.assert_array_equal(clf.decision_function(X * scale), plain.decision_function(X))


def test_neighbouring_floats_are_told_apart() -> None:
    low = np.float64(1.0)
    X = np.array([[low], [np.nextafter(low, 2)]] * 3)
    y = np.array([0, 1] * 3)
    np.testing.assert_array_equal(AdaBoostClassifier().fit(X, y).predict(X), y)
    X32 = np.array([[np.float32(1)], [np.nextafter(np.float32(1), np.float32(2))]] * 3)
    np.testing.assert_array_equal(AdaBoostClassifier().fit(X32, y).predict(X32), y)


def test_float32_is_decided_as_float64() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=500) > 0).astype(int)
    for learner in (None, "tree"):
        clf = AdaBoostClassifier(estimator=learner, n_estimators=30).fit(X, y)
        wide = AdaBoostClassifier(estimator=learner, n_estimators=30).fit(X.astype(float), y)
        same_model(clf, wide)
        np.testing.assert_array_equal(
            clf.decision_function(X), clf.decision_function(X.astype(float))
        )


# ---- no learner, a perfect learner ---------------------------------------------------------------


@each_learner
@each_classifier
def test_balanced_constant_data_fall_back(classifier: Any, learner: Any) -> None:
    X, y = np.ones((4, 1)), np.array([0, 1, 0, 1])
    with pytest.warns(UserWarning, match="added no learner.*least expected cost"):
        clf = classifier(estimator=learner).fit(X, y)
    assert clf.n_iter_ == 0
    assert clf.estimator_weights_.shape == clf.train_cost_.shape == (0,)
    np.testing.assert_array_equal(clf.decision_function(X), [-1.0] * 4)
    np.testing.assert_array_equal(clf.predict_proba(X), np.full((4, 2), 0.5))
    np.testing.assert_array_equal(clf.predict(X), [0] * 4)
    np.testing.assert_array_equal(list(clf.staged_predict(X))[-1], [0] * 4)
    np.testing.assert_array_equal(clf.feature_importances_, [0.0])
    assert_finite(clf, X)


@each_classifier
def test_xor_defeats_a_stump_but_not_a_tree(classifier: Any) -> None:
    with pytest.warns(UserWarning, match="added no learner"):
        clf = classifier().fit(XOR, XOR_Y)
    assert (clf.n_iter_, clf.stop_reason_) == (0, "no learner with a positive step was left")
    assert_finite(clf, XOR)


def fallback(classifier: Any, n_positive: int, n_negative: int, **costs: float) -> Any:
    """Constant data whose classes are levelled by the start, so that no learner is any good."""
    X = np.zeros((n_positive + n_negative, 1))
    y = np.repeat([1, 0], [n_positive, n_negative])
    with pytest.warns(UserWarning, match="added no learner"):
        return classifier(initial_weights="balanced", **costs).fit(X, y)


@ignore_blind
@pytest.mark.parametrize(("n_positive", "n_negative"), [(3, 1), (1, 2), (2, 5), (3, 7), (6, 5)])
@each_classifier
def test_the_fallback_is_the_prior(classifier: Any, n_positive: int, n_negative: int) -> None:
    """However rounding falls: a step that would be 0 in exact arithmetic is no step."""
    clf = fallback(classifier, n_positive, n_negative)
    X = np.zeros((1, 1))
    prior = n_positive / (n_positive + n_negative)
    assert clf.predict_proba(X)[0, 1] == pytest.approx(prior)
    assert clf.decision_function(X) == (1 if prior > 0.5 else -1)
    assert clf.predict(X) == (1 if prior > 0.5 else 0)


@ignore_blind
def test_the_fallback_weighs_costs_unless_it_is_blind() -> None:
    X = np.zeros((1, 1))
    costs = {"fn_cost": 1.0, "fp_cost": 9.0}
    for classifier in (CGAdaClassifier, AdaMECClassifier):
        clf = fallback(classifier, 3, 1, **costs)
        assert clf.decision_function(X) == -1
        assert clf.predict(X) == 0
        assert clf.predict_proba(X)[0, 1] == 0.75
    clf = fallback(AdaBoostClassifier, 3, 1, **costs)
    assert clf.decision_function(X) == 1
    assert clf.predict(X) == 1


def test_the_fallback_can_be_given_other_costs() -> None:
    clf = fallback(AdaMECClassifier, 3, 1, fn_cost=1.0, fp_cost=9.0)
    assert clf.predict([[0.0]], fp_cost=2.0) == 1
    assert clf.predict([[0.0]], fp_cost=4.0) == 0


@ignore_empty
def test_the_fallback_counts_weights() -> None:
    X, y = np.zeros((3, 1)), np.array([1, 0, 0])
    clf = CGAdaClassifier(initial_weights="balanced").fit(X, y, sample_weight=[3.0, 0.5, 0.5])
    assert clf.decision_function(X[:1]) == 1
    assert clf.predict_proba(X)[0, 1] == 0.75


@each_learner
@each_classifier
def test_a_perfect_learner_ends_the_ensemble(classifier: Any, learner: Any) -> None:
    X, y = np.arange(10.0)[:, None], np.arange(10) // 6
    clf = classifier(estimator=learner).fit(X, y)
    assert clf.n_iter_ == 1
    assert clf.stop_reason_ == "a perfect learner was found"
    np.testing.assert_allclose(clf.estimator_weights_, [0.5 * np.log(1e10)])
    np.testing.assert_array_equal(clf.estimator_errors_, [0.0])
    np.testing.assert_array_equal(clf.train_cost_, [0.0])
    np.testing.assert_array_equal(clf.predict(X), y)
    assert_finite(clf, X)


def test_draws_are_decided_by_order_and_not_by_rounding() -> None:
    """Both sides weigh 15: a missing value goes left, however 5 x 3 and 3 x 5 are added up."""
    for k in range(1, 12):
        for m in range(1, 12):
            X = np.repeat([0.0, 1.0], [k, m])[:, None]
            y = np.repeat([0, 1], [k, m])
            clf = CGAdaClassifier(fn_cost=k, fp_cost=m).fit(X, y)
            assert clf.predict([[np.nan]]) == 0, (k, m)


def test_a_leaf_without_majority_votes_negative() -> None:
    """k positives at cost m beside m negatives at cost k, whatever rounding makes of it."""
    for k in range(1, 9):
        for m in range(1, 9):
            X = np.repeat([0.0, 1.0], [k + m, 3])[:, None]
            y = np.repeat([1, 0, 1], [k, m, 3])
            clf = CGAdaClassifier(estimator="tree", n_estimators=1, fn_cost=m, fp_cost=k).fit(X, y)
            assert clf.decision_function([[0.0]]) < 0, (k, m)


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
    with pytest.warns(UserWarning, match="AdaBoostClassifier ignores costs.*AdaMECClassifier"):
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
        clf = AdaMECClassifier(n_estimators=15, negative_step=negative_step).fit(X, y)
        stages = np.array([np.zeros(len(y)), *clf.staged_decision_function(X)])
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
            clf.predict_proba(X)[:, 1], expit(2 * clf.decision_function(X) - taken_out), atol=1e-12
        )


def test_cgada_estimates_the_same_probability_at_any_cost() -> None:
    X, y = problem(3_000)
    expected = AdaBoostClassifier(n_estimators=10).fit(X, y).predict_proba(X)[:, 1]
    clf = CGAdaClassifier(n_estimators=10, fn_cost=20).fit(X, y)
    estimate = clf.predict_proba(X)[:, 1]
    with_costs_in = expit(2 * clf.decision_function(X))
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


def test_stages_are_arrays_of_their_own() -> None:
    X, y = problem()
    stages = list(AdaBoostClassifier(n_estimators=3).fit(X, y).staged_decision_function(X))
    stages[0][:] = 99
    assert not (stages[1] == 99).any()


def mean_cost(y: Any, called: Any, fn: Any, fp: Any, weight: Any = None) -> float:
    return float(np.average((y != called) * np.where(y == 1, fn, fp), weights=weight))


TRAIN_COSTS = [
    (AdaBoostClassifier, {}),
    (CGAdaClassifier, {}),
    (AdaMECClassifier, {"probability": "votes"}),
    (AdaMECClassifier, {"probability": "logistic"}),
    (AdaMECClassifier, {"probability": "logistic", "initial_weights": "balanced"}),
]


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


# ---- importances, progress, random numbers -------------------------------------------------------


def test_importances_of_stumps_are_shares_of_the_steps() -> None:
    X, y = problem()
    clf = CGAdaClassifier(n_estimators=25, fn_cost=2).fit(X, y)
    expected = np.zeros(4)
    for t, step in enumerate(clf.estimator_weights_):
        feature = clf.ensemble_.tree(t)[0].feature
        if feature >= 0:
            expected[feature] += abs(step)
    np.testing.assert_allclose(clf.feature_importances_, expected / expected.sum())
    assert (expected > 0).sum() > 1


@each_learner
def test_importances_find_what_matters(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    y = (X[:, 3] + 0.3 * X[:, 1] + 0.3 * rng.normal(size=500) > 0).astype(int)
    clf = AdaBoostClassifier(estimator=learner, n_estimators=10).fit(X, y)
    importances = clf.feature_importances_
    assert importances.shape == (5,)
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    assert importances.argsort()[::-1][:2].tolist() == [3, 1]


def test_learners_without_importances_have_none() -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=LogisticRegression(), n_estimators=3).fit(X, y)
    assert not hasattr(clf, "feature_importances_")


def test_progress_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = problem()
    quiet = CGAdaClassifier(n_estimators=12).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""
    loud = CGAdaClassifier(n_estimators=12, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "12/12" in shown.err
    assert "12 rounds in" in shown.err
    assert "all rounds done" in shown.err
    assert shown.err.endswith("\n")
    same_model(quiet, loud)
    CGAdaClassifier(n_estimators=12, verbose=1).fit(X[:, :1], X[:, 0] > 5)
    assert "1 rounds in" in (shown := capsys.readouterr().err) or "1 round in" in shown
    assert "a perfect learner was found" in shown


def test_random_state_of_wrapped_learners() -> None:
    X, y = problem()
    inner = DecisionTreeClassifier(max_depth=1, splitter="random")
    scores = [
        AdaBoostClassifier(estimator=inner, n_estimators=9, random_state=seed)
        .fit(X, y)
        .decision_function(X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


def test_the_built_in_learners_use_no_random_numbers() -> None:
    X, y = problem()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    models = [AdaBoostClassifier(n_estimators=9, random_state=s).fit(X, y) for s in (None, 0, 1)]
    assert models[0].ensemble_ == models[1].ensemble_ == models[2].ensemble_
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_a_wrapped_stump_is_the_built_in_stump() -> None:
    """On data without draws: the error of scikit-learn's best stump is the least one too."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 1))
    y = (X[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(int)
    inner = DecisionTreeClassifier(max_depth=1)
    wrapped = CGAdaClassifier(estimator=inner, n_estimators=1).fit(X, y)
    built_in = CGAdaClassifier(n_estimators=1).fit(X, y)
    assert wrapped.estimator_errors_[0] >= built_in.estimator_errors_[0] - 1e-12
    np.testing.assert_allclose(
        wrapped.estimator_weights_,
        0.5 * np.log((1 - wrapped.estimator_errors_) / wrapped.estimator_errors_),
    )


# ---- tables --------------------------------------------------------------------------------------


def with_missing() -> tuple[np.ndarray, np.ndarray]:
    X, y = problem()
    X[np.random.default_rng(3).random(X.shape) < 0.1] = np.nan
    return X, y


def frames(X: np.ndarray) -> dict[str, Any]:
    names = list("abcd")[: X.shape[1]]
    columns = {name: X[:, j] for j, name in enumerate(names)}
    nulls = {
        name: [None if np.isnan(v) else v for v in values.tolist()]
        for name, values in columns.items()
    }
    return {
        "list": X.tolist(),
        "Fortran": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "objects": X.astype(object),
        "pandas": pd.DataFrame(X, columns=names),
        "pandas nullable": pd.DataFrame(nulls).convert_dtypes(),
        "pandas float32": pd.DataFrame(X.astype(np.float32), columns=names),
        "pandas pyarrow": pd.DataFrame(X, columns=names).astype("float64[pyarrow]"),
        "polars": pl.DataFrame(columns),
        "polars nulls": pl.DataFrame(nulls),
        "pyarrow": pa.table(columns),
        "pyarrow nulls": pa.table(nulls),
        "csr": sparse.csr_matrix(X),
        "csc": sparse.csc_matrix(X),
        "coo": sparse.coo_array(X),
        "csr float32": sparse.csr_array(X.astype(np.float32)),
    }


@pytest.mark.parametrize("kind", frames(np.zeros((2, 4))))
@pytest.mark.parametrize("learner", [None, "tree"])
def test_every_table_gives_the_same_model(learner: Any, kind: str) -> None:
    X, y = with_missing()
    expected = CGAdaClassifier(estimator=learner, n_estimators=12, fn_cost=3).fit(X, y)
    table = frames(X)[kind]
    clf = CGAdaClassifier(estimator=learner, n_estimators=12, fn_cost=3).fit(table, y)
    same_model(clf, expected)
    np.testing.assert_array_equal(clf.decision_function(table), expected.decision_function(X))
    np.testing.assert_array_equal(clf.predict(table), expected.predict(X))
    for ours, theirs in zip(
        clf.staged_decision_function(table), expected.staged_decision_function(X), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_columns_of_whole_numbers_and_flags() -> None:
    X, y = problem()
    numbers, flags = (X[:, 0] * 4).astype(np.int32), X[:, 1] > 5
    plain = np.column_stack([numbers, flags]).astype(float)
    expected = CGAdaClassifier(n_estimators=12).fit(plain, y)
    columns = {"a": numbers, "b": flags}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        clf = CGAdaClassifier(n_estimators=12).fit(table, y)
        same_model(clf, expected)
        np.testing.assert_array_equal(clf.predict(table), expected.predict(plain))
    same_model(CGAdaClassifier(n_estimators=12).fit(plain.astype(np.int64), y), expected)
    same_model(CGAdaClassifier(n_estimators=12).fit(plain.astype(np.uint8), y), expected)


def test_mostly_empty_sparse_matrix() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(1, 9, (300, 30)) * (rng.random((300, 30)) < 0.05).astype(float)
    y = (X[:, :9].sum(axis=1) > 3).astype(int)
    expected = CGAdaClassifier(n_estimators=20).fit(X, y)
    explicit = sparse.csr_matrix(X)
    explicit.data[::3] = 0  # stored zeros are zeros
    dense = explicit.toarray()
    for matrix in (sparse.csr_matrix(X), sparse.csc_array(X)):
        clf = CGAdaClassifier(n_estimators=20).fit(matrix, y)
        same_model(clf, expected)
        np.testing.assert_array_equal(clf.predict(matrix), expected.predict(X))
    same_model(
        CGAdaClassifier(n_estimators=20).fit(explicit, y),
        CGAdaClassifier(n_estimators=20).fit(dense, y),
    )


def test_weights_and_costs_may_be_series() -> None:
    X, y = problem()
    weight, costs = np.random.default_rng(0).uniform(1, 2, len(y)), row_costs(len(y))
    expected = CGAdaClassifier(n_estimators=9).fit(X, y, sample_weight=weight, **costs)
    for series in (pd.Series, pl.Series, pa.array, list):
        clf = CGAdaClassifier(n_estimators=9).fit(
            X, y, sample_weight=series(weight), **{k: series(v) for k, v in costs.items()}
        )
        same_model(clf, expected)


def test_wrapped_learners_see_the_table_as_it_is() -> None:
    X, y = problem()
    frame = pd.DataFrame(X, columns=list("abcd"))
    inner = DecisionTreeClassifier(max_depth=2, random_state=0)
    by_frame = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(frame, y)
    by_array = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(X, y)
    np.testing.assert_array_equal(by_frame.decision_function(frame), by_array.decision_function(X))
    matrix = sparse.csr_matrix(X)
    by_sparse = CGAdaClassifier(estimator=inner, n_estimators=5, random_state=0).fit(matrix, y)
    np.testing.assert_array_equal(by_sparse.predict(matrix), by_array.predict(X))


# ---- categories ----------------------------------------------------------------------------------

TOWNS = np.array(["Bonn", "Jena", "Trier", "Ulm"])


def towns(seed: int = 0, n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes, a number, and labels that only Jena and Ulm together explain."""
    rng = np.random.default_rng(seed)
    codes, number = rng.integers(0, 4, n), rng.integers(0, 5, n).astype(float)
    y = (np.isin(codes, [1, 3]) ^ (rng.random(n) < 0.1)).astype(int)
    return codes, number, y


def town_tables(codes: np.ndarray, number: np.ndarray) -> dict[str, tuple[Any, Any]]:
    """Tables that say the same, and the categorical_features that each needs."""
    names = TOWNS[codes]
    shuffled = pd.Categorical(names, categories=["Ulm", "Oslo", "Bonn", "Trier", "Jena"])
    columns = {"town": names.tolist(), "number": number}
    enum = pl.Enum(["Jena", "Ulm", "Trier", "Bonn"])
    return {
        "pandas": (pd.DataFrame({"town": shuffled, "number": number}), "from_dtype"),
        "pandas text": (pd.DataFrame(columns), ["town"]),
        "polars": (pl.DataFrame(columns, schema_overrides={"town": pl.Categorical}), "from_dtype"),
        "polars enum": (pl.DataFrame(columns, schema_overrides={"town": enum}), "from_dtype"),
        "polars text": (pl.DataFrame(columns), [0]),
        "pyarrow": (
            pa.table({"town": pa.array(columns["town"]).dictionary_encode(), "number": number}),
            "from_dtype",
        ),
        "pyarrow text": (pa.table(columns), [True, False]),
        "objects": (np.column_stack([names.astype(object), number.astype(object)]), [0]),
        "codes": (np.column_stack([codes, number]).astype(float), [0]),
        "integer codes": (np.column_stack([codes, number]).astype(int), [0]),
        "sparse codes": (sparse.csr_matrix(np.column_stack([codes, number])).astype(float), [0]),
    }


KINDS = list(town_tables(*towns()[:2]))


@pytest.mark.parametrize("learner", [None, "tree"])
@pytest.mark.parametrize("kind", KINDS)
def test_categories_are_the_same_in_every_table(kind: str, learner: Any) -> None:
    codes, number, y = towns()
    expected: Any = None
    for name in ("codes", kind):
        table, features = town_tables(codes, number)[name]
        clf = CGAdaClassifier(estimator=learner, n_estimators=9, categorical_features=features)
        clf.fit(table, y)
        if expected is None:
            expected = clf
        same_model(clf, expected)
        fresh = towns(1)
        np.testing.assert_array_equal(
            clf.decision_function(town_tables(*fresh[:2])[name][0]),
            expected.decision_function(town_tables(*fresh[:2])["codes"][0]),
        )


def test_one_stump_splits_any_set_of_categories() -> None:
    codes, number, _ = towns()
    y = np.isin(codes, [1, 3]).astype(int)
    table, features = town_tables(codes, number)["codes"]
    clf = AdaBoostClassifier(categorical_features=features).fit(table, y)
    assert clf.n_iter_ == 1
    np.testing.assert_array_equal(clf.predict(table), y)
    ordered = AdaBoostClassifier(categorical_features=None).fit(table, y)
    assert ordered.n_iter_ > 1


@pytest.mark.parametrize("learner", [None, "tree"])
def test_categories_are_the_best_of_all_partitions(learner: Any) -> None:
    codes, number, y = towns()
    table, features = town_tables(codes, number)["codes"]
    clf = AdaBoostClassifier(
        estimator=learner, max_depth=1, n_estimators=1, categorical_features=features
    ).fit(table[:, :1], y)
    errors = []
    for subset in range(16):
        called = (subset >> codes) & 1
        errors.append(np.mean(called != y))
    assert clf.estimator_errors_[0] == pytest.approx(min(errors))


@pytest.mark.parametrize("learner", [None, "tree"])
def test_unseen_categories_count_as_missing(learner: Any) -> None:
    codes, number, y = towns()
    frame = pd.DataFrame({"town": pd.Categorical(TOWNS[codes]), "number": number})
    clf = CGAdaClassifier(estimator=learner, n_estimators=9).fit(frame, y)
    fresh = pd.DataFrame({"town": pd.Categorical(["Oslo", None, "Rom"]), "number": [2.0] * 3})
    scores = clf.decision_function(fresh)
    assert np.isfinite(scores).all()
    assert scores[0] == scores[1] == scores[2]
    codes_clf = CGAdaClassifier(estimator=learner, n_estimators=9, categorical_features=[0])
    codes_clf.fit(np.column_stack([codes, number]), y)
    odd = np.array([[99.0, 2.0], [np.nan, 2.0], [-3.0, 2.0], [1.5, 2.0]])
    np.testing.assert_array_equal(codes_clf.decision_function(odd), np.repeat(scores[:1], 4))


def test_missing_categories_are_learnt() -> None:
    town = pd.Categorical(["Ulm", "Jena", None, "Bonn"] * 20)
    y = pd.isna(town).astype(int)
    clf = AdaBoostClassifier().fit(pd.DataFrame({"town": town}), y)
    np.testing.assert_array_equal(clf.predict(pd.DataFrame({"town": town})), y)


@pytest.mark.parametrize("max_bins", [255, 8])
def test_more_categories_than_bins(max_bins: int) -> None:
    """The most frequent ones have a bin each; the others share one, unseen ones included."""
    rng = np.random.default_rng(0)
    town = np.concatenate([np.arange(1000), rng.integers(0, 6, 3000)]).astype(float)
    y = np.isin(town, [1, 4]).astype(int)
    clf = AdaBoostClassifier(categorical_features=[0], max_bins=max_bins, n_estimators=20)
    clf.fit(town[:, None], y)
    np.testing.assert_array_equal(clf.predict(np.arange(6.0)[:, None]), [0, 1, 0, 0, 1, 0])
    rare = clf.decision_function(np.array([[997.0], [998.0], [12345.0]]))
    assert rare[0] == rare[1] == rare[2]


def test_categories_can_be_read_as_numbers() -> None:
    X, y = problem()
    frame = pd.DataFrame({"a": pd.Categorical(X[:, 0]), "b": X[:, 1]})
    clf = CGAdaClassifier(n_estimators=9, categorical_features=None).fit(frame, y)
    same_model(clf, CGAdaClassifier(n_estimators=9).fit(X[:, :2], y))


# ---- missing values ------------------------------------------------------------------------------


def test_missing_values_at_prediction_only_follow_the_heavier_side() -> None:
    X = np.arange(10.0)[:, None]
    for cut in (3, 7):
        y = (X[:, 0] >= cut).astype(int)
        clf = AdaBoostClassifier().fit(X, y)
        assert clf.predict([[np.nan]]) == (1 if cut == 3 else 0)
        weight = np.where(X[:, 0] >= cut, 0.1, 9.0) if cut == 3 else np.where(X[:, 0] >= 7, 9, 0.1)
        clf.fit(X, y, sample_weight=weight)
        assert clf.predict([[np.nan]]) == (0 if cut == 3 else 1)


@pytest.mark.parametrize("learner", [None, "tree"])
def test_missing_values_at_prediction_only_are_scored(learner: Any) -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=learner, n_estimators=20).fit(X, y)
    holes = X.copy()
    holes[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    for table in (holes, pd.DataFrame(holes), np.full((3, 4), np.nan)):
        values = table.to_numpy() if isinstance(table, pd.DataFrame) else table
        scores = clf.decision_function(values)
        assert np.isfinite(scores).all()
    whole = ~np.isnan(holes).any(axis=1)
    np.testing.assert_array_equal(
        clf.decision_function(holes)[whole], clf.decision_function(X)[whole]
    )


def test_missing_values_at_training_go_where_they_are_right() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    for where in (0, 1):
        y = np.array([0, 0, 1, 1, where, where])
        clf = AdaBoostClassifier().fit(X, y)
        assert clf.n_iter_ == 1
        np.testing.assert_array_equal(clf.predict(X), y)


def test_a_column_of_nothing_but_missing_values() -> None:
    X, y = problem()
    holes = np.column_stack([np.full(len(y), np.nan), X])
    clf = CGAdaClassifier(n_estimators=9).fit(holes, y)
    assert clf.feature_importances_[0] == 0
    expected = CGAdaClassifier(n_estimators=9).fit(X, y)
    np.testing.assert_array_equal(clf.decision_function(holes), expected.decision_function(X))


# ---- weights -------------------------------------------------------------------------------------

each_built_in = pytest.mark.parametrize(
    "options",
    [{}, {"estimator": "tree", "max_depth": 3}, {"estimator": "tree", "max_leaf_nodes": 4}],
    ids=["stump", "depth", "leaves"],
)


@each_built_in
@each_classifier
def test_a_whole_weight_is_a_row_written_so_often(classifier: Any, options: dict[str, Any]) -> None:
    for seed in range(10):
        X, y = problem(80, seed=seed)
        weight = np.random.default_rng(seed).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), weight)
        weighted = classifier(n_estimators=15, **options).fit(X, y, sample_weight=weight)
        written = classifier(n_estimators=15, **options).fit(X[rows], y[rows])
        np.testing.assert_allclose(
            weighted.decision_function(X), written.decision_function(X), atol=1e-9
        )
        np.testing.assert_allclose(weighted.train_cost_, written.train_cost_)
        np.testing.assert_allclose(weighted.predict_proba(X), written.predict_proba(X), atol=1e-9)


@each_learner
@each_classifier
def test_a_row_of_weight_zero_is_no_row(classifier: Any, learner: Any) -> None:
    X, y = problem()
    rng = np.random.default_rng(4)
    weight = rng.uniform(0.1, 2, len(y)) * (rng.random(len(y)) < 0.6)
    X[weight == 0] *= 1000  # what would be seen if they took part in the bins
    costs = row_costs(len(y)) if classifier is not AdaBoostClassifier else {}
    kept = weight > 0
    some = classifier(estimator=learner, n_estimators=15, random_state=0)
    some.fit(X, y, sample_weight=weight, **costs)
    none = classifier(estimator=learner, n_estimators=15, random_state=0)
    none.fit(X[kept], y[kept], sample_weight=weight[kept], **{k: v[kept] for k, v in costs.items()})
    np.testing.assert_array_equal(some.estimator_weights_, none.estimator_weights_)
    np.testing.assert_array_equal(some.train_cost_, none.train_cost_)
    np.testing.assert_array_equal(some.decision_function(X), none.decision_function(X))
    np.testing.assert_array_equal(some.predict_proba(X), none.predict_proba(X))
    np.testing.assert_array_equal(some.predict(X), none.predict(X))


def test_equal_weights_are_no_weights() -> None:
    X, y = problem()
    plain = CGAdaClassifier(n_estimators=9, fn_cost=3).fit(X, y)
    for weight in (np.full(len(y), 0.3), 7):
        clf = CGAdaClassifier(n_estimators=9, fn_cost=3).fit(X, y, sample_weight=weight)
        same_model(clf, plain)


# ---- threads -------------------------------------------------------------------------------------

COUNT_THREADS = """
import os
import numpy as np
from threadpoolctl import threadpool_limits
from costboost import AdaBoostClassifier

def threads_after_fit(**options):
    clf = AdaBoostClassifier(n_estimators=3, **options).fit(X, y)
    clf.predict(X)
    return len(os.listdir("/proc/self/task"))

rng = np.random.default_rng(0)
X = rng.normal(size=(150_000, 10))
y = (X[:, 0] + rng.normal(size=150_000) > 0).astype(int)
before = len(os.listdir("/proc/self/task"))
with threadpool_limits(1):
    limited = threads_after_fit() - before
one = threads_after_fit(n_jobs=1) - before
free = threads_after_fit() - before
print(limited, one, free)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux does")
def test_limits_on_threads_are_respected() -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", COUNT_THREADS],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "0", "3"]
