"""Ranks and tests of methods against scipy and Demsar's figures; bootstrap intervals."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from costboost.metrics import (
    average_ranks,
    bootstrap_interval,
    critical_difference,
    decision_curve,
    friedman_test,
    gini_score,
    mean_cost,
    nemenyi,
    net_benefit_score,
    pareto_front,
)

tables = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.integers(0, 4),
)  # fmt: skip


@settings(deadline=None, derandomize=True)
@given(tables)
def test_ranks_are_those_of_scipy(values: np.ndarray) -> None:
    expected = np.mean([stats.rankdata(row) for row in values], axis=0)
    assert_allclose(average_ranks(values), expected, rtol=1e-15)
    best_last = average_ranks(values, greater_is_better=True)
    assert_allclose(best_last, values.shape[1] + 1 - expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("k", "q"),
    list(enumerate([1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164], start=2)),
)
def test_critical_difference_is_that_of_demsars_table(k: int, q: float) -> None:
    for n in (5, 30):
        expected = q * sqrt(k * (k + 1) / (6 * n))
        assert critical_difference(k, n) == pytest.approx(expected, rel=5e-4)


def test_critical_difference_at_ten_percent() -> None:
    for k, q in ((2, 1.645), (5, 2.459), (10, 2.920)):
        expected = q * sqrt(k * (k + 1) / 60)
        assert critical_difference(k, 10, alpha=0.1) == pytest.approx(expected, rel=5e-4)


def test_demsars_example() -> None:
    """Section 3.2.2: four methods, 14 data sets; 1.25 at 5 and 1.12 at 10 per cent."""
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=5e-3)
    assert critical_difference(4, 14, alpha=0.1) == pytest.approx(1.12, abs=5e-3)


@settings(deadline=None, derandomize=True)
@given(st.lists(st.permutations(range(5)), min_size=2, max_size=12))
def test_friedman_is_demsars_formula_where_there_are_no_ties(rows: Any) -> None:
    values = np.array(rows, dtype=float)
    n, k = values.shape
    spread = (average_ranks(values) ** 2).sum() - k * (k + 1) ** 2 / 4
    chi_square = 12 * n / (k * (k + 1)) * spread
    found = friedman_test(values)
    assert found.statistic == pytest.approx(chi_square, abs=1e-9)
    if np.isfinite(found.f_statistic):
        f = (n - 1) * chi_square / (n * (k - 1) - chi_square)
        assert found.f_statistic == pytest.approx(f, abs=1e-9)
        assert found.f_pvalue == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)), abs=1e-9)
    else:
        assert np.all(values == values[0])


@settings(deadline=None, derandomize=True)
@given(tables)
def test_friedman_is_that_of_scipy(values: np.ndarray) -> None:
    if values.shape[1] < 3:
        return
    found = friedman_test(values)
    assert not np.isnan(found).any()
    if np.all(values == values[:, :1]):
        assert found == (0, 1, 0, 1)
    else:
        expected = stats.friedmanchisquare(*values.T)
        assert found[:2] == pytest.approx((expected.statistic, expected.pvalue))


def test_friedman_where_all_agree() -> None:
    found = friedman_test([[1, 2, 3]] * 5)
    assert found.statistic == pytest.approx(10)
    assert (found.f_statistic, found.f_pvalue) == (np.inf, 0)


@settings(deadline=None, derandomize=True)
@given(tables)
def test_pvalues_agree_with_the_critical_difference(values: np.ndarray) -> None:
    result = nemenyi(values)
    ranks = result.average_ranks
    apart = np.abs(ranks[:, None] - ranks)
    clear = np.abs(apart - result.critical_difference) > 1e-6
    differ = apart > result.critical_difference
    assert_array_equal((result.pvalues < 0.05)[clear], differ[clear])
    assert_array_equal(result.pvalues, result.pvalues.T)
    assert_array_equal(np.diag(result.pvalues), 1)


def test_groups_are_the_bars_of_the_diagram() -> None:
    values = np.tile([3.0, 1.0, 2.0, 4.0], (10, 1))
    result = nemenyi(values)
    assert result.critical_difference == pytest.approx(1.483, abs=1e-3)
    assert result.groups == [(1, 2), (2, 0), (0, 3)]
    assert nemenyi(np.tile([3.0, 1.0, 2.0, 4.0], (100, 1))).groups == []
    assert nemenyi(np.tile([3.0, 1.0, 2.0, 4.0], (2, 1))).groups == [(1, 2, 0, 3)]


@settings(deadline=None, derandomize=True)
@given(tables)
def test_pareto_front_by_definition(values: np.ndarray) -> None:
    def beats(one: Any, other: Any) -> bool:
        return bool(np.all(one <= other) and np.any(one < other))

    expected = [not any(beats(one, other) for one in values) for other in values]
    assert_array_equal(pareto_front(values), expected)
    assert pareto_front(values).any()


@pytest.mark.parametrize("function", [average_ranks, friedman_test, nemenyi, pareto_front])
def test_bad_tables(function: Any) -> None:
    with pytest.raises(ValueError, match=r"got an array of shape \(3,\)"):
        function([1, 2, 3])
    with pytest.raises(ValueError, match="got nan in row 1, column 0"):
        function([[1, 2, 3], [np.nan, 2, 3]])
    with pytest.raises(ValueError, match="values must be numbers"):
        function([["a", "b", "c"], ["a", "b", "c"]])
    with pytest.raises(ValueError, match="values must be a table"):
        function(np.empty((0, 3)))


def test_bad_tests() -> None:
    with pytest.raises(ValueError, match=r"three methods or more, got 2; .*wilcoxon"):
        friedman_test([[1, 2], [1, 2]])
    with pytest.raises(ValueError, match="two methods and one data set at least, got n_methods=1"):
        nemenyi([[1], [2]])
    with pytest.raises(ValueError, match="alpha must be between 0 and 1, got 5"):
        critical_difference(3, 10, alpha=5)


# ---- intervals over rows -------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_that_of_the_normal_distribution() -> None:
    y = np.arange(400) % 4 == 0
    found = bootstrap_interval(mean_cost, y, ~y, fn_cost=1, fp_cost=0, random_state=0)
    half = 1.96 * np.sqrt(0.25 * 0.75 / 400)
    assert found.value == 0.25
    assert (found.low, found.high) == pytest.approx((0.25 - half, 0.25 + half), abs=0.006)
    assert found == bootstrap_interval(mean_cost, y, ~y, fn_cost=1, fp_cost=0, random_state=0)
    wide = bootstrap_interval(
        mean_cost, y, ~y, fn_cost=1, fp_cost=0, confidence=0.999, random_state=0
    )
    assert wide.low < found.low < found.high < wide.high


def test_arrays_of_rows_are_resampled_with_the_rows() -> None:
    rng = np.random.default_rng(0)
    y, p, cost = rng.integers(0, 2, 60), rng.random(60), rng.lognormal(size=60)
    seen = []

    def measure(y_true: Any, y_prob: Any, *, sample_weight: Any, fn_cost: Any, at: Any) -> Any:
        rows = [np.flatnonzero(p == one)[0] for one in y_prob]
        assert_array_equal(fn_cost, cost[rows])
        assert_array_equal(y_true, y[rows])
        assert at == [0.1, 0.2]
        seen.append(sample_weight)
        return [0.0, 1.0]

    found = bootstrap_interval(
        measure, y, p, sample_weight=np.arange(60), fn_cost=cost, at=[0.1, 0.2], n_resamples=5
    )
    assert len(seen) == 6
    assert_array_equal(found.low, [0, 1])


def test_curves_have_limits_at_each_point() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.random(200) < p

    def benefit(y_true: Any, y_prob: Any) -> Any:
        return decision_curve(y_true, y_prob, thresholds=[0.2, 0.5]).net_benefit

    found = bootstrap_interval(benefit, y, p, n_resamples=50, random_state=1)
    assert np.all((found.low < found.value) & (found.value < found.high))
    one = bootstrap_interval(net_benefit_score, y, p, threshold=0.5, n_resamples=50, random_state=1)
    assert (one.low, one.high) == pytest.approx((found.low[1], found.high[1]))


def test_few_positives_are_in_every_resample() -> None:
    y = np.arange(50) < 1
    assert bootstrap_interval(gini_score, y, y, n_resamples=50, random_state=0) == (1, 1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 1}, "confidence must be between 0 and 1, got 1"),
        ({"n_resamples": 1}, "n_resamples must be a whole number of at least 2, got 1"),
        ({"n_resamples": True}, "n_resamples must be a whole number"),
        ({"sample_weight": [0, 1, 1]}, "every row that counts is positive"),
    ],
    ids=str,
)
def test_bad_intervals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval(gini_score, [0, 1, 1], [0.1, 0.2, 0.3], **options)
