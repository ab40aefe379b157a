"""Costs of predictions against the confusion matrix, and against a sum over the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, zero_one_loss

from costboost import Costs
from costboost.metrics import (
    brier_curve,
    cost_curve,
    decision_curve,
    masnadi_cost,
    mean_cost,
    net_benefit_score,
    normalized_cost,
    profit_curve,
    savings,
    total_cost,
)

T = np.array([1, 1, 1, 0, 0, 0, 0, 0])
P = np.array([1, 0, 0, 1, 0, 0, 0, 1])
LETTERS = np.array(["a", "b", "c"])
MATRIX = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 3.0], [7.0, 5.0, 0.0]])

money = st.floats(0, 100)
pair = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 5), money, money)


@st.composite
def decisions(draw: Any) -> tuple[np.ndarray, ...]:
    """Truth and prediction, weight, cost of a miss and of an alarm; rows of both classes."""
    rows = draw(st.lists(pair, max_size=30))
    rows += [(0, draw(st.integers(0, 1)), 1, 1.0, 2.0), (1, draw(st.integers(0, 1)), 1, 2.0, 1.0)]
    return tuple(np.array(column) for column in zip(*rows, strict=True))


# ---- agreement with scikit-learn -----------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(decisions(), money, money)
def test_two_classes_are_the_confusion_matrix(rows: Any, fn: float, fp: float) -> None:
    true, y_pred, weight, *_ = rows
    counts = confusion_matrix(true, y_pred, sample_weight=weight)
    cost = (counts * [[0, fp], [fn, 0]]).sum()
    given_costs: Any = {"fn_cost": fn, "fp_cost": fp, "sample_weight": weight}
    assert_allclose(total_cost(true, y_pred, **given_costs), cost, rtol=1e-12)
    assert_allclose(mean_cost(true, y_pred, **given_costs), cost / weight.sum(), rtol=1e-12)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 4)), min_size=1),
    st.lists(money, min_size=9, max_size=9),
)
def test_many_classes_are_the_confusion_matrix(rows: Any, costs: list[float]) -> None:
    true, y_pred, weight = (np.array(column) for column in zip(*rows, strict=True))
    matrix = np.reshape(costs, (3, 3))
    counts = confusion_matrix(true, y_pred, labels=[0, 1, 2], sample_weight=weight)
    expected = (counts * matrix).sum()
    options: Any = {"labels": LETTERS, "sample_weight": weight}
    found = total_cost(LETTERS[true], LETTERS[y_pred], cost_matrix=matrix, **options)
    assert_allclose(found, expected, rtol=1e-12)
    rowwise = total_cost(None, LETTERS[y_pred], costs=matrix[true], **options)
    assert_allclose(rowwise, expected, rtol=1e-12)


@settings(deadline=None, derandomize=True)
@given(decisions())
def test_costs_of_each_row(rows: Any) -> None:
    true, y_pred, weight, fn, fp = rows
    expected = sum(
        w * (f if t == 1 else g)
        for t, s, w, f, g in zip(true, y_pred, weight, fn, fp, strict=True)
        if t != s
    )
    options: Any = {"fn_cost": fn, "fp_cost": fp, "sample_weight": weight}
    assert_allclose(total_cost(true, y_pred, **options), expected, rtol=1e-12, atol=1e-12)


@settings(deadline=None, derandomize=True)
@given(decisions())
def test_equal_costs_are_the_error_rate(rows: Any) -> None:
    true, y_pred, weight, *_ = rows
    error = zero_one_loss(true, y_pred, sample_weight=weight)
    for measure in (mean_cost, normalized_cost):
        assert measure(true, y_pred, fn_cost=1, sample_weight=weight) == pytest.approx(error)


@settings(deadline=None, derandomize=True)
@given(decisions())
def test_at_skew_one_half_q_is_the_balanced_error_rate(rows: Any) -> None:
    true, y_pred, weight, *_ = rows
    balanced = 1 - balanced_accuracy_score(true, y_pred, sample_weight=weight)
    q = normalized_cost(true, y_pred, skew=0.5, sample_weight=weight)
    assert q == pytest.approx(balanced, abs=1e-12)


@settings(deadline=None, derandomize=True)
@given(decisions(), st.floats(0.01, 100), st.floats(0.01, 100))
def test_q_is_equation_26(rows: Any, fn: float, fp: float) -> None:
    true, y_pred, weight, *_ = rows
    (tn, fa), (miss, tp) = confusion_matrix(true, y_pred, sample_weight=weight)
    positives, negatives = miss + tp, tn + fa
    z = negatives * fp / (negatives * fp + positives * fn)
    expected = miss / positives * (1 - z) + fa / negatives * z
    options: Any = {"sample_weight": weight, "fn_cost": fn, "fp_cost": fp}
    assert_allclose(normalized_cost(true, y_pred, **options), expected, atol=1e-12)
    assert_allclose(normalized_cost(true, y_pred, skew=z, **options), expected, atol=1e-12)


@settings(deadline=None, derandomize=True)
@given(decisions())
def test_q_with_costs_of_each_row(rows: Any) -> None:
    true, y_pred, weight, fn, fp = rows
    options: Any = {"fn_cost": fn, "fp_cost": fp, "sample_weight": weight}
    greatest = total_cost(true, 1 - true, **options)
    q = normalized_cost(true, y_pred, **options)
    assert q == pytest.approx(total_cost(true, y_pred, **options) / greatest, abs=1e-12)
    z = (weight * fp)[true == 0].sum() / greatest
    assert q == pytest.approx(normalized_cost(true, y_pred, skew=z, **options), abs=1e-9)


# ---- what the measures are -----------------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(decisions())
def test_savings_compare_with_the_better_trivial_classifier(rows: Any) -> None:
    true, y_pred, weight, fn, fp = rows
    options: Any = {"fn_cost": fn, "fp_cost": fp, "sample_weight": weight}
    never, always = (total_cost(true, np.full_like(true, k), **options) for k in (0, 1))
    expected = 1 - total_cost(true, y_pred, **options) / min(never, always)
    assert savings(true, y_pred, **options) == pytest.approx(expected)
    assert savings(true, true, **options) == 1


@pytest.mark.parametrize("right", [{"tp_cost": 2.0}, {"tp_cost": 2.0, "tn_cost": 0.25}])
def test_savings_are_those_of_empulse_and_the_same_in_every_form(right: Any) -> None:
    random = np.random.default_rng(0)
    true, y_pred = random.integers(0, 2, (2, 50))
    given = {"fn_cost": 10.0, "fp_cost": 1.0, "tn_cost": 0.0} | right
    fn, fp, tp, tn = (given[name] for name in ("fn_cost", "fp_cost", "tp_cost", "tn_cost"))
    cost = np.where(true, np.where(y_pred, tp, fn), np.where(y_pred, fp, tn)).sum()
    trivial = min(np.where(true, fn, tn).sum(), np.where(true, tp, fp).sum())
    least = np.where(true, tp, tn).sum()
    by_row = {name: np.full(50, value) for name, value in given.items()}
    forms = given, by_row, {"cost_matrix": [[tn, fp], [fn, tp]]}
    for form in (*forms, {"costs": np.where(true[:, None], [fn, tp], [tn, fp])}):
        assert savings(true, y_pred, **form) == pytest.approx(1 - cost / trivial)
        avoidable = savings(true, y_pred, **form, counted="avoidable")
        assert avoidable == pytest.approx(1 - (cost - least) / (trivial - least))
        assert savings(true, true, **form, counted="avoidable") == 1
    empulse = pytest.importorskip("empulse.metrics")
    assert savings(true, y_pred, **given) == pytest.approx(
        empulse.savings_score(true, y_pred, **given)
    )


def test_no_share_of_a_gain_is_saved() -> None:
    gains = {"fn_cost": 1, "fp_cost": 1, "tp_cost": -3}
    with pytest.raises(
        ValueError, match="predicting one class for every row costs -5, which is a gain"
    ):
        savings([1, 1, 0], [1, 0, 0], **gains)
    assert savings([1, 1, 0], [1, 1, 0], **gains, counted="avoidable") == 1
    with pytest.raises(ValueError, match="counted must be 'all' or 'avoidable', got 'some'"):
        savings([1, 1, 0], [1, 1, 0], fn_cost=2, counted="some")


def test_savings_with_a_cost_matrix() -> None:
    true, y_pred = LETTERS[[0, 0, 1, 2]], LETTERS[[0, 1, 1, 2]]
    trivial = [2 + 7, 1 + 1 + 5, 4 + 4 + 3]  # all a, all b, all c
    assert savings(true, y_pred, cost_matrix=MATRIX) == 1 - 1 / min(trivial)


def test_normalized_cost_with_a_cost_matrix() -> None:
    true = LETTERS[[0, 1, 2]]
    assert normalized_cost(true, true, cost_matrix=MATRIX) == 0
    assert normalized_cost(true, LETTERS[[2, 2, 0]], cost_matrix=MATRIX) == 1
    assert normalized_cost(true, LETTERS[[1, 1, 2]], cost_matrix=MATRIX) == pytest.approx(1 / 14)
    shifted = MATRIX + 3
    assert normalized_cost(true, LETTERS[[1, 1, 2]], cost_matrix=shifted) == pytest.approx(1 / 14)


def test_masnadi_counts_false_alarms_and_misses() -> None:
    assert masnadi_cost(T, P, 5) == 2 + 5 * 2
    assert masnadi_cost(T, P, 5, pos_label=0) == 2 + 5 * 2
    assert masnadi_cost(T, P, 0.5, sample_weight=[1, 2, 3, 4, 1, 1, 1, 1]) == 5 + 0.5 * 5


def test_if_no_error_costs_anything() -> None:
    zeros = np.zeros(4, dtype=int)
    assert total_cost(zeros, zeros, fp_cost=1) == 0
    assert savings(zeros, zeros, fp_cost=1) == 0
    assert normalized_cost(zeros, zeros, fp_cost=1) == 0
    assert normalized_cost(T, P, fn_cost=0, fp_cost=0) == 0


def test_a_class_that_is_missing_does_not_move_the_other() -> None:
    assert normalized_cost([0, 0, 0, 0], [1, 0, 0, 0], fp_cost=1) == 0.25
    assert normalized_cost([0, 0, 0, 0], [1, 0, 0, 0], skew=1) == 0.25


# ---- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [list, pd.Series, pl.Series, np.asarray])
def test_labels_of_any_container(kind: Any) -> None:
    assert total_cost(kind(T.tolist()), kind(P.tolist()), fn_cost=3) == 8


@pytest.mark.parametrize("names", [np.array(["no", "yes"]), np.array([-1.0, 1.0]), [False, True]])
def test_the_greater_label_is_positive(names: Any) -> None:
    names = np.asarray(names)
    true, y_pred = names[T], names[P]
    assert total_cost(true, y_pred, fn_cost=3) == 8
    assert total_cost(true, y_pred, fn_cost=3, pos_label=names[0]) == 2 * 3 + 2
    assert total_cost(true.astype(object), y_pred.astype(object), fn_cost=3) == 8


def test_pos_label_swaps_the_two_costs() -> None:
    assert total_cost(T, P, fn_cost=3, fp_cost=7) == total_cost(
        T, P, fn_cost=7, fp_cost=3, pos_label=0
    )


def test_labels_order_the_matrix() -> None:
    order = [2, 0, 1]
    true, y_pred = LETTERS[[0, 1, 2, 2]], LETTERS[[1, 1, 0, 2]]
    plain = total_cost(true, y_pred, cost_matrix=MATRIX)
    other = total_cost(
        true, y_pred, cost_matrix=MATRIX[np.ix_(order, order)], labels=LETTERS[order]
    )
    assert plain == other == 1 + 7


# ---- bad input -----------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"fn_cost": 1, "cost_matrix": np.eye(2)}, "costs are given twice"),
    "negative": ({"fn_cost": -1}, "fn_cost must be finite and not negative, got -1"),
    "nan": ({"fp_cost": [1, np.nan] * 4}, "fp_cost .* got nan in row 1"),
    "infinite": ({"fp_cost": np.inf}, "fp_cost .* got inf"),
    "words": ({"fp_cost": "much"}, "fp_cost must be a number or .* got the text 'much'"),
    "length": ({"fn_cost": [1, 2]}, r"one for each of the 8 rows, got an array of shape \(2,\)"),
    "matrix": ({"cost_matrix": np.zeros((3, 3))}, r"shape \(2, 2\) .* got \(3, 3\); .* labels"),
    "entry": ({"cost_matrix": [[0, 1], [-1, 0]]}, r"cost_matrix .* got -1 at \(1, 0\)"),
    "vectors": ({"costs": np.zeros((8, 3))}, r"costs must have the shape \(8, 2\)"),
    "labels": ({"labels": [0, 1]}, "pass pos_label"),
    "positive": ({"cost_matrix": np.eye(2), "pos_label": 1}, "pass labels"),
    "unknown": ({"pos_label": 5}, "pos_label is 5, but the classes are 0, 1"),
    "unlisted": ({"cost_matrix": np.eye(2), "labels": [1, 2]}, "contains 0, .* labels 1, 2"),
    "twice": ({"cost_matrix": np.eye(2), "labels": [1, 1]}, "labels must differ"),
    "kinds": ({"cost_matrix": np.eye(2), "labels": ["a", "b"]}, "labels must be of one kind"),
    "weights": ({"sample_weight": [1, 1]}, r"each of the 8 rows, got an array of shape \(2,\)"),
    "below": ({"sample_weight": [-1] + [1] * 7}, "sample_weight .* got -1 in row 0"),
    "zero": ({"sample_weight": [0] * 8}, "sample_weight is zero for every row"),
    "heavy": ({"sample_weight": [1e308] * 8}, "scale it down"),
    "too large": ({"fn_cost": 1e308}, "take a larger unit"),
}


@pytest.mark.parametrize("measure", [total_cost, mean_cost, savings, normalized_cost])
@pytest.mark.parametrize("case", BAD)
def test_bad_costs(measure: Any, case: str) -> None:
    options, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        measure(T, P, **options)


@pytest.mark.parametrize("measure", [total_cost, mean_cost, savings, normalized_cost])
def test_bad_labels(measure: Any) -> None:
    with pytest.raises(ValueError, match="y_true has 8 rows, but y_pred has 7"):
        measure(T, P[1:])
    with pytest.raises(ValueError, match=r"3 classes, 0, 1, 2: .* pass cost_matrix or costs"):
        measure(np.arange(3), np.arange(3))
    with pytest.raises(ValueError, match="y_pred is empty"):
        measure([], [])
    with pytest.raises(ValueError, match=r"one label for each row, got an array of shape \(8, 1\)"):
        measure(T, P[:, None])
    with pytest.raises(ValueError, match="y_true contains labels that are missing"):
        measure([0, np.nan], [0, 1])
    with pytest.raises(ValueError, match="y_true contains labels that are missing"):
        measure(["a", None], ["a", "b"])
    with pytest.raises(ValueError, match="labels must be of one kind"):
        measure([0, 1], ["0", "1"])
    with pytest.raises(ValueError, match="cannot be sorted"):
        measure(np.array([0, "a"], dtype=object), np.array([0, "a"], dtype=object))
    with pytest.raises(ValueError, match=r"y_true must have one label .* shape \(\)"):
        measure(None, P)


def test_bad_skew() -> None:
    with pytest.raises(ValueError, match=r"skew must be from 0 to 1, got 1.5"):
        normalized_cost(T, P, skew=1.5)
    with pytest.raises(ValueError, match=r"skew must be from 0 to 1, got nan"):
        normalized_cost(T, P, skew=np.nan)
    with pytest.raises(ValueError, match="skew is for two classes"):
        normalized_cost(T, P, skew=0.5, cost_matrix=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="no positive row has weight and cost"):
        normalized_cost([0, 0, 0, 0], [1, 0, 0, 0], skew=0.5)


def test_savings_where_trivial_is_free() -> None:
    with pytest.raises(ValueError, match="savings is not defined: the predictions cost 1"):
        savings([0, 0, 0], [0, 0, 1], fp_cost=1)


def test_bad_factor() -> None:
    with pytest.raises(ValueError, match="f must be finite and not negative"):
        masnadi_cost(T, P, -2)


@pytest.mark.parametrize("measure", [total_cost, mean_cost, savings, normalized_cost])
def test_costs_have_to_be_given(measure: Any) -> None:
    with pytest.raises(ValueError, match="no costs are given; pass fn_cost and fp_cost"):
        measure(T, P)
    with pytest.raises(ValueError, match="no costs are given"):
        measure(T, P, pos_label=1, sample_weight=np.ones(8))
    assert (
        measure(T, P, fn_cost=1) == measure(T, P, fp_cost=1) == measure(T, P, fn_cost=1, fp_cost=1)
    )


# ---- baselines of savings ------------------------------------------------------------------------


def test_savings_against_costs_alone() -> None:
    random = np.random.default_rng(2)
    y, amount = random.integers(0, 2, 60), random.lognormal(3, 1, 60)
    y_pred, weight = random.integers(0, 2, 60), random.integers(0, 3, 60) / 2
    share = weight[y == 1].sum() / weight.sum()
    rule = (share > 5 / (5 + amount)).astype(int)
    given = {"fn_cost": amount, "fp_cost": 5.0, "sample_weight": weight}
    found = savings(y, y_pred, baseline="costs", **given)
    assert found == pytest.approx(1 - total_cost(y, y_pred, **given) / total_cost(y, rule, **given))
    assert savings(y, y_pred, baseline=rule, **given) == pytest.approx(found)
    assert savings(y, rule, baseline="costs", **given) == 0
    assert found < savings(y, y_pred, **given)


def test_with_costs_of_classes_the_baselines_are_the_same() -> None:
    random = np.random.default_rng(3)
    y, y_pred = random.integers(0, 3, (2, 50))
    matrix = random.uniform(1, 5, (3, 3)) * (1 - np.eye(3))
    for costs in ({"cost_matrix": matrix}, {"cost_matrix": matrix, "sample_weight": 1 + y}):
        expected = savings(y, y_pred, **costs)
        assert savings(y, y_pred, baseline="costs", **costs) == pytest.approx(expected)
    two = {"fn_cost": 3, "fp_cost": 1, "tp_cost": 1}
    expected = savings(y > 0, y_pred > 0, **two)
    assert savings(y > 0, y_pred > 0, baseline="costs", **two) == pytest.approx(expected)


def test_baselines_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="'constant', 'costs' or an array"):
        savings([0, 1], [0, 1], fn_cost=2, baseline="best")
    with pytest.raises(ValueError, match="pass predictions as baseline"):
        savings([0, 1], [0, 1], costs=[[0, 1], [1, 0]], baseline="costs")
    with pytest.raises(ValueError, match="deciding by costs alone costs nothing"):
        savings([0, 0], [0, 1], fn_cost=[1, 2], baseline="costs")


@pytest.mark.parametrize("measure", [brier_curve, cost_curve, decision_curve, net_benefit_score])
def test_a_record_states_the_net_costs_of_a_curve(measure: Any) -> None:
    rng = np.random.default_rng(0)
    y, p, amount = rng.integers(0, 2, 40), rng.uniform(0.01, 0.99, 40), rng.uniform(5, 9, 40)
    costs = Costs.outcomes(fn_cost=amount, fp_cost=3.0, tp_cost=2.0, tn_cost=-1.0)
    found, same = measure(y, p, costs=costs), measure(y, p, fn_cost=amount - 2, fp_cost=4.0)
    assert np.array_equal(found, same)
    with pytest.raises(ValueError, match="costs are given twice"):
        measure(y, p, costs=costs, fn_cost=2.0)


def test_a_record_states_the_costs_of_a_profit() -> None:
    rng = np.random.default_rng(0)
    y, p, amount = rng.integers(0, 2, 40), rng.uniform(0.01, 0.99, 40), rng.uniform(5, 9, 40)
    costs = Costs.direct_mail(amount, mailing_cost=1.0)
    found, same = profit_curve(y, p, costs=costs), profit_curve(y, p, **costs.named)
    assert np.array_equal(found.profit, same.profit)
