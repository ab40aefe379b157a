"""Cost matrices and costs of rows: accepted values, errors and warnings."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from costboost import CostBoostClassifier, Costs, multiclass
from costboost._core.costs import least_expected, one_against_rest
from costboost.multiclass import (
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    MetaCostClassifier,
)
from costboost.multiclass.components import read_problem

CLASSES = [getattr(multiclass, name) for name in multiclass.__all__]
X, y = load_iris(return_X_y=True)
NAMES = np.array(["a", "b", "c"])[y]
GOOD = np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]])


def changed(place: tuple[int, int], value: float) -> np.ndarray:
    matrix = GOOD.copy()
    matrix[place] = value
    return matrix


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (
            GOOD[:2],
            r"shape \(3, 3\) for the classes 'a', 'b', 'c', got \(2, 3\).*rows are the true",
        ),
        (GOOD[0], r"shape \(3, 3\).*got \(3,\)"),
        (np.eye(4), r"got \(4, 4\)"),
        (changed((1, 2), -3), r"cost_matrix\[1, 2\] is -3; only differences"),
        (changed((0, 1), np.nan), r"cost_matrix\[0, 1\] is nan"),
        (changed((2, 1), np.inf), r"cost_matrix\[2, 1\] is inf"),
        ([["x"]], "must be an array of numbers"),
        (np.ones((3, 3)), "same cost for every prediction"),
    ],
)
def test_a_bad_matrix_is_refused(cls: Any, matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(cost_matrix=matrix).fit(X, NAMES)


def test_a_dear_diagonal_is_questioned() -> None:
    gains = np.diag([5.0, 4, 3])
    with pytest.warns(UserWarning, match="'a' is true, predicting 'b' costs 0.*If it holds gains"):
        GBSEClassifier(cost_matrix=gains, n_estimators=1).fit(X, NAMES)
    # the truth is the cheapest of its column, but not of its row
    turned = np.array([[2.0, 1.0, 9.0], [9.0, 0.5, 9.0], [9.0, 9.0, 0.0]])
    with pytest.warns(UserWarning, match="the other way round"):
        GBSEClassifier(cost_matrix=turned, n_estimators=1).fit(X, NAMES)


SHUFFLED = ["c", "a", "b"]


@pytest.mark.parametrize("cls", CLASSES)
def test_a_frame_named_by_the_classes_is_put_in_order(cls: Any) -> None:
    names = ["a", "b", "c"]
    matrix = pd.DataFrame(GOOD, index=names, columns=names)
    costs = pd.DataFrame(GOOD[y], columns=names)

    def made(matrix: Any) -> Any:
        return cls(cost_matrix=matrix, n_estimators=4, random_state=0)

    expected = made(GOOD).fit(X, NAMES).predict_proba(X)
    turned = made(matrix.loc[SHUFFLED, ["b", "c", "a"]]).fit(X, NAMES)
    np.testing.assert_array_equal(turned.predict_proba(X), expected)
    by_rows = made(None).fit(X, NAMES, costs=costs[SHUFFLED])
    np.testing.assert_array_equal(by_rows.predict(X), made(GOOD).fit(X, NAMES).predict(X))
    other = pd.DataFrame(GOOD, index=SHUFFLED, columns=list("xyz"))
    for half in (matrix.set_axis(range(3))[SHUFFLED], other):
        with pytest.raises(ValueError, match=r"(columns|rows) are named by the classes, in anoth"):
            made(half).fit(X, NAMES)


def test_a_frame_with_other_names_is_taken_as_it_stands() -> None:
    plain, named = (
        GBSEClassifier(cost_matrix=m, n_estimators=4, random_state=0).fit(X, NAMES).predict(X)
        for m in (GOOD, pd.DataFrame(GOOD, columns=list("xyz")))
    )
    np.testing.assert_array_equal(named, plain)


@pytest.mark.parametrize("names", [["a", "b", "d"], ["a", "a", "b"]])
def test_a_frame_with_some_of_the_names_is_refused(names: list[str]) -> None:
    message = r"are named 'a', '[ab]', '[bd]', but the classes are 'a', 'b', 'c'; name them all"
    for matrix in (
        pd.DataFrame(GOOD, index=names, columns=["a", "b", "c"]),
        pd.DataFrame(GOOD, index=["a", "b", "c"], columns=names),
    ):
        with pytest.raises(ValueError, match=f"of cost_matrix {message}"):
            GBSEClassifier(cost_matrix=matrix).fit(X, NAMES)
    with pytest.raises(ValueError, match=f"the columns of costs {message}"):
        GBSEClassifier().fit(X, NAMES, costs=pd.DataFrame(GOOD[y], columns=names))


def test_numbers_that_count_lines_are_no_names() -> None:
    plain, framed = (
        GBSEClassifier(cost_matrix=m, n_estimators=4, random_state=0).fit(X, y + 1).predict(X)
        for m in (GOOD, pd.DataFrame(GOOD))  # 0, 1, 2 beside the classes 1, 2, 3
    )
    np.testing.assert_array_equal(framed, plain)


def test_columns_of_other_frames_are_named_too() -> None:
    made = GBSEClassifier(n_estimators=4, random_state=0)
    expected = made.fit(X, NAMES, costs=GOOD[y]).predict_proba(X)
    by_name = {name: GOOD[y][:, "abc".index(name)] for name in SHUFFLED}
    for costs in (pl.DataFrame(by_name), pa.table(by_name)):
        np.testing.assert_array_equal(made.fit(X, NAMES, costs=costs).predict_proba(X), expected)
    with pytest.raises(ValueError, match="columns are named by the classes, in another order"):
        GBSEClassifier(cost_matrix=pl.DataFrame(GOOD, schema=SHUFFLED)).fit(X, NAMES)


def test_matrices_of_the_rows_are_sent_to_where_they_belong() -> None:
    of_rows = np.repeat(GOOD[np.newaxis], len(X), axis=0)
    for clf in (GBSEClassifier(cost_matrix=of_rows), CostBoostClassifier(cost_matrix=of_rows)):
        with pytest.raises(ValueError, match=r"got \(150, 3, 3\);.*fit\(X, y, costs=...\)"):
            clf.fit(X, NAMES)


def test_warnings_point_to_the_line_of_the_user() -> None:
    gains, other = np.eye(3), np.where(GOOD[y] == 0, 9, GOOD[y])
    for clf in (GBSEClassifier(n_estimators=2), CostBoostClassifier(n_estimators=2)):
        with pytest.warns(UserWarning, match="The truth should be the cheapest") as caught:
            clf.set_params(cost_matrix=gains).fit(X, NAMES)
        assert {one.filename for one in caught} == {__file__}
    with pytest.warns(UserWarning, match="The truth should be the cheapest") as caught:
        clf.predict(X, cost_matrix=gains)
    assert {one.filename for one in caught} == {__file__}
    with pytest.warns(UserWarning, match="not the cheapest prediction") as caught:
        GBSEClassifier(n_estimators=2).fit(X, NAMES, costs=other)
    assert {one.filename for one in caught} == {__file__}


def test_labels_that_cannot_be_sorted() -> None:
    mixed = np.array(["a", 1, 2.5] * 50, dtype=object)
    for clf in (GBSEClassifier(), CostBoostClassifier()):
        with pytest.raises(ValueError, match=r"labels of y cannot be sorted.*all text"):
            clf.fit(X, mixed)


def test_a_free_mistake_is_mentioned() -> None:
    with pytest.warns(
        UserWarning, match="'b' is true, predicting 'c' costs no more than the truth"
    ):
        GBSEClassifier(cost_matrix=changed((1, 2), 0), n_estimators=1).fit(X, NAMES)


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (GOOD[y][:100], "costs has 100 rows, but X has 150 rows"),
        (GOOD[y][:, 0], "a column for each of at least two classes"),
        (GOOD[y][:, :1], "a column for each of at least two classes"),
        (GOOD[y] - 1, r"costs\[0, 0\] is -1"),
        (np.where(GOOD[y] == 0, np.nan, GOOD[y]), r"costs\[0, 0\] is nan"),
        (np.ones((150, 3)), "same cost for every prediction"),
        (GOOD[y][:, :2], "2 columns, but y has 3 classes"),
    ],
)
def test_bad_costs_of_rows_are_refused(cls: Any, costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls().fit(X, NAMES, costs=costs)


@pytest.mark.parametrize("cls", CLASSES)
def test_a_matrix_is_a_special_case_of_costs_of_rows(cls: Any) -> None:
    options = {"n_estimators": 5, "random_state": 0}
    by_matrix = cls(cost_matrix=GOOD, **options).fit(X, NAMES)
    by_rows = cls(**options).fit(X, NAMES, costs=GOOD[y])
    without_y = cls(**options).fit(X, costs=GOOD[y])
    np.testing.assert_array_equal(by_rows.predict(X), by_matrix.predict(X))
    np.testing.assert_array_equal(without_y.predict_proba(X), by_matrix.predict_proba(X))
    np.testing.assert_array_equal(without_y.classes_, [0, 1, 2])
    np.testing.assert_allclose(by_rows.train_cost_, by_matrix.train_cost_)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [None, LogisticRegression(C=0.01)], ids=["own", "line"])
@pytest.mark.parametrize("sampling", ["rejection", "weight"])
@pytest.mark.parametrize("cls", CLASSES)
def test_a_shift_of_a_row_or_another_unit_changes_nothing(
    cls: Any, sampling: str, learner: Any
) -> None:
    """Results are equal exactly if the changed costs are exact."""
    options = {"n_estimators": 5, "random_state": 0, "estimator": learner}
    if cls is not MetaCostClassifier:
        options["sampling"] = sampling
    costs = np.array(GOOD, dtype=float)[y] * (1 + np.arange(150)[:, None] % 5)
    plain = cls(**options).fit(X, y, costs=costs)
    shift = 7.0 * (np.arange(150)[:, None] % 4)
    shifted = cls(**options).fit(X, y, costs=costs + shift)
    np.testing.assert_array_equal(shifted.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_allclose(shifted.train_cost_, plain.train_cost_ + shift.mean())
    for factor in (3.0, 2.0**-900, 2.0**900):
        scaled = cls(**options).fit(X, y, costs=costs * factor)
        np.testing.assert_array_equal(scaled.predict_proba(X), plain.predict_proba(X))
        np.testing.assert_allclose(scaled.train_cost_, plain.train_cost_ * factor)


def test_without_y_ties_are_mentioned() -> None:
    costs = GOOD[y].copy()
    costs[:7, 1] = 0
    with pytest.warns(UserWarning, match="7 of 150 rows have several cheapest classes"):
        CostingClassifier(n_estimators=1).fit(X, costs=costs)


def test_with_y_ties_are_mentioned_too() -> None:
    costs = GOOD[y].copy()
    costs[:7, 1] = 0
    with pytest.warns(UserWarning, match="7 of 150 rows have .* the label in y is taken where"):
        clf = GBSEClassifier(n_estimators=1).fit(X, y, costs=costs)
    assert set(clf.classes_) == {0, 1, 2}


@pytest.mark.parametrize("small", [1.0, 1e-9])
@pytest.mark.parametrize("great", [1.0, 1e12, 1e300])
def test_great_costs_do_not_blur_small_ones(great: float, small: float) -> None:
    """Large costs of the third class do not affect the decision between the other two."""
    matrix = great * np.array([[0, 0, 1.0], [0, 0, 1.0], [1.0, 1.0, 0]])
    matrix[0, 1], matrix[1, 0] = small, small
    P = np.array([[0.3, 0.7, 0.0], [0.7, 0.3, 0.0], [0.5, 0.5, 0.0]])
    for costs in (matrix, np.stack([matrix] * 3)):
        np.testing.assert_array_equal(least_expected(P, costs), [1, 0, 0])


def test_costs_that_every_prediction_has_do_not_blur_their_differences() -> None:
    matrix = 1e13 + GOOD
    P = np.array([[0.3, 0.6, 0.1], [0.8, 0.1, 0.1], [0.1, 0.2, 0.7]])
    np.testing.assert_array_equal(least_expected(P, matrix), least_expected(P, GOOD))
    assert len(set(least_expected(P, GOOD))) > 1


def test_great_costs_after_training() -> None:
    """Costs of the third class do not affect the decision between the other two."""
    matrix = np.array([[0, 3.0, 2.0**50], [2.0, 0, 2.0**50], [2.0**50, 2.0**50, 2.0**60]])
    for clf in (
        CostBoostClassifier(n_estimators=5, random_state=0),
        MetaCostClassifier(relabel=False, n_estimators=5, random_state=0),
    ):
        P = clf.fit(X, y).predict_proba(X)
        with pytest.warns(UserWarning, match="truth should be the cheapest"):
            predicted = clf.predict(X, cost_matrix=matrix)
        np.testing.assert_array_equal(predicted, 3 * P[:, 0] < 2 * P[:, 1])
        with pytest.warns(UserWarning, match="truth should be the cheapest"):
            (*_, last) = clf.staged_predict(X, cost_matrix=matrix)
        np.testing.assert_array_equal(last, predicted)


@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    power=st.integers(-300, 300),
    of_rows=st.booleans(),
)
@settings(deadline=None, derandomize=True)
def test_the_class_of_least_expected_cost(seed: int, k: int, power: int, of_rows: bool) -> None:
    """In exact fractions, no class costs less beyond rounding, and no earlier one as little."""
    random = np.random.default_rng(seed)
    shape = (4, k, k) if of_rows else (k, k)
    matrix = 10.0 ** random.integers(-12, 13, shape) * random.integers(0, 4, shape) * 2.0**power
    P = random.integers(0, 4, (4, k)) + np.eye(4, k)
    P[:, 0] += P.sum(axis=1) == 0
    P /= P.sum(axis=1, keepdims=True)
    for n, code in enumerate(least_expected(P, matrix).tolist()):
        costs = [[Fraction(c) for c in row] for row in (matrix[n] if of_rows else matrix)]
        terms = [
            [Fraction(p) * (row[j] - row[code]) for p, row in zip(P[n], costs, strict=True)]
            for j in range(k)
        ]
        beyond, size = [sum(one) for one in terms], [sum(map(abs, one)) for one in terms]
        assert all(b >= -s / 10**11 for b, s in zip(beyond, size, strict=True))
        assert all(b > s / 10**14 for b, s in zip(beyond[:code], size[:code], strict=True))


def test_a_label_that_is_not_the_cheapest_is_mentioned() -> None:
    costs = GOOD[y].copy()
    costs[:7, 0] = 9
    with pytest.warns(UserWarning, match="on 7 of 150 rows the label in y is not the cheapest"):
        DSEClassifier(n_estimators=1).fit(X, y, costs=costs)


def test_classes_that_do_not_occur_may_be_predicted_where_costs_have_a_column() -> None:
    costs = np.column_stack([GOOD[y], np.full(150, 0.5)])
    with pytest.warns(UserWarning, match="is not the cheapest"):
        clf = GBSEClassifier(n_estimators=3, random_state=0).fit(
            X, y, costs=np.where(costs == 0, 1.0, costs)
        )
    np.testing.assert_array_equal(clf.classes_, [0, 1, 2, 3])
    assert set(clf.predict(X)) == {3}  # always the cheapest


@pytest.mark.parametrize("cls", CLASSES)
def test_a_failed_fit_leaves_the_old_model(cls: Any) -> None:
    clf = cls(n_estimators=2, random_state=0).fit(X, y)
    before = clf.predict_proba(X)
    with pytest.raises(ValueError, match="costs has"):
        clf.fit(X, NAMES, costs=GOOD[:2])
    np.testing.assert_array_equal(clf.predict_proba(X), before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators must be a whole number from 1 to"),
        ({"sampling": "bootstrap"}, "sampling must be one of 'rejection', 'weight'"),
        ({"max_samples": 0.0}, "max_samples must be a number above 0"),
        ({"max_samples": 1.5}, "max_samples must be at most 1"),
        ({"alpha": 0}, "alpha must be a number above 0"),
        ({"alpha": 2}, "alpha must be None or a number up to 1"),
        ({"variant": "GBSE"}, "variant must be one of 'gbse', 'gbse-t'"),
        ({"estimator": "tree"}, "estimator must be None or a scikit-learn classifier"),
        ({"max_depth": 0}, "max_depth must be a whole number of at least 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number of at least 1"),
    ],
)
def test_bad_parameters_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GBSEClassifier(**options).fit(X, y)


def test_neither_labels_nor_costs() -> None:
    with pytest.raises(ValueError, match="y may only be left out where costs are given"):
        GBSEClassifier().fit(X)


def test_one_class() -> None:
    with pytest.raises(ValueError, match="one class only, 'a'"):
        GBSEClassifier().fit(X[:9], NAMES[:9])


# ---- one against the rest ------------------------------------------------------------------------


def test_costs_of_one_class_against_the_rest() -> None:
    share = np.array([0.5, 0.3, 0.2])
    fn_cost, fp_cost = one_against_rest(GOOD, share)
    np.testing.assert_allclose(fn_cost[0], (0.3 * 1 + 0.2 * 2) / 0.5)
    np.testing.assert_allclose(fp_cost[0], (0.3 * 3 + 0.2 * 5) / 0.5)
    np.testing.assert_allclose(fn_cost[2], (0.5 * 5 + 0.3 * 6) / 0.8)
    two = one_against_rest(np.array([[0.0, 2], [7, 0]]), np.array([0.9, 0.1]))
    np.testing.assert_allclose(two, [[2, 7], [7, 2]])


def test_the_problem_keeps_the_users_unit() -> None:
    classes, problem = read_problem(NAMES, None, GOOD, 150)
    np.testing.assert_array_equal(classes, ["a", "b", "c"])
    assert problem.unit == 6.0
    assert problem.mean_cost(np.zeros(150, dtype=int)) == pytest.approx(8 / 3)


def test_a_record_of_costs_is_its_numbers() -> None:
    """Costs of every prediction, a matrix with the names of the classes, and outcomes."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(90, 3)), np.array(["b", "a", "c"])[np.arange(90) % 3]
    X[:, 0] += np.arange(90) % 3
    of_rows = rng.uniform(1, 9, (90, 3)) * (y[:, None] != ["a", "b", "c"])
    matrix = np.array([[0.0, 1.0, 4.0], [3.0, 0.0, 2.0], [9.0, 5.0, 0.0]])
    clf = GBSEClassifier(n_estimators=3, calibration="dirichlet", random_state=0)
    plain = clone(clf).fit(X, y, costs=of_rows)
    order = [2, 0, 1]
    named = Costs.per_prediction(of_rows[:, order], classes=["c", "a", "b"])
    same = clone(clf).fit(X, y, costs=named)
    assert np.array_equal(same.predict_proba(X), plain.predict_proba(X))
    turned = Costs.matrix(matrix[np.ix_(order, order)], classes=["c", "a", "b"])
    other = clone(clf).set_params(cost_matrix=matrix).fit(X, y)
    assert np.array_equal(
        clone(clf).fit(X, y, costs=turned).predict_proba(X), other.predict_proba(X)
    )
    assert np.array_equal(plain.predict(X, costs=turned), plain.predict(X, cost_matrix=matrix))
    two, amount = (y == "a").astype(int), rng.uniform(1, 9, 90)
    outcomes = Costs.outcomes(fn_cost=amount, fp_cost=2.0)
    of_two = np.column_stack([two * amount, (1 - two) * 2.0])
    found = [clone(clf).fit(X, two, costs=costs).predict_proba(X) for costs in (outcomes, of_two)]
    assert np.array_equal(*found)
    with pytest.raises(ValueError, match="is for 2 classes, but y has"):
        clf.fit(X, y, costs=outcomes)
