"""Decisions without a model: the least expected cost at the same probabilities for all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from costboost import ActionClassifier, CostBoostClassifier
from costboost._core.baselines import interval, least_favourable, shares_of
from costboost._core.costs import Costs
from costboost.decisions.prevalence import shares_without_model

SEEDS = st.integers(0, 10_000)


def of_actions(table: NDArray[np.float64]) -> Costs:
    """Costs of actions from numbers, or from one table for each row."""
    k, m = table.shape[-2:]
    cells = {i: {f"a{j}": table[..., i, j] for j in range(m)} for i in range(k)}
    if table.ndim == 2:
        cells = {i: {name: float(cost) for name, cost in row.items()} for i, row in cells.items()}
    return Costs.by_action(cells)


@given(SEEDS)
def test_two_classes_are_decided_as_by_their_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, share = 30, float(rng.uniform(0.01, 0.99))
    fn, fp, tp, tn = rng.normal([[6], [4], [0], [0]], 1.0, size=(4, n))
    costs = Costs.outcomes(fn_cost=fn, fp_cost=fp, tp_cost=tp, tn_cost=tn)
    shares = np.array([1 - share, share])
    codes = Costs.matrix(costs.table).by_shares(shares, n)
    assert np.array_equal(costs.by_shares(shares, n), codes)


@given(SEEDS, st.integers(2, 4), st.integers(2, 4))
def test_no_decision_has_a_lower_expected_cost(seed: int, k: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    shares, table = rng.dirichlet(np.ones(k)), rng.normal(size=(20, k, m))
    expected = np.einsum("k,ikj->ij", shares, table)
    chosen = expected[np.arange(20), of_actions(table).by_shares(shares, 20)]
    assert np.allclose(chosen, expected.min(axis=1))


@given(SEEDS)
def test_with_the_same_costs_it_is_one_decision_for_all_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shares, table = rng.dirichlet(np.ones(3)), rng.uniform(size=(3, 4))
    codes = of_actions(table).by_shares(shares, 7)
    assert codes.shape == (7,)
    assert np.unique(codes).size == 1
    of_rows = np.repeat(table[np.newaxis], 7, axis=0)
    assert np.array_equal(codes, of_actions(of_rows).by_shares(shares, 7))


def test_a_tie_is_negative() -> None:
    shares = np.array([0.75, 0.25])
    assert not Costs.outcomes(fn_cost=3.0, fp_cost=1.0).by_shares(shares, 2).any()
    assert not Costs.matrix([[0.0, 1.0], [3.0, 0.0]]).by_shares(shares, 2).any()


def test_shares_count_weights() -> None:
    found = shares_of(np.array([0, 2, 2]), np.array([1.0, 2.0, 1.0]), 3)
    assert found.tolist() == [0.25, 0.0, 0.75]


def test_the_least_favourable_comparison_is_taken_end_by_end() -> None:
    assert least_favourable([(3.0, 1.0, 5.0), (2.0, -1.0, 6.0)]) == (2.0, -1.0, 5.0)


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_the_interval_against_the_best_of_two_equal_rules_covers(correlation: float) -> None:
    """Savings against two rules whose expectations are both 1: a 95% interval covers 1."""
    rng, n_trials, n_rows = np.random.default_rng(0), 3000, 200
    covered = np.empty(n_trials, dtype=bool)
    for t in range(n_trials):
        shared, own = rng.normal(size=n_rows), rng.normal(size=(2, n_rows))
        saved = 1 / n_rows + correlation * shared + np.sqrt(1 - correlation**2) * own
        _, low, high = least_favourable(interval(one) for one in saved)
        covered[t] = low <= 1 <= high
    assert covered.mean() == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / n_trials))


# ---- shares of the classes -----------------------------------------------------------------------

X, y = make_classification(300, 5, weights=[0.8], random_state=0)


def shares_for(clf: object) -> tuple[list[float], bool]:
    truth, weight = np.array([0, 1]), np.ones(2)
    found = shares_without_model(clf, truth, weight)
    return [round(float(one), 6) for one in found.values], found.of_training


def test_shares_are_those_of_training() -> None:
    own = [round(float(np.mean(y == k)), 6) for k in (0, 1)]
    clf = CostBoostClassifier(n_estimators=3, calibration=None, random_state=0).fit(X, y)
    costs = {0: {"a": 0, "b": 1}, 1: {"a": 2, "b": 0}}
    around = ActionClassifier(LogisticRegression(), costs=costs).fit(X, y)
    for one in (clf, FrozenEstimator(clf), around, ActionClassifier(clf, costs=costs).fit(X, y)):
        assert shares_for(one) == (own, True)


def test_where_they_are_unknown_those_of_the_rows_are_taken() -> None:
    clf = LogisticRegression().fit(X, y)
    costs = {0: {"a": 0, "b": 1}, 1: {"a": 2, "b": 0}}
    for one in (clf, ActionClassifier(FrozenEstimator(clf), costs=costs).fit(X)):
        assert shares_for(one) == ([0.5, 0.5], False)
