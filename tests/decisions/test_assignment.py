"""Assignments under limits cost as little as the best of all assignments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decisions.brute import least_cost, random_problem
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog

from costboost.decisions import capacity
from costboost.decisions.capacity import separating_prices, solve


def total(costs: Any, codes: Any) -> float:
    return float(costs[np.arange(len(costs)), codes].sum())


def test_all_assignments_of_small_problems() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        costs, limits = random_problem(rng)
        found = solve(costs, limits)
        least = least_cost(costs, limits)
        assert np.all(np.bincount(found.codes, minlength=limits.size) <= limits)
        assert_allclose(total(costs, found.codes), least, atol=1e-12)


def test_the_value_of_one_more_unit_is_the_difference_of_least_costs() -> None:
    rng = np.random.default_rng(1)
    for _ in range(700):
        costs, limits = random_problem(rng, 5)
        found, least = solve(costs, limits), least_cost(costs, limits)
        for action in np.flatnonzero(np.isfinite(limits)):
            one = (np.arange(limits.size) == action).astype(float)
            more = least - least_cost(costs, limits + one)
            assert_allclose(found.one_more[action], more, atol=1e-12)
        assert np.all(found.one_more[np.isinf(limits)] == 0)


def by_linear_program(costs: Any, limits: Any) -> float:
    n, m = costs.shape
    each = sparse.kron(sparse.eye(n), np.ones((1, m))).tocsr()
    limited = np.flatnonzero(np.isfinite(limits))
    of_action = sparse.kron(np.ones((1, n)), np.eye(m)[limited]).tocsr()
    found = linprog(costs.ravel(), A_ub=of_action, b_ub=limits[limited], A_eq=each, b_eq=np.ones(n))
    return float(found.fun)


@pytest.mark.parametrize("near", [8, 4000])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    "limits", [[np.inf, 100, 50, 30, 0], [200, 150, 150, 60, 40]], ids=["free", "tight"]
)
def test_the_linear_program(
    near: int, ties: bool, limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capacity, "NEAR", near)
    monkeypatch.setattr(capacity, "SAMPLE", 50)
    rng = np.random.default_rng(near)
    costs = rng.integers(0, 6, (600, 5)).astype(float) if ties else rng.gamma(1, size=(600, 5))
    found = solve(costs, np.array(limits))
    assert np.all(np.bincount(found.codes, minlength=5) <= limits)
    assert_allclose(total(costs, found.codes), by_linear_program(costs, np.array(limits)))


def test_of_equal_rows_the_first_have_the_limited_actions() -> None:
    costs = np.tile([5.0, 2.0, 1.0], (7, 1))
    found = solve(costs, np.array([np.inf, 2, 3]))
    assert found.codes.tolist() == [1, 1, 2, 2, 2, 0, 0]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_the_cost_does_not_depend_on_the_order_of_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs, limits = random_problem(rng, 30)
    order = rng.permutation(len(costs))
    one, other = solve(costs, limits), solve(costs[order], limits)
    assert_allclose(total(costs, one.codes), total(costs[order], other.codes), atol=1e-12)
    assert_allclose(one.one_more, other.one_more, atol=1e-12)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(-100, 100))
def test_costs_that_all_actions_share_do_not_matter(seed: int, shift: float) -> None:
    costs, limits = random_problem(np.random.default_rng(seed), 30)
    one, other = solve(costs, limits), solve(costs + round(shift), limits)
    if np.all(costs == costs.round()):
        assert_array_equal(one.codes, other.codes)
    assert_allclose(total(costs, one.codes), total(costs, other.codes), atol=1e-9)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_rows_choose_their_actions_at_separating_prices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = rng.gamma(1, size=(40, 4))
    limits = np.array([*rng.integers(1, 20, 2), rng.integers(20, 41), np.inf])
    codes = solve(costs, limits).codes
    prices = separating_prices(costs, codes, limits)
    assert_array_equal((costs + prices).argmin(axis=1), codes)
    assert np.all(prices[np.bincount(codes, minlength=4) < limits] == 0)
