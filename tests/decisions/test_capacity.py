"""Plans within capacities for groups of rows, and prices for rows that arrive one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from decisions.brute import least_cost
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from costboost.decisions.capacity import (
    CapacityPrices,
    assign,
    check_groups,
    check_prices,
    decide_by_prices,
    fit_prices,
)

ACTIONS = ["block", "review", "allow"]


def plan(costs: Any, capacity: Any, groups: Any = None) -> Any:
    return assign(costs, capacity, groups, ACTIONS)


@settings(max_examples=150)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(1, 2))
def test_every_group_is_assigned_at_least_cost(seed: int, ties: bool, n_limited: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_groups = int(rng.integers(1, 15)), int(rng.integers(1, 4))
    costs = rng.integers(0, 4, (n, 3)).astype(float) if ties else rng.normal(size=(n, 3))
    groups = rng.integers(0, n_groups, n)
    limited = rng.permutation(3)[:n_limited]
    capacity = {ACTIONS[k]: int(rng.integers(0, 4)) for k in limited}
    found = plan(costs, capacity, groups)
    limits = np.array([capacity.get(name, np.inf) for name in ACTIONS])
    cost = 0.0
    for k, group in enumerate(np.unique(groups)):
        own = costs[groups == group][:6]
        if len(own) < np.sum(groups == group):
            return  # too many to try all
        least = least_cost(own, limits)
        cost += least
        for action in capacity:
            one = np.array([name == action for name in ACTIONS], dtype=float)
            worth = least - least_cost(own, limits + one)
            assert_allclose(found.shadow_prices[action][k], worth, atol=1e-12)
            assert found.usage[action][k] <= capacity[action]
    assert_allclose(found.expected_cost, cost, atol=1e-12)


def test_one_limited_action_is_sorted_by_saving() -> None:
    costs = np.array([[9, 1, 4], [9, 1, 8], [9, 1, 8], [0, 1, 8], [9, 1, 3]], dtype=float)
    found = plan(costs, {"review": 2})
    assert found.actions.tolist() == ["allow", "review", "review", "block", "allow"]
    assert found.shadow_prices["review"].tolist() == [3.0]
    assert found.expected_cost == 9.0
    assert {name: one.tolist() for name, one in found.usage.items()} == {
        "block": [1],
        "review": [2],
        "allow": [2],
    }


def test_a_capacity_that_is_not_reached_changes_nothing() -> None:
    costs = np.random.default_rng(0).normal(size=(50, 3))
    found = plan(costs, {"review": 50, "block": 50})
    assert_array_equal(found.actions, np.array(ACTIONS)[costs.argmin(axis=1)])
    assert all(np.all(price == 0) for price in found.shadow_prices.values())


def test_a_capacity_of_each_group() -> None:
    costs = np.tile([5.0, 1.0, 4.0], (6, 1))
    day = pd.Series(["mon", "tue"] * 3, name="day")
    found = plan(pd.DataFrame(costs), {"review": {"mon": 1, "tue": 0}}, day)
    assert found.actions.tolist() == ["review", *["allow"] * 5]
    assert found.groups.tolist() == ["mon", "tue"]
    assert found.limits["review"].tolist() == [1, 0]
    assert str(found) == (
        "6 rows, expected cost 21\n"
        "review: 1 of 1 used, limit reached in 2 of 2 groups (day); one more review is worth 3 a "
        "day"
    )


COSTS = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize(
    ("capacity", "groups", "message"),
    [
        (
            {"stop": 1},
            None,
            "capacity has the action 'stop', which is none of block, review, allow",
        ),
        ({"review": -1}, None, "capacity of 'review' must be a whole number of at least 0, got -1"),
        ({"review": 1.5}, None, "whole number of at least 0, got 1.5"),
        ({"review": np.inf}, None, "leave out an action that has no limit"),
        ({"review": True}, None, "whole number of at least 0, got True"),
        ({"review": "5"}, None, "whole number of at least 0, got '5'"),
        ({}, None, "capacity must be a dict of at least one action"),
        (5, None, "capacity must be a dict of at least one action"),
        (dict.fromkeys(ACTIONS, 1), None, "limited, to 3 rows in total, but there are 4 rows;"),
        (dict.fromkeys(ACTIONS, 1), list("aaaa"), "there are 4 rows of group a"),
        ({"review": {"a": 1}}, list("aabb"), "needs a number for each group, but there is none"),
        ({"review": {"a": 1}}, None, "groups is not given"),
        ({"review": {"a": -1}}, list("aaaa"), "capacity of 'review' in 'a' must be a whole"),
        ({"review": 1}, [1, 2], r"one label for each of the 4 rows, got an array of shape \(2,\)"),
        ({"review": 1}, [1.0, np.nan, 2.0, 1.0], "groups has no label in row 1"),
        ({"review": 1}, [1, None, 2, 1], "groups has no label in row 1"),
        ({"review": 1}, np.array([1, "a", 2, 1], dtype=object), "labels that can be sorted"),
    ],
)
def test_bad_capacities(capacity: Any, groups: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(COSTS, capacity, groups)


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (COSTS[0], "a column for each action"),
        (COSTS[:, :2], "a column for each action"),
        (COSTS[:0], "a row for each row"),
        (np.where(COSTS == 4, np.nan, COSTS), "got nan for 'review' in row 1"),
        ([["a", 1, 2]], "costs must be numbers"),
    ],
)
def test_bad_costs(costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan(costs, {"review": 1})


# ---- rows that arrive one by one -----------------------------------------------------------------


def test_prices_keep_the_limits_on_average() -> None:
    rng = np.random.default_rng(0)
    costs, day = rng.gamma(1, size=(2000, 3)), np.repeat(np.arange(40), 50)
    found = fit_prices(costs, ACTIONS, {"review": 5, "block": 10}, check_groups(day, 2000))
    chosen = decide_by_prices(costs, check_prices(found, ACTIONS))
    of_day = (chosen.reshape(40, 50) == 1).sum(axis=1)
    assert found.usage == {"block": 10.0, "review": 5.0}
    assert found.spread["review"] == of_day.std(ddof=1)
    assert found.most["review"] == of_day.max()
    assert found.exceeded["review"] == np.mean(of_day > 5)
    assert found.n_groups == 40
    together = plan(costs, {"review": 200, "block": 400})
    assert_array_equal(np.array(ACTIONS)[chosen], together.actions)
    assert str(found).startswith(
        "block: price 0.7265; expect 10 a group (standard deviation 3.038, "
    )


def test_prices_are_0_where_limits_do_not_matter() -> None:
    costs, day = np.random.default_rng(0).gamma(1, size=(100, 3)), np.arange(100) % 4
    found = fit_prices(costs, ACTIONS, {"review": 25}, check_groups(day, 100))
    assert found.prices == {"review": 0.0}


def test_a_row_at_its_price_does_without_the_limited_action() -> None:
    costs = np.tile([9.0, 1.0, 4.0], (8, 1))
    found = fit_prices(costs, ACTIONS, {"review": 1}, check_groups(np.arange(8) % 2, 8))
    assert found.prices == {"review": 3.0}
    assert found.usage == {"review": 0.0}


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({"stop": 1}, "prices has the action 'stop', which is none of block, review, allow"),
        ({"review": -1}, "price of 'review' must be a number of at least 0, got -1"),
        ({"review": np.nan}, "price of 'review' must be a number of at least 0, got nan"),
        ({"review": "3"}, "price of 'review' must be a number of at least 0, got '3'"),
        (3.0, "prices must be a dict of actions and numbers"),
    ],
)
def test_bad_prices(prices: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_prices(prices, ACTIONS)


def test_prices_need_past_groups() -> None:
    with pytest.raises(ValueError, match="at least two past groups"):
        fit_prices(COSTS, ACTIONS, {"review": 1}, check_groups(None, 4))
    with pytest.raises(ValueError, match="no price is high enough"):
        fit_prices(COSTS, ACTIONS, {"review": 0}, check_groups([1, 1, 2, 2], 4))
    assert isinstance(
        fit_prices(COSTS, ACTIONS, {"review": 1}, check_groups([1, 1, 2, 2], 4)), CapacityPrices
    )


def test_a_million_rows_with_two_capacities() -> None:
    costs = np.random.default_rng(0).gamma(2, size=(1_000_000, 4))
    found = assign(costs, {"a": 50_000, "b": 80_000}, actions=["a", "b", "c", "d"])
    assert (found.usage["a"], found.usage["b"]) == (50_000, 80_000)
