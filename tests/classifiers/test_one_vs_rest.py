"""More than two classes: every binary classifier, one class against the rest."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

import costboost
from costboost import CostBoostClassifier
from costboost._core.costs import one_against_rest
from costboost.algorithms import (
    CLASSES,
    AdaBoostClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    LogitBoostClassifier,
)

BOOSTING = list(CLASSES)
X, y = load_wine(return_X_y=True)
NAMES = np.array(["barolo", "grignolino", "barbera"])[y]
MATRIX = np.array([[0.0, 1, 2], [3, 0, 4], [50, 60, 0]])
QUIET = pytest.mark.filterwarnings("ignore:.*(added no learner|ignores costs):UserWarning")


def made(cls: Any, **options: Any) -> Any:
    return cls(**({"n_estimators": 10, "random_state": 0} | options))


@QUIET
@pytest.mark.parametrize("cls", BOOSTING)
def test_every_classifier(cls: Any) -> None:
    clf = made(cls, cost_matrix=MATRIX).fit(X, NAMES)
    np.testing.assert_array_equal(clf.classes_, np.unique(NAMES))
    assert get_tags(clf).classifier_tags.multi_class
    shares = clf.predict_proba(X)
    assert shares.shape == clf.decision_function(X).shape == (178, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    each = [clf] if cls.rule_of_several else clf.estimators_
    assert len(each) == (1 if cls.rule_of_several else 3)
    assert clf.score(X, NAMES) > 0.3
    assert clf.feature_importances_.shape == (13,)
    stages = [
        list(method(X))
        for method in (clf.staged_decision_function, clf.staged_predict_proba, clf.staged_predict)
    ]
    longest = max(len(list(one.staged_predict(X))) for one in each)
    assert {len(stage) for stage in stages} == {longest}
    np.testing.assert_allclose(stages[0][-1], clf.decision_function(X))
    np.testing.assert_allclose(stages[1][-1], shares)
    np.testing.assert_array_equal(stages[2][-1], clf.predict(X))
    assert list(clf.staged_score(X, NAMES))[-1] == clf.score(X, NAMES)


def test_an_error_names_the_class() -> None:
    rare = np.where(NAMES == "barbera", "barolo", NAMES)
    rare[5:7] = "barbera"
    with pytest.raises(ValueError, match=r"class 'barbera' against the rest: .*one has 2 rows"):
        made(AdaBoostClassifier, calibration="platt", calibration_split=0.2).fit(X, rare)
    made(CostBoostClassifier, calibration_split=0.2).fit(X, rare)  # a score for each class
    with pytest.raises(ValueError, match=r"^categorical_features names column 'sort'"):
        made(CostBoostClassifier, categorical_features=["sort"]).fit(pd.DataFrame(X), NAMES)


@pytest.mark.parametrize(
    "clf",
    [
        LogitBoostClassifier(n_estimators=10, calibration="log-odds", random_state=0),
        AdaBoostClassifier(n_estimators=10, calibration="platt", calibration_split="loo"),
        AdaMECClassifier(n_estimators=10, early_stopping=True, random_state=0),
        AdaBoostClassifier(
            n_estimators=4,
            estimator=DecisionTreeClassifier(max_depth=1),
            calibration="platt",
            calibration_split=2,
            random_state=0,
        ),
    ],
    ids=str,
)
def test_a_class_of_one_row_has_its_share_as_probability(clf: Any, tmp_path: Any) -> None:
    """It can be trained on or held out, not both; the other classes are none the worse for it."""
    X, y = load_iris(return_X_y=True)
    some = slice(0, 101)
    with pytest.warns(UserWarning, match="class 2 has one training row, but .* has to hold out"):
        clf = clone(clf).fit(X[some], y[some])
    lone = clf.estimators_[2]
    assert lone.n_iter_ == 0
    assert clf.estimators_[0].n_iter_ > 0
    np.testing.assert_array_equal(lone.predict_proba(X)[:, 1], 1 / 101)
    P = clf.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (clf.predict(X[:100]) == y[:100]).mean() > 0.9
    longest = max(len(list(one.staged_predict(X))) for one in clf.estimators_)
    assert len(list(clf.staged_predict(X))) == longest > 1
    costly = np.array([[0, 1, 1], [1, 0, 1], [1000, 1000, 0]])
    assert (clf.predict(X, cost_matrix=costly) == 2).all()  # by its share of the rows
    if clf.model_.learner != "wrapped":
        assert clf.feature_importances_.sum() == pytest.approx(1)
        costboost.save(clf, tmp_path / "m.costboost")
        again = costboost.load(tmp_path / "m.costboost")
        np.testing.assert_array_equal(again.predict_proba(X), P)
    with pytest.warns(UserWarning, match="class 2 has one training row"):
        clf.set_params(warm_start=True).fit(X[some], y[some])
    assert clf.estimators_[2].n_iter_ == 0


def test_members_are_the_binary_classifiers() -> None:
    """A class against the rest, with the costs that the matrix gives to it."""
    clf = made(CGAdaClassifier, cost_matrix=MATRIX).fit(X, y)
    fn_cost, fp_cost = one_against_rest(MATRIX, np.bincount(y) / len(y))
    for c, one in enumerate(clf.estimators_):
        direct = made(CGAdaClassifier, fn_cost=fn_cost[c], fp_cost=fp_cost[c]).fit(X, y == c)
        assert one.ensemble_ == direct.ensemble_
        np.testing.assert_array_equal(one.train_cost_, direct.train_cost_)


def test_decisions_of_least_expected_cost() -> None:
    clf = made(CostBoostClassifier, cost_matrix=MATRIX).fit(X[::2], y[::2])
    rest = X[1::2]
    risk = clf.predict_proba(rest) @ MATRIX
    np.testing.assert_array_equal(clf.predict(rest), risk.argmin(axis=1))
    np.testing.assert_allclose(clf.decision_function(rest), -risk)
    other = MATRIX.T
    expected = (clf.predict_proba(rest) @ other).argmin(axis=1)
    np.testing.assert_array_equal(clf.predict(rest, cost_matrix=other), expected)
    each = np.where(np.arange(len(rest))[:, None, None] % 2, MATRIX, other)
    both = np.where(np.arange(len(rest)) % 2, clf.predict(rest), expected)
    np.testing.assert_array_equal(clf.predict(rest, cost_matrix=each), both)


def test_costs_save_costs() -> None:
    """Mistakes on eights and nines cost 20 times the others."""
    rows, label = load_digits(return_X_y=True)
    matrix = 1 - np.eye(10)
    matrix[8:] *= 20
    costs = []
    for given in (None, matrix):
        clf = made(CGAdaClassifier, cost_matrix=given, estimator="tree", calibration="platt")
        y_pred = clf.fit(rows[::2], label[::2]).predict(rows[1::2])
        costs.append(matrix[label[1::2], y_pred].mean())
    assert costs[1] < 0.8 * costs[0]


@pytest.mark.parametrize("calibration", ["platt", "isotonic"])
def test_calibrated_members_take_other_costs(calibration: str) -> None:
    clf = made(CGAdaClassifier, calibration=calibration).fit(X, y)
    assert clf.score(X, y) > 0.9
    y_pred = clf.predict(X, cost_matrix=MATRIX)
    assert (y_pred == 2).sum() >= (clf.predict(X) == 2).sum()


# ---- two classes are as they were ----------------------------------------------------------------


@QUIET
@pytest.mark.parametrize("cls", BOOSTING)
def test_two_classes_by_matrix_are_two_classes_by_costs(cls: Any) -> None:
    few, label = X[y < 2], NAMES[y < 2]
    matrix = np.array([[1.0, 3.0], [8.0, 1.0]])  # a truth that costs something
    by_matrix = made(cls, cost_matrix=matrix).fit(few, label)
    by_costs = made(cls, fn_cost=7.0, fp_cost=2.0).fit(few, label)
    np.testing.assert_array_equal(by_matrix.predict(few), by_costs.predict(few))
    np.testing.assert_array_equal(by_matrix.predict_proba(few), by_costs.predict_proba(few))
    turned = made(cls, cost_matrix=matrix, pos_label="barolo").fit(few, label)
    assert turned.model_.costs == (2.0, 7.0)


def test_other_costs_of_two_classes_after_training() -> None:
    few, label = X[y < 2], y[y < 2]
    clf = made(AdaMECClassifier).fit(few, label)
    matrix = [[0, 2], [7, 0]]
    by_costs = clf.predict(few, fn_cost=7, fp_cost=2)
    np.testing.assert_array_equal(clf.predict(few, cost_matrix=matrix), by_costs)
    each = np.broadcast_to(np.array(matrix, dtype=float), (len(few), 2, 2))
    np.testing.assert_array_equal(clf.predict(few, cost_matrix=each), by_costs)
    with pytest.raises(ValueError, match="given twice"):
        clf.predict(few, fn_cost=3, cost_matrix=matrix)


# ---- fitting -------------------------------------------------------------------------------------


@QUIET
@pytest.mark.parametrize("learner", [None, "tree", DecisionTreeClassifier(max_depth=2)])
@pytest.mark.parametrize("cls", [AdaMECClassifier, CGAdaClassifier])
def test_warm_start(cls: Any, learner: Any) -> None:
    options = {"estimator": learner, "cost_matrix": MATRIX}
    whole = made(cls, **options).fit(X, y)
    half = made(cls, **options, warm_start=True).set_params(n_estimators=4).fit(X, y)
    half.set_params(n_estimators=10).fit(X, y)
    np.testing.assert_allclose(half.predict_proba(X), whole.predict_proba(X), atol=1e-12)
    assert half.n_iter_ == whole.n_iter_
    with pytest.raises(ValueError, match="goes on with the same classes"):
        half.fit(X, NAMES)
    with pytest.raises(ValueError, match="X has 12 features instead of 13"):
        half.fit(X[:, 1:], y)
    np.testing.assert_allclose(half.predict_proba(X), whole.predict_proba(X), atol=1e-12)


def test_from_several_classes_to_two_and_back() -> None:
    clf = made(CGAdaClassifier)
    for _ in range(2):
        clf.fit(X, y)
        assert not hasattr(clf, "ensemble_")
        assert set(vars(clf)) == set(vars(made(CGAdaClassifier).fit(X, y)))
        assert clf.predict_proba(X).shape == (178, 3)
        clf.fit(X[y < 2], y[y < 2])
        assert not hasattr(clf, "estimators_")
        assert set(vars(clf)) == set(vars(made(CGAdaClassifier).fit(X[y < 2], y[y < 2])))
        assert clf.predict_proba(X).shape == (178, 2)


def test_sample_weight() -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    clf = made(CGAdaClassifier, cost_matrix=MATRIX)
    weighted = clone(clf).fit(X, y, sample_weight=weight)
    repeated = clone(clf).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))
    with pytest.raises(ValueError, match="class 1 has no row whose sample_weight is not 0"):
        clf.fit(X, y, sample_weight=(y != 1).astype(float))


def test_rows_that_calibration_holds_out_are_numbered_as_given() -> None:
    """Those of weight 0 count among the row numbers of a split, and take no part."""
    weight = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    rows = np.arange(len(y))
    parts = [(rows[rows % 4 != k], rows[rows % 4 == k]) for k in range(4)]
    number = np.cumsum(weight > 0) - 1
    kept = weight > 0
    fewer = [tuple(number[part[kept[part]]] for part in pair) for pair in parts]
    clf = made(CGAdaClassifier, cost_matrix=MATRIX, calibration="platt")
    weighted = clone(clf).set_params(calibration_split=parts).fit(X, y, sample_weight=weight)
    without = clone(clf).set_params(calibration_split=fewer).fit(X[kept], y[kept])
    np.testing.assert_allclose(weighted.predict_proba(X), without.predict_proba(X))


def test_early_stopping_ends_each_class_by_itself() -> None:
    clf = made(AdaMECClassifier, n_estimators=60, early_stopping=True, n_iter_no_change=3)
    clf.fit(X, y)
    rounds = [one.n_iter_ for one in clf.estimators_]
    assert clf.n_iter_ == max(rounds)
    assert min(rounds) < 60
    assert len(list(clf.staged_predict(X))) == max(rounds)
    np.testing.assert_array_equal(list(clf.staged_predict(X))[-1], clf.predict(X))


def test_pickle_clone_and_frames() -> None:
    frame = pd.DataFrame(X).add_prefix("x").assign(kind=pd.Categorical(NAMES))
    clf = made(CostBoostClassifier).fit(frame, NAMES)
    assert clf.score(frame, NAMES) > 0.95
    copy = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(copy.predict_proba(frame), clf.predict_proba(frame))
    again = clone(clf).fit(frame, NAMES)
    np.testing.assert_array_equal(again.predict_proba(frame), clf.predict_proba(frame))
    assert sum(clf.shares_.values()) == pytest.approx(1)


# ---- what can go wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fn_cost": 3}, "fn_cost and fp_cost are for two classes, but y has 3; give cost_matrix"),
        ({"fp_cost": 3}, "fn_cost and fp_cost are for two classes"),
        ({"pos_label": 1}, "pos_label is for two classes, but y has 3"),
        ({"cost_matrix": np.eye(2)}, r"shape \(3, 3\) for the classes 0, 1, 2, got \(2, 2\)"),
        ({"cost_matrix": -MATRIX}, "finite and not negative"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made(CGAdaClassifier, **options).fit(X, y)


def test_bad_costs_of_two_classes() -> None:
    few, label = X[y < 2], y[y < 2]
    with pytest.raises(ValueError, match="costs are given twice"):
        made(CGAdaClassifier, fn_cost=2, cost_matrix=[[0, 1], [1, 0]]).fit(few, label)
    with (
        pytest.warns(UserWarning, match="The truth should be the cheapest"),
        pytest.raises(ValueError, match="a mistake must cost more than the truth"),
    ):
        made(CGAdaClassifier, cost_matrix=[[5, 1], [1, 0]]).fit(few, label)
    of_rows = np.tile([[0.0, 3], [2, 0]], (len(few), 1, 1))
    of_rows[7, 1] = 4  # every prediction for this row costs 4
    message = "a false negative costs 0 more and a false positive 3 in row 7"
    with pytest.raises(ValueError, match=message):
        made(CGAdaClassifier, cost_matrix=of_rows).fit(few, label)


def test_cost_blind_classifiers_warn_and_ignore() -> None:
    with pytest.warns(UserWarning, match="AdaBoostClassifier ignores costs: those of cost_matrix"):
        clf = made(AdaBoostClassifier, cost_matrix=MATRIX).fit(X, y)
    plain = made(AdaBoostClassifier).fit(X, y)
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))


def test_costs_after_training_are_refused_where_training_saw_costs() -> None:
    clf = made(CGAdaClassifier).fit(X, y)
    with pytest.raises(ValueError, match="cannot be given other costs after training"):
        clf.predict(X, cost_matrix=MATRIX)
    mec = made(AdaMECClassifier).fit(X, y)
    with pytest.raises(ValueError, match="fn_cost and fp_cost are for two classes"):
        mec.predict(X, fn_cost=3)


def test_explanations_are_those_of_the_members() -> None:
    frame = pd.DataFrame(X).add_prefix("x")
    clf = made(CGAdaClassifier).fit(frame, y)
    one = made(CGAdaClassifier).fit(frame, y == 1)
    found, wanted = (each.explain(frame[:9], output="score") for each in (clf, one))
    np.testing.assert_allclose(found[..., 1], wanted)
    np.testing.assert_allclose(clf.estimators_[1].explain(frame[:9]), one.explain(frame[:9]))


def test_scores_in_another_unit_are_made_comparable() -> None:
    """CSAda's scores shrink with the costs; which class wins must not depend on that."""
    rows, label = load_iris(return_X_y=True)
    one, other = (
        made(CSAdaClassifier, cost_matrix=factor * (1 - np.eye(3))).fit(rows, label)
        for factor in (1, 1000)
    )
    np.testing.assert_array_equal(one.predict(rows), other.predict(rows))
