"""Odd data: constants, duplicates, extreme weights, costs and values; draws, perfect learners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from classifiers.trying import (
    assert_finite,
    each_classifier,
    each_learner,
    ignore_blind,
    ignore_empty,
    problem,
    same_model,
)

from costboost.algorithms import (
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
)

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_Y = np.array([0, 1, 1, 0])


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
    costly = int(ratio > 1)
    assert (clf.predict(X)[y == costly] == costly).all()


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
    np.testing.assert_array_equal(clf.raw_score(X), [-1.0] * 4)
    assert np.all(clf.decision_function(X) <= 0)
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
    assert clf.raw_score(X) == (1 if prior > 0.5 else -1)
    by_cost = prior - 0.5 if classifier is AdaMECClassifier else clf.raw_score(X)
    assert clf.decision_function(X) == pytest.approx(by_cost)
    assert clf.predict(X) == (1 if prior > 0.5 else 0)


@ignore_blind
def test_the_fallback_weighs_costs_unless_it_is_blind() -> None:
    X = np.zeros((1, 1))
    costs = {"fn_cost": 1.0, "fp_cost": 9.0}
    for classifier in (CGAdaClassifier, AdaMECClassifier):
        clf = fallback(classifier, 3, 1, **costs)
        assert clf.raw_score(X) == -1
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


@pytest.mark.parametrize("cls", [GentleBoostClassifier, LogitBoostClassifier])
def test_categories_that_divide_only_a_part_of_the_rows(cls: Any) -> None:
    """Of all rows neither end of the order a, b, c fills a leaf; in a part b comes first."""
    cells = [  # other feature, category, rows, positive ones
        (0, "a", 20, 8), (0, "b", 60, 18), (0, "c", 20, 19),
        (1, "a", 4, 0), (1, "b", 60, 36), (1, "c", 4, 4),
    ]  # fmt: skip
    kinds = pd.DataFrame([cell[:2] for cell in cells], columns=["other", "kind"])
    kinds["kind"] = kinds["kind"].astype("category")
    table = kinds.loc[np.repeat(np.arange(6), [cell[2] for cell in cells])]
    y = np.concatenate([np.arange(n) < positive for _, _, n, positive in cells])
    tree = {"estimator": "tree", "max_leaf_nodes": 4, "min_samples_leaf": 30}
    clf = cls(n_estimators=1, **tree).fit(table, y)
    a, b, c, *others = clf.decision_function(kinds)
    assert a == c > b
    assert len({b, *others}) == 2  # and the other part has none to divide
