"""Costs that are ranges or distributions: means, regrets and robust decisions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from decisions.setting import X, Y
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from costboost import ActionClassifier

FROZEN = FrozenEstimator(LogisticRegression().fit(X, Y))
P = FROZEN.predict_proba(X)
ACTIONS = ("block", "review", "allow")


def made(costs: Any, **given: Any) -> Any:
    return ActionClassifier(FROZEN, costs=costs, **given).fit(X)


def table(low: Any, high: Any) -> dict[int, dict[str, Any]]:
    return {k: {a: (low[k][j], high[k][j]) for j, a in enumerate(ACTIONS)} for k in range(len(low))}


def corners(low: Any, high: Any) -> Any:
    """All tables of which each cell is at one end of its range."""
    ends = list(zip(np.ravel(low), np.ravel(high), strict=True))
    return np.array(list(product(*ends))).reshape(-1, *np.shape(low))


def reviewed(tables: Any, mean: Any, recall: float, specificity: float) -> Any:
    """Tables with the costs that follow a review."""
    others = [0, 2]
    then = [others[int(np.argmin(mean[k][others]))] for k in (0, 1)]
    found = tables.copy()
    rates = [[specificity, 1 - specificity], [1 - recall, recall]]
    for k in (0, 1):
        found[:, k, 1] += sum(rates[k][s] * tables[:, k, then[s]] for s in (0, 1))
    return found


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_regret_is_the_worst_of_all_corners(seed: int, with_reviewer: bool) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 20, (2, 3)).astype(float)
    high = low + rng.integers(0, 15, (2, 3))
    rates = {"recall": 0.8, "specificity": 0.7} if with_reviewer else None
    clf = made(table(low, high), uncertain="regret", reviewer=rates)
    every = corners(low, high)
    if with_reviewer:
        every = reviewed(every, (low + high) / 2, 0.8, 0.7)
    p = P[:40]
    costs = np.einsum("ik,ckj->cij", p, every)
    regret = (costs - costs.min(axis=2, keepdims=True)).max(axis=0)
    robustness = clf.robustness(X[:40])
    chosen = np.argmax(robustness.actions[:, None] == np.array(ACTIONS), axis=1)
    rows = np.arange(40)
    assert_allclose(regret[rows, chosen], regret.min(axis=1), atol=1e-9)
    assert_allclose(robustness.regret, regret.min(axis=1), atol=1e-9)
    assert_array_equal(clf.predict(X[:40]), robustness.actions)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_a_robust_decision_holds_everywhere_in_the_ranges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 20, (2, 3)).astype(float)
    high = low + rng.integers(0, 6, (2, 3))
    clf = made(table(low, high))
    found = clf.robustness(X[:60])
    costs = np.einsum("ik,ckj->cij", P[:60], corners(low, high))
    chosen = np.argmax(found.actions[:, None] == np.array(ACTIONS), axis=1)
    own = costs[:, np.arange(60), chosen]
    holds = np.all(own <= costs.min(axis=2) + 1e-9, axis=0)
    assert_array_equal(found.robust, holds)
    assert found.share == holds.mean()
    assert_allclose(found.at_stake, (own - costs.min(axis=2)).max(axis=0).sum(), atol=1e-9)


def test_the_mean_of_a_range_is_its_middle_and_that_of_a_distribution_its_own() -> None:
    gamma = stats.gamma(2, scale=30)
    uncertain = made(
        {0: {"block": (10, 30), "allow": 0}, 1: {"block": 0, "allow": gamma}},
    )
    certain = made({0: {"block": 20, "allow": 0}, 1: {"block": 0, "allow": 60}})
    assert_allclose(uncertain.expected_costs(X), certain.expected_costs(X))
    assert_array_equal(uncertain.predict(X), certain.predict(X))
    assert certain.robustness(X).share == 1
    found = uncertain.robustness(X)
    low, high = gamma.interval(0.95)
    by_range = made({0: {"block": (10, 30), "allow": 0}, 1: {"block": 0, "allow": (low, high)}})
    regret = by_range.set_params(uncertain="regret").robustness(X)
    other = uncertain.set_params(uncertain="regret").robustness(X)
    assert_array_equal(other.actions, regret.actions)
    assert_allclose(other.regret, regret.regret)
    assert other.at_stake <= found.at_stake
    assert "decisions hold for all costs within their ranges" in str(found)


def test_ranges_of_rows() -> None:
    low, high = np.linspace(10, 20, len(X)), np.linspace(30, 90, len(X))
    clf = made({0: {"block": 9, "allow": 0}, 1: {"block": 0, "allow": (low, high)}})
    assert_allclose(clf.expected_costs(X)[:, 1], P[:, 1] * (low + high) / 2)
    found = clf.robustness(X)
    blocks = found.actions == "block"
    worst = np.where(blocks, P[:, 0] * 9 - P[:, 1] * low, P[:, 1] * high - P[:, 0] * 9)
    assert_allclose(found.regret, np.maximum(worst, 0), atol=1e-12)


def test_certain_costs_have_the_same_decisions_by_regret() -> None:
    costs = {0: {"block": 20, "review": 4, "allow": 0}, 1: {"block": 0, "review": 4, "allow": 60}}
    assert_array_equal(made(costs, uncertain="regret").predict(X), made(costs).predict(X))


def test_plans_minimise_the_sum_of_regrets() -> None:
    low = [[20.0, 4, 0], [0, 4, 10]]
    high = [[20.0, 4, 0], [0, 4, 90]]
    clf = made(table(low, high), uncertain="regret")
    plan = clf.plan(X, {"review": 10})
    assert plan.usage["review"].tolist() == [10]
    costs = np.einsum("ik,ckj->cij", P, corners(low, high))
    regret = (costs - costs.min(axis=2, keepdims=True)).max(axis=0)
    saving = regret[:, [0, 2]].min(axis=1) - regret[:, 1]
    assert_allclose(np.sort(saving)[-11], plan.shadow_prices["review"][0])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ((5, 3), "cost of 'allow' where 1 is true must be a range from low to high, got 5 to 3"),
        ((1, np.nan), "must be finite, got nan"),
        ((np.full(600, 5.0), np.arange(600.0)), "got 5 to 0 in row 0"),
        (stats.cauchy(), "distribution whose mean or central 95% interval is not finite"),
    ],
)
def test_bad_ranges(cell: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made({0: {"block": 20, "allow": 0}, 1: {"block": 0, "allow": cell}})
